"""Create the best de-identified release of a table.

Roadstead summarizes the table where it is stored, and searches for a policy in the summary. If the
summary is too large for memory, the search sends queries to the database engine (see `in_engine`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from roadstead.jobs import Delivery, Observer
from roadstead.policies.document import Policy, Suppression
from roadstead.registry import required
from roadstead.release.generalization import generalize
from roadstead.reports.terminal.anonymization import proof_lines, summary
from roadstead.reports.terminal.withheld import listed_as_undecided
from roadstead.reports.written import read_and_check
from roadstead.requests.joining import left_undecided, with_proposal
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.plan import AnonymizationPlan, Answer
from roadstead.verbs.anonymize.proof import text_file_of, write_proof
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.anonymize.search import answer_of
from roadstead.verbs.anonymize.settings import check_names, plan_of
from roadstead.verbs.examined_table import ExaminedTable, examined_columns, examined_table
from roadstead.verbs.kept import with_kept
from roadstead.verbs.opening import opened
from roadstead.verbs.persons.dates import require_all_shifted
from roadstead.verbs.persons.settings import links
from roadstead.verbs.settings import added_k
from roadstead.verbs.treatments import require_no_identifier
from roadstead.verbs.unused_settings import without_unused_settings
from roadstead.verbs.writing import check_with, delivered, require_new_table, require_output

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.request import AnonymizeRequest


def deliver(request: AnonymizeRequest, observer: Observer) -> Delivery[Any]:
    """Find the best policy, write the release if requested, and describe the result."""
    check_names(request)
    if request.tables or request.described:
        deliver_database = required("sets of tables", "verbs.database.run:deliver_database")
        found: Delivery[Any] = deliver_database(request, observer, anonymization_of)
        return found
    request = with_proposal(request)
    require_output(request)
    source = opened(request.data, request, observer)
    require_new_table(request, source)
    project = request.origin.project
    undecided = left_undecided(request, project, source.columns)
    request, unused = without_unused_settings(request, source.columns)
    result = anonymization_of(request, source, observer)
    observer.finished()
    return delivered(
        result,
        request,
        [
            *listed_as_undecided(undecided, project.name),
            *unused,
            *summary(result),
            *proof_lines(
                request.proof,
                source.path if text_file_of(source) else None,
                source.read_from,
                recoded=request.recoding != "global",
            ),
        ],
        observer,
        project=project,
        read=lambda out: read_and_check(out / "report.html", check_with(out, request.into)),
    )


def anonymization_of(
    request: AnonymizeRequest, source: Source, observer: Observer
) -> Anonymization:
    """Find the policy with the lowest loss among all policies that meet the requirements."""
    began = time.perf_counter()
    plan = plan_of(request, source)
    table = _examined(plan)
    answer = answer_of(plan, observer)
    if answer.task.plan is not plan:  # fewer missing codes stay
        plan = answer.task.plan
        table = _examined(plan)
    if request.proof is not None:
        write_proof(request.proof, answer.proof)
    return table.checked(_released(plan, table, answer, began))


def _examined(plan: AnonymizationPlan) -> ExaminedTable:
    source, roles = plan.source, plan.roles
    examined = examined_columns(source, roles, fewest=plan.fewest, treatments=plan.treatments)
    require_no_identifier(plan.treatments, roles, examined)
    table = examined_table(
        source,
        roles,
        examined,
        k=plan.judged_by,
        linked=links(plan.request),
        known=plan.request.knows is not None,
        treatments=plan.treatments,
    )
    require_all_shifted(plan.persons.rules, roles, examined, plan.persons.dates.before)
    return table


def _released(
    plan: AnonymizationPlan, table: ExaminedTable, answer: Answer, began: float
) -> Anonymization:
    request, task, counted = plan.request, answer.task, answer.task.table
    decided = table.decided(counted)
    policy = Policy(
        attributes=answer.attributes,
        privacy=tuple(model.settings() for model in task.models),
        suppression=Suppression(
            request.suppression, request.suppressed if plan.roles.person is None else "drop"
        ),
        columns=decided.columns,
        persons=plan.persons.rules,
        recoding=answer.recoding,
        treatments=plan.treatments,
    )
    kept = with_kept(counted, task.models, task.hierarchies, answer.levels)
    generalized = generalize(kept, policy, task.models).with_pseudonyms(plan.pseudonyms)
    least = None if request.count_records else plan.k
    applied = table.released(policy, generalized, decided, least=least)
    return Anonymization(
        source=plan.source,
        roles=plan.roles,
        policy=applied.policy,
        models=task.models,
        quality=plan.quality,
        space=answer.space,
        limit=task.limit,
        outcome=answer.outcome,
        search=answer.search,
        generalized=applied.generalized,
        loss_by_attribute=answer.loss_by_attribute,
        hierarchies=task.hierarchies,
        origins={**task.origins, **answer.origins},
        decided=applied.decided,
        time_limit=request.time_limit,
        seed=request.seed,
        seconds=time.perf_counter() - began,
        added_k=added_k(request.k, plan.privacy),
        recoded=answer.found,
        matched=dict(plan.matched),
        dates=plan.persons.dates,
    )
