"""What is attacked, as an attacker has it: the released table, its policy, its certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roadstead.errors import SettingError, VerificationError
from roadstead.policies.document import Policy
from roadstead.printable import named
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.certificate import (
    CERTIFICATE,
    Certificate,
    TableFingerprint,
    read_certificate,
)
from roadstead.release.documents import Fingerprint, is_unchanged, read_back
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.private.certificate import is_private
from roadstead.release.private.tables import RECORDS, PrivateRelease, read_private
from roadstead.release.verification.plugins import require_allowed
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read
from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False)
class AttackedRelease:
    """What an attacker has: the released table, its policy, its certificate.

    A private release has no policy, but groups and noisy counts; its table is that of its records.
    """

    folder: Path
    source: Source
    certificate: Certificate | None
    policy: Policy | None
    private: PrivateRelease | None = field(default=None, repr=False)

    @cached_property
    def rows(self) -> FrequencyTable:
        """The distinct rows, every column as text; ends in two columns are one label.

        Columns that were microaggregated or rounded are left out: no cell of theirs is a value that
        somebody has, and no attack here tries what they tell.
        """
        if self.policy is None:
            return summarize(self.source, self.source.columns)
        joined = with_joined_ends(self.source, self.policy)
        columns = [name for name in joined.columns if name not in self.policy.treated]
        return with_plain_ends(summarize(joined, columns), self.policy)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that the release makes coarser."""
        if self.private is not None:
            return tuple(cut.attribute for cut in self.private.listed.groups.cuts)
        assert self.policy is not None  # noqa: S101 - one of the two
        return tuple(name for name in self.policy.quasi if name in self.rows.attributes)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that nobody should learn of a person; the classes of a private release."""
        if self.private is not None:
            return () if self.private.target is None else (self.private.target,)
        assert self.policy is not None  # noqa: S101 - one of the two
        return tuple(n for n in self.policy.columns.sensitive if n in self.rows.attributes)

    @property
    def linked_by(self) -> str | None:
        """The released column of pseudonyms, if there is one."""
        return None if self.policy is None else self.policy.linked_by

    @property
    def others(self) -> tuple[str, ...]:
        """All other columns, released as they are; pseudonyms are none of them."""
        known = {*self.quasi, *self.sensitive, self.linked_by}
        return tuple(name for name in self.rows.attributes if name not in known)

    @cached_property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The privacy models that it promises; none of a private release."""
        own = () if self.policy is None else self.policy.privacy
        return tuple(model_from(one, where=str(self.folder / CERTIFICATE)) for one in own)

    @property
    def promised(self) -> float | None:
        """The largest risk that somebody who knows the quasi-identifiers may be; None of none."""
        least = min((model.threshold for model in self.models), default=1.0)
        return least if least < 1.0 else None

    @cached_property
    def look_known(self) -> frozenset[str]:
        """Other columns that look like what identifies a person, or what others may know."""
        if not self.others:
            return frozenset()
        judged = examine(self.source, self.others).judgments
        return frozenset(n for n, one in judged.items() if one.role in ("identifying", "quasi"))

    @property
    def epsilon(self) -> float | None:
        """The privacy budget of a private release."""
        return None if self.private is None else float(self.private.certificate.epsilon)

    @property
    def delta(self) -> float:
        """What a generalized sample may tell beyond epsilon; 0 of other private releases."""
        return 0.0 if self.private is None else self.private.certificate.delta

    @property
    def why_no_recoding(self) -> str:
        """Say why nothing can be learned from how a private release chose its classes."""
        if self.delta:
            return "the levels of a sample are public, or were chosen privately"
        return "a private release has no classes of records"


@contextlib.contextmanager
def opened_release(folder: Path, allowed: Collection[str] = ()) -> Iterator[AttackedRelease]:
    """Open a release from its folder, as whoever receives it would.

    A `VerificationError` if its table is not as it was certified, or if it has models of other
    packages than the `allowed` ones; a `SettingError` if that table is in a database.
    """
    if is_private(folder):
        private = read_private(folder)
        with read(folder / RECORDS, delimiter=",", encoding="utf-8", header=True) as source:
            _require_unchanged(folder, RECORDS, private.certificate.files)
            yield AttackedRelease(folder, source, None, None, private)
        return
    certificate, policy = read_certificate(folder / CERTIFICATE)
    require_allowed(certificate, policy, allowed, where=str(folder))
    table = certificate.table
    if isinstance(table, TableFingerprint):
        raise SettingError(
            "its table is in a database, and is attacked from a file alone",
            where=str(folder),
            fix="write the release into a folder",
        )
    _require_unchanged(folder, table.name, (table,))
    with read_back(folder / table.name, certificate.format) as source:
        yield AttackedRelease(folder, source, certificate, policy)


def _require_unchanged(folder: Path, name: str, files: tuple[Fingerprint, ...]) -> None:
    own = [one for one in files if one.name == name]
    if not own or not is_unchanged(folder, own[0]):
        raise VerificationError(
            f"{named(name)} is not as it was certified",
            where=str(folder),
            fix="see what is wrong with roadstead verify",
        )
