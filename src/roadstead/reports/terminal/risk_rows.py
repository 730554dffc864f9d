"""Format the rows of an assessment of records or people.

The rows give risks, ranges of group sizes, and results of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import MODELS, AssessedTable
from roadstead.reports.wording import format_count, in_columns
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.risk.special_uniques import Contribution

_EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1_000)

_Table = TypeVar("_Table")


def before_and_after(before: _Table, after: _Table | None) -> tuple[tuple[str, _Table], ...]:
    """Pair each table with the word "before" or "after". A single table gets an empty string."""
    if after is None:
        return (("", before),)
    return ((" before", before), (" after", after))


def risk_rows(
    head: str, threshold: float, tables: Sequence[tuple[str, AssessedTable]]
) -> list[tuple[str, str, str, str]]:
    """Return one row per attacker and table, below a row of headings."""
    rows = [(head, "highest", "average", f"above {threshold:g}")]
    rows += [_row(f"prosecutor{when}", table.prosecutor) for when, table in tables]
    for when, table in tables:
        if table.journalist is not None:
            kind = ", estimated" if table.journalist.estimated else ""
            rows.append(_row(f"journalist{kind}{when}", table.journalist))
    rows += [
        (f"marketer{when}", "", percent((table.journalist or table.prosecutor).average), "")
        for when, table in tables
    ]
    return rows


def _row(
    name: str, risk: ProsecutorRisk | PersonRisk | JournalistRisk
) -> tuple[str, str, str, str]:
    return (
        name,
        percent(risk.maximum, bound="upper"),
        percent(risk.average),
        percent(risk.share_above_threshold),
    )


def spans(largest: int) -> Iterator[tuple[str, range]]:
    """Yield the names and the sizes of the size ranges, up to the largest size."""
    starts = [edge for edge in _EDGES if edge <= largest]
    for start, end in zip(starts, [*(edge - 1 for edge in starts[1:]), largest], strict=True):
        name = (
            format_count(start) if start == end else f"{format_count(start)} to {format_count(end)}"
        )
        yield name, range(start, end + 1)


def uniques_lines(
    several: str, people: int | None, tables: Sequence[tuple[str, AssessedTable]]
) -> list[str]:
    """List the population uniques that each model estimates, or nothing if no model has data."""
    rows = [
        (
            f"{MODELS[one.model][0]}{when}",
            "no answer" if one.uniques is None else format_count(round(one.uniques)),
            "" if one.share is None else percent(one.share),
            f"uses {MODELS[one.takes][0]}" if one.takes is not None else one.reason,
        )
        for when, table in tables
        for one in table.population_uniques
    ]
    head = ("Population uniques", f"{several} of {format_count(people or 0)}", "share", "")
    return in_columns([head, *rows]) if rows else []


def contribution_lines(head: str, contributions: Sequence[Contribution]) -> list[str]:
    """List the quasi-identifiers, and how much each contributes to uniqueness."""
    rows = [(head, "contribution", "separation", "unique without it")]
    for one in contributions:
        shares = percent(one.contribution), percent(one.separation)
        rows.append((one.attribute, *shares, format_count(one.uniques_without)))
    return ["", *in_columns(rows)]
