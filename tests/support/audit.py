"""How much privacy a mechanism loses, measured from outside.

A mechanism is epsilon-differentially private if no event is more than exp(epsilon) times as likely
on one table as on its neighbor. Run it many times on both, and any event gives a lower bound of
its true epsilon: the logarithm of how much more likely it is at least. A bound above the epsilon
that is claimed convicts the mechanism; one below acquits nobody, but breaks are seldom small (Ding,
Wang, Wang, Zhang and Kifer 2018, "Detecting violations of differential privacy").

The first half of the runs accuses: it picks the event, by a likelihood ratio, that looks worst in
each direction. The second half judges it, by exact binomial (Clopper-Pearson) bounds, so that the
choice of the event cannot flatter the bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

_BOUNDS = 4
"""Two directions, and in each a bound on either table."""


def audited_epsilon(
    first: Sequence[Hashable], second: Sequence[Hashable], confidence: float
) -> float:
    """Bound the epsilon of a mechanism from below.

    Parameters
    ----------
    first
        What came out of independent runs on a table.
    second
        What came out of as many on its neighbor.
    confidence
        The probability, at least, with which the true epsilon is not below what is returned.

    Returns
    -------
    float
        The bound, at least 0.
    """
    half = len(first) // 2
    error = (1 - confidence) / _BOUNDS
    bound = 0.0
    for these, those in ((first, second), (second, first)):
        event = _worst_event(Counter(these[:half]), Counter(those[:half]), half, error)
        hits, other_hits = (sum(one in event for one in runs[half:]) for runs in (these, those))
        runs = np.array([len(these) - half]), np.array([len(those) - half])
        bound = max(
            bound,
            float(_log_ratio(np.array([hits]), np.array([other_hits]), *runs, error)[0]),
        )
    return bound


def _worst_event(
    these: Counter[Hashable], those: Counter[Hashable], runs: int, error: float
) -> frozenset[Hashable]:
    """Pick the outcomes that together look most as if they gave the table away."""
    outcomes = sorted(these, key=lambda one: -(these[one] + 0.5) / (those[one] + 0.5))
    hits = np.cumsum([these[one] for one in outcomes])
    other_hits = np.cumsum([those[one] for one in outcomes])
    trials = np.full(len(outcomes), runs)
    worst = int(np.argmax(_log_ratio(hits, other_hits, trials, trials, error)))
    return frozenset(outcomes[: worst + 1])


def _log_ratio(
    hits: NDArray[np.int64],
    other_hits: NDArray[np.int64],
    runs: NDArray[np.int64],
    other_runs: NDArray[np.int64],
    error: float,
) -> NDArray[np.float64]:
    """Bound the logarithm of the ratio of two probabilities from below; each may err so often."""
    least = np.where(hits > 0, beta.ppf(error, np.maximum(hits, 1), runs - hits + 1), 0)
    most = np.where(
        other_hits < other_runs,
        beta.isf(error, other_hits + 1, np.maximum(other_runs - other_hits, 1)),
        1,
    )
    with np.errstate(divide="ignore"):
        ratio: NDArray[np.float64] = np.log(least) - np.log(most)
    return ratio
