"""What is attacked: a release as an attacker has it, and what the judge has next to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from roadstead.errors import SettingError, VerificationError, quoted
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
from roadstead.release.evidence import Need
from roadstead.release.persons.dates import make_dates
from roadstead.release.private.certificate import is_private
from roadstead.release.private.tables import RECORDS, PrivateRelease, read_private
from roadstead.tables.frequency import FrequencyTable, summarize
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
        """The distinct rows, every column as text; ends in two columns are one label."""
        if self.policy is None:
            return summarize(self.source, self.source.columns)
        joined = with_joined_ends(self.source, self.policy)
        return with_plain_ends(summarize(joined, joined.columns), self.policy)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that the release makes coarser."""
        if self.private is not None:
            return tuple(cut.attribute for cut in self.private.listed.groups.cuts)
        assert self.policy is not None  # noqa: S101 - one of the two
        return tuple(name for name in self.policy.quasi if name in self.rows.attributes)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that nobody should learn of a person; of a private release the classes."""
        if self.private is not None:
            return (self.private.target,)
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

    @property
    def epsilon(self) -> float | None:
        """The privacy budget of a private release."""
        return None if self.private is None else float(self.private.certificate.epsilon)


@contextlib.contextmanager
def opened_release(folder: Path) -> Iterator[AttackedRelease]:
    """Open a release from its folder, as whoever receives it would.

    A `VerificationError` if its table is not as it was certified, a `SettingError` if that is in
    a database.
    """
    if is_private(folder):
        private = read_private(folder)
        with read(folder / RECORDS, delimiter=",", encoding="utf-8", header=True) as source:
            _require_unchanged(folder, RECORDS, private.certificate.files)
            yield AttackedRelease(folder, source, None, None, private)
        return
    certificate, policy = read_certificate(folder / CERTIFICATE)
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


@dataclass(frozen=True, eq=False)
class Target:
    """A release, and what the judge has: tables by which attacks are made and judged.

    `original` is the table that it was made of; `register` people whom an attacker knows something
    of; `held_out` people of the same kind who are not in the release; `second` another release.
    """

    release: AttackedRelease
    original: Source | None = None
    register: Source | None = None
    held_out: Source | None = None
    second: AttackedRelease | None = None

    @property
    def has(self) -> frozenset[Need]:
        """What the judge has."""
        there: dict[Need, object] = {
            "original": self.original,
            "register": self.register,
            "held-out": self.held_out,
            "second-release": self.second,
        }
        return frozenset(name for name, one in there.items() if one is not None)

    @cached_property
    def people(self) -> FrequencyTable:
        """The original's distinct rows, of the columns that are released, and whose each is.

        Dates of persons are the days between them that the policy makes of them, not shifted, as
        somebody who knows the dates would count them.
        """
        assert self.original is not None  # noqa: S101 - an attack that needs it says so
        return self.rows_of(self.original)

    def rows_of(self, source: Source) -> FrequencyTable:
        """Count the distinct rows of a table of people in the columns that are released."""
        policy = self.release.policy
        rules = None if policy is None else policy.persons
        person = None if rules is None else rules.column
        if rules is not None and person in source.columns and rules.dates:
            unshifted = tuple(
                replace(rule, form="interval") if rule.form == "shifted-anchor" else rule
                for rule in rules.dates
                if rule.form != "shift" and rule.column in source.columns
            )
            source = make_dates(source, replace(rules, dates=unshifted, shift=None), None).source
        columns = [n for n in self.release.rows.attributes if n in source.columns]
        if person is not None and person in source.columns and person not in columns:
            columns.append(person)
        if not columns:
            raise SettingError(
                f"has no column of the release, such as {quoted(self.release.rows.attributes[0])}",
                where=source.name,
                fix="name a table with the same columns",
            )
        return summarize(source, columns)
