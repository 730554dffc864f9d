"""Open the table of a release, together with the statements of its documents about the columns.

Attacks, comparisons, and the workbench read a release in the same way as a recipient.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import VerificationError
from roadstead.printable import named
from roadstead.release.documents import Fingerprint, TableForm, is_unchanged, read_back
from roadstead.tables.source import Source

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.certificate import Certificate
    from roadstead.release.private.tables import PrivateRelease

NOISY = "noisy counts"
"""The recoding of a differentially private release."""


@dataclass(frozen=True, eq=False)
class ShownRelease:
    """A release whose table is in the folder, with the statements of its documents about columns.

    Attributes
    ----------
    quasi, sensitive, released
        The quasi-identifiers, the sensitive columns, and all released columns.
    promise
        The privacy requirements, in a few words.
    epsilon, delta
        The parameters of differential privacy; None and 0 if the release is not private.
    certificate, policy
        The documents of a table that was generalized with a policy.
    private
        The counts of a differentially private release.
    """

    folder: Path
    file: Fingerprint
    form: TableForm
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    released: tuple[str, ...]
    promise: str
    epsilon: float | None = None
    delta: float = 0.0
    certificate: Certificate | None = None
    policy: Policy | None = None
    private: PrivateRelease | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Return the name of the release's folder."""
        return self.folder.name or str(self.folder)

    @property
    def counts_people(self) -> bool:
        """Return whether the release states that a person can have several records."""
        if self.private is not None:
            return self.private.certificate.privacy_unit.persons
        return self.policy is not None and self.policy.persons is not None

    @property
    def recoding(self) -> str:
        """Return the kind of recoding with which the release was generalized."""
        if self.policy is None:
            return NOISY
        own = self.policy.recoding
        return "global" if own is None else str(own.kind)

    def require_unchanged(self) -> None:
        """Raise a `VerificationError` if the table differs from the certified table."""
        if not is_unchanged(self.folder, self.file):
            raise VerificationError(
                f"{named(self.file.name)} differs from the certified file",
                where=str(self.folder),
                fix="run roadstead verify to see the difference",
            )

    def read(self) -> Source:
        """Open the table, with every cell as written."""
        return read_back(self.folder / self.file.name, self.form)
