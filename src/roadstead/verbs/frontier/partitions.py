"""The frontier over partitions of ordered domains: the search, Safe Harbor, and the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.ordered_domain import OrderedDomain, in_words
from roadstead.hierarchies.rules import Groups
from roadstead.policies.cells import PartitionClasses
from roadstead.policies.document import AttributePolicy
from roadstead.policies.partition import Partition
from roadstead.policies.partition_words import PartitionWords
from roadstead.policies.safe_harbor import SafeHarbor, safe_harbor
from roadstead.privacy.k_anonymity import KAnonymity
from roadstead.privacy.k_map import KMap
from roadstead.privacy.population_risk import AveragePopulationRisk, least_maximum
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.partition_losses import PartitionLoss
from roadstead.risk.at_risk import RecordsAtRisk
from roadstead.risk.population import PopulationRisk
from roadstead.risk.protocol import SummedRisk
from roadstead.search.frontiers.boundary import (
    BoundaryProblem,
    BoundarySearch,
    RiskBelow,
)
from roadstead.search.frontiers.clusters import clusters
from roadstead.search.frontiers.frontier import Frontier, Member
from roadstead.search.frontiers.problem import FrontierProblem
from roadstead.search.frontiers.protocol import (
    FrontierOutcome,
    FrontierSearch,
)
from roadstead.search.protocol import Control
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.frontier.chosen import Chosen
from roadstead.verbs.frontier.domains import Ordered, put_in_order
from roadstead.verbs.frontier.facts import Axis, Searched
from roadstead.verbs.frontier.found import Group, Reference
from roadstead.verbs.frontier.population import People
from roadstead.verbs.frontier.release import RARE, SLACK, FrontierRelease, release_of
from roadstead.verbs.rare_values import rare_values


@dataclass(frozen=True)
class PartitionPolicies:
    """Partitions of ordered domains, told in words.

    Attributes
    ----------
    ordered
        The domains.
    """

    ordered: Ordered

    @cached_property
    def _words(self) -> PartitionWords:
        return PartitionWords.of(self.ordered.cells.domains.attributes, self.ordered.values)

    @property
    def boundaries(self) -> int:
        """Length of a policy's bit string."""
        return self.ordered.cells.domains.boundaries

    @property
    def number(self) -> int:
        """How many policies there are."""
        return 1 << self.boundaries

    @property
    def size(self) -> str:
        """The same in words."""
        return f"2 to the power of {self.boundaries:,} policies"

    def words(self, policy: Partition) -> tuple[str, ...]:
        """Say what a policy does to each attribute."""
        return self._words.describe(policy)

    def difference(self, policy: Partition, reference: Partition) -> tuple[str, ...]:
        """Say what a policy does otherwise than another one."""
        return self._words.difference(policy, reference)

    def document(self, policy: Partition) -> dict[str, Any]:
        """Give the bits of each attribute: 1 where a boundary is kept."""
        domains = self.ordered.cells.domains
        text = "".join("1" if bit else "0" for bit in domains.bits(policy))
        spans = zip(domains.attributes, domains.offsets[:-1], domains.offsets[1:], strict=True)
        return {name: text[begin:end] for name, begin, end in spans}

    def domains(self) -> dict[str, Any]:
        """Give the values of each attribute in their order: bits stand between neighbors."""
        names = self.ordered.cells.domains.attributes
        return {n: list(values) for n, values in zip(names, self.ordered.values, strict=True)}

    def groups(self, members: list[Member[Partition]]) -> list[Group]:
        """Put similar policies together."""
        return [
            Group(
                one.medoid,
                one.members,
                self._words.common([members[place].policy for place in one.members]),
            )
            for one in clusters(self.ordered.cells.domains, members)
        ]


@dataclass(frozen=True)
class PartitionStudy:
    """A table in ordered domains, with what is measured.

    Attributes
    ----------
    source, roles, people, hierarchies
        The table, its columns' roles, its summary with the population, and its hierarchies.
    ordered, problem
        The domains, and what a search is asked.
    """

    source: Source
    roles: Roles
    people: People
    hierarchies: tuple[Hierarchy, ...]
    ordered: Ordered
    problem: FrontierProblem

    @property
    def policies(self) -> PartitionPolicies:
        """How policies are told."""
        return PartitionPolicies(self.ordered)

    @property
    def axes(self) -> tuple[Axis, Axis]:
        """What is measured."""
        problem = self.problem
        risk, loss = problem.risk, problem.loss
        lost = problem.greatest_loss - problem.least_loss
        return (
            Axis(risk.name, risk.meaning, risk.settings(), problem.greatest_risk),
            Axis(loss.name, loss.meaning, loss.settings(), lost),
        )

    @cached_property
    def safe_harbor(self) -> Reference[Partition]:
        """Safe Harbor on this table."""
        found = self._safe_harbor
        return Reference(found.partition, self.problem.point(found.partition), found.says)

    @property
    def _safe_harbor(self) -> SafeHarbor:
        domains = self.ordered.domains
        values = tuple(tuple(own[0] for own in domain.places) for domain in domains)
        people: list[NDArray[np.int64] | None] = [None] * len(domains)
        place = self.ordered.zip_code
        if place is not None and self.people.basis != "sample":
            cells = self.ordered.cells
            counted = np.zeros(cells.domains.sizes[place], dtype=np.int64)
            np.add.at(counted, cells.codes[place], cells.people)
            people[place] = counted
        return safe_harbor(self.ordered.cells.domains, values, people)

    def search(
        self, search: FrontierSearch, control: Control, *, seed: int
    ) -> tuple[tuple[Member[Partition], ...], Searched, FrontierOutcome[Partition]]:
        """Search for the whole frontier."""
        outcome = search.run(self.problem, control)
        told = Searched(
            search.name,
            search.guarantee,
            outcome.evaluated,
            outcome.derived,
            outcome.seconds,
            outcome.ending,
            seed,
            control.time_limit,
            outcome.gap,
        )
        return tuple(map(_clipped, outcome.frontier)), told, outcome

    def at_threshold(
        self,
        search: BoundarySearch,
        accepts: Callable[[Partition], bool],
        control: Control,
        *,
        seed: int,
    ) -> tuple[tuple[Member[Partition], ...], Searched, FrontierOutcome[Partition]]:
        """Search for policies at the edge of what is acceptable.

        Raises
        ------
        NoPolicyError
            When nothing is acceptable, or none was found in time.
        """
        found = search.run(BoundaryProblem(self.problem.domains, accepts), control)
        if not found.non_dominated:
            why = "in time" if found.ending in {"time limit", "interrupted"} else "at all"
            raise NoPolicyError(
                f"no policy is acceptable {why}, not even with one interval for each attribute"
                if why == "at all"
                else "no policy was found in time",
                where=option("threshold"),
                fix="allow more risk, or ask for less" if why == "at all" else "allow more time",
            )
        points = ((*self.problem.point(policy), policy) for policy in found.non_dominated)
        members = [_clipped(Member(*one)) for one in points]
        members.sort(key=lambda member: (member.risk, member.loss))
        frontier: Frontier[Partition] = Frontier()
        for member in members:
            frontier.insert(*member)
        outcome = FrontierOutcome(frontier, found.evaluated, found.seconds, found.ending)
        told = Searched(
            search.name,
            search.guarantee,
            found.evaluated,
            0,
            found.seconds,
            found.ending,
            seed,
            control.time_limit,
        )
        return tuple(members), told, outcome

    def risk_below(self, share: float) -> RiskBelow:
        """Accept policies whose risk is at most a share of the original data's."""
        return RiskBelow(self.problem, share * self.problem.risk_unit * (1.0 + SLACK))

    def attributes(self, policy: Partition) -> tuple[AttributePolicy, ...]:
        """Say what a policy does to each attribute, by rules that stand without the search."""
        domains = self.ordered.cells.domains
        found = []
        for filled, domain, intervals in zip(
            self.ordered.domains,
            self.ordered.occurring,
            domains.intervals(policy),
            strict=True,
        ):
            firsts = _occurring(filled, domain, [first for first, _ in intervals])
            rule = domain.rule(firsts)
            removed = domain.size - len(firsts)
            found.append(
                AttributePolicy(domain.attribute, removed, domain.size, in_words(rule), rule)
            )
        return tuple(found)

    def release(
        self,
        member: Member[Partition],
        maximum: float,
        *,
        outcome: FrontierOutcome[Partition],
        searched: Searched,
        models: Sequence[PrivacyModel] = (),
    ) -> FrontierRelease:
        """Release the table under a policy.

        Parameters
        ----------
        member
            The policy.
        maximum
            The bound on the risk that is promised, a share of the original data's.
        outcome, searched
            How it was found.
        models
            What else is promised.

        Raises
        ------
        SettingError
            When a rule would list values that few records have.
        """
        attributes = self.attributes(member.policy)
        self._check_lists(attributes)
        classes = self.problem.cells.classes(member.policy)
        chosen = Chosen(
            risk=member.risk,
            loss=member.loss,
            measured=self.axes,
            searched=searched,
            members=len(outcome.frontier),
            area=outcome.frontier.area,
            lattice_size=1 << self.problem.domains.boundaries,
            sizes=classes.records,
            loss_by_attribute=_loss_by_attribute(classes),
            origins={domain.attribute: domain.origin for domain in self.ordered.domains},
            population=None if self.people.basis == "sample" else self.people.label,
        )
        promised = self._promise(classes, maximum)
        return release_of(
            self.source, self.roles, attributes, self.people.table, [*models, *promised], chosen
        )

    def _promise(self, classes: PartitionClasses, maximum: float) -> list[PrivacyModel]:
        """Bound the mean over records; by what the policy has, where the axis has another unit.

        Where no record is at risk, that is a promise too: k-map, or k-anonymity with no population.
        """
        risk, records = self.problem.risk, self.problem.cells.total
        if isinstance(risk, PopulationRisk):
            mean = max(maximum * self.problem.greatest_risk, risk.of(classes)) / records
            return [AveragePopulationRisk(least_maximum(mean * (1.0 + SLACK)), risk.gamma)]
        mean = PopulationRisk().of(classes) / records
        bound = AveragePopulationRisk(least_maximum(mean * (1.0 + SLACK)))
        if isinstance(risk, RecordsAtRisk) and risk.of(classes) == 0.0:
            known = self.people.basis != "sample"
            return [KMap(risk.k) if known else KAnonymity(risk.k), bound]
        return [bound]

    def _check_lists(self, attributes: Sequence[AttributePolicy]) -> None:
        """Refuse to write values into a policy that only few records show to exist."""
        for domain, attribute in zip(self.ordered.domains, attributes, strict=True):
            rare = self.rare(domain) if isinstance(attribute.rule, Groups) else 0
            if rare:
                raise SettingError(
                    f"the policy would list values of {domain.attribute!r} that fewer than "
                    f"{RARE} records have ({rare:,} of {len(domain.listed):,})",
                    where="the policy chosen",
                    fix=f"give a population, an {option('orders')} or a hierarchy that lists the "
                    "values",
                )

    def rare(self, domain: OrderedDomain) -> int:
        """Count the values of a domain that only few records show to exist.

        None does where somebody listed the values, or where they are those of a population.
        """
        known = self.people.basis != "sample" and not self.people.counted
        return 0 if known else rare_values(self.people.table, domain, RARE)


def _clipped(member: Member[Partition]) -> Member[Partition]:
    """Take what rounding put outside of 0 to 1 for the end."""
    return member._replace(
        risk=min(max(member.risk, 0.0), 1.0), loss=min(max(member.loss, 0.0), 1.0)
    )


def _occurring(filled: OrderedDomain, domain: OrderedDomain, firsts: Sequence[int]) -> list[int]:
    """Where intervals of a filled domain begin among the values that occur."""
    place = {own: i for i, own in enumerate(domain.places)}
    found: list[int] = []
    for first in firsts:
        begin = next((place[own] for own in filled.places[first:] if own in place), None)
        if begin is not None and begin not in found:
            found.append(begin)
    return found


def _loss_by_attribute(classes: PartitionClasses) -> dict[str, float]:
    """Iyengar's loss: the mean share of its domain that a record's interval takes in."""
    domains, records = classes.cells.domains, classes.cells.total
    return {
        name: float(np.dot(held, widths - 1)) / (records * max(size - 1, 1))
        for name, size, (widths, held) in zip(
            domains.attributes, domains.sizes, classes.intervals, strict=True
        )
    }


def study(
    source: Source,
    roles: Roles,
    people: People,
    hierarchies: tuple[Hierarchy, ...],
    orders: Mapping[str, Sequence[str]],
    *,
    risk: SummedRisk,
    loss: PartitionLoss,
) -> PartitionStudy:
    """Put a table in order, and say what is measured."""
    ordered = put_in_order(people.table, hierarchies, orders)
    problem = FrontierProblem(ordered.cells, risk, loss)
    return PartitionStudy(source, roles, people, hierarchies, ordered, problem)
