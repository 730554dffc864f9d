"""The properties of a column in counts: enough to suggest its role, without values.

One aggregate query covers all records: how many values are missing, about how many are distinct,
and how long they are. A sample shows the form of the values. If the sample has a text that people
write for a missing value, such as ``?``, another query counts it (`with_markers`).

A column such as names or exact measurements singles people out by itself. Its content shows how
much (`rare_shares`): the share of records with a value whose value few records share. A blank is
not a value. Otherwise, a mostly empty column would seem to have nearly the same value everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.text import BLANKS, as_text
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.source import Source

MARKERS: Final = frozenset(
    (
        *("?", "??", ".", "-", "--", "na", "n/a", "#n/a", "<na>", "null", "none", "nan", "nil"),
        *("missing", "unknown", "unknown/invalid", "not available", "not recorded", "[null]"),
    )
)
"""Lowercase texts that people and programs write for a missing value."""
_AT_ONCE: Final = 100
"""The columns per query: thousands of columns at once do not fit."""


@dataclass(frozen=True)
class ColumnProfile:
    """The properties of a column.

    `type`: the type in the engine, by Ibis's name. `distinct`: the approximate number of distinct
    values. It is a sketch, wrong by a few percent, and never more than the records with a value;
    Polars may count the missing value, SQL engines do not. `shortest`, `longest`: lengths of texts,
    0 if all are missing. `marked`, `marker`: the number of further records with a text that people
    write for a missing value (`MARKERS`), and one of these texts.
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
        """The number of records with a value that does not represent a missing value."""
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
    """Describe columns of a source, all or these, in counts."""
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
    """Count texts for missing values in the columns, `suspects`, in which a sample had one."""
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
    source: Source, columns: Sequence[str], *, fewer_than: int, negligible: float
) -> dict[str, float]:
    """Return, for each column, the share of the records with a value whose value few records have.

    `fewer_than`: a value is rare if fewer records than this have it. `negligible`: a share that
    need not be distinguished from zero. Columns with so few distinct values that their share cannot
    be larger are not counted. Their share is 0, and so is the share if all records are blank.
    """
    if not columns:
        return {}
    shares = {}
    with engine_errors(source.name):
        for first in range(0, len(columns), _AT_ONCE):
            block = columns[first : first + _AT_ONCE]
            values = [_present(source, name) for name in block]
            table = source.table.select(**{f"value_{at}": value for at, value in enumerate(values)})
            measures = {f"present_{at}": table[f"value_{at}"].count() for at in range(len(block))}
            measures |= {
                f"distinct_{at}": table[f"value_{at}"].approx_nunique() for at in range(len(block))
            }
            (sketch,) = table.aggregate(**measures).to_pyarrow().to_pylist()
            for at, name in enumerate(block):
                present = sketch[f"present_{at}"]
                # The sketch is a few percent off, so a factor of two is left for it.
                most = 2 * sketch[f"distinct_{at}"] * (fewer_than - 1)
                if most <= negligible * present:
                    shares[name] = 0.0
                    continue
                shares[name] = texts_of(source, [name]).rare(fewer_than) / present
    return shares


def _present(source: Source, name: str) -> ibis.Value:
    """Return the texts of a column, and null for blank texts."""
    import ibis  # noqa: PLC0415 - heavy

    text = as_text(source.table[name])
    return ibis.ifelse(text.strip().lower().isin(BLANKS), ibis.null("string"), text)
