"""Figure 9: the number of policies that a search evaluates, and why.

A random policy keeps half of the L boundaries. From there, directed search walks to the edge of the
acceptable policies. So it evaluates the first policy and the |level - L/2| policies in between. If
the edge is further down, the search also evaluates one policy beyond the edge. Bisecting halves L
until one boundary is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

import numpy as np

from roadstead_reproductions.benitez2010.published import ITERATIONS, NODES
from roadstead_reproductions.benitez2010.runs import DIRECTED, Floats, Runs, deviation
from roadstead_reproductions.tables import Column, ResultTable, Row

COLUMNS: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("boundaries", "boundaries, L", "count"),
    Column("level", "boundaries kept at the edge", "times"),
    Column("nodes", "policies queried per run", "count", "nodes_published"),
    Column("deviation", "standard deviation of the runs", "times"),
    Column("per_iteration", "per iteration", "times", "per_iteration_published"),
    Column("expected", "expected", "times"),
)
NOTE: Final = (
    "Expected for directed: |level - L/2| + 2 if the edge is below the middle of the lattice, "
    "otherwise |level - L/2| + 1. Expected for bisecting: log2 L, between the whole numbers "
    "below and above it. Near the bottom it is the whole number above, because the half that is "
    "removed is rounded up."
)
WHY: Final = (
    "Published for Adult: 51.4 per iteration of directed. With ages from 0 to 120, this places "
    "the edge where 112 boundaries are kept, and a domain of fewer than 99 boundaries cannot "
    "give it. The table of other domains shows how much the domain of ages, and the ages of old "
    "people, move our edge. The published 6.7 of bisecting is less than 7. With exact halves, an "
    "edge near the bottom needs 7 in any domain of 65 to 128 boundaries. The reason is not known."
)


def nodes(runs: Sequence[Runs]) -> ResultTable:
    """Return figure 9's table."""
    return ResultTable(
        "figure-9-nodes",
        "Figure 9: policies queried",
        COLUMNS,
        tuple(_row(one) for one in runs),
        (NOTE, WHY),
    )


def expected(search: str, boundaries: int, levels: Floats) -> float:
    """Estimate the number of policies that one iteration evaluates.

    `levels` is the number of boundaries that each found policy keeps.
    """
    if search != DIRECTED:
        return log2(boundaries)
    beyond = levels - boundaries / 2
    return float(np.mean(np.abs(beyond) + np.where(beyond > 0, 2, 1)))


def published(runs: Runs) -> int | None:
    """Return the published number of nodes, if the runs have the same length."""
    return NODES.get((runs.case.name, runs.search)) if runs.iterations == ITERATIONS else None


def _row(runs: Runs) -> Row:
    totals, known = runs.searched.sum(axis=1), NODES.get((runs.case.name, runs.search))
    boundaries, level = runs.case.cells.domains.boundaries, float(runs.ranks.mean())
    return {
        "data": runs.case.name,
        "search": runs.search,
        "boundaries": boundaries,
        "level": level,
        "nodes": round(float(totals.mean()), 1),
        "nodes_published": published(runs),
        "deviation": deviation(totals),
        "per_iteration": float(runs.searched.mean()),
        "per_iteration_published": known / ITERATIONS if known else None,
        "expected": expected(runs.search, boundaries, runs.ranks),
    }
