"""Describe a column by counts, and not by values, so that Roadstead can suggest a role.

Some columns, such as names or exact measurements, single out people without other columns.
`rare_shares` measures this risk: it returns the share of records with a rare value among the
records with a value. Blanks do not count as values. Otherwise, nearly all records of a mostly empty
column would seem to have the same value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.text import as_text
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source

MARKERS: Final = frozenset(
    (
        *("?", "??", ".", "-", "--", "na", "n/a", "#n/a", "<na>", "null", "none", "nan", "nil"),
        *("missing", "unknown", "unknown/invalid", "not available", "not recorded", "[null]"),
    )
)
"""Lowercase strings that people and programs write instead of a missing value."""
_AT_ONCE: Final = 100
"""The number of columns per query, because a query cannot have thousands of columns."""


@dataclass(frozen=True)
class ColumnProfile:
    """The properties of a column.

    `type` is the name of the type in Ibis. `distinct` is the approximate number of distinct values.
    This number can be wrong by a few percent, and is never above the number of records with a
    value. Polars may count the missing value, but SQL engines do not. `shortest` and `longest` are
    the lengths of the shortest and longest string, or 0 if all strings are missing. `marked` is the
    number of records that are not empty, but whose string means a missing value (`MARKERS`).
    `marker` is one of these strings.
    """

    name: str
    type: str
    records: int
    missing: int
    distinct: int
    shortest: int
    longest: int
    marked: int = 0
    marker: str = ""

    @property
    def present(self) -> int:
        """Return the number of records whose value does not mean a missing value."""
        return self.records - self.missing - self.marked

    @property
    def is_list(self) -> bool:
        """Return whether a value is a list, such as the conditions of a person."""
        return self.type.lower().startswith("array")

    @property
    def uniqueness(self) -> float:
        """Return the approximate share of present values that are distinct."""
        return min(self.distinct / self.present, 1.0) if self.present else 0.0


def profile(source: Source, columns: Sequence[str] | None = None) -> tuple[ColumnProfile, ...]:
    """Describe all or some columns of a source by counts."""
    chosen = tuple(source.columns if columns is None else columns)
    if not chosen:
        return ()
    types = source.types
    blocks = (chosen[at : at + _AT_ONCE] for at in range(0, len(chosen), _AT_ONCE))
    return tuple(one for block in blocks for one in _profiled(source, block, types))


def _profiled(
    source: Source, chosen: Sequence[str], types: Mapping[str, str]
) -> tuple[ColumnProfile, ...]:
    with engine_errors(source.name):
        totals = texts_of(source, chosen).totals()
    return tuple(
        ColumnProfile(
            name=name,
            type=types[name],
            records=totals["records"],
            missing=totals["records"] - totals[f"present_{at}"],
            distinct=min(totals[f"distinct_{at}"], totals[f"present_{at}"]),
            shortest=totals[f"shortest_{at}"] or 0,
            longest=totals[f"longest_{at}"] or 0,
        )
        for at, name in enumerate(chosen)
    )


def with_markers(
    source: Source, columns: Sequence[ColumnProfile], suspects: Mapping[str, str]
) -> tuple[ColumnProfile, ...]:
    """In the columns of `suspects`, count the strings that mean missing values."""
    if not suspects:
        return tuple(columns)
    with engine_errors(source.name):
        found = texts_of(source, tuple(suspects)).marked(sorted(MARKERS))
    marked = dict(zip(suspects, found, strict=True))
    return tuple(
        replace(one, marked=marked.get(one.name, 0), marker=suspects.get(one.name, ""))
        for one in columns
    )


def rare_shares(
    source: Source, columns: Sequence[ColumnProfile], *, fewer_than: int, negligible: float
) -> dict[str, float]:
    """For each column, return the share of rare values among the records with a value.

    A value is rare if fewer than `fewer_than` records have it. If a column has so few distinct
    values that its share cannot exceed `negligible`, its records are not counted, and the share is
    0. The share is also 0 if all records are blank.
    """
    shares = {}
    with engine_errors(source.name):
        for first in range(0, len(columns), _AT_ONCE):
            block = columns[first : first + _AT_ONCE]
            numbers = texts_of(source, [one.name for one in block]).present()
            for one, present in zip(block, numbers, strict=True):
                # The approximate number can be wrong by a few percent, so a factor of two is
                # allowed.
                if 2 * one.distinct * (fewer_than - 1) <= negligible * present or not present:
                    shares[one.name] = 0.0
                    continue
                shares[one.name] = texts_of(source, [one.name]).rare(fewer_than) / present
    return shares


def rare_values(source: Source, column: str, person: str | None, *, fewer_than: int) -> int:
    """Count the values that fewer than `fewer_than` people have, or records without a person ID."""
    text = as_text(source.table[column]).strip()
    own = text if person is None else as_text(source.table[person])
    rows = source.table.select(value=text, own=own)
    rows = rows.filter(rows["value"] != "")
    having = rows["own"].count() if person is None else rows["own"].nunique()
    counts = rows.group_by("value").aggregate(having=having)
    with engine_errors(source.name):
        return int(counts.filter(counts["having"] < fewer_than).count().to_pyarrow().as_py())
