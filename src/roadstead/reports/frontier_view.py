"""What the page of a frontier shows: risks, losses and words, and no record.

Plain values that a verb fills in. Policies are told by what was made of the domains, so nothing is
here that a policy document would not say too: no record, and no size of a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

Basis: TypeAlias = Literal["file", "estimate", "sample"]
"""Where the numbers of people come from: a file of the population, an estimate from the sample, or
the sample's own counts."""

SAME = 1e-12
"""Shares that differ by less are equal, as on the frontier itself."""


class Spot(NamedTuple):
    """Where a policy lies: its risk as a share of the original data's, its loss of the most."""

    risk: float
    loss: float


@dataclass(frozen=True)
class FrontierPolicy:
    """A policy of the frontier.

    Attributes
    ----------
    index
        The number by which it is chosen.
    spot
        Where it lies.
    words
        What is done to each attribute, in their order.
    difference
        What it does otherwise than Safe Harbor; empty where there is none to compare with.
    """

    index: int
    spot: Spot
    words: tuple[str, ...]
    difference: tuple[str, ...] = ()


@dataclass(frozen=True)
class SafeHarborView:
    """Safe Harbor on the same data.

    Attributes
    ----------
    spot
        Where it lies.
    words
        What it does to each attribute, in their order.
    """

    spot: Spot
    words: tuple[str, ...]


@dataclass(frozen=True)
class ClusterView:
    """Similar policies among those that dominate Safe Harbor.

    Attributes
    ----------
    medoid
        Index of the policy that stands for them.
    indices
        Indices of all, that one among them.
    common
        What they have in common, attribute by attribute.
    """

    medoid: int
    indices: tuple[int, ...]
    common: tuple[str, ...]


@dataclass(frozen=True)
class Measure:
    """What is measured along an axis.

    Attributes
    ----------
    name
        The name used on the command line.
    heading
        A word or two for the head of a column: "Re-identified".
    meaning
        What its unit counts: "expected number of records re-identified".
    explained
        A few sentences in plain words.
    greatest
        The amount, in the measure's units, that a share of 1 stands for.
    """

    name: str
    heading: str
    meaning: str
    explained: str
    greatest: float


@dataclass(frozen=True)
class PopulationView:
    """Against whom the risk is measured.

    Attributes
    ----------
    basis
        Where the numbers of people come from.
    label
        A few words, shown prominently: "Tennessee, census of 2000".
    meaning
        What follows for the risk, in a sentence or two.
    people
        How many there are, or None where nobody knows.
    """

    basis: Basis
    label: str
    meaning: str
    people: float | None = None


@dataclass(frozen=True)
class FrontierSearchView:
    """How the frontier was found.

    Attributes
    ----------
    name, guarantee
        The search, and what it promises.
    evaluated
        Policies whose risk and loss were computed.
    seconds
        Time it took.
    ending
        Why it ended.
    area
        Area under the frontier.
    size
        How many policies there are.
    gap
        By how much the area under the frontier of all of them can at most be smaller, where that is
        proven: 0 where this is that frontier. None where nothing is known.
    seed
        Where chance begins, or None where nothing is drawn.
    """

    name: str
    guarantee: str
    evaluated: int
    seconds: float
    ending: str
    area: float
    size: int
    gap: float | None = None
    seed: int | None = None


@dataclass(frozen=True)
class FrontierView:
    """All that the page of a frontier shows.

    Attributes
    ----------
    title, source, created, version
        What was studied, of which file, when (ISO 8601), and by which version.
    records
        Records of the table.
    attributes
        Names of the quasi-identifiers.
    policies
        The frontier, by ascending risk, so by descending loss, or some of it. Indices differ.
    risk, loss
        What the axes measure.
    population
        Against whom the risk is measured.
    search
        How the frontier was found.
    safe_harbor
        Safe Harbor on these data, or None where it does not apply.
    clusters
        Similar policies among those that dominate it.
    seen
        Where other policies lie that were evaluated; few are drawn of many.
    command
        The command that made this, without ``--choose``, to be shown with it.
    notes
        What the reader should know.
    members, better
        Policies on the frontier, and those of them that dominate Safe Harbor, where not all are
        among `policies`; None where all are.
    """

    title: str
    source: str
    created: str
    version: str
    records: int
    attributes: tuple[str, ...]
    policies: tuple[FrontierPolicy, ...]
    risk: Measure
    loss: Measure
    population: PopulationView
    search: FrontierSearchView
    safe_harbor: SafeHarborView | None = None
    clusters: tuple[ClusterView, ...] = ()
    seen: tuple[Spot, ...] = ()
    command: str = "roadstead frontier DATA"
    notes: tuple[str, ...] = ()
    members: int | None = None
    better: int | None = None

    @property
    def total(self) -> int:
        """Policies on the frontier."""
        return len(self.policies) if self.members is None else self.members

    @property
    def total_better(self) -> int:
        """Those that dominate Safe Harbor."""
        return len(self.dominating) if self.better is None else self.better

    @cached_property
    def by_index(self) -> dict[int, FrontierPolicy]:
        """The policies by the number by which they are chosen."""
        return {policy.index: policy for policy in self.policies}

    @cached_property
    def dominating(self) -> frozenset[int]:
        """Indices of the policies as good as Safe Harbor in both, and better in one."""
        if self.safe_harbor is None:
            return frozenset()
        risk, loss = self.safe_harbor.spot
        return frozenset(
            policy.index
            for policy in self.policies
            if policy.spot.risk <= risk + SAME
            and policy.spot.loss <= loss + SAME
            and (policy.spot.risk < risk - SAME or policy.spot.loss < loss - SAME)
        )
