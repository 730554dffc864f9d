"""Figure 6: how well the heuristic predicts which policies improve the frontier.

The frontier is a random maximal chain. For each random sublattice, H is the share of the
sublattice's box that would improve the frontier, and E is the share of the policies of a random
chain that improve the frontier.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, isnan, nan, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Point
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.walks import walk
from roadstead.search.protocol import Control
from roadstead_reproductions.parallel import spread, tenths
from roadstead_reproductions.searches.random_chain import Chains, random_chain
from roadstead_reproductions.searches.sublattice_heuristic import PartitionRange, Pruned, Sampler
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell
from roadstead_reproductions.xia2013.published import CORRELATION, SUBLATTICES
from roadstead_reproductions.xia2013.readings import EVERY

DRAWN = ("fixed bits", "two of a chain")
"""The readings of "random sublattice" to try. The picture shows the first reading."""
_PIECE = 100
_NORMAL = 1.959963984540054
"""The number of standard deviations that contain 95% of a normal distribution."""
_LEAST = 4
"""The smallest number of pairs for which a correlation gets a confidence interval."""

CORRELATIONS = (
    Column("sampler", "random sublattices", "text"),
    Column("sublattices", "number", "count", "sublattices_published"),
    Column("r", "Pearson's r", "quality", "r_published"),
    Column("low", "95% from", "quality"),
    Column("high", "to", "quality"),
    Column("slope", "slope of E by H", "times"),
)
DECILES = (
    Column("sampler", "random sublattices", "text"),
    Column("h", "H up to", "share"),
    Column("sublattices", "sublattices", "count"),
    Column("e", "mean E", "share"),
    Column("low", "95% from", "share"),
    Column("high", "to", "share"),
)


@dataclass(frozen=True)
class Lot:
    """Random sublattices to try.

    `sampler` is the name of the reading, `seed` is the seed of the sublattices, and `initial` is
    the seed of the chain that is the frontier.
    """

    sampler: str
    number: int
    seed: int
    initial: int = 0


def heuristic(
    problem: FrontierProblem, number: int, workers: int, tell: Tell
) -> tuple[ResultTable, ResultTable]:
    """Try `number` random sublattices for each reading.

    The function returns correlations, and the mean of E for each tenth of H.
    """
    sizes = [min(_PIECE, number - done) for done in range(0, number, _PIECE)]
    lots = [Lot(name, size, seed) for name in DRAWN for seed, size in enumerate(sizes)]
    found = spread(
        problem,
        try_sublattices,
        lots,
        workers,
        tenths(tell, "figure 6: groups of sublattices", len(lots)),
    )
    correlations: list[Row] = []
    means: list[Row] = []
    for name in DRAWN:
        pairs = np.concatenate(
            [own for own, lot in zip(found, lots, strict=True) if lot.sampler == name]
        )
        correlations.append({"sampler": name, **correlated(pairs)})
        means += [{"sampler": name, **row} for row in by_tenths(pairs)]
    return (
        ResultTable(
            "figure-6-correlation",
            "Figure 6: H of a sublattice, and the share E of a chain that improves the frontier",
            CORRELATIONS,
            tuple(correlations),
            (
                "The frontier is one random maximal chain and does not change. Each policy of a "
                "random chain through the sublattice, including its ends, is compared with it. "
                "The interval of r uses Fisher's transformation.",
                "The paper does not say how its sublattices were sampled, and r depends on this.",
            ),
        ),
        ResultTable(
            "figure-6-means",
            "Figure 6: mean E by tenths of H",
            DECILES,
            tuple(means),
            ("Intervals are the mean plus and minus 1.96 standard errors, within 0 and 1.",),
        ),
    )


def try_sublattices(problem: FrontierProblem, lot: Lot) -> NDArray[np.float64]:
    """Return H and E of random sublattices, with the shape ``(sublattices, 2)``."""
    frontier = chain_frontier(problem, lot.initial)
    random = np.random.default_rng((lot.seed, lot.initial, list(EVERY).index(lot.sampler)))
    sampler, none = EVERY[lot.sampler], Pruned(problem.domains)
    return np.array(
        [
            predicted_and_met(problem, frontier, _draw(sampler, none, frontier, random), random)
            for _ in range(lot.number)
        ]
    ).reshape(-1, 2)


def chain_frontier(problem: FrontierProblem, seed: int) -> Frontier[Partition]:
    """Return a random maximal chain as a frontier."""
    chains = Chains(problem, Control(), random=np.random.default_rng(seed))
    random_chain(chains)
    return chains.frontier


def predicted_and_met(
    problem: FrontierProblem,
    frontier: Frontier[Partition],
    sublattice: PartitionRange,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Return H of a sublattice, and E of a random chain through it."""
    order = random.permutation(np.flatnonzero(problem.domains.bits(Partition(sublattice.free))))
    chain = walk(problem, sublattice.specific)
    specific = chain.point
    risks, losses = chain.follow(order)
    risks, losses = np.append(specific.risk, risks), np.append(specific.loss, losses)
    improving = losses < frontier.losses_within(risks) - CLOSE
    general = Point(float(risks[-1]), float(losses[-1]))
    return frontier.share_outside(general, specific), float(improving.mean())


def _draw(
    sampler: Sampler, none: Pruned, frontier: Frontier[Partition], random: np.random.Generator
) -> PartitionRange:
    drawn = sampler(none, frontier, random, lambda: False)
    if drawn is None:
        raise RuntimeError("nothing is pruned, but no sublattice is left")
    return drawn


def correlated(pairs: NDArray[np.float64]) -> Row:
    """Return the correlation of H and E, and its confidence interval."""
    h, e = pairs.T
    known = len(h) > 1 and bool(h.std() > 0) and bool(e.std() > 0)
    r = float(np.corrcoef(h, e)[0, 1]) if known else nan
    low, high = interval(r, len(h))
    return {
        "sublattices": len(h),
        "sublattices_published": SUBLATTICES,
        "r": None if isnan(r) else r,
        "r_published": CORRELATION,
        "low": low,
        "high": high,
        "slope": r * float(e.std() / h.std()) if known else None,
    }


def interval(r: float, number: int) -> tuple[float | None, float | None]:
    """Return the 95% confidence interval of a correlation by Fisher's transformation."""
    if isnan(r) or abs(r) >= 1.0 or number < _LEAST:
        return None, None
    middle, half = atanh(r), _NORMAL / sqrt(number - 3)
    return tanh(middle - half), tanh(middle + half)


def by_tenths(pairs: NDArray[np.float64]) -> list[Row]:
    """Return the mean E for each tenth of H."""
    h, e = pairs.T
    tenth = np.clip(np.ceil(10.0 * h - CLOSE) - 1, 0, 9).astype(int)
    rows: list[Row] = []
    for group in range(10):
        own = e[tenth == group]
        mean = float(own.mean()) if own.size else None
        half = _NORMAL * float(own.std(ddof=1)) / sqrt(own.size) if own.size > 1 else None
        rows.append(
            {
                "h": (group + 1) / 10,
                "sublattices": int(own.size),
                "e": mean,
                "low": None if mean is None or half is None else max(0.0, mean - half),
                "high": None if mean is None or half is None else min(1.0, mean + half),
            }
        )
    return rows
