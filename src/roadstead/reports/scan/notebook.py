"""Show in a notebook what a scan proposes for the columns of a table.

The table gives the number of distinct values of each column, but does not show any value.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.printable import printable_lines
from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.notebook import NotebookCell, block, drawn, table, words
from roadstead.reports.scan.facts import ColumnProposal, ProposalFacts
from roadstead.reports.scan.lines import answer, not_about_a_column, scanned_table
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


def proposal_in_notebook(proposal: ProposalFacts) -> str:
    """Return the output for a notebook."""
    columns, records = proposal.columns, proposal.records
    rows = (
        (
            NotebookCell(one.name),
            NotebookCell(one.role or _UNDECIDED, open=one.role is None),
            NotebookCell("; ".join(filter(None, (one.reason, one.warning)))),
            NotebookCell(f"about {format_count(min(one.profile.distinct, records))}", number=True),
            NotebookCell(format_count(one.profile.missing), number=True),
        )
        for one in columns
    )
    more = printable_lines(not_about_a_column(proposal))
    parts = [table(scanned_table(proposal), _HEADS, rows), *([words(more)] if more else [])]
    if columns:
        parts.append(drawn(_apart(columns, records)))
    if proposal.checklist:
        answers = (
            [NotebookCell(f"{one.number} {one.identifier}"), NotebookCell(answer(one))]
            for one in proposal.checklist
        )
        parts.append(
            table(_CHECKLIST, (NotebookCell("Identifier"), NotebookCell("Found")), answers)
        )
    return block(*parts)


def _apart(columns: Sequence[ColumnProposal], records: int) -> ShareChart:
    shares = {one.name: min(one.profile.distinct / max(records, 1), 1.0) for one in columns}
    most = sorted(shares.items(), key=lambda one: -one[1])[:_DRAWN]
    return ShareChart(
        "distinct-values",
        "Bar chart of how many distinct values each column has",
        "Distinct values of each column as a share of the records, from the largest to "
        "the smallest.",
        "column",
        "distinct values, as a share of the records",
        tuple(ShareBar(name, share) for name, share in most),
    )
