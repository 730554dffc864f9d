"""Compare a private choice of the number of specializations with the best fixed number.

Paper 002 ("Discussion") leaves the choice to future work. The best fixed number is known only after
all numbers have been tried, so a private choice can at most come close to the best number.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from statistics import fmean

from roadstead.differential.private_table import PrivateTable
from roadstead_reproductions.mohammed2013.accuracies import Grid
from roadstead_reproductions.mohammed2013.runs import Run, TwoThirds, accuracies, judged
from roadstead_reproductions.mohammed2013.ways import (
    DEFAULT,
    GAIN_CHOSEN,
    GAIN_CONSISTENT,
    MAX_CONSISTENT,
)
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

PAIRS = ((MAX_CONSISTENT, DEFAULT), (GAIN_CONSISTENT, GAIN_CHOSEN))
"""Pairs of ways that differ only in whether the number is fixed or chosen."""

COLUMNS = (
    Column("way", "way", "text"),
    Column("epsilon", "epsilon", "times"),
    Column("chosen", "chosen, on average", "times"),
    Column("ca", "CA", "share"),
    Column("margin", "±", "share"),
    Column("best", "best fixed number", "count"),
    Column("best_ca", "its CA", "share"),
    Column("best_margin", "±", "share"),
    Column("worst", "worst fixed number", "count"),
    Column("worst_ca", "its CA", "share"),
    Column("behind", "below the best", "share"),
)


def choosing(
    table: PrivateTable, fixed: Grid, workers: int, tell: Tell
) -> tuple[ResultTable, tuple[Row, ...]]:
    """Run the private choice of the number as often as each fixed number was run.

    `fixed` contains the results of figure 4. The function returns the table, and one row per number
    for the picture.
    """
    runs = len(fixed.bounds)
    points = list(product(PAIRS, sorted({cell.epsilon for cell in fixed.runs})))
    ways = [(way, epsilon, 0) for (_, way), epsilon in points]
    partings = [TwoThirds(seed) for seed in range(runs)]
    what = "choosing the number of specializations"
    found = judged(table, ways, partings, workers, tell, what)
    rows: list[Row] = []
    drawn: list[Row] = []
    for ((given, way), epsilon), chosen in zip(points, found, strict=True):
        numbers = {
            cell.specializations: own
            for cell, own in fixed.runs.items()
            if cell.way == given.name and cell.epsilon == epsilon
        }
        rows.append(_row(way.name, epsilon, chosen, numbers))
        drawn += _points(given.name, epsilon, chosen, numbers)
    return (
        ResultTable(
            "choosing",
            "Choosing the number of specializations, on Adult",
            COLUMNS,
            tuple(rows),
            (
                f"{runs} runs of each. The chosen number costs a twentieth of the budget. The "
                "best fixed number is the best one in figure 4. It is known only in hindsight, "
                "and the best of several means is slightly too good.",
            ),
        ),
        tuple(drawn),
    )


def _row(
    way: str, epsilon: Fraction, chosen: tuple[Run, ...], numbers: Mapping[int, tuple[Run, ...]]
) -> Row:
    means = {number: accuracies(runs) for number, runs in numbers.items()}
    best = max(means, key=lambda number: means[number].mean)
    worst = min(means, key=lambda number: means[number].mean)
    own = accuracies(chosen)
    return {
        "way": way,
        "epsilon": float(epsilon),
        "chosen": fmean(one.steps for one in chosen),
        "ca": own.mean,
        "margin": own.margin,
        "best": best,
        "best_ca": means[best].mean,
        "best_margin": means[best].margin,
        "worst": worst,
        "worst_ca": means[worst].mean,
        "behind": means[best].mean - own.mean,
    }


def _points(
    given: str, epsilon: Fraction, chosen: tuple[Run, ...], numbers: Mapping[int, tuple[Run, ...]]
) -> list[Row]:
    """Return the drawn means: one per fixed number, and one for the choice."""
    rows: list[Row] = []
    for number, runs in (*((str(one), runs) for one, runs in numbers.items()), ("chosen", chosen)):
        mean = accuracies(runs)
        rows.append(
            {
                "way": given,
                "epsilon": f"{float(epsilon):g}",
                "number": number,
                "ca": mean.mean,
                "low": mean.low,
                "high": mean.high,
            }
        )
    return rows
