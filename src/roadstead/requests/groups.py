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
    FOLDER,
    NEW_FOLDER,
    NEW_TABLE,
    NUMBER,
    REASONS,
    SWITCH,
    TABLE,
    TEXT,
    TEXTS,
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
class OtherPackages:
    """Which packages that are not Roadstead may check a release."""

    allow_plugin: Sequence[str] | None = option(
        "Package whose models may check the release although Roadstead does not have them; "
        "repeatable.",
        TEXTS,
        default=None,
        metavar="NAME",
        check=checks.names,
        says="Packages whose models may check the release although Roadstead does not have them.",
    )


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

    release_anyway: Sequence[str] = option(
        "Columns to release although they look like an identifier; everything says so.",
        COLUMNS,
        default=(),
        metavar="H",
        place="roles.release_anyway",
    )
    reasons: Mapping[str, str] | None = option(
        "Why a column of {release_anyway} is released, in a few words; repeatable. The policy, the "
        "certificate, and the report keep the words.",
        REASONS,
        default=None,
        flag="reason",
        metavar="H=TEXT",
        place="roles.reasons",
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
    identifiers: Sequence[str] = option(
        "Columns that are never released.",
        COLUMNS,
        default=(),
        metavar="E,F",
        place="roles.identifiers",
    )
    unchanged: Sequence[str] = option(
        "Other columns, released even if their values are rare.",
        COLUMNS,
        default=(),
        metavar="G",
        place="roles.unchanged",
    )
    undecided: Literal["withhold", "refuse", "release"] = option(
        "Columns without a role: withhold, refuse or release.",
        UNDECIDED,
        default="withhold",
        usual="withhold",
        place="roles.undecided",
        says="What happens to the columns without a role. ``withhold`` releases none of them. "
        "``refuse`` ends with an error that names them. ``release`` releases each column that "
        "nothing speaks against; it withholds columns that look like an identifier, a "
        "quasi-identifier or a sensitive column, and columns with too many rare values.",
    )
    roles: Any = option(
        "What a scan proposed: its roles and hierarchies are those of the request.",
        DECLARATIONS,
        default=None,
        command=False,
        says="What `scan` returned: the roles and hierarchies of this `Proposal` are used, except "
        "for columns that are named otherwise. `undecided` says what happens to its undecided "
        "columns.",
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
        check=checks.path,
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
class EarlierReleases:
    """The ledger of releases, and whose records they are."""

    LAST = True
    ledger: Path | None = option(
        "Ledger of releases, a folder: refuse what would single out with earlier ones.",
        FOLDER,
        default=None,
        metavar="DIR",
        place="release.ledger",
        check=checks.path,
        says="The folder of the ledger of releases, which has to be there; an empty one is a new "
        "ledger. The release is laid over all earlier ones of the same people, refused where "
        "together they would single out, and entered when it has left.",
    )
    ledger_people: str | None = option(
        "Whose records these are, as the ledger calls them.",
        TEXT,
        default=None,
        metavar="NAME",
        usual="those of all its releases",
        place="release.people",
        check=checks.text,
    )
    ledger_warn: bool = option(
        "Release also what the ledger warns of; report and certificate say so.",
        SWITCH,
        default=False,
    )


@request
class NewRelease(EarlierReleases, NewTable):
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
