"""Use partitions of ordered domains as the policies of a frontier, including Safe Harbor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.front_end import option, worded
from roadstead.hierarchies.ordered_domain import OrderedDomain
from roadstead.hierarchies.rules import MISSING, Groups
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.cells import PartitionClasses
from roadstead.policies.covered_words import CoveredWords
from roadstead.policies.interval_ends import enough_of
from roadstead.policies.partition import Partition
from roadstead.policies.partition_words import PartitionWords, ValueWords
from roadstead.policies.safe_harbor import Treatment, safe_harbor, treatment
from roadstead.reports.frontier.facts import FrontierAxis, PolicyGroup, Reference
from roadstead.reports.wording import counted
from roadstead.search.frontiers.clusters import clusters
from roadstead.search.frontiers.frontier import Frontier, Member
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.tables.identifiers.descriptions import descriptions_of
from roadstead.tables.source import Source
from roadstead.verbs.frontier.domains import OrderedTable
from roadstead.verbs.frontier.release import RARE
from roadstead.verbs.frontier.study import ClassesOfPolicy
from roadstead.verbs.hierarchies import cut_at, rare_values, refuse_rare
from roadstead.verbs.people import TableWithPopulation

_NEVER_LISTED = 2
"""A rule never lists the values of a domain with at most this many values."""


@dataclass(frozen=True, eq=False)
class FrontierPartitions:
    """The space of all partitions of a table's ordered domains. The search solves `problem`."""

    people: TableWithPopulation
    ordered: OrderedTable
    problem: FrontierProblem
    source: Source

    @cached_property
    def _words(self) -> PartitionWords:
        return PartitionWords.of(self.ordered.cells.domains.attributes, self.ordered.values)

    @property
    def boundaries(self) -> int:
        """Return the length of the bit string of a policy."""
        return self.ordered.cells.domains.boundaries

    @property
    def number(self) -> int:
        """Return the number of policies."""
        return 1 << self.boundaries

    @property
    def size(self) -> str:
        """Describe the number of policies in words."""
        return f"2^{self.boundaries:,} policies"

    def words(self, policy: Partition) -> tuple[str, ...]:
        """Describe the effect of a policy on each attribute."""
        return self._words.describe(policy)

    def covered_words(self, covered: Collection[str], fewest: int) -> PartitionWords:
        """Describe policies, and omit values of covered columns that fewer than `fewest` have."""
        table, domains = self.people.table, self.ordered.domains
        known = list(self._words.values)
        for at in (at for at, own in enumerate(domains) if own.attribute in covered):
            place_of = domains[at].place_of()
            places = np.array([place_of[value] for value in table.domains[at]], dtype=np.int64)
            named = np.flatnonzero(enough_of(table, at, fewest)(places)).tolist()
            rare = frozenset(range(domains[at].size)).difference(named)
            words = ValueWords.of(known[at].name, known[at].values)
            known[at] = CoveredWords(**vars(words), rare=rare)
        return PartitionWords(self._words.domains, tuple(known))

    def difference(self, policy: Partition, reference: Partition) -> tuple[str, ...]:
        """Describe how a policy differs from another policy."""
        return self._words.difference(policy, reference)

    def document(self, policy: Partition) -> dict[str, Any]:
        """Return the bits of each attribute. A bit is 1 if the policy keeps the boundary."""
        domains = self.ordered.cells.domains
        text = "".join("1" if bit else "0" for bit in domains.bits(policy))
        spans = zip(domains.attributes, domains.offsets[:-1], domains.offsets[1:], strict=True)
        return {name: text[begin:end] for name, begin, end in spans}

    def domains(self) -> dict[str, Any]:
        """Return the ordered values of each attribute.

        Each bit of a policy belongs to the boundary between two neighboring values.
        """
        names = self.ordered.cells.domains.attributes
        return {n: list(values) for n, values in zip(names, self.ordered.values, strict=True)}

    def groups(self, members: list[Member[Partition]]) -> list[PolicyGroup]:
        """Group similar policies."""
        return [
            PolicyGroup(
                one.medoid,
                one.members,
                self._words.common([members[place].policy for place in one.members]),
            )
            for one in clusters(self.ordered.cells.domains, members)
        ]

    @property
    def axes(self) -> tuple[FrontierAxis, FrontierAxis]:
        """Return the measures of risk and loss."""
        problem = self.problem
        risk, loss = problem.risk, problem.loss
        lost = problem.greatest_loss - problem.least_loss
        return (
            FrontierAxis(risk.name, risk.meaning, risk.settings(), problem.greatest_risk),
            FrontierAxis(loss.name, loss.meaning, loss.settings(), lost),
        )

    @property
    def origins(self) -> Mapping[str, str]:
        """Return the source of the order of each attribute."""
        return {domain.attribute: domain.origin for domain in self.ordered.domains}

    @cached_property
    def safe_harbor(self) -> Reference[Partition]:
        """Return Safe Harbor as a policy for this table."""
        domains = self.ordered.domains
        values = tuple(
            tuple(MISSING if own[0] in domain.codes else own[0] for own in domain.places)
            for domain in domains
        )
        people: list[NDArray[np.int64] | None] = [None] * len(domains)
        place = self.ordered.zip_code
        if place is not None and self.people.basis != "sample":
            cells = self.ordered.cells
            inhabitants = np.zeros(cells.domains.sizes[place], dtype=np.int64)
            np.add.at(inhabitants, cells.codes[place], cells.people)
            people[place] = inhabitants
        found = safe_harbor(
            self.ordered.cells.domains, values, people, self._described(values), self.ordered.born
        )
        policy = self.representable(found.partition)
        return Reference(policy, self.problem.point(policy), found.says)

    def _described(self, values: Sequence[Sequence[str]]) -> dict[str, Treatment]:
        """Return how Safe Harbor treats columns with an unclear name but a clear description."""
        found: dict[str, Treatment] = {}
        for name, own in zip(self.ordered.cells.domains.attributes, values, strict=True):
            if treatment(name, own) != "kept":
                continue
            for text in descriptions_of(self.source, name).values():
                if (by_text := treatment(text, own)) in ("age", "place"):
                    found[name] = by_text
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes for the user about the orders, rare values, and the population."""
        people, notes = self.people, list(self.ordered.notes)
        if people.basis == "sample" or people.counted:
            notes.append(
                "Policies list values that occur in the table, including rare values. Show these "
                "results only to people who may see the table."
            )
        for domain in self.ordered.domains:
            listed = not domain.numeric and domain.size > _NEVER_LISTED
            rare = self._rare.get(domain.attribute, 0) if listed else 0
            if rare:
                notes.append(
                    f"You cannot release a policy that groups values of {domain.attribute!r}: the "
                    f"policy would list {counted(rare, 'rare value')} (in fewer than {RARE} "
                    f"records each). {_instead()[0].upper()}{_instead()[1:]}."
                )
        if people.counted:
            notes.append(
                f"For {counted(people.counted, 'record')}, no matching person is left in the "
                "population. Each of these records is counted as one more person."
            )
        return tuple(notes)

    def representable(self, policy: Partition) -> Partition:
        """Return a policy that joins missing codes only with the missing value."""
        domains = self.ordered.cells.domains
        for at, own in enumerate(self.ordered.domains):
            if own.codes:
                firsts = own.representable(domains.firsts(policy, at).tolist())
                policy = domains.with_firsts(policy, at, np.array(firsts))
        return policy

    def released(self, members: Sequence[Member[Partition]]) -> tuple[Member[Partition], ...]:
        """Return the frontier of the policies that a release can use."""
        policies = [self.representable(member.policy) for member in members]
        if policies == [member.policy for member in members]:
            return tuple(members)
        frontier = Frontier[Partition]()
        for policy in policies:
            frontier.insert(*self.problem.point(policy), policy)
        return tuple(frontier)

    def classes(self, policy: Partition) -> ClassesOfPolicy:
        """Count the records and people in each class of a policy."""
        classes = self.problem.cells.classes(policy)
        return ClassesOfPolicy(classes.records, classes.people, _loss_by_attribute(classes))

    def attributes(self, policy: Partition) -> tuple[AttributePolicy, ...]:
        """Return the rule for each attribute, and reject rules that list rare values."""
        ordered, found = self.ordered, []
        intervals = ordered.cells.domains.intervals(policy)
        for filled, domain, own in zip(ordered.domains, ordered.occurring, intervals, strict=True):
            found.append(cut_at(domain, _occurring(filled, domain, [first for first, _ in own])))
            if isinstance(found[-1].rule, Groups) and not self._known:
                where = "the chosen policy"
                refuse_rare(self.people.table, filled, RARE, where=where, fix=_instead())
        return tuple(found)

    def lists_rare(self, policy: Partition) -> tuple[str, ...]:
        """Return the attributes for which `attributes` rejects a policy."""
        if not self._rare:
            return ()
        ordered, found = self.ordered, []
        intervals = ordered.cells.domains.intervals(policy)
        for filled, domain, own in zip(ordered.domains, ordered.occurring, intervals, strict=True):
            if filled.attribute in self._rare:
                firsts = _occurring(filled, domain, [first for first, _ in own])
                if isinstance(domain.rule(firsts), Groups):
                    found.append(filled.attribute)
        return tuple(found)

    @property
    def _known(self) -> bool:
        """Return whether the values come from a population and therefore reveal no record."""
        return self.people.basis != "sample" and not self.people.counted

    @cached_property
    def _rare(self) -> Mapping[str, int]:
        """The number of rare values by attribute, or nothing if a population has the values."""
        domains = () if self._known else self.ordered.domains
        found = {one.attribute: rare_values(self.people.table, one, RARE) for one in domains}
        return {name: rare for name, rare in found.items() if rare}


def _instead() -> str:
    listing = (
        "give a population; or, if no value or label identifies a person, give all values in "
        f"order with {option('orders')}, or give a hierarchy that lists the values"
    )
    return worded(
        command=listing,
        python=listing,
        page=(
            "search the levels of the hierarchies, or give a population; or, if no value or label "
            "identifies a person, go to the Columns step, and choose a kind of levels that lists "
            "the values"
        ),
    )


def _occurring(filled: OrderedDomain, domain: OrderedDomain, firsts: Sequence[int]) -> list[int]:
    """Return the positions, among the occurring values, at which the intervals begin."""
    place = {own: i for i, own in enumerate(domain.places)}
    found: list[int] = []
    for first in firsts:
        begin = next((place[own] for own in filled.places[first:] if own in place), None)
        if begin is not None and begin not in found:
            found.append(begin)
    return found


def _loss_by_attribute(classes: PartitionClasses) -> dict[str, float]:
    """Return Iyengar's loss: the mean share of a domain that the interval of a record covers."""
    domains, records = classes.cells.domains, classes.cells.total
    return {
        name: float(np.dot(held, widths - 1)) / (records * max(size - 1, 1))
        for name, size, (widths, held) in zip(
            domains.attributes, domains.sizes, classes.intervals, strict=True
        )
    }
