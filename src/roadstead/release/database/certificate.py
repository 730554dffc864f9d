"""The certificate of a whole database: what it promises, and what each of its tables is.

The promise follows from k and the rules. It holds no value of the data but the first and last day
that are covered, and the rules that generalize what others may know of persons.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError, VerificationError
from roadstead.policies.document import Policy, from_json
from roadstead.policies.json_document import DocumentFormat
from roadstead.release.documents import Fingerprint, TableForm, json_text, read_document
from roadstead.tables.database.rules import Rules, TableRules

_STRICT = ConfigDict(extra="forbid")
_MARK = "roadstead_database"
FORMAT = DocumentFormat(_MARK, 2, "make the release again with roadstead anonymize")
Count = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=_STRICT)
class LostRows:
    """Why rows of the source are not in a released table, and how many of it are more general."""

    of_persons_left_out: Count = 0
    outside_the_days: Count = 0  # that are covered, or of a row that is left out
    with_rare_codes: Count = 0
    generalized: Count = 0  # released, with a more general code


@checked_dataclass(frozen=True, config=_STRICT)
class ReleasedTable:
    """A table of the release.

    `columns`: each that is released, as the rules name it and as the file spells it, in its order.
    `left_out`: the columns of the source that are not in the file.
    """

    file: Fingerprint
    form: TableForm
    rules: TableRules
    columns: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    rows_of_source: Count
    rows: Count
    lost: LostRows


@checked_dataclass(frozen=True, config=_STRICT)
class ReleasedPersons:
    """Persons in and out; `left_out` with all their rows."""

    source: Count
    released: Count
    left_out: Count


@checked_dataclass(frozen=True, config=_STRICT)
class MovedDates:
    """How dates were moved: all of a person by the same number of days, at most `days` either way.

    Rows outside `first` to `last` are left out of all persons, so that no end tells the days.
    """

    days: Count
    first: date
    last: date


@checked_dataclass(frozen=True, config=_STRICT)
class DatabaseCertificate:
    """What a whole database promises."""

    k: Annotated[int, Field(ge=1)]
    knows: Annotated[int, Field(ge=1, le=2)]
    tables: dict[str, ReleasedTable]
    tables_left_out: tuple[str, ...]
    persons: ReleasedPersons
    dates: MovedDates | None
    keys: Literal["keyed", "forgotten"]  # made with the custodian's key, or with none that was kept
    numbered: bool  # an OMOP CDM, whose keys and codes are whole numbers
    policy: dict[str, Any]  # of what others may know of the persons
    software: str
    created: str
    roadstead_database: Literal[2] = 2

    @property
    def rules(self) -> dict[str, TableRules]:
        """The rules of each table."""
        return {name: one.rules for name, one in self.tables.items()}

    @property
    def files(self) -> tuple[Fingerprint, ...]:
        """Fingerprints of all tables."""
        return tuple(one.file for one in self.tables.values())


_ADAPTER: TypeAdapter[DatabaseCertificate] = TypeAdapter(DatabaseCertificate)


def promise_of(rules: Rules, k: int, knows: int) -> str:
    """Say what holds of a set of tables; it follows from its rules."""
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
        f"An attacker may know a person's {quasi}{known}.{told} Whatever an attacker knows of this "
        f"about a released person, at least {k} released people match it."
    )


def rendered(certificate: DatabaseCertificate) -> bytes:
    """Give a certificate as JSON; there is one way to write each."""
    document: Mapping[str, Any] = _ADAPTER.dump_python(certificate, mode="json")
    return json_text({_MARK: document[_MARK], **document}).encode()


def read_database_certificate(path: Path) -> tuple[DatabaseCertificate, Policy]:
    """Read a certificate and the policy in it; a VerificationError if it is damaged."""
    found = read_document(path, _ADAPTER, "the certificate", where=str(path), form=FORMAT)
    try:
        return found, from_json(found.policy, where=path.name)
    except PolicyError as error:
        raise VerificationError(
            f"the certificate is damaged at policy: {error.what}", where=str(path)
        ) from None
