"""Write and read intervals that are released as two columns.

When a release is read, the two columns are joined into one column, so every check and every measure
uses one label for each quasi-identifier. The ends are written as in the policy, even if a file or
an engine wrote a number differently. If two cells do not form an interval of the policy, the check
fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.recodings.document import IntervalParts
from roadstead.policies.recodings.interval_columns import (
    BETWEEN,
    NOTHING,
    CellKind,
    cells_of,
    joined,
    plain,
    typed,
)
from roadstead.tables.arrow_arrays import integers
from roadstead.tables.frequency import FrequencyTable, places
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.policies.document import Policy
    from roadstead.tables.source import Source

_ENDS = ("low", "high")


def names_of_ends(attribute: int) -> list[str]:
    """Return the internal names of the two columns that contain the ends of an attribute."""
    return [f"{end}_{attribute}" for end in _ENDS]


def cell_kind_of(policy: Policy, attribute: int) -> CellKind:
    """Return the type of the cells in a quasi-identifier that is released as two columns."""
    assert policy.recoding is not None  # noqa: S101 - or there would be no two columns
    parts = policy.recoding.attributes[attribute]
    assert isinstance(parts, IntervalParts)  # noqa: S101 - as above
    return parts.cell_kind


def cells_of_columns(
    policy: Policy, attribute: int, labels: pa.StringArray, *, in_text: bool
) -> dict[str, pa.Array]:
    """Return the released columns of a quasi-identifier. Each column has one cell per label."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    name = policy.quasi[attribute]
    if name not in policy.two_columns:
        return {name: labels}
    kind = "string" if in_text else cell_kind_of(policy, attribute)
    cells = [cells_of(label) for label in labels.to_pylist()]
    of = {"int64": pa.int64(), "float64": pa.float64(), "date": pa.date32(), "string": pa.string()}
    return {
        own: pa.array([typed(cell[end], kind) for cell in cells], of[kind])
        for end, own in enumerate(policy.two_columns[name])
    }


def kind_of(cells: pa.Array) -> pa.DataType:
    """Return the Arrow type of cells during processing, which is a dictionary for text."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    is_text = pa.types.is_string(cells.type)
    return pa.dictionary(pa.int32(), pa.string()) if is_text else cells.type


def taken(numbers: NDArray[np.int32], cells: pa.Array, number: NDArray[Any]) -> pa.Array:
    """Replace class numbers with the cells of a column."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    places = integers(numbers[number])
    if pa.types.is_string(cells.type):
        return pa.DictionaryArray.from_arrays(places, cells)
    return cells.take(places)


def with_joined_ends(source: Source, policy: Policy) -> Source:
    """Replace each pair of columns with one column. A missing pair remains missing."""
    pairs = {n: own for n, own in policy.two_columns.items() if {*own} <= {*source.columns}}
    if not pairs:
        return source
    import ibis  # noqa: PLC0415 - heavy

    table, columns, gone = source.table, {}, {high for _, high in pairs.values()}
    of = {low: (name, high) for name, (low, high) in pairs.items()}
    for name in source.columns:
        if name in of:
            own, other = of[name]
            low, high = as_text(table[name]), as_text(table[other])
            nothing = (low == MISSING) & (high == MISSING)
            columns[own] = ibis.ifelse(nothing, NOTHING, low + BETWEEN + high)
        elif name not in gone:
            columns[name] = table[name]
    made: dict[str, Any] = columns
    return replace(source, held=table.select(**made), columns=tuple(columns))


def with_plain_ends(table: FrequencyTable, policy: Policy) -> FrequencyTable:
    """Write the ends in joined columns as in the policy, regardless of the column type."""
    if not policy.two_columns:
        return table
    written = [
        tuple(map(_plain, domain)) if name in policy.two_columns else domain
        for name, domain in zip(table.attributes, table.domains, strict=True)
    ]
    domains = tuple(tuple(sorted(set(own))) for own in written)
    codes = tuple(
        places(own, domain)[column]
        for own, domain, column in zip(written, domains, table.codes, strict=True)
    )
    return replace(table, domains=domains, codes=codes).project(table.attributes)


def _plain(label: str) -> str:
    low, between, high = label.partition(BETWEEN)
    return joined(plain(low), plain(high)) if between else label
