"""How much privacy a mechanism loses, measured from outside.

A mechanism is epsilon-differentially private if no event is more than exp(epsilon) times as likely
on one table as on its neighbor. Run it many times on both, and any event gives a lower bound of
its true epsilon: the logarithm of how much more likely it is at least. A bound above the epsilon
that is claimed convicts the mechanism; one below acquits nobody, but breaks are seldom small (Ding,
Wang, Wang, Zhang and Kifer 2018, "Detecting violations of differential privacy").

The first half of the runs accuses: it picks the event, by a likelihood ratio, that looks worst in
each direction. The second half judges it, by exact binomial (Clopper-Pearson) bounds, so that the
choice of the event cannot flatter the bound.

A release is one run. Of one run no frequency can be counted, and so nothing can be said of its
epsilon from its folder alone; `roadstead.attacks.kinds.private_membership` says what can be.
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
    return max(one.bound for one in _judged(first, second, confidence))


def audited(
    name: str,
    mechanism: Callable[[Table, int], Hashable],
    tables: tuple[Table, Table],
    epsilon: float,
    runs: int,
    confidence: float = 0.95,
) -> CertifiedAttack:
    """Run a mechanism many times on two neighbors, and hold it against the epsilon it claims.

    `mechanism` gives what comes out of a table and the number of the run, which its chance may be
    drawn from. The attempts are the judged runs on the one table, the successes those in which the
    event happened, the base line how often it happened on the neighbor. So what epsilon allows of
    the one follows from the most that the other can be.
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
    """How often an event happened in the judged runs on both tables, and what follows."""

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
    """Accuse by the first half of the runs, and judge by the second, in either direction."""
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
    """Bound a share from below and from above, each of which may err so often."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    low = float(beta.ppf(error, hits, runs - hits + 1)) if hits else 0.0
    high = float(beta.isf(error, hits + 1, runs - hits)) if hits < runs else 1.0
    return low, high


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
