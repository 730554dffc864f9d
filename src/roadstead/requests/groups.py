"""Fields that several requests share: how a table is read, what its columns are, where to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.fields import option, request
from roadstead.requests.forms import (
    COLUMNS,
    DECLARATIONS,
    FILE,
    FOLDER,
    NEW_FOLDER,
    NEW_TABLE,
    NUMBER,
    ROWS_KNOWN,
    SWITCH,
    TABLE,
    TEXT,
    TEXTS,
    TEXTS_BY_NAME,
    UNDECIDED,
    WHOLE,
    YES_OR_NO,
    choice,
)
from roadstead.requests.origin import Origin

DATA = (
    "CSV, TSV or Parquet file, also gzipped; a folder of such; DATABASE://...?table=NAME; "
    "omop:FOLDER or omop:DATABASE://...?schema=NAME; or fhir:FOLDER."
)


@request
class TableInput:
    """The table that a request is about; `from_project`: a project file can name it."""

    from_project: ClassVar = True

    data: Any = option(
        DATA,
        TABLE,
        kw_only=False,
        metavar="DATA",
        place="data",
        says="A `Source`, the path of a file, a data frame, an Arrow table or an Ibis table.",
    )
    origin: Origin = field(default_factory=Origin, compare=False)


@request
class Reading:
    """How the table is read, where it must be said."""

    LAST = True
    delimiter: str | None = option(
        "Character between cells.",
        TEXT,
        default=None,
        usual="found out",
        place="reading.delimiter",
        check=checks.text,
    )
    encoding: str | None = option(
        "Encoding of the file.",
        TEXT,
        default=None,
        usual="found out",
        place="reading.encoding",
        check=checks.text,
    )
    header: bool | None = option(
        "Whether the first row names the columns.",
        YES_OR_NO,
        default=None,
        usual="found out",
        place="reading.header",
    )
    missing: Sequence[str] | None = option(
        "Text that stands for a missing value, such as ?; repeatable.",
        TEXTS,
        default=None,
        metavar="TEXT",
        place="reading.missing",
    )


@request
class QuasiIdentifiers:
    """What others may know of a person."""

    quasi: Sequence[str] = option(
        "Quasi-identifiers: what others may know of a person.",
        COLUMNS,
        default=(),
        metavar="A,B,C",
        place="roles.quasi",
        says="The quasi-identifiers: columns that others may know of a person. In this and other "
        "lists of columns, ``number_*`` stands for all that begin so.",
    )


@request
class ForcedColumns:
    """What is released although it looks like an identifier."""

    release: Sequence[str] = option(
        "Columns to release although they look like an identifier; everything says so.",
        COLUMNS,
        default=(),
        metavar="H",
        place="roles.release",
    )


@request
class ColumnRoles(QuasiIdentifiers, ForcedColumns):
    """What the columns are, where something is released as it is."""

    sensitive: Sequence[str] = option(
        "Sensitive columns, released as they are.",
        COLUMNS,
        default=(),
        metavar="D",
        place="roles.sensitive",
        says="Columns released as they are. One that looks like an identifier that Safe Harbor "
        "removes is refused.",
    )
    identifying: Sequence[str] = option(
        "Columns that are never released.",
        COLUMNS,
        default=(),
        metavar="E,F",
        place="roles.identifying",
    )
    insensitive: Sequence[str] = option(
        "Other columns, released even if their values are rare.",
        COLUMNS,
        default=(),
        metavar="G",
        place="roles.insensitive",
    )
    undecided: Literal["judge", "withhold"] = option(
        "What becomes of the columns with no role.",
        UNDECIDED,
        default="judge",
        command=False,
        place="roles.undecided",
        says="What becomes of the columns with no role: ``judge`` withholds those that look like "
        "an identifier, a quasi-identifier or a sensitive column, or have too many rare values; "
        "``withhold`` withholds all of them.",
    )
    roles: Any = option(
        "What a scan proposed: its roles and hierarchies are those of the request.",
        DECLARATIONS,
        default=None,
        command=False,
        says="What `scan` returned: the roles and hierarchies of this `Proposal` are used, but for "
        "columns that are named otherwise. One that leaves a column undecided is refused, unless "
        "`undecided` is ``withhold``.",
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
        usual="1; 2 where rows are linked",
        place="persons.knows",
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


@request
class Hierarchies:
    """How the values of quasi-identifiers are generalized."""

    hierarchies: str | Path | Mapping[str, Any] | None = option(
        "Folder of hierarchy files: *_hierarchy_<attribute>.csv or <attribute>.csv.",
        FOLDER,
        default=None,
        metavar="DIR",
        place="hierarchy_folder",
        says="A folder of hierarchy files, or a hierarchy by attribute: made, a path or a "
        "declaration. Attributes without one get a default made from their values.",
    )
    declared: Mapping[str, Any] | None = option(
        "Hierarchies by attribute that go before those of the folder.",
        DECLARATIONS,
        default=None,
        command=False,
        place="hierarchies",
    )
    base: Path | None = option(
        "Where relative paths in declarations of hierarchies start.",
        FOLDER,
        default=None,
        command=False,
    )


@request
class People:
    """The population that the records are a sample of."""

    population: Any = option(
        "Table of the population, like DATA.",
        TABLE,
        default=None,
        metavar="DATA",
        place="population",
        says="A table of the population's people with the quasi-identifiers, given like `data`.",
    )
    population_counts: str | None = option(
        "Its column of how many people a row stands for.",
        TEXT,
        default=None,
        metavar="COLUMN",
        usual="one",
        place="population_counts",
    )


@request
class CountedPeople(People):
    """A population, and what becomes of records that nobody of it is like."""

    absent: Literal["stop", "count"] | None = option(
        "Records that nobody of the population is like: stop or count.",
        choice("stop", "count"),
        default=None,
        usual="stop",
        says="What to do with records that nobody of the population is like: ``stop``, or "
        "``count`` them as people. Stop by default; with margins, count.",
    )


@request
class LimitedSearch:
    """When a search ends, and what its chance starts from."""

    time_limit: float | None = option(
        "End the search with the best so far.",
        NUMBER,
        default=None,
        metavar="SECONDS",
        place="search.time_limit",
        check=checks.seconds,
    )
    seed: int | None = option(
        "Seed of the random choices, of searches that make some; recorded.",
        WHOLE,
        default=None,
        usual="0",
        place="search.seed",
        check=checks.seed,
    )


@request
class NewTable:
    """The database that a released table goes to."""

    LAST = True
    into: str | None = option(
        "Make the released table a new one in a database, DATABASE://...?table=NAME; its documents "
        "go to {out}.",
        NEW_TABLE,
        default=None,
        metavar="ADDRESS",
        place="into",
    )


@request
class NewRelease(NewTable):
    """Where a release is written."""

    LAST = True
    out: Path | None = option(
        "New folder for the release.",
        NEW_FOLDER,
        default=None,
        metavar="DIR",
        place="out",
    )
    force: bool = option("Replace an existing release.", SWITCH, default=False)
