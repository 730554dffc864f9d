"""Read the OMOP Common Data Model as one table with one row per person.

Each table is first grouped by person, and only the results are joined. Days and months of birth are
used only to compute an age. Source values, providers, and care sites are not read, because data
that is not read cannot leak. Source: OHDSI, OMOP Common Data Model v5.3 and v5.4.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SourceError
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.health import cdm_tables as cdm
from roadstead.tables.health.condition_groups import ITEMS
from roadstead.tables.health.joining import bring, check_belongs, check_once, keep
from roadstead.tables.health.locations import HealthLocation, day_of
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.store import by_backend

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    import ibis
    from ibis.expr import types as ir

    from roadstead.tables.locations import CdmLocation

KEY = "person_id"
_NAMED = {
    "gender": "gender_concept_id",
    "race": "race_concept_id",
    "ethnicity": "ethnicity_concept_id",
}


def read_omop(
    data: Any,  # noqa: ANN401 - a folder, an Ibis backend or a DuckDB connection
    *,
    age_at: date | None = None,
    schema: str | None = None,
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    """Read the tables of an OMOP CDM as one table with one row per person.

    Parameters
    ----------
    data
        A folder of CSV (plain or gzipped) or Parquet files that have the names of the tables, in
        any case; or an Ibis backend or a DuckDB connection that contains the tables.
    age_at
        A day. If it is given, each person's age on this day replaces the year of birth. An unknown
        month of birth counts as January, and an unknown day as the first day of the month. The age
        is missing for people who were born after this day.
    schema
        The schema of the tables in a backend.
    name
        The name of the table in messages.
    memory_limit
        The memory limit of the private engine for files.

    Returns
    -------
    Source
        The columns ``person_id``, ``year_of_birth`` or ``age``, ``gender``, ``race``, and
        ``ethnicity``. LOCATION adds ``zip``, ``city``, ``county``, and ``state``. VISIT_OCCURRENCE
        adds the number of ``visits``, and DEATH adds ``died``, yes or no. A table of conditions
        adds ``conditions``, a sorted list of distinct concepts. All other columns are text. A
        concept ID of 0 is a missing value.

    Raises
    ------
    SourceError
        If the PERSON table is missing or empty, a table lacks a required column, a person is
        repeated or has no number, or a table has no rows for these people.
    """
    if isinstance(data, str | os.PathLike):
        folder = Path(data)
        called = name or HealthLocation("omop", folder).name
        return _copied(cdm.in_folder(folder), age_at, called, memory_limit, where=str(folder))
    import ibis  # noqa: PLC0415 - heavy

    backend = engine.of_connection(data) if engine.is_connection(data) else data
    if not isinstance(backend, ibis.BaseBackend):
        raise SourceError(
            f"a value of type {type(data).__name__} cannot contain OMOP tables",
            fix="pass a folder, an Ibis backend, or a DuckDB connection",
        )
    called = name or f"OMOP CDM in {backend.name}"
    places = cdm.in_backend(backend, schema)
    if by_backend(str(backend.name)).workbench is None:
        return _copied(places, age_at, called, memory_limit, where=called)
    pieces = _pieces(places, called, memory_limit)
    table = _people(_checked(pieces, called), age_at)
    return Source(table, tuple(table.columns), called, Engine(str(backend.name)))


def read_cdm(location: CdmLocation, *, memory_limit: str = "2GB") -> Source:
    """Read the tables of an OMOP CDM in a database, without writing to the database.

    The database computes the join again for each query. For a DuckDB file, the private engine that
    reads the file stores the result of the join.
    """
    age_at = None if location.age_at is None else day_of(location.age_at)
    opened = cdm.connected(location, memory_limit)
    with contextlib.ExitStack() as undo:
        undo.callback(opened.close)
        places = cdm.places(opened, location)
        if by_backend(opened.backend).workbench is None:
            copied = _copied(places, age_at, location.name, memory_limit, where=location.name)
            return replace(copied, format=Engine(opened.backend), location=location)
        pieces = _pieces(places, location.name, memory_limit)
        table = _people(_checked(pieces, location.name), age_at)
        if engine.is_embedded(table):
            table = keep(table.get_backend(), "people", table.order_by(KEY), location.name)
        undo.pop_all()
    columns, form = tuple(table.columns), Engine(opened.backend)
    return Source(table, columns, location.name, form, None, None, opened, location)


def _pieces(
    places: Mapping[str, cdm.Place],
    called: str,
    memory_limit: str,
    into: engine.PrivateEngine | None = None,
) -> dict[str, ibis.Table]:
    """Collect the needed tables, starting with PERSON.

    If `into` is given, each reduced table is copied to this engine. Otherwise, all tables must
    already be in one engine.
    """
    cdm.needed(places, cdm.PERSON, called)
    conditions = next((t for t in cdm.OF_CONDITIONS if t.name in places), cdm.CONDITIONS)
    pieces: dict[str, ibis.Table] = {}
    for requested in (cdm.PERSON, cdm.CONCEPT, cdm.LOCATION, cdm.VISITS, cdm.DEATH, conditions):
        place = places.get(requested.name)
        opened = None if place is None else cdm.open_table(place, requested, memory_limit)
        if opened is None and requested is cdm.PERSON:
            raise SourceError(
                "the table PERSON has no rows",
                where=called,
                fix="specify a CDM that contains people",
            )
        if opened is None:
            continue
        gathered = _gathered(requested, opened.table, pieces)
        if into is not None:
            with opened:
                gathered = bring(into, requested.name, gathered, opened.name)
        pieces[requested.name] = gathered
    return pieces


def _copied(
    places: Mapping[str, cdm.Place], age_at: date | None, called: str, memory_limit: str, where: str
) -> Source:
    """Reduce each table in a separate engine, and join the results in one private engine."""
    started = engine.start(memory_limit)
    try:
        pieces = _pieces(places, where, memory_limit, started)
        rows = _people(_checked(pieces, where), age_at)
        table = keep(started.backend, "people", rows.order_by(KEY), where)
        for name in pieces:
            started.backend.con.execute(f"DROP TABLE {name}")
    except BaseException:
        started.close()
        raise
    return Source(table, tuple(table.columns), called, Engine(engine.BACKEND), None, started)


def _gathered(
    requested: cdm.CdmTable, rows: ibis.Table, pieces: Mapping[str, ibis.Table]
) -> ibis.Table:
    """Reduce a table before the join: group it by person, or keep only the needed rows."""
    import ibis  # noqa: PLC0415 - heavy

    match requested:
        case cdm.CONCEPT:
            return rows.filter(rows["concept_id"].isin(_used(pieces)))
        case cdm.VISITS:
            return rows.group_by(KEY).aggregate(visits=rows.count())
        case cdm.DEATH:
            return rows.select(KEY).distinct().mutate(died=ibis.literal("yes"))
        case cdm.CONDITIONS | cdm.CONDITION_ERAS:
            concept = rows["condition_concept_id"]
            known = rows.filter((concept != "") & (concept != cdm.NO_CONCEPT))
            gathered = known.group_by(KEY).aggregate(items=known["condition_concept_id"].collect())
            return gathered.select(KEY, **{ITEMS: gathered["items"].unique().sort()})
        case _:
            return rows


def _used(pieces: Mapping[str, ibis.Table]) -> list[str]:
    """List the concepts of genders, races, and ethnicities that occur."""
    person = pieces[cdm.PERSON.name]
    distinct = person.aggregate(
        **{column: person[column].collect(distinct=True) for column in _NAMED.values()}
    )
    with engine_errors("PERSON"):
        (found,) = distinct.to_pyarrow().to_pylist()
    return sorted({concept for concepts in found.values() for concept in concepts or ()})


def _checked(pieces: dict[str, ibis.Table], where: str) -> dict[str, ibis.Table]:
    """Check that a join has one row per person, and that the tables have the same people."""
    for table, key in (
        (cdm.PERSON, KEY),
        (cdm.LOCATION, "location_id"),
        (cdm.CONCEPT, "concept_id"),
    ):
        if (piece := pieces.get(table.name)) is not None:
            check_once(piece, key, f"{where}, table {table.name.upper()}", table.name)
    person = pieces[cdm.PERSON.name]
    for name, piece in pieces.items():
        if name != cdm.PERSON.name and KEY in piece.columns:
            named = f"{where}, table {name.upper()}"
            check_belongs(piece, person, KEY, named, "a person in the table PERSON")
    return pieces


def _people(pieces: Mapping[str, ibis.Table], age_at: date | None) -> ibis.Table:
    import ibis  # noqa: PLC0415 - heavy

    person = pieces[cdm.PERSON.name]
    born = "year_of_birth" if age_at is None else "age"
    year = _present(person["year_of_birth"])
    rows = person.mutate(**{born: year if age_at is None else _age(person, age_at)})
    columns = [KEY, born]
    for name, concept in _NAMED.items():
        rows = _with_name(rows, name, concept, pieces.get(cdm.CONCEPT.name))
        columns.append(name)
    if (locations := pieces.get(cdm.LOCATION.name)) is not None and "location_id" in rows.columns:
        own = [column for column in cdm.LOCATION.welcome if column in locations.columns]
        places = locations.select(
            location=locations["location_id"], **{c: _present(locations[c]) for c in own}
        )
        rows = rows.left_join(places, rows["location_id"] == places["location"]).drop("location")
        columns += own
    for table in (cdm.VISITS, cdm.DEATH, *cdm.OF_CONDITIONS):
        if (gathered := pieces.get(table.name)) is None:
            continue
        other = gathered.rename(whose=KEY)
        rows = rows.left_join(other, rows[KEY] == other["whose"]).drop("whose")
        (name,) = set(gathered.columns) - {KEY}
        match table:
            case cdm.VISITS:
                found = rows[name].fill_null(0)
            case cdm.DEATH:
                found = rows[name].fill_null("no")
            case _:  # some engines cannot type an empty list, so a string is added and removed
                found = ibis.coalesce(rows[name], ibis.array([ibis.literal("")])).remove("")
        rows = rows.mutate(**{name: found})
        columns.append(name)
    return rows.select(*columns)


def _with_name(
    rows: ibis.Table, name: str, concept: str, concepts: ibis.Table | None
) -> ibis.Table:
    """Add a concept's name from CONCEPT or the standard names, or its number if it has no name."""
    import ibis  # noqa: PLC0415 - heavy

    number = rows[concept]
    known = [(number == key, called) for key, called in cdm.STANDARD_NAMES.items()]
    unknown = (number == cdm.NO_CONCEPT) | (number == "")
    standard = ibis.cases((unknown, ibis.null("string")), *known, else_=number)
    if concepts is None:
        return rows.mutate(**{name: standard})
    rows = rows.mutate(standard=standard)
    own = concepts.select(number=concepts["concept_id"], called=_present(concepts["concept_name"]))
    joined = rows.left_join(own, rows[concept] == own["number"])
    called = ibis.ifelse(
        joined["standard"].isnull(),
        ibis.null("string"),
        ibis.coalesce(joined["called"], joined["standard"]),
    )
    return joined.mutate(**{name: called}).drop("standard", "number", "called")


def _age(person: ibis.Table, day: date) -> ir.StringValue:
    """Return the age in whole years on a day, or a missing value if there is no age."""
    import ibis  # noqa: PLC0415 - heavy

    def number(column: str) -> ir.IntegerValue:
        known = column in person.columns
        return _present(person[column]).cast("int64") if known else ibis.literal(1)

    month = number("month_of_birth").fill_null(1)
    on = number("day_of_birth").fill_null(1)
    later = (month > day.month) | ((month == day.month) & (on > day.day))
    age = day.year - number("year_of_birth") - later.ifelse(1, 0)
    return ibis.ifelse(age < 0, ibis.null("string"), age.cast("string"))


def _present(column: ir.StringValue) -> ir.StringValue:
    return column.nullif("")
