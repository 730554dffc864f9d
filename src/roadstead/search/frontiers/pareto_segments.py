"""Find the whole frontier, with a proof, if one domain is long and the others are simple.

The other domains are simple if they have few partitions. For each division of the other domains, a
policy is a path from the start of the longest domain to its end, with intervals as steps. The task
is therefore a shortest path problem with two objectives, which is solved by label setting (Hansen
1980). If there are too many labels, labels whose risks differ by at most a given width are merged.
The result is then a lower and an upper staircase (docs/methods/proven-frontier.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.pareto_paths import LOSS, LOW, RISK, extend, hulls_to_go, promising, thin
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.search.frontiers.frontier import CLOSE, Frontier
from roadstead.search.frontiers.interval_costs import IntervalCosts, IntervalCounter
from roadstead.search.frontiers.protocol import FrontierOutcome, FrontierProblem, FrontierRun
from roadstead.search.protocol import Control, Ending

_PRICES = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 65), [np.inf]])
"""The prices of loss for which the points of the hulls are computed."""

_MOST_LABELS = 8_000_000
"""The most labels per division of the other attributes; these labels take half a gigabyte."""

_MOST_COMBINATIONS = 4096
"""The most divisions of the other attributes."""
_LEAST_WIDTH = 1e-9
_WIDER = 8.0
_PIECES = 32
"""The number of steps into which a piece of a hull is cut."""


class _Combination(NamedTuple):
    """A division of the other attributes, and the hulls that start at each place."""

    costs: IntervalCosts
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def hull(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The risks (ascending) and losses on the lower hull of all policies with this division."""
        return self.risks[0], self.losses[0] + self.costs.rest

    def to_go(self, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the risks and losses on the hull of all paths from a place to the end."""
        return self.risks[node], self.losses[node]

    @property
    def area(self) -> float:
        """The area under the computed hull points; a smaller area is better."""
        risks, losses = self.hull
        inner = float(np.sum(np.diff(risks) * (losses[1:] + losses[:-1]) / 2))
        return float(risks[0]) + inner


@dataclass(frozen=True)
class ParetoSegments:
    """Exact search for the frontier with one long domain.

    The intervals of `attribute` are the steps of the paths. By default, this is the attribute with
    the most values. Labels whose risks (as shares) differ by at most `width` are merged. If `width`
    is 0, all labels are kept as long as they fit in memory.
    """

    attribute: int | None = None
    width: float = 0.0
    name: str = "pareto-segments"
    guarantee: str = "the whole frontier, or a bound on the distance to it"

    def __post_init__(self) -> None:
        if not self.width >= 0.0:
            raise SettingError(
                f"a width of {self.width:g} is below 0", fix="use 0 to keep all labels"
            )

    def run(self, problem: FrontierProblem, control: Control) -> FrontierOutcome[Partition]:
        """Search until the frontier is complete, or until the search is stopped.

        A SettingError is raised if the other attributes have too many partitions, or if a measure
        is not a sum.
        """
        domains = problem.domains
        attribute = self.attribute
        if attribute is None:
            attribute = int(np.argmax(domains.sizes))
        others = domains.boundaries - domains.sizes[attribute] + 1
        if others >= _MOST_COMBINATIONS.bit_length():
            raise SettingError(
                f"the attributes other than {domains.attributes[attribute]!r} can be divided in "
                f"2^{others} ways, which is too many to try",
                fix="give fewer attributes, or generalize them first",
            )
        work = _Work(FrontierRun(problem, control), attribute, self.width)
        ending = work.search(partitions_of_others(domains, attribute))
        return work.run.outcome(ending, work.lower())


def partitions_of_others(domains: OrderedDomains, attribute: int) -> list[Partition]:
    """Return all divisions of the other attributes, with one interval for the given attribute."""
    begin, end = domains.offsets[attribute : attribute + 2]
    ways = 1 << (domains.boundaries - (end - begin))
    below = (1 << begin) - 1
    return [Partition(way & below | way >> begin << end) for way in range(ways)]


@dataclass
class _Work:
    run: FrontierRun
    attribute: int
    width: float
    _low: list[NDArray[np.float64]] = field(default_factory=list)
    """The low points of the searched combinations, and of the other combinations' hulls."""

    def search(self, ways: list[Partition]) -> Ending:
        """Find the hulls of all combinations, and then the labels of promising combinations."""
        counter = IntervalCounter(self.run.problem)
        self.run.evaluate_ends()
        combinations: list[_Combination] = []
        ending: Ending | None = None
        for way in ways:
            costs = counter.costs(way, self.attribute)
            self.run.evaluated += costs.size
            combination = _Combination(costs, *hulls_to_go(costs.risks, costs.losses, _PRICES))
            combinations.append(combination)
            self._insert_supported(combination)
            ending = self.run.ending()
            if ending is not None:
                self._low.append(np.zeros((2, 1)))  # no bound is known for the remaining divisions
                break
        for combination in sorted(combinations, key=lambda one: one.area):
            if ending is None:
                ending = self._search(combination)
            if ending is not None:
                self._low.append(corners(*combination.hull))
        return ending or "complete"

    def lower(self) -> Frontier[None]:
        """Return a lower staircase that also covers combinations that were not searched."""
        found: Frontier[None] = Frontier()
        own = np.array([self.run.frontier.risks, self.run.frontier.losses])
        risks, losses = np.concatenate([own, *self._low], axis=1)
        found.insert_all(risks, losses, lambda _: None)
        return found

    def _insert_supported(self, combination: _Combination) -> None:
        """Insert the policies on the hull into the frontier."""
        costs = combination.costs
        risks, losses = combination.hull
        self.run.evaluated += risks.size
        for price, risk, loss in zip(_PRICES[1:-1], risks[1:-1], losses[1:-1], strict=True):
            if not self.run.frontier.dominates(float(risk), float(loss)):
                costs.insert_into(self.run.frontier, costs.cheapest(float(price)))
        self.run.report()

    def _search(self, combination: _Combination) -> Ending | None:
        """Compute all labels of a combination, and insert the labels at the end of the domain."""
        costs = combination.costs
        beyond = (self.run.frontier.risks, self.run.frontier.losses)
        tree = _Tree(costs.rest)
        if not promising(tree.labels[:, :1], combination.to_go(0), beyond, CLOSE).size:
            return None
        for node in range(1, costs.size + 1):
            risks, losses = costs.risks[:node, node - 1], costs.losses[:node, node - 1]
            new, parents = extend(*tree.so_far, risks.copy(), losses.copy(), CLOSE)
            places = promising(new, combination.to_go(node), beyond, CLOSE)
            new, parents = new[:, places].copy(), parents[places]
            places = _thinned(new, self.width, _MOST_LABELS // costs.size)
            tree.append(new[:, places], parents[places])
            ending = self.run.ending()
            if ending is not None:
                return ending
        self._insert_labels(costs, tree)
        self.run.report()
        return None

    def _insert_labels(self, costs: IntervalCosts, tree: _Tree) -> None:
        ends = tree.labels[:, tree.offsets[-2] : tree.size]
        self._low.append(ends[[LOW, LOSS]])
        self.run.evaluated += ends.shape[1]
        cuts = tree.cuts()
        begin = self.run.problem.domains.offsets[self.attribute]

        def policy(place: int) -> Partition:
            own = int.from_bytes(np.packbits(cuts[place], bitorder="little").tobytes(), "little")
            return Partition(costs.partition.kept | own << begin)

        self.run.frontier.insert_all(ends[RISK], ends[LOSS], policy)


class _Tree:
    """The labels of all places so far, and the parents of the labels.

    The first label has the loss `loss`.
    """

    def __init__(self, loss: float) -> None:
        self.labels = np.zeros((3, 1 << 12))
        self.labels[LOSS, 0] = loss
        self.offsets = np.array([0, 1], np.int64)
        self._parents = np.zeros(1 << 12, np.int64)

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    @property
    def so_far(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The labels, and the index of the first label of each place."""
        return self.labels[:, : self.size], self.offsets

    def append(self, labels: NDArray[np.float64], parents: NDArray[np.int64]) -> None:
        total = self.size + parents.size
        while total > self._parents.size:
            self.labels = np.concatenate([self.labels, np.zeros_like(self.labels)], axis=1)
            self._parents = np.concatenate([self._parents, np.zeros_like(self._parents)])
        self.labels[:, self.size : total] = labels
        self._parents[self.size : total] = parents
        self.offsets = np.append(self.offsets, total)

    def cuts(self) -> NDArray[np.bool_]:
        """For each label of the last place, return which boundaries are kept."""
        label = np.arange(self.offsets[-2], self.size)
        found = np.zeros((label.size, self.offsets.size - 2), dtype=np.bool_)
        while label.size and label.any():
            label = self._parents[label]
            node = np.searchsorted(self.offsets, label, side="right") - 1
            inside = np.flatnonzero(node > 0)
            found[inside, node[inside] - 1] = True
        return found


def _thinned(labels: NDArray[np.float64], width: float, most: int) -> NDArray[np.int64]:
    """Merge labels within the width, or within a larger width if too many labels remain."""
    places = thin(labels, width) if width else np.arange(labels.shape[1])
    while places.size > most:
        width = max(_LEAST_WIDTH, width * _WIDER)
        kept = labels[:, places].copy()
        stay = thin(kept, width)
        places = places[stay]
        labels[LOW, places] = kept[LOW, stay]
    return places


def corners(risks: NDArray[np.float64], losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lower staircase of the area above a hull's tangents, as ``(2, corners)``.

    `risks` and `losses` are the points where the lines for each price touch the hull. The first
    point has the lowest risk, and the last point has the lowest loss.
    """
    steps = np.linspace(0.0, 1.0, _PIECES, endpoint=False)
    risks = np.maximum.accumulate(risks)
    places = np.append((risks[:-1, None] + np.diff(risks)[:, None] * steps).ravel(), risks[-1])
    prices = _PRICES[1:-1]
    costs = risks[1:-1] + prices * losses[1:-1]
    least = np.full(places.size, losses[-1])
    for price, cost in zip(prices, costs, strict=True):
        np.maximum(least, (cost - places) / price, out=least)
    return np.array([places, np.append(least[1:], losses[-1])])
