"""What a column looks like, in counts: enough to propose its role, and no values.

One aggregate query covers all records: how many values are missing, about how many are distinct,
how long they are. What values read like is seen from a sample
(:mod:`roadstead.tables.identifiers.sample`); where that has a text that people write for a missing
value, such as ``?``, another query counts how often (`with_markers`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roadstead.tables.source import Source

MARKERS: Final = frozenset(
    (
        *("?", "??", ".", "-", "--", "na", "n/a", "#n/a", "<na>", "null", "none", "nan", "nil"),
        *("missing", "unknown", "unknown/invalid", "not available", "not recorded", "[null]"),
    )
)
"""In small letters, texts that people and programs write where there is no value."""


@dataclass(frozen=True)
class ColumnProfile:
    """What a column looks like.

    Attributes
    ----------
    name
        The column.
    type
        Its type in the engine, by Ibis's name.
    records, missing
        How many records there are, and in how many the value is missing.
    distinct
        About how many distinct values there are: a sketch, a few percent off. SQL engines do not
        count the missing value, Polars does.
    shortest, longest
        Lengths of the shortest and longest text, 0 if all are missing.
    marked, marker
        In how many further records a text stands that people write for a missing value
        (:data:`MARKERS`), and one of these texts.
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
        """In how many records there is a value that does not stand for a missing one."""
        return self.records - self.missing - self.marked

    @property
    def is_list(self) -> bool:
        """Whether a value is a list, such as the conditions of a person."""
        return self.type.lower().startswith("array")

    @property
    def uniqueness(self) -> float:
        """The approximate number of distinct values per value that is not missing, at most 1."""
        return min(self.distinct / self.present, 1.0) if self.present else 0.0


def profile(source: Source, columns: Sequence[str] | None = None) -> tuple[ColumnProfile, ...]:
    """Describe columns of a source in counts.

    Parameters
    ----------
    source
        The table.
    columns
        Which; None: all.

    Returns
    -------
    tuple of ColumnProfile
        One for each column, in order.

    Raises
    ------
    SourceError
        The engine cannot read the source.
    """
    chosen = tuple(source.columns if columns is None else columns)
    if not chosen:
        return ()
    with engine_errors(source.name):
        totals = texts_of(source, chosen).totals()
    types = source.types
    return tuple(
        ColumnProfile(
            name=name,
            type=types[name],
            records=totals["records"],
            missing=totals["records"] - totals[f"present_{at}"],
            distinct=totals[f"distinct_{at}"],
            shortest=totals[f"shortest_{at}"] or 0,
            longest=totals[f"longest_{at}"] or 0,
        )
        for at, name in enumerate(chosen)
    )


def with_markers(
    source: Source, columns: Sequence[ColumnProfile], suspects: Mapping[str, str]
) -> tuple[ColumnProfile, ...]:
    """Count texts that stand for missing in the columns in which one was seen.

    `source`: the table. `columns`: the profile of each column. `suspects`: for each column in which
    one was seen, that text.
    """
    if not suspects:
        return tuple(columns)
    with engine_errors(source.name):
        found = texts_of(source, tuple(suspects)).marked(sorted(MARKERS))
    marked = dict(zip(suspects, found, strict=True))
    return tuple(
        replace(column, marked=marked[column.name], marker=suspects[column.name])
        if column.name in marked
        else column
        for column in columns
    )
