"""A set of tables that leave together: a whole database, whose promise is of persons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.database.certificate import DatabaseCertificate, read_database_certificate
from roadstead.release.database.column_uses import uses_in_a_set
from roadstead.release.database.verify import verify_database
from roadstead.release.documents import Fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure, Promised, ReleaseFacts, Unknown, figure
from roadstead.release.verification.checks import Verification
from roadstead.tables.source import Source


@dataclass(frozen=True)
class TablesRelease:
    """A release of a set of tables."""

    folder: Path
    name: ClassVar = "database"
    mark: ClassVar = "roadstead_database"
    unit: ClassVar = "person"
    noisy: ClassVar = False
    attacks: ClassVar[tuple[CertifiedAttack, ...]] = ()  # no attack reads more than one table
    request: ClassVar = "policy, tables"
    checked: ClassVar = frozenset(
        {"promise", "models", "k-of-tables", "verified", "files", "removed"}
    )

    @cached_property
    def _documents(self) -> tuple[DatabaseCertificate, Policy]:
        return read_database_certificate(self.folder / CERTIFICATE)

    @property
    def files(self) -> tuple[Fingerprint, ...]:
        """The tables."""
        return self._documents[0].files

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the source, of all tables."""
        tables = self._documents[0].tables.values()
        return tuple(dict.fromkeys((*self.released, *(c for one in tables for c in one.left_out))))

    @property
    def released(self) -> tuple[str, ...]:
        """Those that are released."""
        tables = self._documents[0].tables.values()
        return tuple(dict.fromkeys(name for one in tables for name, _ in one.columns))

    @property
    def facts(self) -> ReleaseFacts:
        """What it promises of persons."""
        certificate, _ = self._documents
        other = Unknown("the certificate of a whole database does not have it")
        persons = certificate.persons
        return ReleaseFacts(
            k=Promised(certificate.k, f"{certificate.k}-anonymity of persons"),
            l=other,
            t=other,
            epsilon=Unknown("it is no differentially private release"),
            delta=Unknown("it is no differentially private release"),
            smallest_class=other,
            highest_risk=other,
            average_risk=other,
            suppression=persons.left_out / persons.source if persons.source else 0.0,
            loss=other,
            columns=tuple(
                name
                for table in certificate.tables.values()
                for pair in table.columns
                for name in dict.fromkeys(pair)
            ),
            identifiers=other,
            quasi=(),
            attacks=other,
            software=certificate.software,
            created=certificate.created,
        )

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return what claims can rest on."""
        return _figures(*self._documents)

    def table_elsewhere(self) -> NoReturn:
        """Refuse: its tables are in the folder."""
        what = "a whole database has its tables in the folder"
        raise SettingError(what, where=option("table"), fix="leave it out")

    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:  # noqa: ARG002 - it has neither
        """Check it from its files alone."""
        return verify_database(self.folder)

    def shown(self, allowed: Collection[str], done: str) -> NoReturn:  # noqa: ARG002 - it is refused whatever is done
        """Refuse it: its promise is of persons over all tables, which no attack reads.

        Attacks on single tables would miss what the keys bring together, and so acquit what is
        weak.
        """
        raise SettingError(
            "is the release of a whole database. It promises something about persons over all "
            "tables together, and attacks look at one table, so they would acquit what they do not "
            "see",
            where=str(self.folder),
            fix="count its persons anew with roadstead verify, or attack the release of one table",
        )

    def with_attacks(
        self, files: Sequence[Fingerprint], attacks: Sequence[CertifiedAttack]
    ) -> NoReturn:
        """Refuse it, as `shown` does."""
        del files, attacks
        self.shown((), "attacked")


def _figures(certificate: DatabaseCertificate, policy: Policy) -> Iterator[CertifiedFigure]:
    tables, persons = certificate.tables, certificate.persons
    yield figure("promise", "promise", certificate.promise)
    yield figure("models", "k, knows", [f"{certificate.k}-anonymity of persons"])
    files = [[one.name, one.sha256, one.bytes] for one in certificate.files]
    yield figure("files", "tables", files)
    yield figure("variables", "tables", uses_in_a_set(certificate, policy))
    left = [f"{table}.{name}" for table, one in tables.items() for name in one.left_out]
    yield figure("removed", "tables", [*left, *certificate.tables_left_out])
    yield figure("treatment", "policy", [list(one) for one in policy.words.items()])
    # Rows of persons: a table of codes may have more than its source, the codes that others became.
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
    keyed = certificate.keys == "by the custodian's key"
    linked = {"linkage": "pseudonym", "pseudonyms": "keyed" if keyed else "forgotten"}
    yield figure("link", "keys", linked)
    if certificate.dates is not None:
        dates = {"columns": [], "shift": certificate.dates.days, "keyed": keyed}
        yield figure("dates", "dates", dates)
