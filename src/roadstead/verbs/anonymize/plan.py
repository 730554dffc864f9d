"""What a search is to find, and what it found, whatever kind of policy it looks for.

Some searches choose a level of each hierarchy (`find_levels`), others cut ordered domains
(`partitions`). What searches of a kind cannot do is refused before the table is counted, and what
they found becomes the rules of a policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.capabilities import Component
from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.document import AttributePolicy, Suppression, attribute_policies
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import FullDomain, Levels, full_domain
from roadstead.policies.recodings.document import Recoding
from roadstead.privacy.combination import bind_all, columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.models.loss import Loss
from roadstead.quality.protocol import QualityModel
from roadstead.search.diagnosis import diagnose
from roadstead.search.evaluation import FullDomainProblem, loss_by_attribute
from roadstead.search.left_out import persons_left_out, units_of
from roadstead.search.protocol import Control, Named, Outcome
from roadstead.search.registry import PARTITIONS, LevelSearch, PartitionSearch
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable
from roadstead.verbs.anonymize.facts import RecodingFound
from roadstead.verbs.hierarchies import Given, choose_hierarchies
from roadstead.verbs.kept import listing_domains
from roadstead.verbs.persons.settings import person_anonymity
from roadstead.verbs.settings import USUAL_K, check_k

if TYPE_CHECKING:
    from roadstead.policies.treatments.document import Treatment
    from roadstead.release.persons.pseudonyms import Pseudonyms
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest
    from roadstead.verbs.persons.dates import PlannedPersons


@dataclass(frozen=True)
class AnonymizationPlan:
    """A request, with all that can be made of it before the table is counted."""

    request: AnonymizeRequest  # the request, checked
    source: Source  # the table, with the dates that persons' rules make of it
    roles: Roles
    persons: PlannedPersons
    quality: QualityModel  # the loss to be minimized
    privacy: tuple[PrivacyModel, ...]  # models that must hold, alongside k-anonymity
    k: int | None  # the k of that; None where there is none
    folder: str | Path | None  # folder of hierarchy files, and hierarchies that go before them
    declared: Mapping[str, Given]
    parts: tuple[Component, ...]  # what was found to go together
    treatments: tuple[Treatment, ...] = ()
    pseudonyms: Pseudonyms | None = None
    matched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # columns of each pattern

    @property
    def judged(self) -> tuple[str, ...]:
        """Columns that models and the loss look at besides quasi-identifiers."""
        return tuple(dict.fromkeys((*columns_of(self.privacy), *self.quality.columns)))

    @property
    def judged_by(self) -> int:
        """The class size that columns are judged by."""
        return self.k or USUAL_K

    @property
    def cutting(self) -> PartitionSearch | None:
        """The search that cuts ordered domains, if one is requested."""
        name = self.request.search
        if self.request.recoding != "global" or name not in PARTITIONS:
            return None
        return PARTITIONS[name](self.request.seed)

    def task(self, table: FrequencyTable, records: int) -> AnonymizationTask:
        """Make the task that a table of so many records is; of its rows it may lack all."""
        own = () if self.k is None else (self._own_model(self.k, table, records),)
        hierarchies, origins = choose_hierarchies(
            table,
            self.folder,
            self.declared,
            base=self.request.base,
            days=self.persons.intervals,
        )
        models = (*own, *listing_domains(self.privacy, hierarchies))
        units = units_of(models, table)
        limit = Suppression(self.request.suppression).most(units or records)
        return AnonymizationTask(self, table, hierarchies, origins, models, limit)

    def _own_model(self, k: int, table: FrequencyTable, records: int) -> PrivacyModel:
        if not isinstance(table, PersonTable):
            return check_k(k, records, self.source.name)
        check_k(k, table.units, self.source.name, "persons")
        return person_anonymity(k, self.request)


@dataclass(frozen=True)
class AnonymizationTask:
    """The policy of a table is sought that loses least."""

    plan: AnonymizationPlan  # what is requested
    # The table, a hierarchy for each of its attributes, and where each came from.
    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    origins: dict[str, str]
    models: tuple[PrivacyModel, ...]  # all models that must hold
    limit: int  # most records that may be suppressed

    @property
    def promise(self) -> str:
        """Names of the models."""
        return " and ".join(model.name for model in self.models)


@dataclass(frozen=True)
class Answer:
    """The best policy found."""

    # What was to be found. Where the table was too large, it has the classes of this policy.
    task: AnonymizationTask
    space: FullDomain  # the policies searched, what was found, and how
    outcome: Outcome[Levels]
    search: Named
    attributes: tuple[AttributePolicy, ...]  # what the policy does to each quasi-identifier
    loss_by_attribute: dict[str, float]  # loss of each quasi-identifier, 0 to 1
    # For each attribute, where its levels or its order come from, if the search chose that.
    origins: dict[str, str] = field(default_factory=dict)
    # What each class shows, where classes differ in that, and what is known of it.
    recoding: Recoding | None = None
    found: RecodingFound | None = None

    @property
    def levels(self) -> Levels:
        """The level of each quasi-identifier."""
        return tuple(attribute.level for attribute in self.attributes)


def find_levels(search: LevelSearch, task: AnonymizationTask, control: Control) -> Answer:
    """Search the lattice, if the search is made for such a problem."""
    problem = problem_of(task)
    if (reason := search.refusal(problem)) is not None:
        raise SettingError(reason, where=option("search"), fix=f"use {option('search', 'exact')}")
    outcome = search.run(problem, control)
    if outcome.best is None:
        raise NoPolicyError(_why_none(problem, outcome, task))
    levels = outcome.best.policy
    return Answer(
        task=task,
        space=problem.space,
        outcome=outcome,
        search=search,
        attributes=attribute_policies(problem.encoding.hierarchies, levels),
        loss_by_attribute=losses(problem, levels),
    )


def problem_of(task: AnonymizationTask) -> FullDomainProblem:
    """Make the problem that a search of the lattice takes."""
    plan = task.plan
    encoding = encode(task.table, task.hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies, plan.request.min_level, plan.request.max_level),
        privacy=bind_all(task.models, task.table),
        quality=plan.quality.bind(encoding),
        limit=task.limit,
        persons=persons_left_out(task.models, task.table),
    )


def _why_none(problem: FullDomainProblem, outcome: Outcome[Levels], task: AnonymizationTask) -> str:
    promise = task.promise
    if outcome.ending == "complete" and not outcome.proven:
        return f"the search found no policy with {promise}, but it does not prove that none exists"
    if outcome.ending != "complete":
        return ended_early(outcome.ending, promise)
    found = diagnose(problem, masks=task.plan.request.suppressed == "mask")
    return f"no policy meets {promise}: " + "; ".join(found.sentences)


def losses(problem: FullDomainProblem, levels: Levels) -> dict[str, float]:
    """Loss of each attribute; Iyengar's where the quality model speaks of classes only."""
    found = loss_by_attribute(problem, levels)
    if found is None:
        own = replace(problem, quality=Loss().bind(problem.encoding))
        found = loss_by_attribute(own, levels) or []
    return dict(zip(problem.encoding.attributes, found, strict=True))


def ended_early(ending: str, promise: str) -> str:
    """Say that a search was ended before it had a policy."""
    return f"the search ended ({ending}) before it found a policy with {promise}"
