"""Use combinations of hierarchy levels as the policies of a frontier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.attribute_policy import AttributePolicy, attribute_policies
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import FullDomain, Levels, full_domain
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.quality.protocol import QualityModel
from roadstead.quality.registry import quality_model, without_target
from roadstead.reports.frontier.facts import FrontierAxis, PolicyGroup
from roadstead.risk.measures import SummedRisk
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS, RowsKnown
from roadstead.search.frontiers.frontier import Member
from roadstead.search.frontiers.full_domain_problem import FullDomainFrontierProblem
from roadstead.tables.persons.profiles import PersonTable
from roadstead.verbs.frontier.study import ClassesOfPolicy
from roadstead.verbs.people import TableWithPopulation
from roadstead.verbs.settings import choose

_SMALLEST = 1
"""The smallest accepted class size. If the size is 1, no class is suppressed."""


@dataclass(frozen=True, eq=False)
class FrontierLevels:
    """A lattice of hierarchy levels, with the sources of the hierarchies."""

    encoding: Encoding
    quality: QualityModel
    risk: SummedRisk
    origins: Mapping[str, str]
    knows: RowsKnown = 1
    """The number of rows of a person that an attacker may know."""

    boundaries = None
    """The value is None, because these policies are not bit strings."""
    safe_harbor = None
    """The value is None, because Safe Harbor is not a policy in the lattice."""
    notes = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields, because other attributes contain locks that cannot be pickled."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def space(self) -> FullDomain:
        """Return the lattice of policies."""
        return full_domain(self.hierarchies)

    @cached_property
    def problem(self) -> FullDomainFrontierProblem:
        """Return the problem for the search, with the table, the lattice, and the measures."""
        return FullDomainFrontierProblem(
            self.encoding, self.space, self.quality.bind(self.encoding), self.risk, self.knows
        )

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Return the hierarchy of each attribute."""
        return self.encoding.hierarchies

    @property
    def number(self) -> int:
        """Return the number of policies."""
        return self.space.size

    @property
    def size(self) -> str:
        """Describe the number of policies in words."""
        return f"{self.space.size:,} policies"

    @property
    def axes(self) -> tuple[FrontierAxis, FrontierAxis]:
        """Return the measures of risk and loss."""
        risk, loss = self.risk, self.quality
        meaning, settings, units = risk.meaning, risk.settings(), "records"
        if isinstance(self.encoding.table, PersonTable):
            meaning = f"{risk.meaning_of_persons} ({ROWS_IN_WORDS[self.knows]} known)"
            settings, units = {**settings, "units": "persons", "knows": str(self.knows)}, "persons"
        return (
            FrontierAxis(risk.name, meaning, settings, self.problem.greatest_risk, units),
            FrontierAxis(loss.name, f"{loss.name} of the levels", loss.settings(), 1.0),
        )

    def words(self, policy: Levels) -> tuple[str, ...]:
        """Describe the effect of a policy on each attribute."""
        return tuple(h.describe(level) for h, level in zip(self.hierarchies, policy, strict=True))

    def difference(self, policy: Levels, reference: Levels) -> tuple[str, ...]:
        """Describe how a policy differs from another policy."""
        pairs = zip(self.hierarchies, policy, reference, strict=True)
        return tuple(f"{h.attribute}: {h.describe(own)}" for h, own, other in pairs if own != other)

    def document(self, policy: Levels) -> dict[str, Any]:
        """Return the level of each attribute."""
        return dict(zip(self.space.attributes, policy, strict=True))

    def domains(self) -> dict[str, Any]:
        """Describe the effect of each level of each hierarchy."""
        return {
            h.attribute: [h.describe(level) for level in range(h.height)] for h in self.hierarchies
        }

    def groups(self, members: list[Member[Levels]]) -> list[PolicyGroup]:
        """Return one group with all policies, because no policy is compared with Safe Harbor."""
        return [PolicyGroup(0, tuple(range(len(members))), ())] if members else []

    def classes(self, policy: Levels) -> ClassesOfPolicy:
        """Count the records and people in each class of a policy.

        If the quality model defines no loss per attribute, Iyengar's loss is used.
        """
        encoding, classes = self.encoding, self.problem.look(policy).classes
        table, fewest = encoding.table, None
        population = table.population
        if isinstance(table, PersonTable):
            fewest = int(self.problem.fitting(classes, table.persons).min())
        people = classes.sizes if population is None else classes.totals(population)
        losses: dict[str, float] = {}
        for quality in (self.problem.quality, Loss().bind(encoding)):
            found = quality.loss_by_attribute(policy, quality.nothing_suppressed(), classes)
            if found is not None:
                losses = dict(zip(encoding.attributes, found, strict=True))
                break
        return ClassesOfPolicy(classes.sizes, people, losses, fewest)

    def attributes(self, policy: Levels) -> tuple[AttributePolicy, ...]:
        """Return the rule of a policy for each attribute."""
        return tuple(attribute_policies(self.hierarchies, policy))


def level_space(
    people: TableWithPopulation,
    hierarchies: tuple[Hierarchy, ...],
    origins: Mapping[str, str],
    risk: SummedRisk,
    quality: str,
    knows: RowsKnown = 1,
) -> FrontierLevels:
    """Return the lattice of a table's hierarchies. Reject a loss that a frontier does not support.

    If the table has a person ID, `knows` is the number of rows of a person that an attacker may
    know.
    """
    choose(quality, without_target(quality), option("quality"))
    model = quality_model(quality, GeometricMean(), smallest=_SMALLEST)
    return FrontierLevels(encode(people.table, hierarchies), model, risk, origins, knows)
