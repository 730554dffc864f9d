"""Figure 3 on other data that combine single values with sets of diagnoses.

MIMIC-II is not available to everyone. The encounters of diabetic patients, with three prediction
tasks, and the 129 admissions of MIMIC-III's demonstration replace it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from statistics import fmean

from roadstead.differential.evaluation.accuracy import mean_of_runs
from roadstead.differential.private_table import PrivateTable
from roadstead_reproductions.mohammed2013 import published
from roadstead_reproductions.mohammed2013.runs import TwoThirds, accuracies, bounds, judged
from roadstead_reproductions.mohammed2013.ways import (
    DEFAULT,
    GAIN_CHOSEN,
    PAPER_INFO_GAIN,
    PAPER_MAX,
    Way,
)
from roadstead_reproductions.parallel import spread
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

WAYS: tuple[Way, ...] = (PAPER_MAX, PAPER_INFO_GAIN, DEFAULT, GAIN_CHOSEN)
COLUMNS = (
    Column("data", "data", "text"),
    Column("way", "way", "text"),
    Column("epsilon", "epsilon", "times"),
    Column("ca", "CA", "share"),
    Column("margin", "±", "share"),
    Column("ba", "BA", "share"),
    Column("la", "LA", "share"),
    Column("benefit", "CA - LA", "share"),
    Column("kept", "records released", "share"),
    Column("set_steps", "of the sets", "times"),
    Column("groups", "groups", "count"),
    Column("seconds", "seconds", "seconds"),
)


@dataclass(frozen=True)
class Subject:
    """A data set with a prediction task. `runs` is the number of runs of each way and epsilon."""

    name: str
    table: PrivateTable = field(repr=False)
    runs: int


def heterogeneous(
    subjects: Sequence[Subject],
    epsilons: tuple[Fraction, ...],
    workers: int,
    tell: Tell,
    notes: tuple[str, ...] = (),
) -> ResultTable:
    """Run each way on each subject.

    `notes` describes the data, or gives the reason why data are missing.
    """
    rows: list[Row] = []
    for subject in subjects:
        rows += _judged(subject, epsilons, workers, tell)
    low, high = (100 * value for value in published.MIMIC)
    return ResultTable(
        "figure-3-heterogeneous",
        "Figure 3: values and sets of diagnoses, 5 specializations",
        COLUMNS,
        tuple(rows),
        (
            f"Published, on MIMIC-II: CA from {low:.0f} to {high:.0f}% at these epsilons, for "
            "both Max and InfoGain. The paper does not report LA, so it is not known how much "
            "the attributes predict.",
            'The settings list the number of runs. "Of the sets" is the mean number of '
            "specializations of diagnoses. The last two ways choose their own number of "
            "specializations and make counts consistent.",
            *notes,
        ),
    )


def _judged(
    subject: Subject, epsilons: tuple[Fraction, ...], workers: int, tell: Tell
) -> list[Row]:
    points = list(product(WAYS, epsilons, [published.HETEROGENEOUS_SPECIALIZATIONS]))
    partings = [TwoThirds(seed) for seed in range(subject.runs)]
    found = judged(subject.table, points, partings, workers, tell, subject.name)
    tell(f"{subject.name}: the classifier on the original records")
    both = spread(subject.table, bounds, partings, min(workers, subject.runs))
    ba, la = (
        mean_of_runs([one.ba for one in both]).mean,
        mean_of_runs([one.la for one in both]).mean,
    )
    rows: list[Row] = []
    for (way, epsilon, _), runs in zip(points, found, strict=True):
        mean = accuracies(runs)
        rows.append(
            {
                "data": subject.name,
                "way": way.name,
                "epsilon": float(epsilon),
                "ca": mean.mean,
                "margin": mean.margin,
                "ba": ba,
                "la": la,
                "benefit": mean.mean - la,
                "kept": fmean(one.kept for one in runs),
                "set_steps": fmean(one.set_steps for one in runs),
                "groups": round(fmean(one.groups for one in runs)),
                "seconds": fmean(one.seconds for one in runs),
            }
        )
    return rows
