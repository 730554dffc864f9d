"""Send queries to an engine, count the queries, and prepare the tables that they read.

The records are read once into a table of their distinct combinations, which are stored as numbers.
The engine rolls this table up to the lower end of the lattice. *Roll-ups* are coarser tables from
which the engine evaluates policies faster. After the engine has evaluated eight policies from a
table, it creates a roll-up at the levels that all eight policies needed. It does so only if the
roll-up has at most half as many rows as the table. All roll-ups together have at most as many rows
as the first table (docs/methods/in-engine-search.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.policies.full_domain import is_below
from roadstead.search.in_engine.level_columns import COUNT, code, total
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.text import as_text
from roadstead.tables.transfer import stream, stream_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ibis
    import pyarrow as pa
    from numpy.typing import NDArray

    from roadstead.policies.full_domain import Levels
    from roadstead.search.in_engine.level_columns import LevelColumns
    from roadstead.tables.stores.store import QueryBench


class Queries:
    """A workbench that counts its queries, and whose messages refer to its source as `name`."""

    def __init__(self, bench: QueryBench, name: str) -> None:
        self._bench = bench
        self.name = name
        self.number = 0

    @property
    def table(self) -> ibis.Table:
        """The source's table."""
        return self._bench.table

    def small(self, columns: pa.Table) -> ibis.Table:
        """Copy a small table to the engine, without counting the copy as a query."""
        return self._bench.small(columns)

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression, and keep the resulting rows in the engine."""
        self.number += 1
        return self._bench.keep(expression)

    def drop(self, kept: ibis.Table) -> None:
        """Remove a table that was kept in the engine."""
        self._bench.drop(kept)

    def stream(
        self, expression: ibis.Table, columns: Sequence[str], most: int
    ) -> Iterator[tuple[pa.Array, ...]]:
        """Yield columns of a result in batches, up to one row more than `most`."""
        self.number += 1
        with engine_errors(self.name), stream_until(expression, most) as batches:
            for batch in batches:
                yield tuple(batch.column(name) for name in columns)

    def answer(self, expression: ibis.Table) -> pa.Table:
        """Return a whole result, which must be small."""
        self.number += 1
        with engine_errors(self.name):
            return stream(expression).read_all()

    def count(self, table: ibis.Table) -> int:
        """Count the rows of a table."""
        return int(self.answer(table.aggregate(rows=table.count())).column("rows")[0].as_py())

    def numbers_of(
        self, table: ibis.Table, column: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a column's distinct numbers, sorted, and the number of rows with each number."""
        counted = table.group_by(column).aggregate(number=lambda rows: rows.count())
        found = self.answer(counted.order_by(column))
        values, rows = (found.column(name).to_numpy() for name in (column, "number"))
        return values.astype(np.int64), rows.astype(np.int64)


@dataclass(frozen=True)
class EngineDomains:
    """The number of records with each value, and a frequency table of the domains alone."""

    table: FrequencyTable
    counts: tuple[NDArray[np.int64], ...]

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts[0].sum())


def read_domains(queries: Queries, attributes: tuple[str, ...], most: int) -> EngineDomains:
    """Query the values of each attribute, and reject attributes with more than `most` values."""
    found = [_values(queries, name, most) for name in attributes]
    domains = tuple(domain for domain, _ in found)
    if not domains[0]:
        raise SourceError(
            "there are no records", where=queries.name, fix="use a table that has records"
        )
    nothing = np.zeros(0, dtype=np.int64)
    codes = tuple(nothing.astype(np.int32) for _ in attributes)
    table = FrequencyTable(attributes, domains, codes, nothing)
    return EngineDomains(table, tuple(counts for _, counts in found))


def _values(
    queries: Queries, attribute: str, most: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    texts = queries.table.select(value=as_text(queries.table[attribute]))
    grouped = texts.group_by("value").aggregate(n=lambda rows: rows.count())
    numbers: dict[str, int] = {}
    for values, counts in queries.stream(grouped, ("value", "n"), most):
        numbers.update(zip(values.to_pylist(), counts.to_pylist(), strict=True))
        if len(numbers) > most:
            raise SettingError(
                f"the column has more than {most:,} distinct values, which is too many for memory",
                where=f"column {quoted(attribute)}",
                fix=(
                    "leave the column out of the quasi-identifiers, or raise "
                    f"{option('combinations')}"
                ),
            )
    domain = tuple(sorted(numbers))
    return domain, np.array([numbers[value] for value in domain], dtype=np.int64)


@dataclass(frozen=True)
class EngineTable:
    """A table with one row per class at `lower`, for evaluating all policies above `lower`."""

    table: ibis.Table
    lower: Levels
    rows: int


@dataclass(frozen=True)
class Base:
    """The classes at the lower end of the lattice.

    `numbers` counts the combinations with each of the `sizes`.
    """

    kept: EngineTable
    sizes: NDArray[np.int64]
    numbers: NDArray[np.int64]


def make_base(queries: Queries, columns: LevelColumns, bottom: Levels, records: int) -> Base:
    """Read the records once, and raise a SourceError if the table has changed."""
    attributes = columns.encoding.attributes
    mappings = [queries.small(columns.mapping(i)) for i in range(len(attributes))]
    raw = queries.keep(_coded(queries.table, mappings, attributes))
    sizes, numbers = queries.numbers_of(raw, COUNT)
    if int((sizes * numbers).sum()) != records:
        raise SourceError(
            "the table changed while it was read", where=queries.name, fix="run the command again"
        )
    table = queries.keep(_labelled(raw, mappings, columns, bottom))
    queries.drop(raw)
    rows = int(numbers.sum()) if columns.is_as_it_is(bottom) else queries.count(table)
    return Base(EngineTable(table, bottom, rows), sizes, numbers)


def _coded(
    records: ibis.Table, mappings: list[ibis.Table], attributes: tuple[str, ...]
) -> ibis.Table:
    """Count the records with each combination of codes."""
    names = [f"value_{i}" for i in range(len(attributes))]
    codes = [code(i) for i in range(len(attributes))]
    texts = {name: as_text(records[own]) for name, own in zip(names, attributes, strict=True)}
    coded = records.select(**texts)
    for name, own, mapping in zip(names, codes, mappings, strict=True):
        coded = coded.inner_join(mapping.select(name, own), name).drop(name)
    grouped = coded.select(codes).group_by(codes)
    return grouped.aggregate(**{COUNT: lambda rows: rows.count()})


def _labelled(
    raw: ibis.Table, mappings: list[ibis.Table], columns: LevelColumns, bottom: Levels
) -> ibis.Table:
    """Replace codes with labels and costs, and merge the rows that become equal."""
    labelled = raw
    for i, (mapping, low) in enumerate(zip(mappings, bottom, strict=True)):
        needed = columns.of_attribute(i, low)
        if needed:
            labelled = labelled.inner_join(mapping.select(code(i), *needed), code(i))
        labelled = labelled.drop(code(i))
    if columns.is_as_it_is(bottom):
        return labelled
    return rolled_up(labelled, columns, bottom)


def rolled_up(table: ibis.Table, columns: LevelColumns, lower: Levels) -> ibis.Table:
    """Merge the rows with equal labels at `lower`, and therefore at all higher levels."""
    return added_up(table, columns.above(lower))


def added_up(table: ibis.Table, names: list[str]) -> ibis.Table:
    """Sum the records of rows that are equal in some columns, or of all rows if none are given."""
    records = {COUNT: total(table[COUNT])}
    return table.group_by(names).aggregate(**records) if names else table.aggregate(**records)


SHORT = 100_000
"""A table with fewer rows than this can be scanned faster than a query can be planned."""
_LOOKED_BACK = 8


class Rollups:
    """The tables of one search.

    `made` is the number of roll-ups, and `scanned` is the number of rows scanned.
    """

    def __init__(
        self, queries: Queries, columns: LevelColumns, base: EngineTable, short: int = SHORT
    ) -> None:
        self._queries = queries
        self._columns = columns
        self._base = base
        self._short = short
        self._kept: list[EngineTable] = []  # the most recently used table is last
        self._needs: dict[Levels, list[Levels]] = {}
        self._looked_at: set[Levels] = set()
        self.made = 0
        self.scanned = 0

    def table_for(self, needed: Levels) -> EngineTable:
        """Return the shortest table for the levels, after creating a roll-up if this is useful.

        No level of the returned table is above the needed level.
        """
        kept = (*reversed(self._kept), self._base)
        doing = (table for table in kept if is_below(table.lower, needed))
        chosen = min(doing, key=lambda table: table.rows)
        if chosen.rows >= self._short:
            needs = self._needs.setdefault(chosen.lower, [])
            needs.append(needed)
            if len(needs) == _LOOKED_BACK:
                common = tuple(min(each) for each in zip(*needs, strict=True))
                needs.clear()
                chosen = self._rolled_up_where_it_pays(chosen, common)
        if chosen is not self._base:
            self._kept.remove(chosen)
            self._kept.append(chosen)
        self.scanned += chosen.rows
        return chosen

    def _rolled_up_where_it_pays(self, finer: EngineTable, levels: Levels) -> EngineTable:
        most = self._columns.most_classes
        if levels in self._looked_at or 2 * most(levels) > most(finer.lower):
            return finer
        self._looked_at.add(levels)
        rows = self._count(finer, levels)
        if 2 * rows > finer.rows:
            return finer
        made = EngineTable(
            self._queries.keep(rolled_up(finer.table, self._columns, levels)), levels, rows
        )
        self.made += 1
        self._kept.append(made)
        while sum(kept.rows for kept in self._kept) > self._base.rows and len(self._kept) > 1:
            gone = self._kept.pop(0)
            self._looked_at.discard(gone.lower)
            self._queries.drop(gone.table)
        return made

    def _count(self, finer: EngineTable, levels: Levels) -> int:
        keys = self._columns.keys(finer.table, levels)
        return self._queries.count(finer.table.select(**keys).distinct()) if keys else 1
