"""The first table kept in the engine: the distinct combinations of all records, in numbers.

The records are read once. Each value is joined to its code, and the codes are grouped; what comes
of it is as long as the frequency table would be, but nothing of it comes over. It is rolled up to
the lower end of the lattice, and each label has what it costs next to it. From then on nobody looks
at the records again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import SourceError
from roadstead.search.in_engine.level_columns import COUNT, code, total
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    from numpy.typing import NDArray

    from roadstead.policies.full_domain import Levels
    from roadstead.search.in_engine.level_columns import LevelColumns
    from roadstead.search.in_engine.queries import Queries


@dataclass(frozen=True)
class EngineTable:
    """A table kept in the engine: one row a class at `lower`, with the columns of `LevelColumns`.

    It can evaluate every policy above.
    """

    table: ibis.Table
    lower: Levels
    rows: int


@dataclass(frozen=True)
class Base:
    """The records of a table, in numbers: the classes at the lower end of the lattice.

    `sizes` are those of the combinations of values as they are, `numbers` how many are so large.
    """

    kept: EngineTable
    sizes: NDArray[np.int64]
    numbers: NDArray[np.int64]


def make_base(queries: Queries, columns: LevelColumns, bottom: Levels, records: int) -> Base:
    """Read the records, once; SourceError where they are not those that were counted."""
    attributes = columns.encoding.attributes
    mappings = [queries.small(columns.mapping(i)) for i in range(len(attributes))]
    raw = queries.keep(_coded(queries.table, mappings, attributes))
    sizes, numbers = _sizes(queries, raw)
    if int((sizes * numbers).sum()) != records:
        raise SourceError(
            "it was changed while it was read", where=queries.name, fix="run it again"
        )
    table = queries.keep(_labelled(raw, mappings, columns, bottom))
    queries.drop(raw)
    rows = int(numbers.sum()) if columns.is_as_it_is(bottom) else _count(queries, table)
    return Base(EngineTable(table, bottom, rows), sizes, numbers)


def _coded(
    records: ibis.Table, mappings: list[ibis.Table], attributes: tuple[str, ...]
) -> ibis.Table:
    """Count the combinations of codes."""
    names = [f"value_{i}" for i in range(len(attributes))]
    codes = [code(i) for i in range(len(attributes))]
    texts = {name: as_text(records[own]) for name, own in zip(names, attributes, strict=True)}
    coded = records.select(**texts)
    for name, own, mapping in zip(names, codes, mappings, strict=True):
        coded = coded.inner_join(mapping.select(name, own), name).drop(name)
    grouped = coded.select(codes).group_by(codes)
    return grouped.aggregate(**{COUNT: lambda rows: rows.count()})


def _sizes(queries: Queries, raw: ibis.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = queries.answer(
        raw.group_by(COUNT).aggregate(number=lambda rows: rows.count()).order_by(COUNT)
    )
    sizes, numbers = (found.column(name).to_numpy() for name in (COUNT, "number"))
    return sizes.astype(np.int64), numbers.astype(np.int64)


def _labelled(
    raw: ibis.Table, mappings: list[ibis.Table], columns: LevelColumns, bottom: Levels
) -> ibis.Table:
    """Put labels and costs in the place of codes, and add up what is then equal."""
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
    """Add up the rows that have the same labels at `lower`, and so above."""
    records = total(table[COUNT])
    names = columns.above(lower)
    return (
        table.group_by(names).aggregate(**{COUNT: records})
        if names
        else table.aggregate(**{COUNT: records})
    )


def _count(queries: Queries, table: ibis.Table) -> int:
    return int(queries.answer(table.aggregate(rows=table.count())).column("rows")[0].as_py())
