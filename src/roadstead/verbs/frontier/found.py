"""What a search for the frontier found: good trades between risk and loss, by index.

Indices go up with the risk, from 0. The same request gives the same frontier, and so the same
indices, unless a time limit ended the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from roadstead.errors import Refusal, SettingError
from roadstead.front_end import option
from roadstead.search.frontiers.frontier import CLOSE, Frontier, Member, Point
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.frontier.facts import Axis, Searched
from roadstead.verbs.frontier.population import People
from roadstead.verbs.frontier.release import FrontierRelease

P = TypeVar("P")


@dataclass(frozen=True)
class Group:
    """Similar policies.

    Attributes
    ----------
    medoid
        Index of the one that stands for them.
    indices
        Indices of all, that one among them.
    common
        What they have in common, by attribute.
    """

    medoid: int
    indices: tuple[int, ...]
    common: tuple[str, ...]


class Policies(Protocol, Generic[P]):
    """The kind of policies that were searched, and how they are told."""

    @property
    def boundaries(self) -> int | None:
        """Length of a policy's bit string, if it is one."""
        ...

    @property
    def number(self) -> int:
        """How many policies there are."""
        ...

    @property
    def size(self) -> str:
        """The same in words."""
        ...

    def words(self, policy: P) -> tuple[str, ...]:
        """Say what a policy does to each attribute."""
        ...

    def difference(self, policy: P, reference: P) -> tuple[str, ...]:
        """Say what a policy does otherwise than another one."""
        ...

    def document(self, policy: P) -> dict[str, Any]:
        """Give a policy as JSON holds it, briefly."""
        ...

    def domains(self) -> dict[str, Any]:
        """Say what documents of policies speak of."""
        ...

    def groups(self, members: list[Member[P]]) -> list[Group]:
        """Put similar policies together; indices are places in the list."""
        ...


@dataclass(frozen=True)
class Reference(Generic[P]):
    """A policy to compare with: Safe Harbor.

    Attributes
    ----------
    policy, point
        The policy, and where it lies.
    says
        What it does, in words.
    """

    policy: P
    point: Point
    says: tuple[str, ...]


def check_share(risk: float) -> None:
    """Refuse a bound on the risk that is no share of the original data's."""
    if not 0.0 <= risk <= 1.0:
        raise SettingError(
            f"the risk is {risk:g}, and must be from 0 to 1",
            where=option("risk"),
            fix="give a share of the original data's risk, such as 0.1",
        )


class Releaser(Protocol, Generic[P]):
    """Makes the release of a policy of the frontier."""

    def __call__(self, member: Member[P], maximum: float) -> FrontierRelease:
        """Release under a policy, with a bound on the risk, a share of the original data's."""
        ...


@dataclass(frozen=True)
class FoundFrontier(Generic[P]):
    """The policies that no other policy met betters in both risk and loss.

    Attributes
    ----------
    source, roles
        The table, and its columns' roles.
    people
        The table's summary and its population.
    records
        Records of the table.
    members
        The policies, by ascending risk: the frontier or, where policies at a threshold were asked
        for, these, of which one may better another in risk and loss.
    policies
        How they are told.
    risk, loss
        What the axes measure.
    searched
        How they were found.
    safe_harbor
        Safe Harbor on the same data; None where it does not apply.
    threshold
        What is acceptable, in words, where policies at a threshold were asked for.
    notes
        What the user should know.
    seconds
        Time of the whole work, reading included.
    release
        Makes a release.
    """

    source: Source
    roles: Roles
    people: People
    records: int
    members: tuple[Member[P], ...]
    policies: Policies[P]
    risk: Axis
    loss: Axis
    searched: Searched
    safe_harbor: Reference[P] | None
    threshold: str | None
    notes: tuple[str, ...]
    seconds: float
    release: Releaser[P] = field(repr=False)

    @cached_property
    def area(self) -> float:
        """Area under the policies that no other one betters; both axes are shares."""
        frontier: Frontier[P] = Frontier()
        for member in self.members:
            frontier.insert(*member)
        return frontier.area

    @cached_property
    def dominating(self) -> tuple[int, ...]:
        """Indices of the policies as good as Safe Harbor in both, and better in one."""
        if self.safe_harbor is None:
            return ()
        risk, loss = self.safe_harbor.point
        risks = np.array([member.risk for member in self.members])
        losses = np.array([member.loss for member in self.members])
        as_good = (risks <= risk + CLOSE) & (losses <= loss + CLOSE)
        better = (risks < risk - CLOSE) | (losses < loss - CLOSE)
        return tuple(map(int, np.flatnonzero(as_good & better)))

    @cached_property
    def clusters(self) -> list[Group]:
        """Groups of similar policies among those that dominate Safe Harbor."""
        chosen = self.dominating
        found = self.policies.groups([self.members[i] for i in chosen])
        return [
            Group(chosen[one.medoid], tuple(chosen[place] for place in one.indices), one.common)
            for one in found
        ]

    def choose(self, index: int) -> FrontierRelease:
        """Make the release of a policy.

        Raises
        ------
        SettingError
            When the frontier has no policy of the index.
        """
        if not 0 <= index < len(self.members):
            raise SettingError(
                f"the frontier has no policy {index}",
                where=option("choose"),
                fix=f"choose one of 0 to {len(self.members) - 1}",
            )
        member = self.members[index]
        return self.release(member, member.risk)

    def within(self, risk: float) -> FrontierRelease:
        """Make the release of the policy that loses least of those whose risk is not above.

        Parameters
        ----------
        risk
            A share of the original data's risk.

        Raises
        ------
        SettingError
            When it is no share: 5 is no 5 %, and would let everything be released.
        Refusal
            When no policy found has so little risk.
        """
        check_share(risk)
        fitting = [member for member in self.members if member.risk <= risk + CLOSE]
        if not fitting:
            least = self.members[0].risk
            raise Refusal(
                f"no policy found has a risk of at most {risk:g} of the original data's",
                where=option("risk"),
                fix=f"the least found is {least:.6g}",
            )
        return self.release(min(fitting, key=lambda member: member.loss), risk)

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        return {
            "points": [
                {
                    "risk": member.risk,
                    "utility_loss": member.loss,
                    "policy": self.policies.document(member.policy),
                }
                for member in self.members
            ],
            "area": self.area,
            "safe_harbor": None
            if self.safe_harbor is None
            else {
                "risk": self.safe_harbor.point.risk,
                "utility_loss": self.safe_harbor.point.loss,
                "policy": self.policies.document(self.safe_harbor.policy),
                "says": list(self.safe_harbor.says),
            },
            "dominating_safe_harbor": len(self.dominating),
            "clusters": [
                {"medoid": one.medoid, "indices": list(one.indices), "common": list(one.common)}
                for one in self.clusters
            ],
            "threshold": self.threshold,
            "domains": self.policies.domains(),
            "boundaries": self.policies.boundaries,
            "records": self.records,
            "risk_measure": {**self.risk.settings, "greatest": self.risk.greatest},
            "loss_measure": {**self.loss.settings, "greatest": self.loss.greatest},
            "population": {"basis": self.people.basis, "label": self.people.label},
            "search": self.searched.name,
            "evaluated": self.searched.evaluated,
            "told": self.searched.evaluated + self.searched.beside,
            "gap": self.searched.gap,
            "ending": self.searched.ending,
            "seed": self.searched.seed,
            "notes": list(self.notes),
            "seconds": self.searched.seconds,
            "seconds_total": self.seconds,
        }
