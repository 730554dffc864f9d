"""Look up searches by name in a separate registry for each kind of search.

A `SearchEntry` creates a search from a seed. The entry also describes whether the search ends by
itself, and which tables it can handle. Another package can add a search by declaring an entry point
in the group for the search's kind, for example, ``roadstead.searches.levels``. The entry point is
named after the search and loads a `SearchEntry`, which can be tested with
`roadstead.testing.searches`. The package roadstead-reproductions adds the searches of the
literature in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from roadstead.capabilities import NOTHING, Capabilities, Feature
from roadstead.errors import quoted
from roadstead.policies.full_domain import Levels
from roadstead.registry import Registry, imported
from roadstead.search.protocol import Outcome, Search
from roadstead.search.search_capabilities import (
    AT_A_THRESHOLD,
    FRONTIER_OF_LEVELS,
    FRONTIER_OF_PARTITIONS,
    ON_LEVELS,
    ON_PARTITIONS,
)

if TYPE_CHECKING:
    from roadstead.policies.partition import Partition
    from roadstead.search.evaluation import FullDomainProblem
    from roadstead.search.frontiers.boundary import BoundarySearch
    from roadstead.search.frontiers.protocol import FrontierSearch
    from roadstead.search.partition_problem import PartitionProblem

S_co = TypeVar("S_co", bound=Search[Any, Any], covariant=True)

Kind: TypeAlias = Literal["levels", "partition", "frontier", "threshold", "frontier of levels"]
"""The goal of a search: the best levels of hierarchies, the best partition of ordered domains, the
frontier over partitions, partitions at a threshold, or the frontier over levels.
"""


class LevelSearch(Search["FullDomainProblem", Outcome[Levels]], Protocol):
    """A search over a full-domain lattice."""

    def refusal(self, problem: FullDomainProblem) -> str | None:
        """Return the reason why the search cannot be used on a problem, or None if it can."""


PartitionSearch: TypeAlias = Search["PartitionProblem", "Outcome[Partition]"]


@dataclass(frozen=True)
class SearchEntry(Generic[S_co]):
    """A search that can be chosen by name.

    `make` creates the search from a seed, which is ignored by a search without random numbers.
    `carries` describes in words what the search can handle. `ends` indicates whether the search
    ends by itself. Other searches are stopped by a time limit or a budget. `infers` indicates
    whether the search assumes that every policy above an admissible policy is admissible.
    `capabilities` lists its other features. By default, the search supports only tables of records,
    without level limits.
    """

    kind: Kind
    make: Callable[[int], S_co]
    carries: str
    capabilities: Capabilities = NOTHING
    ends: bool = True
    infers: bool = False

    @property
    def name(self) -> str:
        """The name of the search on the command line."""
        return self(None).name

    @property
    def guarantee(self) -> str:
        """The guarantee of the search, in words."""
        return self(None).guarantee

    def __call__(self, seed: int | None = None) -> S_co:
        """Create the search."""
        return self.make(0 if seed is None else seed)


_SEARCHES = "roadstead.search."
_ANY_MEASURE = "every monotone risk and loss"
_ANY_RULE = "every rule that also holds for coarser policies"


def _entry(
    kind: Kind, capabilities: Capabilities, place: str, carries: str
) -> Callable[[], SearchEntry[Any]]:
    """Return a function that imports a search of this package, and passes a seed if possible."""

    def make(seed: int) -> Any:  # noqa: ANN401 - a search of any kind
        search = imported(_SEARCHES + place)
        return search(seed=seed) if "seed" in signature(search).parameters else search()

    return lambda: SearchEntry(kind, make, carries, capabilities)


def _valid(kind: Kind, name: str, loaded: object) -> str | None:
    """Explain why another package's object is not the named search; return None if it is."""
    if not isinstance(loaded, SearchEntry):
        return "it is not a SearchEntry"
    if loaded.name != name:
        return f"its name is {quoted(loaded.name)}"
    return None if loaded.kind == kind else f"it is a search of the kind {quoted(loaded.kind)}"


def _registry(
    kind: Kind,
    capabilities: Capabilities,
    searches: dict[str, tuple[str, str]],
    published: Collection[str] = (),
) -> Registry[Any]:
    """Return the registry of a kind, with the module and the capabilities of each search."""
    built_in = {name: _entry(kind, capabilities, *search) for name, search in searches.items()}
    group = f"roadstead.searches.{kind.replace(' ', '_')}"
    return Registry(group, built_in, partial(_valid, kind), published)


LEVELS: Registry[SearchEntry[LevelSearch]] = _registry(
    "levels",
    ON_LEVELS.adding(Feature.IN_ENGINE, Feature.PROOF),
    {"exact": ("exact:Exact", "every model, and lattices of any size")},
    (
        *("best-first", "flash", "ola", "incognito", "lattice-based"),
        *("igreedy", "datafly", "genetic"),
    ),
)
PARTITIONS: Registry[SearchEntry[PartitionSearch]] = _registry(
    "partition", ON_PARTITIONS, {}, ("k-optimize", "partition-greedy", "partition-genetic")
)
FRONTIERS: Registry[SearchEntry[FrontierSearch]] = _registry(
    "frontier",
    FRONTIER_OF_PARTITIONS,
    {
        "combined": ("frontiers.combined:Combined", _ANY_MEASURE),
        "steepest": ("frontiers.steepest:Steepest", _ANY_MEASURE),
        "closure": ("frontiers.closure:Closure", _ANY_MEASURE),
        "segmentation": (
            "frontiers.segmentation:Segmentation",
            "risks and losses that are sums over groups",
        ),
        "pareto-segments": (
            "frontiers.pareto_segments:ParetoSegments",
            "sums over groups, if all attributes except the one with the most values have few "
            "partitions",
        ),
    },
    ("sublattice-heuristic", "random-chain"),
)
THRESHOLDS: Registry[SearchEntry[BoundarySearch]] = _registry(
    "threshold",
    AT_A_THRESHOLD,
    {
        "bisecting": ("frontiers.boundary:Bisecting", _ANY_RULE),
        "directed": ("frontiers.boundary:Directed", _ANY_RULE),
    },
)
FRONTIERS_OF_LEVELS: Registry[SearchEntry[Any]] = _registry(
    "frontier of levels",
    FRONTIER_OF_LEVELS,
    {"exact": ("frontiers.full_domain:FullDomainFrontier", "every quality model")},
)
