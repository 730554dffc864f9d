"""Write SQL for a quasi-identifier whose intervals are released as two columns of ends.

Until the statement has decided which classes are released, each class has one label for the
quasi-identifier. The statement then joins a small table that contains the two ends of each label.
Suppressed records do not have ends. Labels that do not show anything also do not have ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roadstead.policies.recodings.document import IntervalParts
from roadstead.policies.recodings.interval_columns import cells_of
from roadstead.release.sql.literals import column
from roadstead.release.sql.rule_sql import Fresh

KINDS = {"int64": "BIGINT", "float64": "DOUBLE", "date": "DATE", "string": "TEXT"}


@dataclass(frozen=True)
class EndsSql:
    """The table of ends for a quasi-identifier's labels, and the two columns in the release."""

    names: tuple[str, str, str]  # columns of the table: label, low end, and high end
    rows: tuple[tuple[str | None, ...], ...]
    kind: str  # type of the ends
    columns: tuple[str, str]  # the names in the release

    @staticmethod
    def of(parts: IntervalParts, columns: tuple[str, str], fresh: Fresh) -> EndsSql:
        """Return a table that lists each label once."""
        names = fresh("interval_label"), fresh("interval_low"), fresh("interval_high")
        rows = tuple((label, *cells_of(label)) for label in dict.fromkeys(parts.labels))
        return EndsSql(names, rows, KINDS[parts.cell_kind], columns)

    def cells(self, is_released: str) -> Iterator[str]:
        """Yield the SQL of both columns. They are empty if a record's labels are not released."""
        for name, own in zip(self.names[1:], self.columns, strict=True):
            cell = f"CAST({column(name)} AS {self.kind})"
            yield f"CASE WHEN {is_released} = 1 THEN {cell} END AS {column(own)}"

    def same(self, name: str) -> str:
        """Return the SQL condition that joins the table by a quasi-identifier's label."""
        return f"{column(name)} = {column(self.names[0])}"


def ends_of(
    quasi: Sequence[str],
    parts: Sequence[object],
    pairs: Mapping[str, tuple[str, str]],
    fresh: Fresh,
) -> dict[str, EndsSql]:
    """Return the tables of ends for all quasi-identifiers that are released as two columns."""
    return {
        name: EndsSql.of(own, pairs[name], fresh)
        for name, own in zip(quasi, parts, strict=False)
        if isinstance(own, IntervalParts) and name in pairs
    }
