"""Two columns for a quasi-identifier whose intervals are released as their ends, in SQL.

What a class shows is one label up to the decision which classes are released. Each label's two ends
are a row of a small table, which is joined last. A label that shows nothing has no ends there, and
what is suppressed gets none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roadstead.policies.recodings.document import IntervalParts
from roadstead.policies.recodings.interval_columns import cells_of
from roadstead.release.sql.rules import Fresh, column

KINDS = {"int64": "BIGINT", "float64": "DOUBLE", "date": "DATE", "string": "TEXT"}


@dataclass(frozen=True)
class EndsSql:
    """The ends of a quasi-identifier's labels: a table of them, and the columns they become."""

    names: tuple[str, str, str]  # columns of the table: the label, and both ends
    rows: tuple[tuple[str | None, ...], ...]
    kind: str  # type of the ends
    columns: tuple[str, str]  # as they are released

    @staticmethod
    def of(parts: IntervalParts, columns: tuple[str, str], fresh: Fresh) -> EndsSql:
        """List each label once."""
        names = fresh("interval_label"), fresh("interval_low"), fresh("interval_high")
        rows = tuple((label, *cells_of(label)) for label in dict.fromkeys(parts.labels))
        return EndsSql(names, rows, KINDS[parts.cell_kind], columns)

    def cells(self, is_released: str) -> Iterator[str]:
        """Give both columns, empty where a record is not released as it was generalized."""
        for name, own in zip(self.names[1:], self.columns, strict=True):
            cell = f"CAST({column(name)} AS {self.kind})"
            yield f"CASE WHEN {is_released} = 1 THEN {cell} END AS {column(own)}"

    def same(self, name: str) -> str:
        """Join the table by a quasi-identifier's label."""
        return f"{column(name)} = {column(self.names[0])}"


def ends_of(
    quasi: Sequence[str],
    parts: Sequence[object],
    pairs: Mapping[str, tuple[str, str]],
    fresh: Fresh,
) -> dict[str, EndsSql]:
    """Give the ends of all quasi-identifiers that are released as two columns."""
    return {
        name: EndsSql.of(own, pairs[name], fresh)
        for name, own in zip(quasi, parts, strict=False)
        if isinstance(own, IntervalParts) and name in pairs
    }
