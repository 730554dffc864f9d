"""Recognize tables of counts. Each row of such a table is a combination with its count.

A column whose name looks like a count is not enough evidence. The other columns with few values
must also form a grid. In a grid, no combination occurs twice. If each record were one person, some
combinations would probably occur twice. With n people and P possible combinations, the probability
that no combination occurs twice is about exp(-n²/2P) if all values are equally frequent. The
probability is lower if some values are more frequent than others. A table with a column that is
named like a person ID is never a table of counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir

    from roadstead.tables.source import Source

_WHOLE = r"^ *[0-9]{1,3}(,?[0-9]{3})* *$|^ *[0-9]+ *$"
_FRACTION = r"^ *[+-]?[0-9]*[.,][0-9]+ *%? *$"
_MOSTLY = 0.5
"""The minimum share of whole numbers in a column of counts. Other values may be marks (``<5``)."""
_EXPECTED = 2.5
"""The minimum expected number of equal pairs for their absence to be evidence."""
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class CountTable:
    """The columns of a table of counts: the columns of the grid, and the columns of counts."""

    grid: tuple[str, ...]
    counts: tuple[str, ...]


def count_table(source: Source) -> CountTable | None:
    """Return the grid and the counts of a table of counts, or None for all other tables.

    Unless a column is named like a count, the function does not run a query.
    """
    called = [name for name in source.columns if is_called(name, "counts")]
    if not called or any(_may_be_person(name) for name in source.columns):
        return None
    with engine_errors(source.name):
        texts = {name: as_text(source.table[name]) for name in source.columns}
        return _grid(source.table, texts, called)


def _may_be_person(name: str) -> bool:
    return name.strip().lower() == "id" or is_called(name, "person")


def _grid(
    table: ir.Table, texts: dict[str, ir.StringColumn], called: Sequence[str]
) -> CountTable | None:
    names = [*texts]
    found = table.aggregate(
        records=table.count(),
        **{f"distinct_{at}": texts[name].nunique() for at, name in enumerate(names)},
        **{f"present_{at}": (texts[name] != "").sum() for at, name in enumerate(names)},
        **{f"whole_{at}": texts[name].re_search(_WHOLE).sum() for at, name in enumerate(names)},
        **{f"part_{at}": texts[name].re_search(_FRACTION).sum() for at, name in enumerate(names)},
    )
    (row,) = found.to_pyarrow().to_pylist()
    records, at = row["records"], {name: place for place, name in enumerate(names)}
    counts = [
        name
        for name in called
        if row[f"whole_{at[name]}"] > _MOSTLY * row[f"present_{at[name]}"]
        and not row[f"part_{at[name]}"]
    ]
    values = {
        name: row[f"distinct_{at[name]}"]
        for name in names
        if name not in called and 1 < row[f"distinct_{at[name]}"] < records
    }
    if not counts or len(values) < 2:  # noqa: PLR2004 - a grid has at least two sides
        return None
    fewest = dict(sorted(values.items(), key=lambda one: one[1])[:_MOST_COLUMNS])
    sides = _undetermined(table, texts, fewest)
    for many in range(2, len(sides) + 1):
        grid = dict([*sides.items()][:many])
        possible = prod(grid.values())
        if records**2 < 2 * _EXPECTED * possible:
            return None
        if possible >= records and _each_once(table, texts, grid, records):
            return CountTable(tuple(grid), tuple(counts))
    return None


def _each_once(
    table: ir.Table, texts: dict[str, ir.StringColumn], columns: Iterable[str], records: int
) -> bool:
    rows = table.select(**{name: texts[name] for name in columns})
    return int(rows.distinct().count().to_pyarrow().as_py()) == records


def _undetermined(
    table: ir.Table, texts: dict[str, ir.StringColumn], distinct: dict[str, int]
) -> dict[str, int]:
    """Return the columns that no other column determines, and the number of values in each."""
    pairs = [*combinations(sorted(distinct, key=distinct.__getitem__), 2)]
    both = {
        f"pair_{at}": (texts[few] + "\x1f" + texts[many]).nunique()
        for at, (few, many) in enumerate(pairs)
    }
    (row,) = table.aggregate(**both).to_pyarrow().to_pylist()
    gone = {few for at, (few, many) in enumerate(pairs) if row[f"pair_{at}"] == distinct[many]}
    return {name: number for name, number in distinct.items() if name not in gone}
