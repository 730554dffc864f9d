"""Measure the privacy loss of a mechanism from its outputs alone.

An audit runs the mechanism many times on two neighboring tables, and compares how often an event
occurs on each table. The smallest plausible ratio of the two probabilities gives a lower bound on
epsilon. If this bound exceeds the claimed epsilon, the mechanism fails (Ding, Wang, Wang, Zhang and
Kifer 2018, "Detecting violations of differential privacy"). Each table is compared with the other
table. In each of the two directions, the first half of the runs is used to select the event that
distinguishes the tables best. The second half is used to compute exact binomial (Clopper-Pearson)
bounds for this event, so the selection does not bias the bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import exp
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import finding, promise, with_interval
from roadstead.release.evidence import CertifiedAttack

Table = TypeVar("Table")
_BOUNDS = 4
"""The number of probability bounds: one for each table in each of the two directions."""


def audited_epsilon(
    first: Sequence[Hashable], second: Sequence[Hashable], confidence: float
) -> float:
    """Return a lower bound on the epsilon of a mechanism. The bound is at least 0.

    `first` lists the outcomes of independent runs on one table. `second` lists the same number of
    outcomes on a neighboring table. The bound is correct with a probability of at least
    `confidence`.
    """
    return max(one.bound for one in _judged(first, second, confidence))


def audited(
    name: str,
    mechanism: Callable[[Table, int], Hashable],
    tables: tuple[Table, Table],
    epsilon: float,
    runs: int,
    confidence: float = 0.95,
) -> CertifiedAttack:
    """Run a mechanism many times on two neighboring tables, and test the claimed epsilon.

    `mechanism` is called with a table and the number of the run, which can serve as a seed. The
    attempts are the second half of the runs on the first table. A run in which the selected event
    occurs counts as a success. The baseline is the frequency of the event on the neighboring table.
    The limit is computed from epsilon and the largest plausible frequency on the neighboring table.
    """
    mine, theirs = ([mechanism(table, run) for run in range(runs)] for table in tables)
    worst = max(_judged(mine, theirs, confidence), key=lambda one: one.bound)
    share = worst.other_hits / worst.runs
    low, high = worst.least - share, worst.most - share
    gain = worst.hits / worst.runs - share
    made = finding(
        name,
        {"runs": runs, "epsilon": epsilon, "epsilon_at_least": round(worst.bound, 6)},
        (worst.hits, worst.runs),
        (worst.other_hits, worst.runs),
        promise(exp(min(epsilon, 700.0)) * worst.other_most, 0.0),
    )
    return with_interval(made, min(low, gain), max(high, gain))


class _Judged:
    """The frequencies of an event on both tables, and the resulting bound."""

    def __init__(self, hits: int, other_hits: int, runs: int, error: float) -> None:
        self.hits, self.other_hits, self.runs = hits, other_hits, runs
        self.least, self.most = _share(hits, runs, error)
        _, self.other_most = _share(other_hits, runs, error)
        trials = np.array([runs])
        ratio = _log_ratio(np.array([hits]), np.array([other_hits]), trials, trials, error)
        self.bound = max(0.0, float(ratio[0]))


def _judged(
    first: Sequence[Hashable], second: Sequence[Hashable], confidence: float
) -> list[_Judged]:
    """In each direction, select an event with half of the runs, and test it with the other half."""
    half = min(len(first), len(second)) // 2
    error = (1 - confidence) / _BOUNDS
    found = []
    for these, those in ((first, second), (second, first)):
        event = _worst_event(Counter(these[:half]), Counter(those[:half]), half, error)
        judged = [runs[half : 2 * half] for runs in (these, those)]
        hits, other_hits = (sum(one in event for one in runs) for runs in judged)
        found.append(_Judged(hits, other_hits, half, error))
    return found


def _share(hits: int, runs: int, error: float) -> tuple[float, float]:
    """Return a lower and an upper bound on a share, each with the given probability of error."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    low = float(beta.ppf(error, hits, runs - hits + 1)) if hits else 0.0
    high = float(beta.isf(error, hits + 1, runs - hits)) if hits < runs else 1.0
    return low, high


def _worst_event(
    these: Counter[Hashable], those: Counter[Hashable], runs: int, error: float
) -> frozenset[Hashable]:
    """Select the set of outcomes that distinguishes the tables best."""
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
    """Return lower bounds on the logarithms of ratios of two probabilities."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    least = np.where(hits > 0, beta.ppf(error, np.maximum(hits, 1), runs - hits + 1), 0)
    most = np.where(
        other_hits < other_runs,
        beta.isf(error, other_hits + 1, np.maximum(other_runs - other_hits, 1)),
        1,
    )
    with np.errstate(divide="ignore"):
        ratio: NDArray[np.float64] = np.log(least) - np.log(most)
    return ratio
