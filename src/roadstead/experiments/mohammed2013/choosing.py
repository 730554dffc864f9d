"""The number of specializations: chosen within the budget, against the best number in hindsight.

Paper 002 ("Discussion") leaves choosing it to future work. Which fixed number is best is known only
to whoever looked at the accuracies of all of them, so to be near it is all that can be asked.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

from roadstead.differential.private_table import PrivateTable
from roadstead.experiments.mohammed2013.accuracies import Grid
from roadstead.experiments.mohammed2013.runs import Asked, Run, TwoThirds, accuracies, judge
from roadstead.experiments.mohammed2013.ways import DEFAULT, GAIN_CONSISTENT
from roadstead.experiments.parallel import spread, tenths
from roadstead.experiments.reproduction import Column, ResultTable, Row, Tell

COLUMNS = (
    Column("epsilon", "epsilon", "times"),
    Column("chosen", "chosen on the average", "times"),
    Column("ca", "CA", "share"),
    Column("margin", "±", "share"),
    Column("best", "best fixed number", "count"),
    Column("best_ca", "its CA", "share"),
    Column("best_margin", "±", "share"),
    Column("worst", "worst fixed number", "count"),
    Column("worst_ca", "its CA", "share"),
    Column("behind", "behind the best", "share"),
)


def choosing(
    table: PrivateTable, fixed: Grid, workers: int, tell: Tell
) -> tuple[ResultTable, tuple[Row, ...]]:
    """Let the number be chosen, as often as each fixed one was run.

    Parameters
    ----------
    table
        Adult.
    fixed
        Figure 4.
    workers
        Processes.
    tell
        Told about progress.

    Returns
    -------
    tuple
        The table, and a row for each fixed number and the chosen one, which are drawn.
    """
    epsilons = sorted({cell.epsilon for cell in fixed.runs})
    runs = len(fixed.bounds)
    asked = [
        Asked(DEFAULT, epsilon, 0, TwoThirds(seed)) for epsilon in epsilons for seed in range(runs)
    ]
    done = tenths(tell, "choosing the number of specializations: runs", len(asked))
    found = spread(table, judge, asked, workers, done)
    chosen = {
        epsilon: tuple(found[at * runs : (at + 1) * runs]) for at, epsilon in enumerate(epsilons)
    }
    rows = tuple(_row(epsilon, own, fixed) for epsilon, own in chosen.items())
    drawn = tuple(row for epsilon, own in chosen.items() for row in _points(epsilon, own, fixed))
    return (
        ResultTable(
            "choosing",
            "Choosing the number of specializations, on Adult",
            COLUMNS,
            rows,
            (
                f"{runs} runs of each. The chosen number pays a twentieth of the budget for the "
                "choice; the best fixed number is the best of those of figure 4, known only in "
                "hindsight, and the best of several means is a little too good.",
                "Both with max-gain and consistent counts.",
            ),
        ),
        drawn,
    )


def fixed_numbers(fixed: Grid, epsilon: Fraction) -> dict[int, tuple[Run, ...]]:
    """Give the runs with each fixed number, of the way that differs in nothing else."""
    return {
        cell.specializations: runs
        for cell, runs in fixed.runs.items()
        if cell.way == GAIN_CONSISTENT.name and cell.epsilon == epsilon
    }


def _row(epsilon: Fraction, chosen: tuple[Run, ...], fixed: Grid) -> Row:
    means = {number: accuracies(runs) for number, runs in fixed_numbers(fixed, epsilon).items()}
    best = max(means, key=lambda number: means[number].mean)
    worst = min(means, key=lambda number: means[number].mean)
    own = accuracies(chosen)
    return {
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


def _points(epsilon: Fraction, chosen: tuple[Run, ...], fixed: Grid) -> list[Row]:
    """List what is drawn: the mean of each fixed number, and of the chosen ones."""
    of_each = [(str(number), runs) for number, runs in fixed_numbers(fixed, epsilon).items()]
    rows: list[Row] = []
    for number, runs in (*of_each, ("chosen", chosen)):
        mean = accuracies(runs)
        rows.append(
            {
                "epsilon": f"{float(epsilon):g}",
                "number": number,
                "ca": mean.mean,
                "low": mean.low,
                "high": mean.high,
            }
        )
    return rows
