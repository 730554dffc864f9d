"""Define the certificate of a whole database, with facts about each table.

The certificate contains two kinds of values from the data: the first and the last covered day, and
the rules that generalize the facts that an attacker may know about people.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError, VerificationError
from roadstead.policies.document import Policy, from_json
from roadstead.policies.json_document import NOT_EMPTY, NOT_NONE, STRICT, DocumentFormat
from roadstead.release.documents import Fingerprint, TableForm, json_text, read_document
from roadstead.tables.database.rules import Rules, TableRules

_MARK = "roadstead_database"
FORMAT = DocumentFormat(_MARK, 2, "make the release again with roadstead anonymize")
Count = Annotated[int, Field(ge=0, lt=2**63)]
Percent = Annotated[int, Field(ge=0, le=100)]


@checked_dataclass(frozen=True, config=STRICT)
class LostRows:
    """The numbers of source rows that are not in a released table, by reason."""

    of_persons_left_out: Count = 0
    outside_the_days: Count = 0  # outside the covered days, or linked to an omitted row
    with_rare_codes: Count = 0  # also with rare pairs of codes, if an attacker may know two
    generalized: Count = 0  # released, with a more general code


@checked_dataclass(frozen=True, config=STRICT)
class KeptPeople:
    """The numbers of people who have rows in a table of the source, and in the released table."""

    source: Count
    released: Count


@checked_dataclass(frozen=True, config=STRICT)
class KeptCodes:
    """The smallest and the largest released share of a code's rows, in whole percent.

    Only codes that at least k people have in the release are compared.
    """

    least: Percent
    greatest: Percent


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedTable:
    """A table of the release.

    `columns` lists the released columns in the order of the file, with their names in the rules and
    in the file. `left_out` lists the columns of the source that are not in the file.
    """

    file: Fingerprint
    form: TableForm
    rules: TableRules
    columns: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    rows_of_source: Count
    rows: Count
    lost: LostRows
    people: Annotated[KeptPeople | None, NOT_NONE] = None
    codes: Annotated[KeptCodes | None, NOT_NONE] = None


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedPersons:
    """The numbers of people who are in the source, in the release, and completely omitted."""

    source: Count
    released: Count
    left_out: Count


@checked_dataclass(frozen=True, config=STRICT)
class MovedDates:
    """The largest shift in days, in either direction, and the first and last covered day.

    All dates of a person are shifted by the same number of days. Rows before `first` or after
    `last` are omitted for all people. Therefore, the first and the last day do not reveal a shift.
    """

    days: Count
    first: date
    last: date


@checked_dataclass(frozen=True, config=STRICT)
class DatabaseCertificate:
    """The facts about the release of a whole database."""

    k: Annotated[int, Field(ge=1)]
    knows: Annotated[int, Field(ge=1, le=2)]
    tables: dict[str, ReleasedTable]
    tables_left_out: tuple[str, ...]
    persons: ReleasedPersons
    dates: MovedDates | None
    keys: Literal["keyed", "forgotten"]  # with a key, or with a secret that was not kept
    numbered: bool  # whether keys and codes are whole numbers (OMOP CDM)
    policy: dict[str, Any]  # the rules for what an attacker may know about people
    software: str
    created: str
    # All files other than the tables.
    files: Annotated[tuple[Fingerprint, ...], NOT_EMPTY] = ()
    # The year that replaces all earlier years of birth, if the tables have no dates.
    earliest_birth: Annotated[Annotated[int, Field(ge=1, le=9999)] | None, NOT_NONE] = None
    roadstead_database: Literal[2] = 2

    @property
    def rules(self) -> dict[str, TableRules]:
        """Return the rules of each table."""
        return {name: one.rules for name, one in self.tables.items()}

    @property
    def all_files(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of all files, with the tables first."""
        return (*(one.file for one in self.tables.values()), *self.files)


_ADAPTER: TypeAdapter[DatabaseCertificate] = TypeAdapter(DatabaseCertificate)


def promise_of(rules: Rules, k: int, knows: int) -> str:
    """Describe the privacy requirements in words, based on the rules of the tables."""
    quasi = ", ".join(column for one in rules.values() for column in one.attributes)
    domains = ", ".join(sorted({one.domain for one in rules.values() if one.code is not None}))
    codes = "one code" if knows == 1 else f"any {knows} codes"
    known = f" and {codes} of the person's rows ({domains})" if domains else ""
    told = (
        " The attacker knows that the person has a code, but not when, how often, or whether the "
        "person has other codes."
        if domains
        else ""
    )
    return (
        f"An attacker may know a person's {quasi}{known}.{told} For every person in the "
        f"release, at least {k} people in the release match these facts."
    )


def rendered(certificate: DatabaseCertificate) -> bytes:
    """Return a certificate as JSON. The same certificate always gives the same text."""
    document: dict[str, Any] = _ADAPTER.dump_python(certificate, mode="json")
    return json_text({_MARK: document[_MARK], **document}).encode()


def read_database_certificate(path: Path) -> tuple[DatabaseCertificate, Policy]:
    """Read a certificate and its policy. A damaged certificate raises a `VerificationError`."""
    found = read_document(path, _ADAPTER, "the certificate", where=str(path), form=FORMAT)
    try:
        return found, from_json(found.policy, where=path.name)
    except PolicyError as error:
        raise VerificationError(
            f"the certificate is damaged in the entry policy: {error.what}", where=str(path)
        ) from None
