"""The main job: a table in, the provably best de-identified release out.

The table is summarized where it lies; the search runs on the summary, or in the engine where even
the summary is too large (`in_engine`). What comes back is an `Anonymization`, which says what was
found and can be written as a release or taken as a table.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from roadstead.capabilities import require_combination
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.log import LOG
from roadstead.policies.document import Policy, Suppression
from roadstead.privacy.combination import columns_of
from roadstead.quality.protocol import QualityModel
from roadstead.quality.registry import quality_model
from roadstead.quality.width_formula import LossOfWidths
from roadstead.quality.words import QUALITY_MODELS
from roadstead.release.generalization import generalize
from roadstead.release.generalized import masks
from roadstead.release.persons.old_ages import require_no_old_age
from roadstead.release.treatments.treating import treated
from roadstead.requests.joining import left_undecided, with_proposal
from roadstead.search.protocol import Control
from roadstead.search.registry import LEVELS, PARTITIONS
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable, OutgrownError, summarize_within
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.in_engine import find_in_engine
from roadstead.verbs.anonymize.partitions import find_partition
from roadstead.verbs.anonymize.plan import AnonymizationPlan, Answer, find_levels
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.anonymize.words import summary
from roadstead.verbs.columns import decide_columns, examined_columns
from roadstead.verbs.combination import anonymize_parts, engine_part
from roadstead.verbs.database.run import deliver_database
from roadstead.verbs.kept import with_kept
from roadstead.verbs.key.use import pseudonyms_by
from roadstead.verbs.opening import opened
from roadstead.verbs.people import populated
from roadstead.verbs.persons.by_people import with_risk_by_people
from roadstead.verbs.persons.dates import PlannedPersons, planned_persons, require_all_shifted
from roadstead.verbs.persons.linkage import links_by_declared, without_links
from roadstead.verbs.persons.models import in_persons, require_requestable
from roadstead.verbs.persons.settings import links
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import (
    USUAL_K,
    added_k,
    aggregate_of,
    check_target,
    choose,
    choose_search,
    k_alongside,
    roles_of,
    smallest_class,
)
from roadstead.verbs.treatments import (
    require_free,
    require_no_identifier,
    treatments_of,
    with_treated_columns,
)
from roadstead.verbs.withheld_words import listed_as_undecided
from roadstead.verbs.writing import check_with, delivered, require_new_table, require_output

if TYPE_CHECKING:
    from pathlib import Path

    from roadstead.policies.treatments.document import Treatment
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.persons.pseudonyms import Pseudonyms
    from roadstead.tables.identifiers.judgment import Examined
    from roadstead.verbs.anonymize.request import AnonymizeRequest
    from roadstead.verbs.columns import ColumnDecisions
    from roadstead.verbs.hierarchies import Given


def deliver(request: AnonymizeRequest, observer: Observer) -> Delivery[Any]:
    """Find the best policy, write the release where the request says, and say what was done."""
    if not callable(request.quality):
        choose(request.quality, QUALITY_MODELS, option("quality"))
    if request.recoding == "global":
        choose_search(request.search, LEVELS, PARTITIONS)
    else:
        from roadstead.verbs.anonymize.recoding.find import recoding_search  # noqa: PLC0415 - heavy

        recoding_search(request, request.recoding)
    if request.tables or request.described:
        return deliver_database(request, observer, anonymization_of)
    request = with_proposal(request)
    require_output(request)
    source = opened(request.data, request, observer)
    require_new_table(request, source)
    project = request.origin.project
    undecided = left_undecided(request, project, source.columns)
    result = anonymization_of(request, source, observer)
    observer.finished()
    return delivered(
        result,
        request,
        [*listed_as_undecided(undecided, project), *summary(result)],
        project=project,
        read=lambda out: f"Read {out / 'report.html'}; check with: {check_with(out, request.into)}",
    )


@dataclass(frozen=True)
class _Setup:
    """The settings of a request, matched to the columns of a table, before the table is counted."""

    began: float
    source: Source  # with the dates that persons' rules make of it
    roles: Roles
    matched: dict[str, tuple[str, ...]]  # columns of each pattern of names
    persons: PlannedPersons
    plan: AnonymizationPlan
    treatments: tuple[Treatment, ...]
    judged: tuple[str, ...]  # columns that models and measures look at besides quasi-identifiers
    pseudonyms: Pseudonyms | None

    @property
    def k(self) -> int:
        """The class size that columns are judged by."""
        return self.plan.k or USUAL_K


def anonymization_of(
    request: AnonymizeRequest, source: Source, observer: Observer
) -> Anonymization:
    """Find the policy that loses least among all that protect the table."""
    setup = _setup_of(request, source)
    source, roles = setup.source, setup.roles
    examined = examined_columns(source, roles)
    require_no_identifier(setup.treatments, roles, examined)
    linking = links_by_declared(source, roles, k=setup.k, linked=links(request))
    require_all_shifted(setup.persons.rules, roles, examined)
    answer = _searched(setup, observer)
    decided = _decided(setup, answer, examined)
    decided = without_links(source, decided, linking, k=setup.k)
    result = _generalized(setup, answer, decided)
    require_no_old_age(source, result.policy, result.generalized, examined.samples)
    result.count()  # while the source is open, which the result may outlive
    return result


def _setup_of(request: AnonymizeRequest, source: Source) -> _Setup:
    """Match roles, models, and the measure to the table, and refuse conflicts."""
    began = time.perf_counter()
    roles, matched = roles_of(request).matched(source.columns)
    roles.check(source.columns)
    models = _models(request, roles)
    k = k_alongside(request.k, models)
    treatments = treatments_of(request.treat, roles, source.columns, k or USUAL_K)
    parts = anonymize_parts(request, models, k, treatments)
    require_combination(parts)
    planned = planned_persons(request, roles, source)
    source, roles = planned.dates.source, planned.roles
    pseudonyms = pseudonyms_by(request.key, request.out) if links(request) else None
    roles.check(source.columns)
    check_target(request.target, roles)
    plan = AnonymizationPlan(
        request,
        source.name,
        roles.quasi,
        _quality(request, roles.quasi, max(k or 1, smallest_class(models))),
        in_persons(models, request),
        k,
        *_hierarchies(request, columns_of(models)),
        parts,
        planned.intervals,
        source.columns,
    )
    judged = tuple(dict.fromkeys((*columns_of(plan.privacy), *plan.quality.columns)))
    names.require(judged, source.columns)
    require_free(treatments, judged, () if planned.rules is None else planned.rules.dates)
    roles = with_treated_columns(roles.with_sensitive(judged), treatments)
    roles.require_decided(source.columns)
    return _Setup(began, source, roles, matched, planned, plan, treatments, judged, pseudonyms)


def _models(request: AnonymizeRequest, roles: Roles) -> tuple[PrivacyModel, ...]:
    """Return the further privacy models of a request, which are of records as yet."""
    folder, every = _hierarchies(request)
    models = models_of(request.privacy, roles.sensitive, folder, every, base=request.base)
    require_requestable(models)
    return models


def _hierarchies(
    request: AnonymizeRequest, besides: Collection[str] = ()
) -> tuple[str | Path | None, dict[str, Given]]:
    """Return the folder of hierarchies, and those given by column but for some columns."""
    given = request.hierarchies
    named = given if isinstance(given, Mapping) else {}
    every = {**named, **(request.declared or {})}
    own = {name: one for name, one in every.items() if name not in besides}
    return None if isinstance(given, Mapping) else given, own


def _searched(setup: _Setup, observer: Observer) -> Answer:
    """Count the table and search it."""
    request = setup.plan.request
    control = Control(request.time_limit, observer.stopped, observer.progress)
    summarized = _summarized(request, setup.source, setup.roles.quasi, setup.judged)
    LOG.info(
        "summarized: %s",
        "too many combinations, so the engine is asked"
        if summarized is None
        else f"{summarized.records} records, {summarized.distinct} combinations",
    )
    answer = _answer(setup.plan, setup.source, summarized, control)
    LOG.info(
        "searched with %s: %s after %.2f s, %d policies evaluated",
        answer.search.name,
        answer.outcome.ending,
        answer.outcome.seconds,
        answer.outcome.evaluated,
    )
    return answer


def _decided(setup: _Setup, answer: Answer, examined: Examined) -> ColumnDecisions:
    """Decide which columns are released; the search counted the records."""
    table = answer.task.table
    decided = decide_columns(setup.source, setup.roles, examined, k=setup.k, records=table.records)
    return replace(
        decided,
        linked=links(setup.plan.request),
        treatments=setup.treatments,
        alone=setup.roles.person is not None and table.units == table.records,
    )


def _generalized(setup: _Setup, answer: Answer, decided: ColumnDecisions) -> Anonymization:
    """Write down the policy that the search found, and generalize the table by it."""
    source, plan, task = setup.source, setup.plan, answer.task
    request = plan.request
    policy = Policy(
        attributes=answer.attributes,
        privacy=tuple(model.settings() for model in task.models),
        suppression=Suppression(
            request.suppression, request.suppressed if setup.roles.person is None else "drop"
        ),
        columns=decided.columns,
        persons=setup.persons.rules,
        recoding=answer.recoding,
        treatments=setup.treatments,
    )
    table = with_kept(task.table, task.models, task.hierarchies, answer.levels)
    generalized = generalize(table, policy, task.models).with_pseudonyms(setup.pseudonyms)
    least = None if request.count_records else plan.k
    decided = with_risk_by_people(source, decided, generalized, least=least)
    policy, generalized = treated(source, policy, generalized, mask=masks(policy, generalized))
    return Anonymization(
        source=source,
        roles=setup.roles,
        policy=policy,
        models=task.models,
        quality=plan.quality,
        space=answer.space,
        limit=task.limit,
        outcome=answer.outcome,
        search=answer.search,
        generalized=generalized,
        loss_by_attribute=answer.loss_by_attribute,
        hierarchies=task.hierarchies,
        origins={**task.origins, **answer.origins},
        decided=decided,
        time_limit=request.time_limit,
        seed=request.seed,
        seconds=time.perf_counter() - setup.began,
        added_k=added_k(request.k, plan.privacy),
        recoded=answer.found,
        matched=setup.matched,
        dates=setup.persons.dates,
    )


def _quality(request: AnonymizeRequest, quasi: tuple[str, ...], smallest: int) -> QualityModel:
    """Return the loss that the request minimizes; `smallest` records are in a class at least."""
    if callable(request.quality):
        return LossOfWidths(request.quality)
    # A recoding minimizes the arithmetic mean, for which there are bounds.
    mean = request.aggregate if request.recoding == "global" else "arithmetic"
    return quality_model(
        request.quality,
        aggregate_of(mean, request.weights, quasi),
        request.target,
        smallest,
        request.weigh,
        suppression={
            "gs_factor": request.gs_factor,
            "monotone": request.monotone,
            "gs_formula": request.gs_formula,
        },
        stakes={
            **(request.stakes or {}),
            **({} if request.attacker is None else {"attacker": request.attacker}),
        },
    )


def _answer(
    plan: AnonymizationPlan, source: Source, summarized: FrequencyTable | None, control: Control
) -> Answer:
    """Search: the table in memory, or the engine that has it."""
    request = plan.request
    recoding = None if request.recoding == "global" else request.recoding
    if summarized is None:
        require_combination((*plan.parts, engine_part(request.combinations)))
        return find_in_engine(source, plan, control)
    table = populated(summarized, request.population, request.population_counts)
    task = plan.task(table, table.records)
    if recoding is not None:
        from roadstead.verbs.anonymize.recoding.find import (  # noqa: PLC0415 - heavy
            find_recoding,
            recoding_search,
        )

        return find_recoding(recoding, recoding_search(request, recoding), task, control)
    if plan.cutting is not None:
        return find_partition(plan.cutting, task, control)
    return find_levels(LEVELS[request.search](request.seed), task, control)


def _summarized(
    request: AnonymizeRequest, source: Source, quasi: tuple[str, ...], alongside: tuple[str, ...]
) -> FrequencyTable | None:
    """Count the table, by persons where they are named; None if it has too many combinations."""
    if request.person is None:
        return summarize_within(source, quasi, alongside, most=request.combinations)
    try:
        return summarize_persons(
            source, request.person, quasi, alongside, most=request.combinations
        )
    except OutgrownError:
        return None
