"""Numbers as written: values that are not numbers in a column of numbers."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.hierarchies.number_text import parse_number
from roadstead.verbs.noticed.column_values import ColumnValues

_MOSTLY = 0.5
"""A column of numbers has numbers in more than this share of its records."""


def odd_values(column: ColumnValues) -> Iterator[str]:
    """Count the values that are not numbers, if most values are numbers."""
    odd = [value for value in column.records if parse_number(value) is None]
    number = sum(column.records[value] for value in odd)
    if odd and number < _MOSTLY * column.total:
        yield f"{column.counted(odd)} are not numbers: {column.shown(odd)}."
