"""Declare the fields for tables in which a person can have several records."""

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
from roadstead.requests.headings import Heading


@request
class PersonColumn:
    """The column that identifies the person of each record."""

    person: str | None = option(
        "Column with the person ID, if people can have several records. Roadstead then counts "
        "people, not records.",
        TEXT,
        default=None,
        heading=Heading.PEOPLE,
        common=True,
        metavar="COLUMN",
        place="roles.person",
        says="Column with the person ID, if people can have several records. Roadstead then counts "
        "people, not records. The person IDs are not released.",
    )


@request
class PseudonymKey:
    """The key from which pseudonyms are derived."""

    key: Path | None = option(
        "File with the key for pseudonyms and date shifts. Releases with the same key have the "
        "same pseudonyms and shifts. Without a key, Roadstead chooses them at random and does not "
        "keep them.",
        FILE,
        default=None,
        heading=Heading.PEOPLE,
        place="persons.key",
    )


@request
class PersonKnowledge(PersonColumn):
    """The person ID column, and the number of a person's rows that an attacker may know."""

    knows: str | int | None = option(
        "Number of a person's rows that an attacker may know: 1, 2, 3, or all.",
        ROWS_KNOWN,
        default=None,
        heading=Heading.PEOPLE,
        common=("anonymize", "risk", "frontier"),
        usual="1, or 2 if the release links rows",
        place="persons.knows",
        says="Number of a person's rows that an attacker may know: 1, 2, 3, or all. Used with "
        "`person`. The risk of a person is the highest risk over all rows, or sets of rows, that "
        "the attacker may know.",
    )


@request
class PersonProtection(PersonKnowledge, PseudonymKey):
    """The assumed knowledge of an attacker, and how a release protects people."""

    leave_out: Literal["rows", "persons"] | None = option(
        "If Roadstead cannot protect a row of a person: leave out only this row (rows), or all "
        "rows of the person (persons).",
        choice("rows", "persons"),
        default=None,
        heading=Heading.PEOPLE,
        usual="rows if an attacker may know 1 row; otherwise persons",
        place="persons.leave_out",
    )
    link: Literal["none", "pseudonym"] | None = option(
        "Link between the rows of the same person in the release: a pseudonym for each person "
        "(pseudonym), or no link (none).",
        choice("none", "pseudonym"),
        default=None,
        heading=Heading.PEOPLE,
        usual="none",
        place="persons.link",
        says="Whether the release shows which rows belong to the same person. With ``pseudonym``, "
        "the person ID column is released with a pseudonym for each person. With ``none``, the "
        "column is not released.",
    )


@request
class PersonDates(PersonColumn):
    """The handling of a person's dates."""

    dates: Mapping[str, str] | None = option(
        "Replace the dates of column A, separately for each person. FORM is one of: "
        "interval:first or interval:COLUMN (days since the person's first date in A or in COLUMN); "
        "since:COLUMN (days since the date in COLUMN of the same record); age:COLUMN (completed "
        "years until the date in COLUMN of the same record, where 90 means 90 and over); "
        "shift:first or shift:COLUMN (same as interval, and the shifted first date is also "
        "released); shift (the shifted date itself); shift-time (the same, with the exact time of "
        "day). For shift and shift-time, also list the column in {release_anyway}. Repeatable.",
        TEXTS_BY_NAME,
        default=None,
        heading=Heading.PEOPLE,
        flag="date",
        metavar="A=FORM",
        place="persons.dates",
        check=checks.texts_by_name,
        says="How to replace the dates of a person, by column. ``interval:first``: the days since "
        "the person's first date in the column; the result is a quasi-identifier. "
        "``interval:COLUMN``: the days since the person's earliest date in another column, for "
        "example the birth date. ``since:COLUMN``: the days since another date of the same "
        "record, for example the length of a stay. ``age:COLUMN``: the age in years at another "
        "date of the same record, where 90 means 90 and over. ``shift:first`` and "
        "``shift:COLUMN``: the days as in ``interval``, and a column ``anchor_date`` with the "
        "shifted first date. ``shift``: the shifted date itself; list the column in "
        "`release_anyway`. ``shift-time``: the same, with the exact time of day, which may help "
        "an attacker to find the person.",
    )
    shift_days: int | None = option(
        "Longest shift of a person's dates, forward or back, in days: 1 to 36500.",
        WHOLE,
        default=None,
        heading=Heading.PEOPLE,
        metavar="DAYS",
        usual="182",
        place="persons.shift_days",
        check=checks.shift,
    )
    shift_weeks: bool = option(
        "Shift dates by whole weeks only, so that the day of the week stays the same.",
        SWITCH,
        default=False,
        heading=Heading.PEOPLE,
        place="persons.shift_weeks",
    )


@request
class WholeDatabase:
    """The tables that are released together."""

    tables: Sequence[str] = option(
        "Tables of an OMOP CDM to release together: their names, or all.",
        COLUMNS,
        default=(),
        heading=Heading.PEOPLE,
        metavar="all|T,U",
        place="persons.tables",
        says="Tables of an OMOP CDM to release together: their names, or ``all``. All tables keep "
        "the same people and matching keys. Their dates are shifted the same way, and rare "
        "concepts are generalized.",
    )
    described: Mapping[str, Any] | None = option(
        "Tables to release together, each with the roles of its columns.",
        DECLARATIONS,
        default=None,
        command=False,
        place="tables",
        says="Tables in a folder that are released together, by name. The entry of each table "
        "contains its file and the roles of its columns, as in "
        "`roadstead.tables.database.rules.TableRules`.",
    )
