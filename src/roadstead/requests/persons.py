"""Fields about persons: whose the records are, what may be known of one, and what is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from roadstead.requests import checks
from roadstead.requests.fields import option, request
from roadstead.requests.forms import (
    COLUMNS,
    DECLARATIONS,
    FILE,
    ROWS_KNOWN,
    SWITCH,
    TEXT,
    TEXTS_BY_NAME,
    WHOLE,
    choice,
)


@request
class PersonColumn:
    """Whose the records are."""

    person: str | None = option(
        "Column that says whose each record is; then persons are counted, not records.",
        TEXT,
        default=None,
        metavar="COLUMN",
        place="roles.person",
        check=checks.text,
        says="The column that says whose each record is, where a person has several. Then persons "
        "are counted, not records. It is not released as it is.",
    )


@request
class PseudonymKey:
    """What pseudonyms are made with."""

    key: Path | None = option(
        "Key of the pseudonyms and shifts of dates, so that other releases have the same; without "
        "one they are drawn and forgotten.",
        FILE,
        default=None,
        metavar="FILE",
        place="persons.key",
        says="The file of the key that pseudonyms are made with, so that all releases by the same "
        "key have the same. Without one they are drawn at random and forgotten.",
    )


@request
class PersonKnowledge(PersonColumn):
    """Whose the records are, and what an attacker may know of a person."""

    knows: str | int | None = option(
        "How many rows of a person an attacker may know: 1, 2, 3 or all.",
        ROWS_KNOWN,
        default=None,
        usual="1; 2 where the release links rows",
        place="persons.knows",
        says="How many rows of a person an attacker may know: 1, 2, 3 or all of them, where "
        "`person` says whose each record is. The risk of a person is that of what fits the fewest.",
    )


@request
class PersonProtection(PersonKnowledge, PseudonymKey):
    """What an attacker may know of a person, and what is left out to protect one."""

    leave_out: Literal["rows", "persons"] | None = option(
        "What is left out where it cannot be protected: rows, or persons with all their rows.",
        choice("rows", "persons"),
        default=None,
        usual="rows where one row is known; else persons",
        place="persons.leave_out",
    )
    link: Literal["none", "pseudonym"] | None = option(
        "Whether the release says which rows are of one person: by a pseudonym, or none.",
        choice("none", "pseudonym"),
        default=None,
        usual="none",
        place="persons.link",
        says="Whether the release says which rows are of one person. With ``pseudonym`` the column "
        "that `person` names is released with a pseudonym in place of each person; with ``none`` "
        "it is not released.",
    )


@request
class PersonDates(PersonColumn):
    """What becomes of dates within a person."""

    dates: Mapping[str, str] | None = option(
        "What a date becomes within its person: interval:first or interval:COLUMN, the days since "
        "the person's first one, or first date of another column; since:COLUMN, since another date "
        "of the same record; shift:first or shift:COLUMN, as interval, with the date of the first "
        "one, shifted; shift, the date itself, shifted; repeatable.",
        TEXTS_BY_NAME,
        default=None,
        flag="date",
        metavar="A=FORM",
        place="persons.dates",
        check=checks.texts_by_name,
        says="What dates become within their person, by column. ``interval:first``: the days since "
        "the first date of the column, a quasi-identifier as any other. ``interval:COLUMN``: the "
        "days since the person's earliest date of another column, such as birth or an index event. "
        "``since:COLUMN``: the days since another date of the same record, as in a length of stay. "
        "``shift:first`` and ``shift:COLUMN``: the same, and the date of the anchor, shifted, as a "
        "column ``anchor_date``. ``shift``: the date itself, shifted, in a column of `release`.",
    )
    shift_days: int | None = option(
        "Longest shift of a person's dates, either way.",
        WHOLE,
        default=None,
        metavar="DAYS",
        usual="182",
        place="persons.shift_days",
        check=checks.shift,
    )
    shift_weeks: bool = option(
        "Shift by whole weeks alone, which keeps the day of the week.",
        SWITCH,
        default=False,
        place="persons.shift_weeks",
    )


@request
class WholeDatabase:
    """The tables that leave together."""

    tables: Sequence[str] = option(
        "Release these tables of an OMOP CDM together, or all.",
        COLUMNS,
        default=(),
        metavar="all|T,U",
        place="persons.tables",
        says="Release these tables of an OMOP CDM together, or ``all``: one set of persons, keys "
        "that fit, dates moved alike, rare concepts generalized.",
    )
    described: Mapping[str, Any] | None = option(
        "Tables that leave together, each with what its columns are.",
        DECLARATIONS,
        default=None,
        command=False,
        place="tables",
        says="Tables of a folder that leave together, by name: each with its file, and with what "
        "its columns are, as `roadstead.tables.database.rules.TableRules` has it.",
    )
