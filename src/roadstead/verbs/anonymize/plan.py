"""Define the task and the result of a search for any kind of policy.

Some searches choose a level from each hierarchy (see `find_levels`). Other searches divide ordered
domains into intervals (see `partitions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.capabilities import Component
from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.attribute_policy import AttributePolicy, attribute_policies
from roadstead.policies.document import Suppression
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import FullDomain, Levels, full_domain
from roadstead.policies.recodings.document import Recoding
from roadstead.privacy.combination import bind_all, columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.models.loss import Loss
from roadstead.quality.protocol import QualityModel
from roadstead.release.added_risk import group_size
from roadstead.reports.release.facts import RecodingFound
from roadstead.search.diagnosis import diagnose
from roadstead.search.evaluation import FullDomainProblem, loss_by_attribute
from roadstead.search.left_out import persons_left_out, units_of
from roadstead.search.protocol import Control, Named, Outcome
from roadstead.search.registry import PARTITIONS, LevelSearch, PartitionSearch
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.identifiers.descriptions import described_ages
from roadstead.tables.persons.profiles import PersonTable
from roadstead.verbs.anonymize.proof import counted_columns, proof_of, reading_of, terms_of
from roadstead.verbs.declared_codes import missing_codes_of
from roadstead.verbs.hierarchies import Given, choose_hierarchies
from roadstead.verbs.kept import listing_domains
from roadstead.verbs.persons.settings import person_anonymity
from roadstead.verbs.settings import USUAL_K, check_k

if TYPE_CHECKING:
    from roadstead.policies.treatments.document import Treatment
    from roadstead.release.persons.pseudonyms import Pseudonyms
    from roadstead.search.optimality_proof import ExactMean
    from roadstead.search.proof_document import ProofTerms, ReadingOfTable
    from roadstead.search.recoding.protocol import RecodingOutcome, RecodingProblem
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest
    from roadstead.verbs.persons.dates import PlannedPersons


@dataclass(frozen=True)
class AnonymizationPlan:
    """A request, with all information that is available before the table is counted."""

    request: AnonymizeRequest  # the checked request
    source: Source  # the table, with dates already changed by the rules for people
    roles: Roles
    persons: PlannedPersons
    quality: QualityModel  # the minimized loss
    privacy: tuple[PrivacyModel, ...]  # models required in addition to k-anonymity
    k: int | None  # k of k-anonymity, or None
    folder: str | Path | None  # folder of hierarchy files; declared hierarchies override them
    declared: Mapping[str, Given]
    parts: tuple[Component, ...]  # the parts, which can be combined
    treatments: tuple[Treatment, ...] = ()
    mean: ExactMean | None = None  # the mean that a proof uses, if a proof is requested
    pseudonyms: Pseudonyms | None = None
    matched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # columns per pattern
    read: Source | None = None  # the source without the missing codes that the release keeps

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the columns, other than quasi-identifiers, that the models and the loss use."""
        return tuple(dict.fromkeys((*columns_of(self.privacy), *self.quality.columns)))

    @property
    def judged_by(self) -> int:
        """Return the class size that the decisions about columns use."""
        return self.k or USUAL_K

    @property
    def fewest(self) -> int:
        """Return the smallest number of records that a released label must have."""
        return group_size(self.privacy) if self.k is None else max(self.k, 2)

    @property
    def cutting(self) -> PartitionSearch | None:
        """Return the requested search if it divides ordered domains, and otherwise None."""
        name = self.request.search
        if self.request.recoding != "global" or name not in PARTITIONS:
            return None
        return PARTITIONS[name](self.request.seed)

    def task(self, table: FrequencyTable, records: int) -> AnonymizationTask:
        """Return the search task for a table with the given number of records.

        `table` may be empty.
        """
        own = () if self.k is None else (self._own_model(self.k, table, records),)
        hierarchies, origins = choose_hierarchies(
            table,
            self.folder,
            self.declared,
            base=self.request.base,
            means={**described_ages(self.source, table.attributes), **self.persons.meanings},
            codebook=self.source.codebook,
            missing_codes=missing_codes_of(self.source),
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
    """The task of finding the policy with the lowest loss."""

    plan: AnonymizationPlan  # the request and what follows from it
    # The table, a hierarchy for each of its attributes, and the source of each hierarchy.
    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    origins: dict[str, str]
    models: tuple[PrivacyModel, ...]  # all required models
    limit: int  # largest number of records that may be suppressed

    @property
    def promise(self) -> str:
        """Return the names of the required models as a string."""
        return " and ".join(model.name for model in self.models)


@dataclass(frozen=True)
class Answer:
    """The best policy that a search found, with facts about the search."""

    # The task. If the table was too large for memory, the task contains the best policy's classes.
    task: AnonymizationTask
    space: FullDomain  # the searched policies, and the result of the search
    outcome: Outcome[Levels]
    search: Named
    attributes: tuple[AttributePolicy, ...]  # the rule for each quasi-identifier
    loss_by_attribute: dict[str, float]  # loss of each quasi-identifier, 0 to 1
    # For each attribute, the source of the levels or the order, if the search chose them.
    origins: dict[str, str] = field(default_factory=dict)
    # If classes differ, the recoding with the labels of each class, and facts about the recoding.
    recoding: Recoding | None = None
    found: RecodingFound | None = None
    proof: bytes | None = None  # a proof of the optimum or the bound, if requested and completed

    @property
    def levels(self) -> Levels:
        """Return the level of each quasi-identifier."""
        return tuple(attribute.level for attribute in self.attributes)


def _proof(
    problem: FullDomainProblem, outcome: Outcome[Levels], task: AnonymizationTask, control: Control
) -> bytes | None:
    if task.plan.mean is None:
        return None
    used = (*task.plan.roles.quasi, *counted_columns(task.models, task.table))
    return proof_of(problem, outcome, task.plan.mean, *_stated(task, used), control)


def _stated(task: AnonymizationTask, used: Sequence[str]) -> tuple[ProofTerms, ReadingOfTable]:
    """Return what a proof says about the requirements and about the form of the table."""
    plan = task.plan
    return (
        terms_of(task.models, task.table, plan.request.suppression),
        reading_of(plan.source, plan.request.missing or (), used),
    )


def bound_proof_of(
    task: AnonymizationTask, problem: RecodingProblem, found: RecodingOutcome, control: Control
) -> bytes | None:
    """Prove the bound for a recoding, if a proof is requested.

    If the search computed its bound without prices, this function computes the prices.
    """
    if task.plan.mean is None:
        return None
    from roadstead.search.bound_document import bound_bytes  # noqa: PLC0415 - for proofs only
    from roadstead.search.recoding.bounds.nodes import node_bound  # noqa: PLC0415 - the same

    prices = node_bound(problem, control).prices if found.prices is None else found.prices
    return bound_bytes(problem, prices, task.plan.mean, *_stated(task, task.plan.roles.quasi))


def find_levels(search: LevelSearch, task: AnonymizationTask, control: Control) -> Answer:
    """Search the lattice for the best policy. Reject problems that the search does not support."""
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
        proof=_proof(problem, outcome, task, control),
    )


def problem_of(task: AnonymizationTask) -> FullDomainProblem:
    """Build the problem for a search of the lattice."""
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
        return f"the search found no policy that meets {promise}, but such a policy may exist"
    if outcome.ending != "complete":
        return ended_early(outcome.ending, promise)
    found = diagnose(problem, masks=task.plan.request.suppressed == "mask")
    return f"no policy meets {promise}: " + "; ".join(found.sentences)


def losses(problem: FullDomainProblem, levels: Levels) -> dict[str, float]:
    """Return the loss of each attribute.

    If the quality model defines no loss per attribute, Iyengar's loss is used.
    """
    found = loss_by_attribute(problem, levels)
    if found is None:
        own = replace(problem, quality=Loss().bind(problem.encoding))
        found = loss_by_attribute(own, levels) or []
    return dict(zip(problem.encoding.attributes, found, strict=True))


def ended_early(ending: str, promise: str) -> str:
    """Return a message about a search that ended before it found a policy."""
    return f"the search ended ({ending}) before it found a policy that meets {promise}"
