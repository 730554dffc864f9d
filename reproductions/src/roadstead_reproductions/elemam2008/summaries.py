"""Compute the figures of paper 001 from our samples, as means by fraction and rule.

The risk is 1 divided by the smallest number of people in a released class, or 0 if there are no
released classes. The discernibility metric of a sample is divided by the metric of D1 for the same
sample, so the quotients can be compared between fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from roadstead.policies.full_domain import Levels
from roadstead_reproductions.elemam2008.rules import BASELINE, RULES, smallest
from roadstead_reproductions.elemam2008.samples import Releases, records_of
from roadstead_reproductions.elemam2008.simulation import Series, Simulated


@dataclass(frozen=True)
class Summary:
    """The results for the samples of one fraction under one rule.

    Attributes
    ----------
    smallest
        The minimum class size.
    risk, deviation
        The mean and the standard deviation of the actual risk over all samples.
    above
        The share of samples whose risk is above 1 / k.
    relative_loss
        The mean of the discernibility metric relative to the metric of D1.
    suppressed
        The mean share of suppressed records.
    classes
        The mean number of released classes.
    rare
        The mean number of classes that must not be released, because fewer than k people of the
        population are in the class under the chosen policy.
    levels
        The most frequent policy.
    """

    series: str
    fraction: float
    k: int
    rule: str
    smallest: int
    risk: float
    deviation: float
    above: float
    relative_loss: float
    suppressed: float
    classes: float
    rare: float
    levels: Levels

    @property
    def threshold(self) -> float:
        """Return the intended risk."""
        return 1.0 / self.k


Summaries = Mapping[tuple[str, float, int, str], Summary]
"""Summaries by series, fraction, k, and rule."""


def summarized(
    all_series: Sequence[Series], found: Simulated, sizes: Sequence[int]
) -> dict[tuple[str, float, int, str], Summary]:
    """Summarize all samples for every k and rule."""
    return {
        (series.name, fraction, k, rule): summary(
            series, fraction, k, rule, found.releases[series.name, fraction]
        )
        for series in all_series
        for fraction in series.fractions
        for k in sizes
        for rule in RULES
    }


def summary(
    series: Series,
    fraction: float,
    k: int,
    rule: str,
    releases: Releases,
    smallest_class: int | None = None,
) -> Summary:
    """Summarize the samples of one fraction under one rule.

    `smallest_class` replaces the minimum class size of the rule.
    """
    least = smallest(rule, k, fraction) if smallest_class is None else smallest_class
    own, base = least - 1, smallest(BASELINE, k, fraction) - 1
    people = releases.fewest[:, own]
    risks = np.divide(1.0, people, out=np.zeros(people.size), where=people > 0)
    records = records_of(fraction, int(series.lattice.people[: series.lattice.combinations].sum()))
    chosen = np.bincount(releases.policies[:, own])
    return Summary(
        series=series.name,
        fraction=fraction,
        k=k,
        rule=rule,
        smallest=least,
        risk=float(risks.mean()),
        deviation=float(risks.std(ddof=1)) if risks.size > 1 else 0.0,
        above=float(((people > 0) & (people < k)).mean()),
        relative_loss=float((releases.losses[:, own] / releases.losses[:, base]).mean()),
        suppressed=float((releases.suppressed[:, own] / records).mean()),
        classes=float(releases.classes[:, own].mean()),
        rare=float(series.lattice.rare(k)[releases.policies[:, own]].mean()),
        levels=series.lattice.policies[int(chosen.argmax())],
    )
