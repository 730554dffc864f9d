"""Find and open the tables of the OMOP Common Data Model. Their names may be in any case.

Only required and useful columns are read. They are all read as text. Source: OHDSI, OMOP Common
Data Model v5.3 and v5.4, which agree on these columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.errors import SourceError
from roadstead.tables import files, structure
from roadstead.tables.dialect import dialect_of_header
from roadstead.tables.failures import engine_errors
from roadstead.tables.file_tables import read_file
from roadstead.tables.health.locations import files_of, text_of
from roadstead.tables.locations import FileLocation
from roadstead.tables.readers import Manner
from roadstead.tables.source import Source
from roadstead.tables.stores.access import connect, read_engine
from roadstead.tables.stores.store import by_backend
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import ibis

    from roadstead.tables.locations import CdmLocation
    from roadstead.tables.stores.store import Connection

Place: TypeAlias = "Path | ibis.Table"
"""The place of one table: a file, or a table in a database."""

_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet")
_FIX = (
    "use a folder with the tables of an OMOP CDM: PERSON.csv, CONDITION_OCCURRENCE.csv, "
    "CONCEPT.csv, and others"
)


@dataclass(frozen=True)
class CdmTable:
    """A table of the data model."""

    name: str
    needed: tuple[str, ...]  # required columns
    welcome: tuple[str, ...] = ()  # columns that are used if they exist


PERSON = CdmTable(
    "person",
    ("person_id", "year_of_birth", "gender_concept_id", "race_concept_id", "ethnicity_concept_id"),
    ("month_of_birth", "day_of_birth", "location_id"),
)
VISITS = CdmTable("visit_occurrence", ("person_id",))
CONDITIONS = CdmTable("condition_occurrence", ("person_id", "condition_concept_id"))
CONDITION_ERAS = CdmTable("condition_era", ("person_id", "condition_concept_id"))
OF_CONDITIONS = (CONDITIONS, CONDITION_ERAS)
DEATH = CdmTable("death", ("person_id",))
LOCATION = CdmTable("location", ("location_id",), ("zip", "city", "county", "state"))
CONCEPT = CdmTable("concept", ("concept_id", "concept_name"))
CONCEPT_KINDS = CdmTable("concept", ("concept_id", "concept_name", "domain_id", "standard_concept"))
CONCEPT_ANCESTOR = CdmTable(
    "concept_ancestor",
    ("ancestor_concept_id", "descendant_concept_id", "min_levels_of_separation"),
)

NO_CONCEPT = "0"
"""The concept of a value without a matching concept: *No matching concept*."""
STANDARD_NAMES = dict(line.split(",") for line in text_of("standard_concepts.csv").splitlines())
"""The names of the standard concepts for gender, race, and ethnicity.

An excerpt of a CDM often lacks the concepts of the smallest vocabularies. Their numbers and names
are the same in every CDM. Source: OHDSI standardized vocabularies, domains Gender, Race, Ethnicity.
"""

_USED = frozenset(
    one.name
    for own in ((PERSON, VISITS, DEATH, LOCATION, CONCEPT, CONCEPT_ANCESTOR), OF_CONDITIONS)
    for one in own
)


def in_folder(folder: Path) -> dict[str, Place]:
    """Map the lowercase names of tables to the files in a folder."""
    found: dict[str, Place] = {}
    for path in files_of(folder, _ENDINGS, _FIX):
        name = path.name.partition(".")[0].lower()
        if name in found:
            what = f"there is another file of the table {name.upper()}"
            raise SourceError(what, where=str(path), fix="keep one of them in the folder")
        found[name] = path
    return found


def in_backend(
    backend: Any,  # noqa: ANN401 - any
    schema: str | None = None,
    catalog: str | None = None,
    used: frozenset[str] | None = _USED,
) -> dict[str, Place]:
    """Map lowercase names to the tables of an Ibis backend, or only to the tables in `used`."""
    where = f"{backend.name} database"
    database = schema if catalog is None or schema is None else (catalog, schema)
    found: dict[str, Place] = {}
    with engine_errors(where):
        for name in by_backend(str(backend.name)).list_tables(backend, schema, catalog):
            if name.lower() in found:
                what = f"another table has the name {name.upper()} with other capital letters"
                raise SourceError(what, where=where, fix="keep one of them in the schema")
            if used is None or name.lower() in used:
                found[name.lower()] = backend.table(name, database=database)
    return found


def open_table(place: Place, requested: CdmTable, memory_limit: str) -> Source | None:
    """Open the needed columns of a table as text, or return None for a file without rows."""
    if _has_no_rows(place):
        return None
    if isinstance(place, Path):
        header = None if files.first_bytes(place, 4) == files.PARQUET_MAGIC else True
        # A row must not affect how other rows are read; the files of a CDM have a header.
        manner = Manner(memory_limit, {"header": header}, private=True)
        opened = read_file(FileLocation(place), manner)
    else:
        opened = read_engine(place, Manner(memory_limit, name=requested.name.upper()))
    assert opened is not None  # noqa: S101 - each reader accepts its kind of place
    try:
        return _as_text(opened, requested)
    except BaseException:
        opened.close()
        raise


def _as_text(opened: Source, requested: CdmTable) -> Source:
    own = {column.strip().lower(): column for column in opened.columns}
    for column in requested.needed:
        if column not in own:
            what = f"the table {requested.name.upper()} has no column {column}"
            fix = "export it with the columns of the OMOP CDM"
            raise SourceError(what, where=opened.name, fix=fix)
    used = [column for column in (*requested.needed, *requested.welcome) if column in own]
    source = opened.table
    table = source.select(**{column: as_text(source[own[column]]).strip() for column in used})
    return replace(opened, held=table, columns=tuple(used))


def _has_no_rows(place: Place) -> bool:
    """Return whether a file contains only a header, like the export of an unused table."""
    if not isinstance(place, Path):
        return False
    if files.first_bytes(place, 4) == files.PARQUET_MAGIC:
        from pyarrow import parquet  # noqa: PLC0415 - heavy

        return bool(parquet.read_metadata(place).num_rows == 0)
    try:
        found = dialect_of_header(place)
        return structure.survey(place, found.dialect).records == 1
    except SourceError:
        return False


def needed(places: Mapping[str, Place], requested: CdmTable, where: str) -> Place:
    """Return the place of a required table. Raises SourceError if the table is missing."""
    if requested.name not in places:
        known = ", ".join(sorted(name.upper() for name in places)[:12])
        lacking = f"there is no table {requested.name.upper()}"
        raise SourceError(lacking, where=where, fix=f"{_FIX}; found: {known}")
    return places[requested.name]


def connected(location: CdmLocation, memory_limit: str) -> Connection:
    """Open the table PERSON, whose name some databases write in capitals."""
    person = location.person
    capitals = replace(person, table=replace(person.table, name=person.table.name.upper()))
    try:
        return connect(person, memory_limit)
    except SourceError as error:
        try:
            return connect(capitals, memory_limit)
        except SourceError:
            raise error from None


def places(
    opened: Connection, location: CdmLocation, used: frozenset[str] | None = _USED
) -> dict[str, Place]:
    """Map the lowercase names of tables to the tables in the schema of PERSON."""
    import ibis.expr.operations as ops  # noqa: PLC0415 - heavy

    catalog, schema = location.person.namespace
    for person in opened.table.op().find(ops.DatabaseTable)[:1]:  # if it was found automatically
        schema, catalog = person.namespace.database, person.namespace.catalog
    return in_backend(opened.table.get_backend(), schema, catalog, used)
