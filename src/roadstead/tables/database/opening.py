"""Open a set of tables in one private engine that can join them.

Each table becomes a view with standard types. Dates are days. Keys and codes are whole numbers in a
CDM, and strings in other sets. Columns that are not in the rules are omitted.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from roadstead.errors import SourceError, quoted
from roadstead.log import LOG
from roadstead.tables import engine, files
from roadstead.tables.database.omop import CONCEPTS, LOCAL
from roadstead.tables.database.rules import TableRules, in_order
from roadstead.tables.dialect import dialect_of_header
from roadstead.tables.failures import engine_errors
from roadstead.tables.file_tables import read_file
from roadstead.tables.locations import FileLocation
from roadstead.tables.readers import Manner
from roadstead.tables.source import Csv, Parquet
from roadstead.tables.stores.names import quoted_name
from roadstead.tables.transfer import portable, stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis

    from roadstead.tables.engine import PrivateEngine

MEMORY = "4GB"
"""The memory limit of the engine. Data beyond the limit spills to disk."""


@dataclass(frozen=True)
class SetTable:
    """One table of a set of tables.

    `columns` lists the released columns in order, by their names in the rules. `spelled` maps each
    column to its name in the source. `left_out` lists the columns that are not in the rules.
    """

    name: str
    rules: TableRules
    file: str  # the name of the table's file in a release
    form: Csv | Parquet
    columns: tuple[str, ...]
    spelled: Mapping[str, str]
    left_out: tuple[str, ...]
    wide: bool = False  # whether the view also has the columns that no rule names

    @property
    def name_of_view(self) -> str:
        """Return the name of the table in the engine."""
        return f"{'all' if self.wide else 'in'} {self.name}"

    def with_all_kept(self) -> SetTable:
        """Return the table as if its rules also kept all columns that are not in them."""
        rules = replace(self.rules, details=(), kept=self.left_out)
        return replace(self, rules=rules, columns=(*self.columns, *self.left_out), wide=True)

    @property
    def view(self) -> str:
        """Return the quoted name of the table in the engine."""
        return quoted_name(self.name_of_view)

    def has(self, *columns: str | None) -> bool:
        """Return whether the table has all of these columns."""
        return all(column in self.columns for column in columns)


@dataclass(frozen=True, eq=False)
class OpenedSet:
    """A set of tables that are open in one engine."""

    engine: PrivateEngine
    name: str
    tables: Mapping[str, SetTable]
    numbered: bool  # whether keys and codes are whole numbers
    left_out: tuple[str, ...] = ()  # tables that are not released

    @property
    def people(self) -> SetTable:
        """Return the table that has one row for each person."""
        return self.tables[next(in_order(self.rules))]

    @property
    def rules(self) -> dict[str, TableRules]:
        """The rules of each table."""
        return {name: one.rules for name, one in self.tables.items()}

    @property
    def of_persons(self) -> list[SetTable]:
        """The tables that have a person ID, except the table of people."""
        return [self.tables[name] for name in in_order(self.rules)][1:]

    @property
    def without_people(self) -> list[SetTable]:
        """The tables that have no person ID, such as the table of places."""
        return [one for one in self.tables.values() if one.rules.person is None]

    def raw(self, table: str) -> str:
        """Return the engine's name for the original data of a table."""
        return f"raw {table}"

    def run(self, statement: str, *values: Any) -> Any:  # noqa: ANN401 - DuckDB's
        """Run a statement. An error never contains data."""
        with engine_errors(self.name):
            return self.engine.con.execute(statement, list(values))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query whose result is small."""
        found: list[tuple[Any, ...]] = self.run(query).fetchall()
        return found

    def valued(self, table: SetTable, columns: Sequence[str]) -> list[str]:
        """Return the columns that have at least one value."""
        if not columns:
            return []
        counts = ", ".join(f"count({quoted_name(table.spelled[one])})" for one in columns)
        (found,) = self.rows(f"SELECT {counts} FROM {_raw(table.name)}")
        return [column for column, values in zip(columns, found, strict=True) if values]

    def no_numbers(self, table: SetTable, columns: Sequence[str]) -> list[str]:
        """Return the columns that have at least one value that is not a number."""
        if not columns:
            return []
        texts = (f"nullif(trim({quoted_name(table.spelled[one])}::VARCHAR), '')" for one in columns)
        counts = ", ".join(
            f"count(*) - count(try_cast({one} AS DOUBLE)) - count_if({one} IS NULL)"
            for one in texts
        )
        (found,) = self.rows(f"SELECT {counts} FROM {_raw(table.name)}")
        return [column for column, values in zip(columns, found, strict=True) if values]

    def in_one_form(self, table: SetTable, column: str) -> bool:
        """Return whether every date of a column is a day without a time."""
        cell = quoted_name(table.spelled[column])
        ((other,),) = self.rows(
            f"SELECT count(*) FROM {_raw(table.name)} WHERE strlen({cell}::VARCHAR) <> 10"
        )
        return not other

    def close(self) -> None:
        """Close the engine. Closing the engine twice is harmless."""
        self.engine.close()

    def cancel(self) -> None:
        """Stop the running queries from another thread. The caller must then close the set."""
        self.engine.con.interrupt()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_set(
    places: Mapping[str, Path | ibis.Table],
    rules: Mapping[str, TableRules],
    name: str,
    *,
    numbered: bool,
) -> OpenedSet:
    """Open the tables that have rules, and omit all other tables.

    Raises SourceError if a table cannot be read or lacks a required column, or if a cell does not
    contain the required date or number.
    """
    started = engine.start(MEMORY)
    with contextlib.ExitStack() as undo:
        undo.callback(started.close)
        started.con.execute("SET preserve_insertion_order = true")
        found = OpenedSet(started, name, {}, numbered)
        referred = frozenset(to for one in rules.values() for to in one.refers_to)
        tables = {}
        for table, place in places.items():
            if table in rules:
                tables[table] = _opened(found, table, place, rules[table], referred)
        left = tuple(sorted(set(places) - set(tables)))
        undo.pop_all()
    return replace(found, tables=tables, left_out=left)


def _opened(
    within: OpenedSet,
    name: str,
    place: Any,  # noqa: ANN401 - a file, or a table of a database
    rules: TableRules,
    referred: frozenset[str],
) -> SetTable:
    LOG.info("opening %s", name)
    raw = _raw(name)
    form, file = _attach(within, place, raw, name)
    types = {column: str(kind) for column, kind, *_ in within.rows(f"DESCRIBE {raw}")}
    canonical = {own.strip().lower() if within.numbered else own: own for own in types}
    known = [column for column in canonical if column in rules.named]
    where = f"{within.name}, table {quoted(name)}"
    for needed in _needed(rules):
        if needed not in canonical:
            raise SourceError(
                f"it has no column {quoted(needed)}",
                where=where,
                fix="use the column names of the table",
            )
    cells = []
    for column in known:
        kind = types[canonical[column]]
        cell = _cell(rules, column, quoted_name(canonical[column]), kind, numbered=within.numbered)
        cells.append(f"{cell} AS {quoted_name(column)}")
    table = SetTable(
        name,
        present(rules, known),
        file,
        form,
        tuple(known),
        {column: canonical[column] for column in known},
        tuple(own for column, own in canonical.items() if column not in known),
    )
    within.run(f"CREATE TEMP VIEW {table.view} AS SELECT {', '.join(cells)} FROM {raw}")
    if table.left_out and not within.numbered:
        cells += map(quoted_name, table.left_out)
        wide = table.with_all_kept().view
        within.run(f"CREATE TEMP VIEW {wide} AS SELECT {', '.join(cells)} FROM {raw}")
    _require_readable(within, table, raw, types, where, referred)
    return table


def _raw(name: str) -> str:
    return quoted_name(f"raw {name}")


def _needed(rules: TableRules) -> tuple[str, ...]:
    own = (rules.person, rules.key, rules.code, *rules.dates[:1], *rules.attributes)
    return tuple(one for one in own if one)


def present(rules: TableRules, known: Sequence[str]) -> TableRules:
    """Return the rules without the optional columns that do not exist."""
    return replace(
        rules,
        keys={one: to for one, to in rules.keys.items() if one in known},
        softly={one: to for one, to in rules.softly.items() if one in known},
        dates=tuple(one for one in rules.dates if one in known),
        details=tuple(one for one in rules.details if one in known),
        kept=tuple(one for one in rules.kept if one in known),
        empty=tuple(one for one in rules.empty if one in known),
        left_empty={one: codes for one, codes in rules.left_empty.items() if one in known},
    )


def _attach(
    within: OpenedSet,
    place: Any,  # noqa: ANN401 - a file, or a table of a database
    raw: str,
    name: str,
) -> tuple[Csv | Parquet, str]:
    """Register the data at a place as a table of the engine."""
    con = within.engine.con
    if not isinstance(place, Path):
        with engine_errors(f"{within.name}, table {name}"):
            con.register("arriving", stream(portable(place)))
            con.execute(f"CREATE TEMP TABLE {raw} AS FROM arriving")
            con.unregister("arriving")
        return Parquet(), f"{name}.parquet"
    if files.first_bytes(place, 4) == files.PARQUET_MAGIC:
        path = within.engine.plain_name(place, "", f"set_{within.rows(_VIEWS)[0][0]}")
        with engine_errors(place.name):
            con.execute(
                f"CREATE TEMP VIEW {raw} AS FROM "
                f"read_parquet([{engine.literal(str(path))}], hive_partitioning = false)"
            )
        return Parquet(), place.name
    found = dialect_of_header(place)
    names = [quoted_name(column.strip()) for column in found.first_record]
    opened = read_file(FileLocation(place), Manner(MEMORY, {"header": True}, private=True))
    assert opened is not None  # noqa: S101 - a path is a file
    with opened, engine_errors(place.name):
        con.execute(f"CREATE TEMP TABLE {raw} ({', '.join(f'{one} VARCHAR' for one in names)})")
        con.register("arriving", stream(opened.table))
        con.execute(f"INSERT INTO {raw} FROM arriving")
        con.unregister("arriving")
    form = Csv(replace(found.dialect, encoding="utf-8", newline="\n"))
    return form, place.name


def _cell(rules: TableRules, column: str, cell: str, kind: str, *, numbered: bool) -> str:
    """Return an SQL expression for a column in its standard form."""
    text = f"nullif(trim({cell}::VARCHAR), '')"
    if column == rules.birth:
        return f"coalesce(try_cast({text} AS INTEGER), try_cast(left({text}, 4) AS INTEGER))"
    if column in (rules.person, rules.key, rules.code, *rules.keys, *rules.softly):
        return _key(cell, text, kind) if numbered else text
    if column in rules.dates:
        day = f"{cell}::DATE" if kind in _DAYS else f"try_cast(left({text}, 10) AS DATE)"
        # Python has no year 0 and no year 10000.
        return f"CASE WHEN year({day}) BETWEEN 1 AND 9999 THEN {day} END"
    if column in rules.quasi:
        return f"coalesce({text}, '')"
    return _number(column, cell, text) if numbered and column in rules.measured else cell


def _key(cell: str, text: str, kind: str) -> str:
    """Return an SQL expression for a key or code of a CDM as a whole number."""
    if kind != "VARCHAR":
        return f"try_cast({cell} AS BIGINT)"
    # A cast alone would round, but the key 7.5 is not the key 8.
    whole = f"try_cast({text} AS BIGINT)"
    return f"CASE WHEN try_cast({text} AS DECIMAL(38, 6)) = {whole} THEN {whole} END"


def _number(column: str, cell: str, text: str) -> str:
    """Return an SQL expression for a count, a result, or a concept of a CDM as a number."""
    if column.endswith(CONCEPTS):
        number = f"try_cast({text} AS BIGINT)"
        return f"CASE WHEN {number} < {LOCAL} THEN {number} WHEN {number} IS NOT NULL THEN 0 END"
    return f"CASE WHEN try_cast({text} AS DOUBLE) IS NOT NULL THEN {cell} END"


_LONGEST = 32
"""The length of the longest value that an error shows."""
_VIEWS = "SELECT count(*) FROM information_schema.tables"
_DAYS = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")


def _require_readable(
    within: OpenedSet,
    table: SetTable,
    raw: str,
    types: Mapping[str, str],
    where: str,
    referred: frozenset[str],
) -> None:
    """Reject cells without the required date or number, and missing or repeated keys."""
    rules = table.rules
    numbers = (rules.person, rules.key, rules.code, *rules.keys, *rules.softly)
    for column in table.columns:
        own = table.spelled[column]
        a_date = column in rules.dates or column == rules.birth
        if not (
            types[own] == "VARCHAR" and (a_date or (within.numbered and column in numbers))
        ) and not (types[own] in _DAYS and column in rules.dates):
            continue
        cell = f"nullif(trim({quoted_name(own)}::VARCHAR), '')"
        form = _cell(rules, column, quoted_name(own), types[own], numbered=within.numbered)
        found = within.rows(
            f"SELECT {cell} FROM {raw} WHERE {cell} IS NOT NULL AND {form} IS NULL LIMIT 1"
        )
        if found:
            what = "date of the form YYYY-MM-DD" if a_date else "whole number"
            if column == rules.birth:
                what = "year" if within.numbered else f"year or a {what}"
            cell = found[0][0]
            # A longer text is no mistyped date, but may be a note about a person.
            value = f"value {quoted(cell)}" if len(cell) <= _LONGEST else "a value of long text"
            raise SourceError(
                f"{value} is not a {what}",
                where=f"{where}, column {quoted(own)}",
                fix=f"write each value as a {what}",
            )
    if rules.person is not None:
        _require_owners(within, table, rules.person, where)
    keys = [rules.person] if rules.is_of_persons else []
    if table.name in referred and rules.key is not None:
        keys.append(rules.key)
    for key in filter(None, dict.fromkeys(keys)):
        query = f"SELECT count(*) - count(DISTINCT {quoted_name(key)}) FROM {table.view}"
        ((repeated,),) = within.rows(query)
        if repeated:
            raise SourceError(
                f"{repeated:,} of its rows {'has' if repeated == 1 else 'have'} a missing or "
                "repeated key",
                where=f"{where}, column {quoted(key)}",
                fix="give each row a unique key",
            )


def _require_owners(within: OpenedSet, table: SetTable, person: str, where: str) -> None:
    """Reject rows without a person ID."""
    unowned = f"SELECT count(*) FROM {table.view} WHERE {quoted_name(person)} IS NULL"
    ((missing,),) = within.rows(unowned)
    if missing:
        raise SourceError(
            f"{missing:,} of its rows {'has' if missing == 1 else 'have'} no person ID",
            where=f"{where}, column {quoted(person)}",
            fix="remove these rows, or give each row its person ID",
        )
