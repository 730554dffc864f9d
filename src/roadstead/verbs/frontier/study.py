"""Create releases from a table, its population, and the policies of a search.

A release depends only on the rules of the policy, and no record is suppressed. A release guarantees
a bound on the risk with respect to the population (the threshold in paper 004), and k-anonymity if
it is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.person_rules import PersonRules
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.population_risk import AveragePopulationRisk, least_maximum
from roadstead.privacy.protocol import PrivacyModel
from roadstead.reports.frontier.facts import FrontierAxis, FrontierFacts, PolicyWords, Reference
from roadstead.reports.release.chosen import ChosenPolicy
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, SummedRisk
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.search.frontiers.frontier import Member
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.declared_codes import keeping_codes_of, missing_codes_of, policy_of
from roadstead.verbs.frontier.promise import USUAL, DeclaredPromise
from roadstead.verbs.frontier.release import FrontierRelease, release_of
from roadstead.verbs.people import TableWithPopulation

P = TypeVar("P")

RISKS = ("population", "at-risk")
SLACK = 1e-9
"""The relative margin between a computed risk and its bound."""


class ClassesOfPolicy(NamedTuple):
    """The number of records and people in each class of a policy, and the loss of each attribute.

    If people are counted, `fewest` is the smallest number of people who match an attacker's
    knowledge about a person.
    """

    records: NDArray[np.int64]
    people: NDArray[np.int64]
    loss_by_attribute: dict[str, float]
    fewest: int | None = None


class FrontierSpace(PolicyWords[P], Protocol):
    """The policies that a search can choose, and their effects on the table."""

    @property
    def axes(self) -> tuple[FrontierAxis, FrontierAxis]:
        """Return the two measures: the risk and the loss."""

    @property
    def origins(self) -> Mapping[str, str]:
        """Return the source of the order or hierarchy of each quasi-identifier."""

    @property
    def safe_harbor(self) -> Reference[P] | None:
        """Return Safe Harbor as a policy for this table, or None if it is not in the space."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes for the user."""

    def classes(self, policy: P) -> ClassesOfPolicy:
        """Count the records and people in each class of a policy."""

    def attributes(self, policy: P) -> tuple[AttributePolicy, ...]:
        """Return the rule of a policy for each attribute. The rules do not depend on the search."""


def risk_of(kind: str, gamma: float | None, k: int | None) -> SummedRisk:
    """Return a risk measure. Reject an unknown name, and parameters of other measures."""
    match kind:
        case "population":
            if k is not None:
                fix = f"leave k out, or use {option('risk_measure', 'at-risk')}"
                raise wrong("k", "k is given, but the population risk does not use it", fix)
            if gamma is not None:
                checks.number(gamma, "gamma")
            return PopulationRisk(1.0 if gamma is None else gamma)
        case "at-risk":
            if gamma is not None:
                what = "gamma is given, but the number of records at risk does not use it"
                fix = f"leave gamma out, or use {option('risk_measure', 'population')}"
                raise wrong("gamma", what, fix)
            return RecordsAtRisk(5 if k is None else k)
        case _:
            fix = did_you_mean(str(kind), RISKS)
            raise wrong("risk_measure", f"there is no risk measure {kind!r}", fix)


@dataclass(frozen=True, eq=False)
class Study(Generic[P]):
    """A table with the policies of a search.

    Releases meet the requirements of `models`, and a bound on the risk. `given` is true if the
    request says how many rows of a person an attacker knows. `read` is the source without missing
    codes, and `source` has the codes that a policy can keep. `count` counts a source.
    """

    read: Source
    source: Source
    count: Callable[[Source], TableWithPopulation]
    roles: Roles
    people: TableWithPopulation
    space: FrontierSpace[P]
    risk: SummedRisk
    models: tuple[PrivacyModel, ...] = ()
    knows: RowsKnown = 1
    declared: DeclaredPromise = USUAL
    given: bool = False

    def release(
        self, member: Member[P], maximum: float, facts: FrontierFacts[P]
    ) -> FrontierRelease:
        """Release the table under a policy.

        `maximum` is the highest accepted risk as a fraction of the risk of the original table.
        """
        attributes = self.space.attributes(member.policy)
        classes = self.space.classes(member.policy)
        chosen = ChosenPolicy(
            risk=member.risk,
            loss=member.loss,
            axes=(facts.risk, facts.loss),
            search=facts.search,
            members=len(facts.undominated),
            area=facts.area,
            lattice_size=self.space.number,
            sizes=classes.records,
            loss_by_attribute=classes.loss_by_attribute,
            cuts=self.space.boundaries is not None,
            origins=dict(self.space.origins),
            population=None if self.people.basis == "sample" else self.people.label,
        )
        models = (*self.models, *self._promise(classes, maximum * facts.risk.greatest))
        persons = None if self.roles.person is None else PersonRules(self.roles.person)
        policy = policy_of(attributes, models, self.roles, self.read.columns, persons)
        table = self.people.table
        compared = table.population is not None
        source = keeping_codes_of(self.read, policy, compared=compared)
        if missing_codes_of(source) != missing_codes_of(self.source):
            table = self.count(source).table
        return release_of(source, self.roles, policy, table, models, chosen, known=self.given)

    def _promise(self, classes: ClassesOfPolicy, maximum: float) -> tuple[PrivacyModel, ...]:
        """Return the guarantee of a policy, which is usually a bound on the mean risk of records.

        If the risk axis has a different unit, the bound is computed from the policy. If no record
        is at risk, k-map is added, or k-anonymity if there is no population. If people are counted,
        the guarantee is the smallest number of matching people instead of a mean.
        """
        if self.roles.person is not None:
            return (self._of_persons(self.roles.person, classes.fewest or 0),)
        records = self.people.table.records
        if isinstance(self.risk, PopulationRisk):
            mean = max(maximum, _risk(self.risk, classes)) / records
            return (AveragePopulationRisk(least_maximum(mean * (1.0 + SLACK)), self.risk.gamma),)
        mean = _risk(PopulationRisk(), classes) / records
        bound = AveragePopulationRisk(least_maximum(mean * (1.0 + SLACK)))
        if isinstance(self.risk, RecordsAtRisk) and _risk(self.risk, classes) == 0.0:
            known = self.people.basis != "sample"
            return (KMap(self.risk.k) if known else KAnonymity(self.risk.k), bound)
        return (bound,)

    def _of_persons(self, person: str, fewest: int) -> PrivacyModel:
        if fewest > 1:
            leaves_out: Literal["rows", "persons"] = "rows" if self.knows == 1 else "persons"
            return PersonAnonymity(fewest, person, self.knows, leaves_out)
        raise Refusal(
            "this policy cannot be released, because the known values of at least one person "
            "match no other person",
            where=self.source.name,
            fix="choose a policy with less risk, or run roadstead anonymize, which can leave "
            "people out",
        )


def _risk(measure: SummedRisk, classes: ClassesOfPolicy) -> float:
    return float(np.sum(classes.records * measure.weights().of(classes.people)))
