"""The searches by name: whatever a user may ask for is entered here, once.

A `SearchEntry` makes a search from a seed, and says whether the search ends by itself and what
tables it can carry. Its name and its guarantee are those of the search. Another package adds a
search with an entry point of the group ``roadstead.searches`` that has the search's name and loads
such an entry, and tests it with `roadstead.testing.searches`. It is loaded when its name is asked
for, and not before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from roadstead.capabilities import NOTHING, Capabilities, Feature
from roadstead.errors import SettingError, quoted
from roadstead.policies.full_domain import Levels
from roadstead.policies.partition import Partition
from roadstead.registry import Plugin, plugin_of
from roadstead.search.best_first import best_first
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.flash import flash
from roadstead.search.frontiers.boundary import Bisecting, BoundarySearch, Directed
from roadstead.search.frontiers.closure import Closure
from roadstead.search.frontiers.combined import Combined
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.pareto_segments import ParetoSegments
from roadstead.search.frontiers.protocol import FrontierSearch
from roadstead.search.frontiers.random_chain import RandomChain
from roadstead.search.frontiers.segmentation import Segmentation
from roadstead.search.frontiers.steepest import Steepest
from roadstead.search.frontiers.sublattice_heuristic import SublatticeHeuristic
from roadstead.search.heuristics import datafly, genetic, igreedy
from roadstead.search.k_optimize import KOptimize
from roadstead.search.lattice_based import lattice_based
from roadstead.search.minimal import incognito, ola
from roadstead.search.partition_heuristics import PartitionGenetic, PartitionGreedy
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Outcome, Search
from roadstead.search.search_capabilities import (
    AT_A_THRESHOLD,
    FRONTIER_OF_LEVELS,
    FRONTIER_OF_PARTITIONS,
    ON_LEVELS,
    ON_PARTITIONS,
)

S_co = TypeVar("S_co", bound=Search[Any, Any], covariant=True)

GROUP = "roadstead.searches"
Kind: TypeAlias = Literal["levels", "partition", "frontier", "threshold", "frontier of levels"]
"""What is searched for: the best levels of hierarchies, the best partition of ordered domains, the
frontier over partitions, partitions at a threshold, the frontier over levels."""


class LevelSearch(Search[FullDomainProblem, Outcome[Levels]], Protocol):
    """A search of the full-domain lattice."""

    def refusal(self, problem: FullDomainProblem) -> str | None:
        """Why it cannot be used on a problem; None where it can."""


PartitionSearch: TypeAlias = Search[PartitionProblem, Outcome[Partition]]


@dataclass(frozen=True)
class SearchEntry(Generic[S_co]):
    """A search that can be asked for by name.

    `make` makes it from a seed, of which one without chance takes no notice. `carries` says in
    words what it can carry, and `ends` whether it ends by itself; one that does not is stopped by a
    time limit or a budget. `capabilities` says what else it goes with; without a word it searches
    for records alone, under all levels.
    """

    kind: Kind
    make: Callable[[int], S_co]
    carries: str
    capabilities: Capabilities = NOTHING
    ends: bool = True

    @property
    def name(self) -> str:
        """The name used on the command line."""
        return self(None).name

    @property
    def guarantee(self) -> str:
        """What it promises, in words."""
        return self(None).guarantee

    def __call__(self, seed: int | None = None) -> S_co:
        """Make the search."""
        return self.make(0 if seed is None else seed)


_ANY = "every model, and lattices of any size"
_MARKED = "every model, and lattices of a few million policies"
_MONOTONE = "models under which admissibility passes up, and lattices of a few million policies"
_SIZES = "models of class sizes, with discernibility or the classification metric"
_ANY_MEASURE = "every monotone risk and loss"
_SUMS = "risks and losses that are sums over classes"
_ONE_LONG = "sums over classes, where the attributes other than the longest have few partitions"
_ANY_RULE = "every rule that passes up"
_EXACT = ON_LEVELS.adding(Feature.IN_ENGINE)
_OWN: tuple[SearchEntry[Any], ...] = (
    SearchEntry("levels", lambda _: Exact(), _ANY, _EXACT),
    SearchEntry("levels", lambda _: best_first(), _ANY, ON_LEVELS),
    SearchEntry("levels", lambda _: flash(), _MARKED, ON_LEVELS),
    SearchEntry("levels", lambda _: ola(), _MONOTONE, ON_LEVELS),
    SearchEntry("levels", lambda _: incognito(), _MONOTONE, ON_LEVELS),
    SearchEntry("levels", lambda _: lattice_based(), _ANY, ON_LEVELS),
    SearchEntry("levels", lambda _: igreedy(), _ANY, ON_LEVELS),
    SearchEntry("levels", lambda _: datafly(), _ANY, ON_LEVELS),
    SearchEntry("levels", genetic, _ANY, ON_LEVELS),
    SearchEntry("partition", lambda _: KOptimize(), _SIZES, ON_PARTITIONS),
    SearchEntry("partition", lambda _: PartitionGreedy(), _SIZES, ON_PARTITIONS),
    SearchEntry("partition", PartitionGenetic, _SIZES, ON_PARTITIONS),
    SearchEntry(
        "frontier", lambda _: Combined(), _ANY_MEASURE, capabilities=FRONTIER_OF_PARTITIONS
    ),
    SearchEntry(
        "frontier", lambda _: Steepest(), _ANY_MEASURE, capabilities=FRONTIER_OF_PARTITIONS
    ),
    SearchEntry("frontier", lambda _: Closure(), _ANY_MEASURE, FRONTIER_OF_PARTITIONS),
    SearchEntry("frontier", lambda _: Segmentation(), _SUMS, FRONTIER_OF_PARTITIONS),
    SearchEntry(
        "frontier", lambda _: ParetoSegments(), _ONE_LONG, capabilities=FRONTIER_OF_PARTITIONS
    ),
    SearchEntry(
        "frontier",
        SublatticeHeuristic,
        _ANY_MEASURE,
        ends=False,
        capabilities=FRONTIER_OF_PARTITIONS,
    ),
    SearchEntry("frontier", RandomChain, _ANY_MEASURE, FRONTIER_OF_PARTITIONS, ends=False),
    SearchEntry("threshold", Bisecting, _ANY_RULE, AT_A_THRESHOLD),
    SearchEntry("threshold", Directed, _ANY_RULE, AT_A_THRESHOLD),
    SearchEntry(
        "frontier of levels",
        lambda _: FullDomainFrontier(),
        "every quality model",
        capabilities=FRONTIER_OF_LEVELS,
    ),
)


_OWN_NAMES = frozenset(entry.name for entry in _OWN)


class Searches(Mapping[str, SearchEntry[S_co]]):
    """The searches of one kind by name: ours first, then those that other packages add.

    Which kind a search of another package is of is not known until it is loaded, so all of them are
    listed in every kind.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._own = {entry.name: entry for entry in _OWN if entry.kind == kind}

    def __getitem__(self, name: str) -> SearchEntry[S_co]:
        if name in self._own:
            return self._own[name]
        if name in _OWN_NAMES or name not in offered():
            raise KeyError(name)
        found = added(name)
        if found.kind != self._kind:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter((*self._own, *(name for name in offered() if name not in _OWN_NAMES)))

    def __len__(self) -> int:
        return len(list(iter(self)))


LEVELS: Searches[LevelSearch] = Searches("levels")
PARTITIONS: Searches[PartitionSearch] = Searches("partition")
FRONTIERS: Searches[FrontierSearch] = Searches("frontier")
THRESHOLDS: Searches[BoundarySearch] = Searches("threshold")
FRONTIERS_OF_LEVELS: Searches[Any] = Searches("frontier of levels")


def offered() -> dict[str, EntryPoint]:
    """List what other packages offer, by name; nothing is imported."""
    return _offered(tuple(sys.path))


@cache
def _offered(_: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Read the entry points of all packages, once for each search path."""
    return {point.name: point for point in entry_points(group=GROUP)}


def plugin(name: str) -> Plugin | None:
    """Say which package offers a search; None if it is one of ours, or there is none."""
    return None if name in _OWN_NAMES or name not in offered() else plugin_of(offered()[name])


@cache
def added(name: str) -> SearchEntry[Any]:
    """Load a search that another package adds: an entry with the name of its entry point."""
    point = offered()[name]
    try:
        entry = point.load()
    except Exception as error:
        raise _unusable(point.value, f"cannot be loaded ({type(error).__name__})") from error
    if not isinstance(entry, SearchEntry):
        raise _unusable(point.value, "is no SearchEntry")
    if entry.name != name:
        raise _unusable(point.value, f"calls itself {quoted(entry.name)}")
    return entry


def _unusable(value: str, why: str) -> SettingError:
    what = f"the search {quoted(value)} of another package {why}"
    return SettingError(what, fix="update that package, or remove it")
