"""The steps that lead from the paper's mechanism to ours.

Each way differs from the previous way in one respect: a saved factor of 2, consistent counts, a
number of specializations that is chosen within the budget, and the score. The last way has a fixed
number again, and lists counts above a threshold that allows few false counts. All ways use the same
parts of the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import fmean

from roadstead.differential.evaluation.accuracy import mean_of_runs
from roadstead.differential.private_table import PrivateTable
from roadstead_reproductions.mohammed2013 import published
from roadstead_reproductions.mohammed2013.accuracies import Grid
from roadstead_reproductions.mohammed2013.runs import Run, TwoThirds, accuracies, judged
from roadstead_reproductions.mohammed2013.ways import (
    DEFAULT,
    GAIN_CHOSEN,
    GAIN_CONSISTENT,
    GAIN_FEW_FALSE,
    MAX_CONSISTENT,
    MONOTONIC_MAX,
    PAPER_MAX,
    Way,
)
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

WAYS: tuple[Way, ...] = (
    PAPER_MAX,
    MONOTONIC_MAX,
    MAX_CONSISTENT,
    DEFAULT,
    GAIN_CHOSEN,
    GAIN_CONSISTENT,
    GAIN_FEW_FALSE,
)
COLUMNS = (
    Column("epsilon", "epsilon", "times"),
    Column("way", "way", "text"),
    Column("ca", "CA", "share"),
    Column("margin", "±", "share"),
    Column("ahead", "above the paper's", "share"),
    Column("ahead_margin", "±", "share"),
    Column("cost", "BA - CA", "share"),
    Column("kept", "records released", "share"),
    Column("steps", "specializations", "times"),
    Column("listed", "groups listed", "count"),
)


@dataclass(frozen=True)
class StepsExtent:
    """The epsilons, and the number of runs for each way."""

    epsilons: tuple[Fraction, ...]
    runs: int


def steps(
    table: PrivateTable, extent: StepsExtent, bounded: Grid, workers: int, tell: Tell
) -> ResultTable:
    """Run each way with 10 specializations, or with the number that it chooses.

    `bounded` contains the results of figure 4, from which BA is taken.
    """
    shown = published.SHOWN_SPECIALIZATIONS
    points = [(way, epsilon, shown) for epsilon, way in product(extent.epsilons, WAYS)]
    partings = [TwoThirds(seed) for seed in range(extent.runs)]
    what = "from the paper's mechanism to ours"
    found = judged(table, points, partings, workers, tell, what)
    by_point = {
        (epsilon, way.name): runs for (way, epsilon, _), runs in zip(points, found, strict=True)
    }
    return steps_table(by_point, bounded.ba)


def steps_table(found: Mapping[tuple[Fraction, str], tuple[Run, ...]], ba: float) -> ResultTable:
    """Compare each way with the paper's way."""
    rows: list[Row] = []
    for (epsilon, way), runs in found.items():
        mean = accuracies(runs)
        base = found[epsilon, PAPER_MAX.name]
        ahead = mean_of_runs(
            [own.accuracy - other.accuracy for own, other in zip(runs, base, strict=True)]
        )
        first = way == PAPER_MAX.name
        rows.append(
            {
                "epsilon": float(epsilon),
                "way": way,
                "ca": mean.mean,
                "margin": mean.margin,
                "ahead": None if first else ahead.mean,
                "ahead_margin": None if first else ahead.margin,
                "cost": ba - mean.mean,
                "kept": fmean(one.kept for one in runs),
                "steps": fmean(one.steps for one in runs),
                "listed": round(fmean(one.listed for one in runs)),
            }
        )
    return ResultTable(
        "steps",
        "From the paper's mechanism to ours: 10 specializations, or the number chosen",
        COLUMNS,
        tuple(rows),
        (
            "Each way differs from the way above it in one respect: a factor 2 saved, consistent "
            "counts, number chosen, score; number given, counts listed by a threshold. "
            "Differences are between the same runs.",
            "Records released: if one standard deviation of the noise is enough to be listed, "
            "noise in empty groups is listed too. Then more records are released than there are. "
            "A classifier averages this noise out; a reader of counts does not.",
        ),
    )
