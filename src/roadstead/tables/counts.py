"""Recognize tables of counts. Each row of such a table is a combination with its count.

The other columns with few values must form a grid. In a grid, no combination occurs twice. If each
record were one person, some combinations would probably occur twice. With n people and P possible
combinations, the probability that no combination occurs twice is about exp(-n²/2P) if all values
are equally frequent. The probability is lower if some values are more frequent than others.

How full the grid must be depends on the name of the column with the counts. If only counts have
such a name (``cases``), any grid is enough. If the name can also describe a person (``total``),
most combinations must occur. In small tables, a column of whole numbers with any other name counts
if each combination occurs, and if the numbers differ as much as counts do. A table with a column
that is named like a person ID is never a table of counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, prod
from typing import TYPE_CHECKING, NamedTuple

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called, words
from roadstead.tables.text import as_text
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from ibis.expr import types as ir

    from roadstead.tables.source import Source

_WHOLE = r"^ *[0-9]{1,3}(,?[0-9]{3})* *$|^ *[0-9]+([.]0+)? *$"
_FRACTION = r"^ *[+-]?[0-9]*([.][0-9]*[1-9][0-9]*|,[0-9]{1,2}|,[0-9]{4,}) *%? *$|% *$"
_HOW_MANY = re.compile("_(of|de|d|di|der|van)_")
"""The pattern matches "número de pacientes", which is not the number of one patient."""
_MOSTLY = 0.5
"""The minimum share of whole numbers in a column of counts. Other values may be marks (``<5``)."""
_EXPECTED = 2.5
"""The minimum expected number of equal pairs for their absence to be evidence."""
_MANY_EXPECTED = 6.0
"""The same number if the name can also describe a person, and not each combination occurs."""
_MOST_COLUMNS = 12
_FULL = 2.0
"""The largest ratio of possible combinations to records if the name can also describe a person."""
_FEW_COLUMNS, _FEWEST_RECORDS, _MOST_RECORDS = 8, 8, 100_000
"""The size of a table in which a column with any name can contain counts."""
_MOST_VALUES, _FEWEST_EACH = 100, 3
"""The largest number of values, and the fewest records of each, in a side of such a table."""
_FAR = 5
"""The minimum ratio of the largest to the smallest count in a column with any name."""


@dataclass(frozen=True)
class CountTable:
    """The columns of a table of counts: the columns of the grid, and the columns of counts."""

    grid: tuple[str, ...]
    counts: tuple[str, ...]


def count_table(source: Source) -> CountTable | None:
    """Return the grid and the counts of a table of counts, or None for all other tables.

    Unless a column is named like a count, the function runs queries only for tables with few
    columns.
    """
    if any(_may_be_person(name) for name in source.columns):
        return None
    sure = [name for name in source.columns if is_called(name, "counts")]
    called = [
        *sure,
        *(x for x in source.columns if x not in sure and is_called(x, "likely_counts")),
    ]
    few = len(source.columns) <= _FEW_COLUMNS
    if not called and (not few or any(is_called(name, "experiment") for name in source.columns)):
        return None
    with engine_errors(source.name):
        if not called and not _can_be_full(source):
            return None
        texts = {name: as_text(source.table[name]) for name in source.columns}
        facts = _facts(source.table, texts)
        counts = [name for name in called if name in facts.whole]
        if not called:
            return _full_grid(source.table, texts, facts)
        most = inf if any(name in sure for name in counts) else _FULL
        others = {n: many for n, many in facts.distinct.items() if n not in called}
        return _grid(source.table, texts, others, facts.records, most, counts) if counts else None


def _can_be_full(source: Source) -> bool:
    """Return whether each combination of some columns can occur once, next to whole numbers.

    For a table of strings, these queries do not need Ibis, and hardly any table of people has such
    numbers of values.
    """
    texts = texts_of(source, source.columns)
    records, distinct = texts.sizes()
    if not _FEWEST_RECORDS <= records <= _MOST_RECORDS:
        return False
    sides = [at for at, many in enumerate(distinct) if _is_side(many, records)]
    whole = {
        at
        for at, cells in enumerate(texts.first(_FEWEST_RECORDS).values())
        if any(re.search(_WHOLE, cell) for cell in cells)
    }
    return any(
        whole - {*grid} and prod(distinct[at] for at in grid) == records
        for many in range(2, len(sides) + 1)
        for grid in combinations(sides, many)
    )


def _is_side(values: int, records: int) -> bool:
    """Return whether a column with any name can be a side of a grid: its values are categories.

    A couple has two records, one for each sex, and a person has one for each visit of a study. So
    the numbers of couples and of people are not categories.
    """
    return 1 < values <= min(_MOST_VALUES, records / _FEWEST_EACH)


def _may_be_person(name: str) -> bool:
    how_many = _HOW_MANY.search(words(name)) is not None and is_called(name, "counts")
    return name.strip().lower() == "id" or (is_called(name, "person") and not how_many)


class _Facts(NamedTuple):
    """The records of a table, the columns of whole numbers, and the number of distinct values.

    A column that has the same value, or a different value, in each record cannot belong to a grid.
    """

    records: int
    whole: list[str]
    distinct: dict[str, int]


def _facts(table: ir.Table, texts: dict[str, ir.StringColumn]) -> _Facts:
    found = table.aggregate(
        records=table.count(),
        **{f"distinct_{at}": text.nunique() for at, text in enumerate(texts.values())},
        **{f"present_{at}": (text != "").sum() for at, text in enumerate(texts.values())},
        **{f"whole_{at}": text.re_search(_WHOLE).sum() for at, text in enumerate(texts.values())},
        **{f"part_{at}": text.re_search(_FRACTION).sum() for at, text in enumerate(texts.values())},
    )
    (row,) = found.to_pyarrow().to_pylist()
    whole, distinct = [], {}
    for at, name in enumerate(texts):
        if row[f"whole_{at}"] > _MOSTLY * row[f"present_{at}"] and not row[f"part_{at}"]:
            whole.append(name)
        if 1 < row[f"distinct_{at}"] < row["records"]:
            distinct[name] = row[f"distinct_{at}"]
    return _Facts(row["records"], whole, distinct)


def _grid(
    table: ir.Table,
    texts: dict[str, ir.StringColumn],
    values: dict[str, int],
    records: int,
    most: float,
    counts: Sequence[str],
) -> CountTable | None:
    """Return the smallest grid. Its combinations may be `most` times as many as the records."""
    if len(values) < 2:  # noqa: PLR2004 - a grid has at least two sides
        return None
    fewest = dict(sorted(values.items(), key=lambda one: one[1])[:_MOST_COLUMNS])
    sides = _undetermined(table, texts, fewest)
    for many in range(2, len(sides) + 1):
        grid = dict([*sides.items()][:many])
        possible = prod(grid.values())
        fewest_pairs = _EXPECTED if most == inf or possible == records else _MANY_EXPECTED
        if records**2 < 2 * fewest_pairs * possible or possible > most * records:
            return None
        if possible >= records and _each_once(table, texts, grid, records):
            return CountTable(tuple(grid), tuple(counts))
    return None


def _full_grid(
    table: ir.Table, texts: dict[str, ir.StringColumn], facts: _Facts
) -> CountTable | None:
    """Return a grid in which each combination occurs, next to a column of numbers like counts."""
    if facts.records < _FEWEST_RECORDS:
        return None
    sides = [name for name, many in facts.distinct.items() if _is_side(many, facts.records)]
    for many in range(2, len(sides) + 1):
        for grid in combinations(sides, many):
            counts = [name for name in facts.whole if name not in grid]
            full = prod(facts.distinct[name] for name in grid) == facts.records
            if full and counts and _each_once(table, texts, grid, facts.records):
                like = [name for name in counts if _like_counts(table, texts[name])]
                return CountTable(grid, tuple(like)) if like else None
    return None


def _like_counts(table: ir.Table, text: ir.StringColumn) -> bool:
    """Return whether the largest whole number is far above the smallest, as among counts."""
    plain = text.strip().replace(",", "")
    number = plain.re_search("^[0-9]{1,15}([.]0+)?$").ifelse(plain, "").nullif("").cast("float64")
    (row,) = table.aggregate(low=number.min(), high=number.max()).to_pyarrow().to_pylist()
    return row["high"] is not None and row["high"] >= _FAR * max(row["low"], 1)


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
