"""Table 2 and figures 6 and 7: the time per boundary policy, and the effect of memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import numpy as np

from roadstead_reproductions.benitez2010.published import ITERATIONS, LOG_TREND, NODES, SECONDS
from roadstead_reproductions.benitez2010.runs import BISECTING, DIRECTED, PAIR, Floats, Runs
from roadstead_reproductions.benitez2010.trends import linear, logarithmic, with_the_former
from roadstead_reproductions.tables import Column, ResultTable, Row

TIMES: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("mean", "mean per policy", "seconds", "mean_published"),
    Column("deviation", "standard deviation", "seconds", "deviation_published"),
    Column("per_node", "per queried policy", "seconds", "per_node_published"),
)
RATIOS: Final = (
    Column("data", "data", "text"),
    Column("seconds", "seconds, directed / bisecting", "times", "seconds_published"),
    Column("asking", "seconds of the evaluations only", "times"),
    Column("evaluations", "evaluations", "times", "nodes_published"),
    Column("welch", "Welch's t of the seconds", "times"),
)
LINES: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("seconds", "seconds per run", "seconds"),
    Column("explained", "explained by a straight line", "share"),
    Column("least_explained", "in the worst run", "share"),
)
MEMORY: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("searched", "policies queried", "count"),
    Column("remembered", "remembered answers", "count"),
    Column("explained", "explained by a logarithmic trend", "share", "explained_published"),
    Column("most_explained", "in the run with the most", "share"),
    Column("falling", "runs in which the time falls", "text"),
    Column("former", "correlation with the previous iteration", "times"),
)


def times(runs: Sequence[Runs]) -> ResultTable:
    """Return table 2: seconds per boundary policy, over all iterations of all seeds."""
    rows: list[Row] = []
    for one in runs:
        known = SECONDS.get((one.case.name, one.search))
        asked = NODES.get((one.case.name, one.search))
        rows.append(
            {
                "data": one.case.name,
                "search": one.search,
                "mean": float(one.seconds.mean()),
                "mean_published": known.mean if known else None,
                "deviation": float(one.seconds.std(ddof=1)),
                "deviation_published": known.deviation if known else None,
                "per_node": float(one.seconds.sum() / one.searched.sum()),
                "per_node_published": known.mean * ITERATIONS / asked if known and asked else None,
            }
        )
    return ResultTable(
        "table-2-seconds",
        "Table 2: time of a boundary policy",
        TIMES,
        tuple(rows),
        (
            "Times depend on the machine, in 2010 and now. Only their ratio can be compared.",
            (
                "Published, per queried policy: the mean of table 2 divided by the nodes of "
                "figure 9, for Adult."
            ),
        ),
    )


def ratios(runs: Sequence[Runs]) -> ResultTable:
    """Divide the time and the evaluations of directed search by the figures of bisecting."""
    own = {(one.case.name, one.search): one for one in runs}
    rows: list[Row] = []
    for name in dict.fromkeys(one.case.name for one in runs):
        slow, fast = own[name, DIRECTED], own[name, BISECTING]
        known = [SECONDS.get((name, search)) for search in PAIR]
        nodes = [NODES.get((name, search)) for search in PAIR]
        rows.append(
            {
                "data": name,
                "seconds": float(slow.seconds.mean() / fast.seconds.mean()),
                "seconds_published": known[0].mean / known[1].mean
                if known[0] and known[1]
                else None,
                "asking": sum(slow.asking) / sum(fast.asking),
                "evaluations": float(slow.evaluated.mean() / fast.evaluated.mean()),
                "nodes_published": nodes[0] / nodes[1] if nodes[0] and nodes[1] else None,
                "welch": welch(slow.seconds.ravel(), fast.seconds.ravel()),
            }
        )
    return ResultTable(
        "table-2-ratios",
        "Table 2: time of directed search relative to bisecting search",
        RATIOS,
        tuple(rows),
        (
            "The ratio of evaluations is exact, and the ratio of their seconds follows it. The "
            "ratio of the total seconds is smaller: bisecting draws a half of the lattice for "
            "each policy that it queries, and directed draws a boundary. Here a draw takes "
            "about as long as an evaluation. If evaluations take seconds, as in 2010, a draw is "
            "negligible.",
            "The published ratio of Van's times is 11.9. Its lattice cannot give such a ratio of "
            "evaluations: directed evaluates at most half of the boundaries and two policies "
            "more, and bisecting the binary logarithm of all. So in the paper, an evaluation did "
            "not take the same time in both searches.",
            "The published ratio of evaluations comes from the nodes in figure 9.",
            "If t is above 2, bisecting is faster at the 95% level, as published.",
        ),
    )


def lines(runs: Sequence[Runs]) -> ResultTable:
    """Return figure 6's table, which shows whether the time grows linearly."""
    rows: list[Row] = []
    for one in runs:
        explained = [linear(run).explained for run in one.seconds.cumsum(axis=1)]
        rows.append(
            {
                "data": one.case.name,
                "search": one.search,
                "seconds": float(one.seconds.sum(axis=1).mean()),
                "explained": float(np.mean(explained)),
                "least_explained": min(explained),
            }
        )
    note = "Published: for both searches and data sets, the time appears to follow a linear trend."
    return ResultTable(
        "figure-6-linear", "Figure 6: cumulative time by iteration", LINES, tuple(rows), (note,)
    )


def memory(runs: Sequence[Runs]) -> ResultTable:
    """Return figure 7's table, which shows whether caching makes iterations faster."""
    rows: list[Row] = []
    for one in runs:
        trends = [logarithmic(run) for run in one.seconds]
        falling = sum(trend.slope < 0 for trend in trends)
        rows.append(
            {
                "data": one.case.name,
                "search": one.search,
                "searched": int(one.searched.sum()),
                "remembered": int((one.searched - one.evaluated).sum()),
                "explained": float(np.mean([trend.explained for trend in trends])),
                "explained_published": _log_trend(one),
                "most_explained": max(trend.explained for trend in trends),
                "falling": f"{falling} of {len(trends)}",
                "former": float(np.mean([with_the_former(run) for run in one.seconds])),
            }
        )
    return ResultTable(
        "figure-7-remembering",
        "Figure 7: whether remembered answers help",
        MEMORY,
        tuple(rows),
        (
            "Answers are remembered by policy, as in the paper, but are hardly ever used again, "
            "because two random policies are almost never the same. So they do not cause a "
            "trend, and the part that a trend explains comes from the machine. For 100 random "
            "times, it explains 1% on average.",
        ),
    )


def welch(a: Floats, b: Floats) -> float:
    """Return Welch's t, the difference between two means divided by its standard error."""
    error = sqrt(float(a.var(ddof=1)) / a.size + float(b.var(ddof=1)) / b.size)
    return float(a.mean() - b.mean()) / error if error > 0 else 0.0


def _log_trend(runs: Runs) -> float | None:
    if runs.iterations != ITERATIONS:
        return None
    return LOG_TREND.get((runs.case.name, runs.search))
