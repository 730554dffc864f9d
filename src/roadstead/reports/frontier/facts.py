"""Collect the facts of a frontier for the terminal, JSON, the page, and notebooks.

The facts contain the groups of values of each policy, but no records and no group sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from roadstead.quality.words import words_of
from roadstead.reports.wording import CountedUnit, counted, decimal
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Member, Point

P = TypeVar("P")

Basis: TypeAlias = Literal["file", "estimate", "sample", "persons"]
"""The source of the numbers of people: a population file, an estimate, or the sample itself."""

_HEADINGS = {"population": "Re-identified", "at-risk": "At risk"}
_EXPLAINED = {
    "population": "An attacker who knows the quasi-identifiers of a person finds all records "
    "and all people in the population that share these values. If g people share them, a guess is "
    "right with probability 1/g. The risk is the sum of these probabilities over all "
    "records. This sum is the expected number of re-identified records.",
    "at-risk": "If a record matches fewer than k people, the probability of finding it is above "
    "1/k. The risk counts these records.",
}
_EXPLAINED_OF_PERSONS = {
    "population": "An attacker knows something about a person in the table, and finds all people "
    "who match this knowledge. If g people match, a guess is right with probability 1/g. If an "
    "attacker may know different things about a person, Roadstead uses the knowledge that matches "
    "the fewest people. The risk is the sum of these probabilities over all people. This sum is "
    "the expected number of re-identified people.",
    "at-risk": "If something that an attacker may know matches fewer than k people, the "
    "probability of finding the person is above 1/k. The risk is the number of people for whom "
    "this is true. A person counts once, even with several records.",
}
_BASES: dict[Basis, tuple[str, str]] = {
    "file": (
        "The population, from a file",
        "Risks refer to the people in this file.",
    ),
    "estimate": (
        "The population, estimated from the sample",
        "These people were not counted directly. They were sampled to match the published "
        "counts. The risks are estimates too.",
    ),
    "sample": (
        "No population: the sample\N{RIGHT SINGLE QUOTATION MARK}s own counts",
        "No population is given, so a record is compared only with the other records of the "
        "table. The true risks are lower, unless the table contains everyone.",
    ),
    "persons": (
        "No population: the people of the table",
        "No population is given, so a person is compared only with the other people of the table. "
        "The true risks are lower, unless the table contains everyone.",
    ),
}


@dataclass(frozen=True)
class FrontierAxis:
    """The measure of an axis, by its name on the command line.

    `meaning` says what one unit is, and `units` is ``records`` or ``persons``. `greatest` is the
    number of units that equals a share of 1.
    """

    name: str
    meaning: str
    settings: Mapping[str, Any]
    greatest: float
    units: str = "records"

    @property
    def heading(self) -> str:
        """A heading for a column, in one or two words."""
        return _HEADINGS.get(self.name, "Lost")

    @property
    def explained(self) -> str:
        """An explanation in a few plain sentences."""
        own = _EXPLAINED if self.units == "records" else _EXPLAINED_OF_PERSONS
        return own.get(self.name) or words_of(self.name).explained or self.meaning

    def amount(self, share: float) -> str:
        """Convert a share to the units of the measure."""
        return decimal(share * self.greatest)


@dataclass(frozen=True)
class FrontierSearchFacts:
    """The search for a frontier, and the guarantee that it gives.

    `evaluated` is the number of policies for which groups were counted. For the `derived` policies,
    risk and loss were computed from the counts for other policies. `gap` is a proven bound: the
    area under the frontier of all policies is smaller than the area under this frontier by at most
    `gap`. `gap` is 0 if this frontier is the frontier of all policies, and None if no bound is
    proven.
    """

    name: str
    guarantee: str
    evaluated: int
    derived: int
    seconds: float
    ending: str
    seed: int
    time_limit: float | None
    gap: float | None = None

    @property
    def known(self) -> int:
        """The number of policies with known risk and loss."""
        return self.evaluated + self.derived


@dataclass(frozen=True)
class PolicyGroup:
    """A group of similar policies: their indices, and what they have in common, by attribute.

    One of the policies, the medoid, represents the group.
    """

    medoid: int
    indices: tuple[int, ...]
    common: tuple[str, ...]


class PolicyWords(Protocol[P]):
    """Describe the kind of policies that were searched, and the effect of a policy, in words."""

    @property
    def boundaries(self) -> int | None:
        """The length of a policy's bit string, if the policy is a bit string."""

    @property
    def number(self) -> int:
        """The number of policies."""

    @property
    def size(self) -> str:
        """The number of policies, in words."""

    def words(self, policy: P) -> Sequence[str]:
        """Describe what a policy does to each attribute."""

    def difference(self, policy: P, reference: P) -> Sequence[str]:
        """Describe how a policy differs from another policy."""

    def document(self, policy: P) -> dict[str, Any]:
        """Return a policy in a short JSON form."""

    def domains(self) -> dict[str, Any]:
        """Describe the domains that policy documents refer to."""

    def groups(self, members: list[Member[P]]) -> list[PolicyGroup]:
        """Group similar policies. The indices refer to the list."""


@dataclass(frozen=True)
class Reference(Generic[P]):
    """Safe Harbor on the same data, for comparison, with its policy, risk, loss, and rules."""

    policy: P
    point: Point
    says: tuple[str, ...]


@dataclass(frozen=True)
class PopulationFacts:
    """The population for measuring the risk. `people` is its size, or None if unknown."""

    basis: Basis
    label: str
    people: int | None = None

    @property
    def heading(self) -> str:
        """The population, in a few words."""
        return _BASES[self.basis][0]

    @property
    def meaning(self) -> str:
        """The effect of the population on the measured risk."""
        return _BASES[self.basis][1]


@dataclass(frozen=True)
class FrontierFacts(Generic[P]):
    """The policies that are not dominated by any other found policy, and facts about the search.

    The members are sorted by increasing risk, and their indices start at 0. If the user requested
    policies at a `threshold`, the members are these policies, and one member may dominate another
    member. Otherwise, the members form the frontier. `threshold` describes in words what is
    acceptable. `safe_harbor` is None if Safe Harbor does not apply. `seconds` is the duration of
    all work, including reading the table. `persons` is the number of people, if people are counted.
    """

    table: str
    records: int
    attributes: tuple[str, ...]
    members: tuple[Member[P], ...]
    policies: PolicyWords[P]
    risk: FrontierAxis
    loss: FrontierAxis
    population: PopulationFacts
    search: FrontierSearchFacts
    safe_harbor: Reference[P] | None = None
    threshold: str | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    counted: CountedUnit = field(default_factory=CountedUnit, kw_only=True)
    persons: int | None = field(default=None, kw_only=True)

    @property
    def size(self) -> str:
        """The number of records, and the number of people if people are counted."""
        records = counted(self.records, "record")
        return (
            records
            if self.persons is None
            else f"{records} of {counted(self.persons, 'person', 'people')}"
        )

    @cached_property
    def undominated(self) -> Frontier[P]:
        """The members that no other member dominates."""
        frontier: Frontier[P] = Frontier()
        for member in self.members:
            frontier.insert(*member)
        return frontier

    @cached_property
    def area(self) -> float:
        """The area under the frontier of the undominated members. Both axes are shares."""
        return self.undominated.area

    @cached_property
    def dominating(self) -> tuple[int, ...]:
        """The indices of the policies that dominate Safe Harbor."""
        if self.safe_harbor is None:
            return ()
        risk, loss = self.safe_harbor.point
        risks = np.array([member.risk for member in self.members])
        losses = np.array([member.loss for member in self.members])
        as_good = (risks <= risk + CLOSE) & (losses <= loss + CLOSE)
        better = (risks < risk - CLOSE) | (losses < loss - CLOSE)
        return tuple(map(int, np.flatnonzero(as_good & better)))

    @cached_property
    def clusters(self) -> list[PolicyGroup]:
        """The groups of similar policies among the policies that dominate Safe Harbor."""
        chosen = self.dominating
        found = self.policies.groups([self.members[i] for i in chosen])
        return [
            PolicyGroup(
                chosen[one.medoid], tuple(chosen[place] for place in one.indices), one.common
            )
            for one in found
        ]

    @property
    def title(self) -> str:
        """The result, in a few words."""
        return "Risk and loss" if self.threshold is None else f"Policies at {self.threshold}"

    @property
    def ended_early(self) -> bool:
        """Indicates whether another run may give different indices."""
        return self.search.ending in {"time limit", "interrupted"}
