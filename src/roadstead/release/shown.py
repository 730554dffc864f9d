"""What a release shows of records: its table, and what is known of the columns before it is read.

Attacks, comparisons, and the page read a release as whoever receives it does. A policy or noisy
counts say how its cells came about; each is there for releases that have one.
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


@dataclass(frozen=True, eq=False)
class ShownRelease:
    """A release whose table is in its folder, and what its documents say of the columns.

    Attributes
    ----------
    quasi, sensitive, released
        The columns that it makes coarser, those that nobody should learn of a person, and all.
    promise
        What it promises, in a few words.
    epsilon, delta
        The privacy budget, and what may be told beyond it; None and 0 where there is none.
    certificate, policy
        Those of a table that a policy made.
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
        """What its folder is called."""
        return self.folder.name or str(self.folder)

    def require_unchanged(self) -> None:
        """Refuse a table that is not the one certified, by a `VerificationError`."""
        if not is_unchanged(self.folder, self.file):
            raise VerificationError(
                f"{named(self.file.name)} differs from the certified file",
                where=str(self.folder),
                fix="run roadstead verify to see the difference",
            )

    def read(self) -> Source:
        """Open its table, every cell as it was written."""
        return read_back(self.folder / self.file.name, self.form)
