"""The frontier over the levels of hierarchies: exact, with a proof."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.classes import Classes
from roadstead.policies.document import attribute_policies
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import FullDomain, Levels, full_domain
from roadstead.privacy.population_risk import AveragePopulationRisk, least_maximum
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.loss import Loss
from roadstead.reports.wording import counted
from roadstead.risk.population import PopulationRisk
from roadstead.risk.protocol import SummedRisk
from roadstead.search.frontiers.frontier import Member
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.full_domain_problem import FullDomainFrontierProblem
from roadstead.search.protocol import Control
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.frontier.chosen import Chosen
from roadstead.verbs.frontier.facts import Axis, Searched
from roadstead.verbs.frontier.finding import FrontierFinding
from roadstead.verbs.frontier.found import Group
from roadstead.verbs.frontier.population import People
from roadstead.verbs.frontier.release import SLACK, FrontierRelease, release_of
from roadstead.verbs.settings import QUALITIES, choose

_WITHOUT_TARGET = tuple(name for name in QUALITIES if name != "classification")
_SMALLEST = 1
"""No class is suppressed, however small."""


@dataclass(frozen=True)
class LevelPolicies:
    """Levels of hierarchies, told in words.

    Attributes
    ----------
    space
        The lattice.
    hierarchies
        One for each attribute.
    """

    space: FullDomain
    hierarchies: tuple[Hierarchy, ...]

    @property
    def boundaries(self) -> None:
        """Such policies are no bit strings."""
        return

    @property
    def number(self) -> int:
        """How many policies there are."""
        return self.space.size

    @property
    def size(self) -> str:
        """The same in words."""
        return f"{self.space.size:,} policies"

    def words(self, policy: Levels) -> tuple[str, ...]:
        """Say what a policy does to each attribute."""
        return tuple(h.describe(level) for h, level in zip(self.hierarchies, policy, strict=True))

    def difference(self, policy: Levels, reference: Levels) -> tuple[str, ...]:
        """Say what a policy does otherwise than another one."""
        pairs = zip(self.hierarchies, policy, reference, strict=True)
        return tuple(f"{h.attribute}: {h.describe(own)}" for h, own, other in pairs if own != other)

    def document(self, policy: Levels) -> dict[str, Any]:
        """Give the level of each attribute."""
        return dict(zip(self.space.attributes, policy, strict=True))

    def domains(self) -> dict[str, Any]:
        """Say what each level does."""
        return {
            h.attribute: [h.describe(level) for level in range(h.height)] for h in self.hierarchies
        }

    def groups(self, members: list[Member[Levels]]) -> list[Group]:
        """Tell none: Safe Harbor is no policy of the lattice."""
        return [Group(0, tuple(range(len(members))), ())] if members else []


def find_levels(  # noqa: PLR0913 - what is searched, and how
    source: Source,
    roles: Roles,
    people: People,
    hierarchies: tuple[Hierarchy, ...],
    origins: Mapping[str, str],
    *,
    risk: SummedRisk,
    quality: str,
    control: Control,
    began: float,
) -> FrontierFinding[Levels]:
    """Find the frontier of a full-domain lattice.

    Raises
    ------
    SettingError
        When the loss cannot be had here.
    """
    choose(quality, _WITHOUT_TARGET, option("quality"))
    model = QUALITIES[quality](GeometricMean(), None, _SMALLEST)
    encoding = encode(people.table, hierarchies)
    space = full_domain(encoding.hierarchies)
    problem = FullDomainFrontierProblem(encoding, space, model.bind(encoding), risk)
    search = FullDomainFrontier()
    outcome = search.run(problem, control)
    searched = Searched(
        "exact",
        search.guarantee,
        outcome.evaluated,
        0,
        outcome.seconds,
        outcome.ending,
        0,
        control.time_limit,
        outcome.gap,
    )

    axes = (
        Axis(risk.name, risk.meaning, risk.settings(), problem.greatest_risk),
        Axis(model.name, f"{model.name} of the levels", model.settings(), 1.0),
    )

    def release(member: Member[Levels], maximum: float) -> FrontierRelease:
        classes = problem.look(member.policy).classes
        told = quality_by_attribute(problem, member.policy, classes)
        chosen = Chosen(
            risk=member.risk,
            loss=member.loss,
            measured=axes,
            searched=searched,
            members=len(outcome.frontier),
            area=outcome.frontier.area,
            lattice_size=space.size,
            sizes=classes.sizes,
            loss_by_attribute=told,
            cuts=False,
            origins=origins,
            population=None if people.basis == "sample" else people.label,
        )
        mean = max(maximum, member.risk) * problem.greatest_risk / people.table.records
        if not isinstance(risk, PopulationRisk):
            population = people.table.population
            alike = classes.sizes if population is None else classes.totals(population)
            mean = float(np.mean(np.repeat(1.0 / alike, classes.sizes)))
        gamma = risk.gamma if isinstance(risk, PopulationRisk) else 1.0
        promise = AveragePopulationRisk(least_maximum(mean * (1.0 + SLACK)), gamma)
        attributes = attribute_policies(encoding.hierarchies, member.policy)
        return release_of(source, roles, attributes, people.table, [promise], chosen)

    return FrontierFinding(
        source=source,
        roles=roles,
        people=people,
        records=people.table.records,
        members=tuple(outcome.frontier),
        policies=LevelPolicies(space, encoding.hierarchies),
        risk=axes[0],
        loss=axes[1],
        searched=searched,
        safe_harbor=None,
        threshold=None,
        notes=(_tied(outcome.tied),) if int(np.sum(outcome.tied)) > len(outcome.frontier) else (),
        seconds=time.perf_counter() - began,
        release=release,
    )


def quality_by_attribute(
    problem: FullDomainFrontierProblem, levels: Levels, classes: Classes
) -> dict[str, float]:
    """Loss of each attribute; Iyengar's where the quality model speaks of classes only."""
    encoding = problem.encoding
    for quality in (problem.quality, Loss().bind(encoding)):
        found = quality.loss_by_attribute(levels, quality.nothing_suppressed(), classes)
        if found is not None:
            return dict(zip(encoding.attributes, found, strict=True))
    return {}


def _tied(tied: tuple[int, ...]) -> str:
    further = int(np.sum(tied)) - len(tied)
    return f"{counted(further, 'further policy', 'further policies')} of the same risk and loss."
