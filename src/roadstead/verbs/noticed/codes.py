"""Values that are not codes of the code book that a release uses for their column."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.errors import quoted
from roadstead.verbs.noticed.column_values import ColumnValues


def values_apart(column: ColumnValues) -> Iterator[str]:
    """Count the values that are not codes of the system, and say what they become."""
    rule = column.code_rule
    if rule is None:
        return
    if odd := [text for text in column.records if rule.label(text) == rule.other]:
        yield (
            f"{column.counted(odd)} are not in the code book {quoted(rule.book)}: "
            f"{column.shown(odd)}. In its groups, they become {quoted(rule.other)}."
        )
