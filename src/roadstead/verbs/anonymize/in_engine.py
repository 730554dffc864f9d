"""Search for a policy in the database engine if there are too many combinations for memory.

This method supports only the exact search, Iyengar's loss, and privacy models that depend only on
class sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.errors import NoPolicyError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.attribute_policy import attribute_policies
from roadstead.policies.classes import no_class
from roadstead.policies.full_domain import Levels
from roadstead.quality.models.loss import Loss
from roadstead.search.diagnosis import diagnosed
from roadstead.search.exact import Exact
from roadstead.search.in_engine.evaluator import InEngine
from roadstead.search.in_engine.problem import classes_of_policy, prepare
from roadstead.search.in_engine.reading import Queries, read_domains
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.stores.access import workbench
from roadstead.verbs.anonymize.plan import AnonymizationPlan, AnonymizationTask, Answer, ended_early
from roadstead.verbs.settings import smallest_class

ALWAYS = 1_000_000
"""Memory can always hold this number of attribute values or of classes."""


def find_in_engine(plan: AnonymizationPlan, control: Control) -> Answer:
    """Search for a policy by sending queries to the engine."""
    with workbench(plan.source) as bench:
        return _find(Queries(bench, plan.source.name), plan, control)


def _find(queries: Queries, plan: AnonymizationPlan, control: Control) -> Answer:
    most = max(plan.request.combinations, ALWAYS)
    quality = plan.quality
    if not isinstance(quality, Loss):  # other losses are rejected earlier
        raise TypeError
    domains = read_domains(queries, plan.roles.quasi, most)
    task = plan.task(domains.table, domains.records)
    tables = prepare(
        queries,
        domains,
        task.hierarchies,
        aggregate=quality.aggregate,
        smallest=smallest_class(task.models),
        limit=task.limit,
        minimum=plan.request.min_level,
        maximum=plan.request.max_level,
    )
    evaluator = tables.evaluator
    search = Exact()
    outcome = search.run(evaluator, control)
    if outcome.best is None:
        hierarchies = tables.columns.encoding.hierarchies
        raise NoPolicyError(_why_none(evaluator, hierarchies, outcome, task))
    levels = outcome.best.policy
    best = evaluator.evaluate(levels, evaluator.start(), levels)
    losses = evaluator.bounds.loss_by_attribute(levels, best.tally, no_class())
    table = classes_of_policy(tables, levels, most)
    return Answer(
        task=replace(task, table=table),
        space=evaluator.space,
        outcome=replace(outcome, queries=queries.number),
        search=search,
        attributes=attribute_policies(tables.columns.encoding.hierarchies, levels),
        loss_by_attribute=dict(zip(plan.roles.quasi, losses, strict=True)),
    )


def _why_none(
    evaluator: InEngine,
    hierarchies: Sequence[Hierarchy],
    outcome: Outcome[Levels],
    task: AnonymizationTask,
) -> str:
    models, promise = task.models, task.promise
    if outcome.ending != "complete":
        return ended_early(outcome.ending, promise)
    masks = task.plan.request.suppressed == "mask" and evaluator.records >= smallest_class(models)
    diagnosis = diagnosed(evaluator, evaluator.records, evaluator.suppressed, masks=masks)
    return f"no policy meets {promise}: " + "; ".join(diagnosis.described(hierarchies).sentences)
