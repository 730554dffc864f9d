"""Figure 5A: cross-validated accuracy, compared with k-anonymity and with BA and LA.

The paper compares its releases with TDS, a k-anonymous release for classification with exact
counts. The paper also cites figures of another paper for DiffP-C4.5, an interactive tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import fmean

from roadstead.differential.evaluation.accuracy import MeanOfRuns, mean_of_runs
from roadstead.differential.private_table import PrivateTable
from roadstead_reproductions.mohammed2013 import published
from roadstead_reproductions.mohammed2013.runs import (
    Fold,
    accuracies,
    bounds,
    judged,
    k_anonymous,
)
from roadstead_reproductions.mohammed2013.ways import DEFAULT, GAIN_CHOSEN, PAPER_MAX, Way
from roadstead_reproductions.parallel import spread
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

WAYS: tuple[Way, ...] = (PAPER_MAX, DEFAULT, GAIN_CHOSEN)
COLUMNS = (
    Column("way", "way", "text"),
    Column("epsilon", "epsilon", "times"),
    Column("ca", "CA", "share", "ca_published"),
    Column("margin", "±", "share"),
    Column("ahead", "above TDS", "share"),
    Column("cost", "BA - CA", "share"),
)


@dataclass(frozen=True)
class ComparisonExtent:
    """The budgets, the number of cross-validations, and the number of folds in each.

    `specializations` applies to ways that do not choose this number.
    """

    epsilons: tuple[Fraction, ...]
    validations: int
    folds: int
    specializations: int = published.COMPARED_SPECIALIZATIONS


@dataclass(frozen=True)
class Compared:
    """The content of figure 5A: means by way and epsilon, TDS, and the bounds BA and LA."""

    means: Mapping[tuple[str, Fraction], MeanOfRuns]
    tds: MeanOfRuns
    ba: MeanOfRuns
    la: MeanOfRuns


def compare(table: PrivateTable, extent: ComparisonExtent, workers: int, tell: Tell) -> Compared:
    """Cross-validate all ways on the same parts."""
    places = [
        Fold(seed, place, extent.folds)
        for seed in range(extent.validations)
        for place in range(extent.folds)
    ]
    points = list(product(WAYS, extent.epsilons, [extent.specializations]))
    found = judged(table, points, places, workers, tell, "figure 5A")
    tell("figure 5A: k-anonymity, and the original records")
    several = min(workers, len(places))
    tds = spread(table, k_anonymous, places, several)
    both = spread(table, bounds, places, several)
    return Compared(
        {
            (way.name, epsilon): accuracies(runs)
            for (way, epsilon, _), runs in zip(points, found, strict=True)
        },
        mean_of_runs(tds),
        mean_of_runs([one.ba for one in both]),
        mean_of_runs([one.la for one in both]),
    )


def comparison_table(found: Compared, extent: ComparisonExtent) -> ResultTable:
    """Return the table of the means, with the epsilons at which a release is above TDS."""
    lines = (("BA", found.ba, published.BA), (f"TDS, k = {published.K}", found.tds, None))
    rows: list[Row] = [
        _row(way, epsilon, mean, found, None) for (way, epsilon), mean in found.means.items()
    ]
    rows += [
        _row(name, None, mean, found, told)
        for name, mean, told in (*lines, ("LA", found.la, published.LA))
    ]
    return ResultTable(
        "figure-5a-comparison",
        (
            f"Figure 5A: {extent.specializations} specializations, cross-validated, compared with "
            "k-anonymity"
        ),
        COLUMNS,
        tuple(rows),
        (
            published.COMPARED,
            f"{extent.validations} x {extent.folds}-fold cross-validation (the paper: "
            f"{published.RUNS} x {published.FOLDS}). The training parts share records, so the "
            "intervals are slightly too narrow. Our ways choose their own number of "
            "specializations.",
            *(_above(way.name, found) for way in WAYS),
            "TDS shows exact counts of groups of at least 5 records. This does not protect in "
            "the sense of differential privacy. TDS is included only for its accuracy.",
        ),
    )


def _row(
    way: str, epsilon: Fraction | None, mean: MeanOfRuns, found: Compared, told: float | None
) -> Row:
    return {
        "way": way,
        "epsilon": None if epsilon is None else float(epsilon),
        "ca": mean.mean,
        "ca_published": told,
        "margin": mean.margin,
        "ahead": None if epsilon is None else mean.mean - found.tds.mean,
        "cost": found.ba.mean - mean.mean,
    }


def _above(way: str, found: Compared) -> str:
    own = {epsilon: mean for (name, epsilon), mean in found.means.items() if name == way}
    above = [epsilon for epsilon in sorted(own) if own[epsilon].mean > found.tds.mean]
    if not above:
        return f"{way}: below TDS at every epsilon."
    words = ", ".join(f"{float(epsilon):g}" for epsilon in above)
    mean = 100 * fmean(own[epsilon].mean - found.tds.mean for epsilon in above)
    return f"{way}: above TDS at epsilon {words}, by {mean:.1f}% on average there."
