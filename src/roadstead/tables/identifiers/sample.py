"""A few values of every column, to be looked at and never shown.

The first records of the table are enough to see what values read like. A column that is mostly
empty there is looked up once more, among the records in which one of such columns has a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.profile import INSPECTED, ColumnProfile

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.sources import Source

RECORDS: Final = 2_000
"""So many records are read."""

VALUES: Final = 300
"""So many distinct values of a column are kept, from all over those records."""

_FEW: Final = 50


def sample(source: Source, columns: Sequence[ColumnProfile]) -> Mapping[str, tuple[str, ...]]:
    """Take distinct values of every column that has some.

    Parameters
    ----------
    source
        The table.
    columns
        The profile of each of its columns.

    Returns
    -------
    mapping
        For each column, up to `VALUES` distinct texts without blanks around them, in the order in
        which they come; none is missing.

    Raises
    ------
    SourceError
        The engine cannot read the source.
    """
    from roadstead.tables.text import as_text  # noqa: PLC0415 - heavy

    names = {f"value_{at}": column for at, column in enumerate(columns)}
    texts = source.table.select(
        **{place: as_text(source.table[column.name]) for place, column in names.items()}
    )
    with engine_errors(source.name):
        found = _present(texts.limit(RECORDS))
        sparse = [
            place
            for place, column in names.items()
            if len(found[place]) < min(_FEW, column.records - column.missing)
        ]
        if sparse and columns[0].records > RECORDS:
            later = texts.select(*sparse).limit(INSPECTED)
            some = reduce(or_, (later[place] != "" for place in sparse))
            found |= _present(later.filter(some).limit(RECORDS))
    return {column.name: _spread(found[place]) for place, column in names.items()}


def _present(texts: ibis.Table) -> dict[str, list[str]]:
    cells: dict[str, list[str]] = texts.to_pyarrow().to_pydict()
    return {place: [cell for cell in own if cell] for place, own in cells.items()}


def _spread(cells: Sequence[str]) -> tuple[str, ...]:
    """Choose distinct values at even distances."""
    distinct = list(dict.fromkeys(text for cell in cells if (text := cell.strip())))
    step = max(len(distinct) / VALUES, 1.0)
    return tuple(distinct[int(at * step)] for at in range(min(len(distinct), VALUES)))
