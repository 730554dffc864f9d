"""Declare fields that several requests share: how to read a table, and the roles of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.fields import option, request
from roadstead.requests.forms import (
    CODES,
    COLUMNS,
    DECLARATIONS,
    FILE,
    FOLDER,
    NUMBER,
    PATH_OR_OBJECT,
    REASONS,
    TABLE,
    TEXT,
    TEXTS,
    UNDECIDED,
    WHOLE,
    YES_OR_NO,
    choice,
)
from roadstead.requests.headings import Heading
from roadstead.requests.origin import Origin

DATA = (
    "Table: a CSV, TSV, or Parquet file, also with gzip; a folder of such files; an Excel, SPSS, "
    "Stata, SAS, or R file (for one sheet: FILE.xlsx?sheet=NAME); "
    "DATABASE://...?table=NAME; omop:FOLDER; omop:DATABASE://...?schema=NAME; or fhir:FOLDER."
)


@request
class TableInput:
    """The table of a request. With `from_project`, a project file can also name the table."""

    from_project: ClassVar = True

    data: Any = option(
        DATA,
        TABLE,
        kw_only=False,
        place="data",
        says="Table: a `Source`, the path of a file, a data frame, an Arrow table, or an Ibis "
        "table.",
    )
    origin: Origin = field(default_factory=Origin, compare=False)


@request
class OtherPackages:
    """Packages from other authors that Roadstead may use to check a release."""

    allow_plugin: Sequence[str] | None = option(
        "Package with further privacy models that the check may use. Needed if the release "
        "requires a model that Roadstead does not have. Repeatable.",
        TEXTS,
        default=None,
        heading=Heading.CHECKS,
        metavar="NAME",
        check=checks.names,
        says="Packages with further privacy models that the check may use. Needed if the release "
        "requires a model that Roadstead does not have.",
    )


@request
class Reading:
    """How the table is read."""

    LAST = True
    delimiter: str | None = option(
        r"Character between cells, for example ';', or '\t' for a tab.",
        TEXT,
        default=None,
        heading=Heading.READING,
        common=("scan",),
        metavar="CHAR",
        usual="detected",
        place="reading.delimiter",
    )
    encoding: str | None = option(
        "Encoding of the file, for example latin-1.",
        TEXT,
        default=None,
        heading=Heading.READING,
        common=("scan",),
        metavar="NAME",
        usual="detected",
        place="reading.encoding",
    )
    header: bool | None = option(
        "Whether the first row holds the column names.",
        YES_OR_NO,
        default=None,
        heading=Heading.READING,
        common=("scan",),
        usual="detected",
        place="reading.header",
    )
    skip_rows: str | None = option(
        "Rows to skip in a text file or a sheet, because they are not records. The first row is "
        "row 1. Write, for example, 2-3 or 1-4,303- (row 303 and all later rows).",
        TEXT,
        default=None,
        heading=Heading.READING,
        metavar="ROWS",
        usual="none",
        place="reading.skip_rows",
    )
    decimal: str | None = option(
        "Decimal separator of numbers: comma (1.117,89) or point (1,117.89).",
        choice("comma", "point"),
        default=None,
        heading=Heading.READING,
        metavar="WORD",
        usual="detected",
        place="reading.decimal",
    )
    missing: Sequence[str] | None = option(
        "Code that means a missing value: '?' in every column, or age=999 or age=900..999 in one "
        "column; or a file with one line column,code for each code. Repeatable.",
        CODES,
        default=None,
        heading=Heading.READING,
        common=("scan",),
        place="reading.missing",
        says="Codes that mean a missing value: ``?`` in every column, or ``age=999`` or "
        "``age=900..999`` in one column; or CSV files with one line ``column,code`` for each "
        'code. A code can also be a number. A mapping such as ``{"age": [998, 999]}`` contains '
        "the codes of each column.",
    )


READING = tuple(one.name for one in fields(Reading))
"""The names of the fields of `Reading`."""


@request
class CodebookOption:
    """A codebook that describes the columns of the table."""

    LAST = True
    codebook: str | Path | None = option(
        "Codebook of the table: a REDCap data dictionary, DDI XML, CSVW or Frictionless JSON, or "
        "a CSV file with the columns name, label, type, missing, role, and values.",
        FILE,
        default=None,
        heading=Heading.READING,
        common=("scan",),
        place="reading.codebook",
        says="Codebook of the table: a REDCap data dictionary, DDI XML, CSVW or Frictionless JSON, "
        "or a CSV file with the columns name, label, type, missing, role, and values. Hierarchies "
        "can use the labels of the codebook; the release keeps the codes.",
    )


@request
class QuasiIdentifiers:
    """The columns that an attacker may know about a person."""

    quasi: Sequence[str] = option(
        "Quasi-identifiers: columns that an attacker may know about a person.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        common=True,
        metavar="A,B,C",
        place="roles.quasi",
        says="Quasi-identifiers: columns that an attacker may know about a person. In all lists of "
        "columns, ``number_*`` means every column whose name starts with ``number_``.",
    )


@request
class ForcedColumns:
    """The columns that are released even though they look like identifiers."""

    release_anyway: Sequence[str] = option(
        "Columns to release although they look like identifiers. The report and the certificate "
        "show a warning.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        place="roles.release_anyway",
    )
    reasons: Mapping[str, str] | None = option(
        "Reason to release a column of {release_anyway}: at least three words. The policy, the "
        "certificate, and the report show the reason. Repeatable.",
        REASONS,
        default=None,
        heading=Heading.COLUMNS,
        flag="reason",
        metavar="A=TEXT",
        place="roles.reasons",
        says="Reason to release each column of `release_anyway`: at least three words. The policy, "
        "the certificate, and the report show the reason.",
    )


@request
class ColumnRoles(QuasiIdentifiers, ForcedColumns):
    """The roles of the columns, for a request that releases some columns unchanged."""

    sensitive: Sequence[str] = option(
        "Sensitive columns, for example a diagnosis. They are released unchanged.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        common=("anonymize",),
        place="roles.sensitive",
        says="Sensitive columns, for example a diagnosis. They are released unchanged. A column "
        "that looks like an identifier on the Safe Harbor list is rejected.",
    )
    identifiers: Sequence[str] = option(
        "Direct identifiers, for example names. They are never released.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        common=("anonymize", "frontier"),
        place="roles.identifiers",
    )
    unchanged: Sequence[str] = option(
        "Other columns to release unchanged, even if their values are rare.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        common=("anonymize",),
        place="roles.unchanged",
    )
    undecided: Literal["withhold", "refuse", "release"] = option(
        "Columns without a role: leave them out (withhold), stop with an error (refuse), or "
        "release each column that does not have a warning (release).",
        UNDECIDED,
        default="withhold",
        heading=Heading.COLUMNS,
        metavar="WORD",
        place="roles.undecided",
        says="Handling of columns without a role. ``withhold`` does not release them. "
        "``refuse`` stops with an error that names them. ``release`` releases each column without "
        "a warning. A column gets a warning if it looks like an identifier, a quasi-identifier, or "
        "a sensitive column, or if it has too many rare values.",
    )
    roles: Any = option(
        "Result of a scan, with the roles and hierarchies that the request uses.",
        DECLARATIONS,
        default=None,
        command=False,
        says="The `Proposal` that `scan` returned. The request uses the roles and hierarchies of "
        "the proposal. You can give a column another role, or another hierarchy in "
        "`hierarchies`. The setting `undecided` determines what happens to the undecided columns "
        "of the proposal.",
    )


@request
class Hierarchies:
    """The hierarchies that generalize the values of quasi-identifiers."""

    hierarchies: str | Path | Mapping[str, Any] | None = option(
        "Folder of hierarchy files, named *_hierarchy_COLUMN.csv or COLUMN.csv.",
        PATH_OR_OBJECT,
        default=None,
        heading=Heading.DETAIL,
        common=("anonymize", "frontier"),
        usual="a hierarchy made from the column's values",
        place="hierarchy_folder",
        says="Folder of hierarchy files, or a mapping from each column to its hierarchy: a "
        "`Hierarchy`, a path, or a declaration. Roadstead makes hierarchies for all other columns "
        "from their values.",
    )
    declared: Mapping[str, Any] | None = option(
        "Hierarchies by column. They take precedence over the files in the folder.",
        DECLARATIONS,
        default=None,
        command=False,
        place="hierarchies",
    )
    base: Path | None = option(
        "Base folder for relative paths in hierarchy declarations.",
        FOLDER,
        default=None,
        command=False,
    )


@request
class People:
    """The population from which the records were sampled."""

    population: Any = option(
        "Table of the people in the population, with the quasi-identifiers as columns.",
        TABLE,
        default=None,
        heading=Heading.POPULATION,
        common=("risk", "frontier"),
        place="population",
        says="Table of the people in the population, with the quasi-identifiers as columns, in any "
        "form that `data` accepts.",
    )
    population_counts: str | None = option(
        "Column in {population} with the number of people that each row represents.",
        TEXT,
        default=None,
        heading=Heading.POPULATION,
        metavar="COLUMN",
        usual="1 per row",
        place="population_counts",
    )


@request
class CountedPeople(People):
    """A population, and how to handle records that match no one in the population."""

    absent: Literal["stop", "count"] | None = option(
        "Records that match no person in the population: stop with an error, or count the records "
        "as additional people.",
        choice("stop", "count"),
        default=None,
        heading=Heading.POPULATION,
        usual="stop",
        says="Handling of records that match no person in the population: ``stop`` with an error, "
        "or ``count`` the records as additional people. The default is ``stop``; with margins, it "
        "is ``count``.",
    )


@request
class LimitedSearch:
    """The time limit and the seed of a search."""

    time_limit: float | None = option(
        "Number of seconds after which the search stops and returns the best result so far.",
        NUMBER,
        default=None,
        heading=Heading.SEARCH,
        metavar="SECONDS",
        usual="no limit",
        place="search.time_limit",
        check=checks.seconds,
    )
    seed: int | None = option(
        "Seed for searches that make random choices. The certificate records the seed.",
        WHOLE,
        default=None,
        heading=Heading.SEARCH,
        usual="0",
        place="search.seed",
        check=checks.seed,
    )
