"""Draw the number of records for each value, or group of values, in one column.

A chart has only a few bars. Ordered values keep their order, and if there are many values,
neighboring values share a bar. For other columns, only the most frequent values have bars. If the
values of a column must not be displayed, values with fewer than k records have one common name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.wording import counted, format_count, legible

MOST_BARS = 14
_MISSING = "(missing)"


class ValueCount(NamedTuple):
    """A value, or a label for several values, with its number of records.

    If people are counted, `holders` is the number of people with the value.
    """

    label: str
    records: int
    holders: int | None = None

    @property
    def shared_by(self) -> int:
        """The number of people with the value, or of records if records are counted."""
        return self.records if self.holders is None else self.holders


class ValueBars(NamedTuple):
    """The bars of a column in their order, and the values without a bar."""

    bars: tuple[ValueCount, ...]
    rest: ValueCount | None  # the total of rare values, and of values for which there is no room
    records: int

    @property
    def rows(self) -> tuple[ValueCount, ...]:
        """All displayed rows, for the table next to the chart."""
        return self.bars if self.rest is None else (*self.bars, self.rest)

    def chart(self, name: str, column: str) -> ShareChart:
        """Return the chart. `name` is unique on the page."""
        most = max(self.rows, key=lambda row: row.records)
        return ShareChart(
            name=name,
            title=f"Bar chart of the records by {legible(column)}",
            description=f"The most frequent value is {legible(most.label)}, with "
            f"{format_count(most.records)} of {format_count(self.records)} records. "
            "The figures are in the table below.",
            rows_are=legible(column),
            shares_of="share of the records",
            bars=tuple(ShareBar(row.label, row.records / self.records) for row in self.rows),
        )


def value_bars(
    counts: Sequence[ValueCount], *, ordered: bool, fewest: int = 1, most: int = MOST_BARS
) -> ValueBars:
    """Choose the bars of a column.

    If the values are `ordered`, `counts` are in this order. An empty string is the missing value.
    Values with fewer than `fewest` records (or people) are not named.
    """
    records = sum(one.records for one in counts)
    rare = [one for one in counts if one.shared_by < fewest]
    named = [one for one in counts if one.shared_by >= fewest]
    if ordered:
        bars, left = tuple(_neighbors(named, most)), []
    else:
        frequent = sorted(named, key=lambda one: (-one.records, one.label))
        room = most if len(frequent) <= most else most - 1
        bars, left = tuple(frequent[:room]), frequent[room:]
    return ValueBars(
        tuple(one._replace(label=one.label or _MISSING) for one in bars),
        _rest(left, rare),
        records,
    )


def _neighbors(counts: Sequence[ValueCount], most: int) -> Iterator[ValueCount]:
    """Combine neighboring values into at most `most` bars. A missing value has its own bar."""
    known = [one for one in counts if one.label]
    yield from (one for one in counts if not one.label)
    size = -(-len(known) // most) if known else 1
    for first in range(0, len(known), size):
        group = known[first : first + size]
        label = group[0].label
        if len(group) > 1:
            label = f"{label} to {group[-1].label}"
        yield ValueCount(label, sum(one.records for one in group))


def _rest(left: Sequence[ValueCount], rare: Sequence[ValueCount]) -> ValueCount | None:
    if not left and not rare:
        return None
    said = counted(len(left) + len(rare), "other value")
    if rare and not left:
        said = counted(len(rare), "rare value")
    return ValueCount(said, sum(one.records for one in (*left, *rare)))
