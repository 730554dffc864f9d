"""Run queries about the strings of a table. Every command needs these queries.

Importing Ibis takes longer than all queries of a small table. So tables of strings in the private
engine are queried in DuckDB's SQL, and all other tables with Ibis. The results are the same.

If a table has 300 columns, Ibis needs more time to compile a query about one column than the engine
needs to run the query on a small table. So a small table of another kind in the private engine is
converted to strings once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from roadstead.tables.engine import TextTable, compiled, literal
from roadstead.tables.failures import engine_errors
from roadstead.tables.stores.names import quoted_name
from roadstead.tables.text import BLANKS, MISSING, as_text
from roadstead.tables.transfer import is_portable, stream, stream_until

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.expr import types as ir

    from roadstead.tables.engine import PrivateEngine
    from roadstead.tables.source import Source

_MOST_CELLS = 2_000_000
"""The maximum number of cells of a table that is converted to strings once."""

NUMBER = (
    r"^ *[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+"
    r"|[0-9]{1,3}(,[0-9]{3})+([.][0-9]+)?|[0-9]{1,3}([.][0-9]{3})+(,[0-9]+)?)([eE][+-]?[0-9]+)? *$"
)
"""A pattern for numbers, as a regular expression that all engines understand."""
_COMPILED_NUMBER = re.compile(NUMBER)


def is_number(text: str) -> bool:
    """Return whether a string is a number, with a point or a comma."""
    return _COMPILED_NUMBER.match(text) is not None


class Texts:
    """Some columns of a table as strings, named ``value_0`` and so on."""

    def __init__(self, table: ibis.Table, columns: Sequence[str]) -> None:
        texts = {f"value_{at}": as_text(table[name]) for at, name in enumerate(columns)}
        self._texts = table.select(**texts)

    def totals(self) -> dict[str, Any]:
        """Count the records, the strings in each column, and (approximately) the distinct strings.

        The result also contains the lengths of the shortest and longest string in each column.
        """
        measures = {"records": self._texts.count()}
        for at, name in enumerate(self._texts.columns):
            value = self._texts[name].nullif("")
            measures |= {
                f"present_{at}": value.count(),
                f"distinct_{at}": value.approx_nunique(),
                f"shortest_{at}": value.length().min(),
                f"longest_{at}": value.length().max(),
            }
        return self._row(measures)

    def _row(self, measures: dict[str, Any]) -> dict[str, Any]:
        (row,) = self._texts.aggregate(**measures).to_pyarrow().to_pylist()
        return dict(row)

    def first(self, records: int) -> dict[str, list[str]]:
        """Return the strings in the first records."""
        return dict(self._texts.limit(records).to_pyarrow().to_pydict())

    def unseen(self, seen: Mapping[str, Sequence[str]], records: int) -> dict[str, list[str]]:
        """Return the strings of each record that has at least one string that is not in `seen`."""
        new = reduce(or_, (self._texts[name].notin(known) for name, known in seen.items()))
        more = self._texts.select(*seen).filter(new).limit(records)
        return dict(more.to_pyarrow().to_pydict())

    def forms(self, columns: Sequence[str], forms: Sequence[str]) -> dict[str, str | None]:
        """Return one string of each form, named by column and form, such as ``value_3_0``."""
        texts = self._texts
        return self._row(
            {
                f"{name}_{at}": texts[name].max(where=texts[name].re_search(form))
                for name in columns
                for at, form in enumerate(forms)
            }
        )

    def marked(self, markers: Sequence[str]) -> list[int]:
        """Count the strings in each column that mean missing values, in uppercase or lowercase."""
        texts = self._texts
        found = self._row(
            {name: texts[name].strip().lower().isin(markers).sum() for name in texts.columns}
        )
        return [int(found[name] or 0) for name in texts.columns]

    def within_first(self) -> dict[str, int]:
        """Count the strings in the first column for which each other column is constant.

        ``keys`` is the number of strings in the first column, and ``records`` is the number of
        records with such a string. ``several`` is the number of strings with more than one record.
        ``told_1`` is the number of these strings that have a string in column 1. ``same_1`` is the
        number of these strings that have exactly one string in column 1.
        """
        key, *others = self._texts.columns
        rows = self._texts.filter(self._texts[key] != "")
        texts = {name: rows[name].nullif("") for name in others}
        ends = {f"low_{name}": text.min() for name, text in texts.items()}
        ends |= {f"high_{name}": text.max() for name, text in texts.items()}
        groups = rows.group_by(key).agg(members=rows.count(), **ends)
        several = groups["members"] > 1
        measures = {
            "keys": groups.count(),
            "records": groups["members"].sum(),
            "several": several.sum(),
        }
        for at, name in enumerate(others, 1):
            low, high = groups[f"low_{name}"], groups[f"high_{name}"]
            measures[f"told_{at}"] = (several & low.notnull()).sum()
            measures[f"same_{at}"] = (several & (low == high)).sum()
        (row,) = groups.aggregate(**measures).to_pyarrow().to_pylist()
        return {name: int(number or 0) for name, number in row.items()}

    def unlike_within_first(self, members: int, different: int, alike: float) -> dict[str, int]:
        """Count the strings in the first column for which the second column has different values.

        Such strings have at least `members` records and at least `different` second strings. In
        addition, two of their records have the same second string with a probability of at most
        `alike`. The result contains the number of such strings (``keys``), the number of their
        ``records``, and the largest number of ``different`` second strings.
        """
        texts = self._texts
        there = texts.filter((texts["value_0"] != "") & (texts["value_1"] != ""))
        pairs = there.group_by(["value_0", "value_1"]).agg(own=there.count().cast("float64"))
        own = pairs["own"]
        keys = pairs.group_by("value_0").agg(
            members=own.sum(), squares=(own * own).sum(), different=pairs.count()
        )
        many, squares = keys["members"], keys["squares"]
        found = keys.filter(
            (many >= members)
            & (keys["different"] >= different)
            & (squares - many <= alike * many * (many - 1))
        )
        sums = found.aggregate(
            keys=found.count(), records=found["members"].sum(), different=found["different"].max()
        )
        return {name: int(n or 0) for name, n in sums.to_pyarrow().to_pylist()[0].items()}

    def alike(self) -> float:
        """Return the probability that two random records have the same string in the only column.

        Records without a string are ignored.
        """
        found = self.frequencies()
        return found["squares"] / found["records"] ** 2 if found["records"] else 0.0

    def frequencies(self) -> dict[str, float]:
        """Count the ``values`` and ``records`` of the only column, and sum the squared counts."""
        there = self._texts.filter(self._texts["value_0"] != "")
        groups = there.group_by("value_0").agg(members=there.count().cast("float64"))
        own = groups["members"]
        sums = groups.aggregate(values=groups.count(), records=own.sum(), squares=(own * own).sum())
        return _numbers(sums.to_pyarrow().to_pylist()[0])

    def present(self) -> list[int]:
        """Count the nonblank strings in each column."""
        texts = self._texts
        measures = {
            name: texts[name].strip().lower().notin([*BLANKS]).sum() for name in texts.columns
        }
        return [int(number or 0) for number in self._row(measures).values()]

    def rare(self, fewer_than: int) -> int:
        """Count the records with a rare string in the only column. Blanks are ignored."""
        text = self._texts["value_0"]
        there = self._texts.filter(text.strip().lower().notin([*BLANKS]))
        groups = there.group_by("value_0").agg(members=there.count())
        rare = groups.filter(groups["members"] < fewer_than)["members"].sum().fill_null(0)
        return int(rare.to_pyarrow().as_py())

    def drawn(self, share: float) -> pa.Table:
        """Sample records at random, each with this probability."""
        rows = self._texts if share >= 1.0 else self._texts.sample(share)
        return rows.to_pyarrow()

    def agreement(self) -> dict[str, float]:
        """Return sums that show how well the first of two columns determines the second.

        Only records with both strings count. ``records`` is the number of these records. ``shared``
        is the number of records whose first string also occurs in another record. ``agreeing`` is a
        sum over the shared records. For each shared record, consider the other records with the
        same first string. The term of the sum is the share of these records that also have the same
        second string. ``pairs`` is the number of ordered pairs of records with the same second
        string.
        """
        texts, blanks = self._texts, [*BLANKS]
        there = texts.filter(
            texts["value_0"].strip().lower().notin(blanks)
            & texts["value_1"].strip().lower().notin(blanks)
        )
        pairs = there.group_by(["value_0", "value_1"]).agg(own=there.count().cast("float64"))
        by_first = pairs.group_by("value_0").agg(
            members=pairs["own"].sum(), squares=(pairs["own"] * pairs["own"]).sum()
        )
        members, squares = by_first["members"], by_first["squares"]
        several = members > 1
        found = dict(
            by_first.aggregate(
                records=members.sum(),
                shared=members.sum(where=several),
                agreeing=((squares - members) / (members - 1).nullif(0)).sum(),
            )
            .to_pyarrow()
            .to_pylist()[0]
        )
        by_second = pairs.group_by("value_1").agg(members=pairs["own"].sum())
        own = by_second["members"]
        found |= by_second.aggregate(pairs=(own * (own - 1)).sum()).to_pyarrow().to_pylist()[0]
        return _numbers(found)

    def distinct(self) -> list[str]:
        """Return the distinct strings of the only column."""
        return list(self._texts.distinct().to_pyarrow().column("value_0").to_pylist())

    def sizes(self) -> tuple[int, list[int]]:
        """Count the records, and the distinct strings in each column, including the empty one."""
        columns = {name: self._texts[name].nunique() for name in self._texts.columns}
        records, *distinct = self._row({"records": self._texts.count(), **columns}).values()
        return records, distinct

    def counted(self, most: int | None) -> pa.RecordBatchReader:
        """Stream the distinct combinations and their counts. The caller may stop after `most`."""
        grouped = self._texts.group_by(list(self._texts.columns))
        counted = grouped.agg(records=lambda table: table.count())
        return stream(counted) if most is None else stream_until(counted, most)

    def counted_texts(self) -> pa.RecordBatchReader:
        """Stream the distinct strings in the only column, except numbers, and their counts."""
        texts = self._texts.filter(~self._texts["value_0"].re_search(NUMBER))
        return stream(texts.group_by("value_0").agg(records=lambda table: table.count()))


class _SqlTexts(Texts):
    """The same queries in DuckDB's SQL."""

    def __init__(self, table: TextTable, columns: Sequence[str]) -> None:
        self._table = table
        self._names = [f"value_{at}" for at in range(len(columns))]
        self._from = f"FROM (SELECT {as_texts(columns)} FROM {table.name})"  # noqa: S608 - quoted

    def _row(self, measures: dict[str, str]) -> dict[str, Any]:
        selected = ", ".join(f"{measure} AS {name}" for name, measure in measures.items())
        return self._table.row_of(f"SELECT {selected} {self._from}")

    def totals(self) -> dict[str, Any]:
        measures = {"records": "count(*)"}
        for at, name in enumerate(self._names):
            value = f"nullif({name}, '')"
            measures |= {
                f"present_{at}": f"count({value})",
                f"distinct_{at}": f"approx_count_distinct({value})",
                f"shortest_{at}": f"min(length({value}))",
                f"longest_{at}": f"max(length({value}))",
            }
        return self._row(measures)

    def first(self, records: int) -> dict[str, list[str]]:
        return self._table.columns_of(f"{self._from} LIMIT {records}")

    def unseen(self, seen: Mapping[str, Sequence[str]], records: int) -> dict[str, list[str]]:
        new = (f"{name} NOT IN ({_list(known)})" for name, known in seen.items())
        return self._table.columns_of(
            f"SELECT {', '.join(seen)} {self._from} WHERE {' OR '.join(new)} LIMIT {records}"
        )

    def forms(self, columns: Sequence[str], forms: Sequence[str]) -> dict[str, str | None]:
        return self._row(
            {
                f"{name}_{at}": f"max({name}) FILTER (regexp_matches({name}, {literal(form)}))"
                for name in columns
                for at, form in enumerate(forms)
            }
        )

    def marked(self, markers: Sequence[str]) -> list[int]:
        among = {name: f"count_if({_among(name, markers)})" for name in self._names}
        return [int(number or 0) for number in self._row(among).values()]

    def within_first(self) -> dict[str, int]:
        key, *others = self._names
        ends = "".join(
            f", min(nullif({name}, '')) AS low_{at}, max(nullif({name}, '')) AS high_{at}"
            for at, name in enumerate(others, 1)
        )
        told = "".join(
            f", count_if(members > 1 AND low_{at} IS NOT NULL) AS told_{at}"
            f", count_if(members > 1 AND low_{at} = high_{at}) AS same_{at}"
            for at in range(1, len(others) + 1)
        )
        groups = f"SELECT count(*) AS members{ends} {self._from} WHERE {key} <> '' GROUP BY {key}"
        own = "count(*) AS keys, sum(members) AS records, count_if(members > 1) AS several"
        found = self._table.row_of(f"SELECT {own}{told} FROM ({groups})")  # noqa: S608 - quoted
        return {name: int(number or 0) for name, number in found.items()}

    def unlike_within_first(self, members: int, different: int, alike: float) -> dict[str, int]:
        found = self._table.row_of(
            "SELECT count(*) AS keys, sum(members) AS records, max(different) AS different FROM "  # noqa: S608 - quoted
            "(SELECT sum(own) AS members, sum(own * own) AS squares, count(*) AS different FROM "
            f"(SELECT value_0, value_1, count(*)::DOUBLE AS own {self._from} "
            "WHERE value_0 <> '' AND value_1 <> '' GROUP BY value_0, value_1) GROUP BY value_0) "
            f"WHERE members >= {members} AND different >= {different} "
            f"AND squares - members <= {alike!r} * members * (members - 1)"
        )
        return {name: int(number or 0) for name, number in found.items()}

    def frequencies(self) -> dict[str, float]:
        groups = f"SELECT count(*)::DOUBLE AS own {self._from} WHERE value_0 <> '' GROUP BY value_0"
        sums = "count(*) AS values, sum(own) AS records, sum(own * own) AS squares"
        return _numbers(self._table.row_of(f"SELECT {sums} FROM ({groups})"))  # noqa: S608 - quoted

    def present(self) -> list[int]:
        counts = {name: f"count_if(NOT {_among(name, BLANKS)})" for name in self._names}
        return [int(number or 0) for number in self._row(counts).values()]

    def sizes(self) -> tuple[int, list[int]]:
        columns = {name: f"count(DISTINCT {name})" for name in self._names}
        records, *distinct = self._row({"records": "count(*)", **columns}).values()
        return records, distinct

    def rare(self, fewer_than: int) -> int:
        there = f"NOT {_among('value_0', BLANKS)}"
        groups = f"SELECT count(*) AS own {self._from} WHERE {there} GROUP BY value_0"
        found = self._table.row_of(
            f"SELECT sum(own) AS rare FROM ({groups}) WHERE own < {fewer_than}"  # noqa: S608 - quoted
        )
        return int(found["rare"] or 0)

    def drawn(self, share: float) -> pa.Table:
        sample = "" if share >= 1.0 else f" USING SAMPLE {share:%} (bernoulli, 1)"
        return self._table.batches(f"SELECT * {self._from}{sample}").read_all()

    def agreement(self) -> dict[str, float]:
        there = " AND ".join(f"NOT {_among(name, BLANKS)}" for name in self._names)
        pairs = (
            f"SELECT value_0, value_1, count(*)::DOUBLE AS own {self._from} WHERE {there} "
            "GROUP BY value_0, value_1"
        )
        found = self._table.row_of(
            f"WITH pairs AS ({pairs}), firsts AS (SELECT sum(own) AS members, "  # noqa: S608 - quoted
            "sum(own * own) AS squares FROM pairs GROUP BY value_0), seconds AS (SELECT sum(own) "
            "AS members FROM pairs GROUP BY value_1) SELECT (SELECT sum(members * (members - 1)) "
            "FROM seconds) AS pairs, sum(members) AS records, sum(members) FILTER (members > 1) "
            "AS shared, sum((squares - members) / (members - 1)) FILTER (members > 1) AS agreeing "
            "FROM firsts"
        )
        return _numbers(found)

    def distinct(self) -> list[str]:
        return self._table.columns_of(f"SELECT DISTINCT value_0 {self._from}")["value_0"]

    def counted(self, most: int | None) -> pa.RecordBatchReader:
        del most  # closing the stream ends its query
        names = ", ".join(self._names)
        return self._table.batches(
            f"SELECT {names}, count(*) AS records {self._from} GROUP BY {names}"
        )

    def counted_texts(self) -> pa.RecordBatchReader:
        number = literal(NUMBER)
        return self._table.batches(
            f"SELECT value_0, count(*) AS records {self._from} "
            f"WHERE NOT regexp_matches(value_0, {number}) GROUP BY value_0"
        )


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """Convert a row to numbers. An empty sum becomes 0."""
    return {name: float(number or 0.0) for name, number in row.items()}


def _among(name: str, texts: Sequence[str]) -> str:
    """Return the condition that a string is in a list, ignoring case and surrounding blanks."""
    signs = literal(" \t\n\r\v\f")
    return f"(lower(trim({name}, {signs})) IN ({_list(texts)}))"


def _list(texts: Sequence[str]) -> str:
    return ", ".join(map(literal, texts))


def texts_of(source: Source, columns: Sequence[str]) -> Texts:
    """Return columns of a source as strings."""
    table = _strings_of(source, len(columns))
    return Texts(source.table, columns) if table is None else _SqlTexts(table, columns)


def with_strings(source: Source) -> Source:
    """Return a source with all its values as strings if this is cheap, and otherwise the source.

    This is cheap for a small table of the private engine. A missing value remains missing.
    """
    table = _strings_of(source, len(source.columns))
    return source if table is None else replace(source, held=table)


def _strings_of(source: Source, number: int) -> TextTable | None:
    """Return the strings of a source if this is cheap before a query about `number` columns.

    The engine of a small table converts it once, and keeps the result for later queries. The
    conversion takes as long as a query about all columns, so it happens only before a query about
    most of the columns.
    """
    if source.texts is not None or source.private is None:
        return source.texts
    table, known = source.table, source.private.converted
    if table.op() not in known:
        if 2 * number < len(table.columns):
            return None
        name = f"texts_{len(known)}"
        with engine_errors(source.name):
            known[table.op()] = name if _convert(table, source.private, name) else None
    found = known[table.op()]
    return None if found is None else TextTable(source.private, found, source.columns)


def _convert(table: ibis.Table, engine: PrivateEngine, name: str) -> bool:
    """Copy a small table of plain types as strings. Return whether it was copied."""
    if table.get_backend().con is not engine.con or not all(map(is_portable, table.schema().types)):
        return False
    if table.count().to_pyarrow().as_py() * len(table.columns) > _MOST_CELLS:
        return False
    texts = [_or_missing(table[column]).name(column) for column in table.columns]
    engine.con.execute(f"CREATE TEMP TABLE {name} AS {compiled(table.select(*texts))}")
    return True


def _or_missing(column: ir.Column) -> ir.StringColumn:
    return column if column.type().is_string() else as_text(column).nullif(MISSING)


def elements_of(source: Source, column: str) -> Texts:
    """Return the elements of a column of lists as strings, with one row per element."""
    table = source.table
    return Texts(table.select(table[column].unnest().name(column)), [column])


def as_texts(columns: Sequence[str]) -> str:
    """Return SQL that selects columns as strings, with names such as ``value_0``."""
    return ", ".join(
        f"coalesce({quoted_name(name)}, '') AS value_{at}" for at, name in enumerate(columns)
    )
