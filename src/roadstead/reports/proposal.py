"""Show the columns that a scan proposes in a notebook.

The table gives the number of distinct values of each column, but does not show any value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.notebook import NotebookCell, block, drawn, table, words
from roadstead.reports.wording import format_count

_DRAWN = 12
_HEADS = (
    NotebookCell("Column"),
    NotebookCell("Role"),
    NotebookCell("Why"),
    NotebookCell("Values", number=True),
    NotebookCell("Missing", number=True),
)
_CHECKLIST = "The 18 identifiers of Safe Harbor, by names of columns and samples of values"
_UNDECIDED = "to be decided"


class ProposedColumn(NamedTuple):
    """A column with its proposed role, the reason for the role, and remarks.

    The role is None if there is no proposal.
    """

    name: str
    role: str | None
    why: str
    values: int
    missing: int
    warning: str


def proposal_in_notebook(
    caption: str,
    records: int,
    columns: Sequence[ProposedColumn],
    *,
    more: str,
    checklist: Sequence[tuple[str, str]],
) -> str:
    """Return the output for a notebook.

    `more` is a string with further remarks. `checklist` has an answer for each of the eighteen
    identifiers of Safe Harbor.
    """
    rows = (
        (
            NotebookCell(one.name),
            NotebookCell(one.role or _UNDECIDED, open=one.role is None),
            NotebookCell("; ".join(filter(None, (one.why, one.warning)))),
            NotebookCell(f"about {format_count(min(one.values, records))}", number=True),
            NotebookCell(format_count(one.missing), number=True),
        )
        for one in columns
    )
    parts = [table(caption, _HEADS, rows), *([words(more)] if more else [])]
    if columns:
        parts.append(drawn(_apart(columns, records)))
    if checklist:
        answers = ([NotebookCell(cell) for cell in line] for line in checklist)
        parts.append(
            table(_CHECKLIST, (NotebookCell("Identifier"), NotebookCell("Found")), answers)
        )
    return block(*parts)


def _apart(columns: Sequence[ProposedColumn], records: int) -> ShareChart:
    shares = {one.name: min(one.values / max(records, 1), 1.0) for one in columns}
    most = sorted(shares.items(), key=lambda one: -one[1])[:_DRAWN]
    return ShareChart(
        "distinct-values",
        "Bar chart of how many distinct values each column has",
        "Distinct values of each column as a share of the records, the largest share first.",
        "column",
        "distinct values, as a share of the records",
        tuple(ShareBar(name, share) for name, share in most),
    )
