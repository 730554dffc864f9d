"""Define the release of a whole database, whose privacy requirements are about people."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn

from roadstead.errors import SettingError
from roadstead.policies.document import Policy
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    promise_of,
    read_database_certificate,
)
from roadstead.release.database.verify import verify_database
from roadstead.release.documents import Fingerprint
from roadstead.release.facts import CertifiedFigure, Promised, ReleaseFacts, Unknown, figure
from roadstead.release.kind import ReleaseKind
from roadstead.release.verification.checks import Verification
from roadstead.tables.database.rules import TableRules
from roadstead.tables.source import Source


@dataclass(frozen=True)
class TablesRelease(ReleaseKind):
    """A release of a set of tables."""

    folder: Path
    name: ClassVar = "database"
    mark: ClassVar = "roadstead_database"
    request: ClassVar = "policy, tables"
    checked: ClassVar = frozenset(
        {"promise", "models", "k-of-tables", "verified", "files", "removed"}
    )

    @cached_property
    def _documents(self) -> tuple[DatabaseCertificate, Policy]:
        return read_database_certificate(self.folder / CERTIFICATE)

    @property
    def files(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of the tables and the other files."""
        return self._documents[0].all_files

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of all source tables."""
        tables = self._documents[0].tables.values()
        return tuple(dict.fromkeys((*self.released, *(c for one in tables for c in one.left_out))))

    @property
    def released(self) -> tuple[str, ...]:
        """Return the released columns."""
        tables = self._documents[0].tables.values()
        return tuple(dict.fromkeys(name for one in tables for name, _ in one.columns))

    @property
    def facts(self) -> ReleaseFacts:
        """Return the privacy requirements for people."""
        certificate, _ = self._documents
        persons, why = certificate.persons, Unknown("the release is not differentially private")
        tables = certificate.tables.values()
        return ReleaseFacts.lacking(
            "the certificate of a whole database does not contain this figure",
            k=Promised(certificate.k, f"{certificate.k}-anonymity of people"),
            epsilon=why,
            delta=why,
            suppression=persons.left_out / persons.source if persons.source else 0.0,
            left_out_by_shift=Unknown("the rows of a set of tables are not counted together"),
            # `verify` checks that the columns in `empty` have no values.
            columns=tuple(
                name
                for one in tables
                for pair in one.columns
                if pair[0] not in one.rules.empty
                for name in dict.fromkeys(pair)
            ),
            identifiers=tuple(
                f"{name}.{column}"
                for name, one in certificate.tables.items()
                for column in one.rules.release_anyway
            )
            or Unknown("the certificate of a whole database does not say what its columns contain"),
            quasi=(),
            software=certificate.software,
            created=certificate.created,
            unit="person",
            counts={"suppression": f"{persons.left_out:,} of {persons.source:,} people"},
        )

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return the figures that a claim can refer to."""
        return _figures(*self._documents)

    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:  # noqa: ARG002 - it has neither
        """Check the release from its files alone."""
        return verify_database(self.folder)

    def shown(self, allowed: Collection[str], done: str) -> NoReturn:  # noqa: ARG002 - it has no models
        """Refuse to open the release as a single table.

        The privacy requirements protect people across all tables. An attack on a single table does
        not use facts in linked tables, so the attack could fail on a weak release.
        """
        raise SettingError(
            f"the release of a whole database cannot be {done}, because its privacy requirements "
            "are about the records of a person in all tables together",
            where=str(self.folder),
            fix=(
                "check this release with roadstead verify; only the release of a single table can "
                f"be {done}"
            ),
        )


def _figures(certificate: DatabaseCertificate, policy: Policy) -> Iterator[CertifiedFigure]:
    tables, persons = certificate.tables, certificate.persons
    promise = promise_of(certificate.rules, certificate.k, certificate.knows)
    yield figure("promise", "tables, k, knows", promise)
    yield figure("models", "k, knows", [f"{certificate.k}-anonymity of people"])
    files = [[one.name, one.sha256, one.bytes] for one in certificate.all_files]
    yield figure("files", "tables", files)
    yield figure("variables", "tables", uses_in_a_set(certificate, policy))
    left = [f"{table}.{name}" for table, one in tables.items() for name in one.left_out]
    yield figure("removed", "tables", [*left, *certificate.tables_left_out])
    yield figure("treatment", "policy", [list(one) for one in policy.words.items()])
    # Only rows about people are counted. A vocabulary may have more rows than its source, because
    # codes were added.
    own = [one for one in tables.values() if one.rules.person is not None]
    rows = {
        "records": sum(one.rows_of_source for one in own),
        "released": sum(one.rows for one in own),
        "masked": 0,
        "dropped": sum(one.rows_of_source - one.rows for one in own),
    }
    yield figure("records", "tables", rows)
    people = {
        "column": None,
        "knows": certificate.knows,
        "persons": persons.source,
        "released": persons.released,
        "left_out": persons.left_out,
    }
    yield figure("persons", "persons", people)
    yield figure("k-of-tables", "k, knows", [certificate.k, certificate.knows])
    keyed = certificate.keys == "keyed"
    linked = {"linkage": "pseudonym", "pseudonyms": certificate.keys}
    yield figure("link", "keys", linked)
    if certificate.dates is not None:
        dates = {"columns": [], "shift": certificate.dates.days, "keyed": keyed}
        yield figure("dates", "dates", dates)


PERSON = "a new key for each person, the same in all tables"
KEY = "a new key"
REFERS = "the new key of the row to which the column refers"
MAY_REFER = "the new key of the row to which the column refers; empty if that row is left out"
MOVED = "shifted by the same number of days as all other dates of the person"
CODE = "replaced with a more general code if it is rare, or left out with its row"
DETAIL = "unchanged; empty if the code was replaced with a more general code"
EMPTY = "empty"
"""The treatment of each kind of column."""


def emptied(codes: Collection[str]) -> str:
    """Return the treatment of a detail that is empty in all rows with the given codes."""
    some = "one code" if len(codes) == 1 else f"{len(codes)} codes"
    return f"{DETAIL}; empty in the rows with {some} that can have identifying values"


def uses_in_a_set(certificate: DatabaseCertificate, policy: Policy) -> list[list[str]]:
    """Return every released column with its table, role, and treatment."""
    return [
        [f"{table}.{name}", *_use(one.rules, name, policy, moved=certificate.dates is not None)]
        for table, one in certificate.tables.items()
        for name, _ in one.columns
    ]


def _use(rules: TableRules, name: str, policy: Policy, *, moved: bool) -> tuple[str, str]:
    """Return the role and the treatment of a column. An empty string means no treatment."""
    single: dict[str | None, tuple[str, str]] = {
        rules.key: ("key", KEY),
        **dict.fromkeys(rules.keys, ("key", REFERS)),
        **dict.fromkeys(rules.softly, ("key", MAY_REFER)),
        **dict.fromkeys(rules.dates, ("date", MOVED if moved else "")),
        rules.code: ("code", CODE),
        **dict.fromkeys(rules.details, ("released", DETAIL)),
        **{x: ("released", emptied(codes)) for x, codes in rules.left_empty.items()},
        **dict.fromkeys(rules.empty, ("released", EMPTY)),
        rules.person: ("pseudonym", PERSON),
    }
    if name in rules.attributes:
        return "quasi-identifier", policy.words.get(name, "")
    return single.get(name, ("released", ""))
