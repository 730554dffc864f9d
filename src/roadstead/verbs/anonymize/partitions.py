"""Partition the ordered domain of each quasi-identifier into intervals, as in k-Optimize.

The search measures the cost of a partition in whole numbers. The loss of a partition is its cost
divided by the cost of suppressing every record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import NoPolicyError
from roadstead.front_end import option
from roadstead.hierarchies.rules import Groups
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.policies.partition import OrderedDomains
from roadstead.quality.partition_costs import PartitionCost
from roadstead.requests.checks import wrong
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Candidate, Control, Outcome, Progress
from roadstead.search.registry import PartitionSearch
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import counted_by
from roadstead.verbs.anonymize.plan import (
    AnonymizationTask,
    Answer,
    ended_early,
    losses,
    problem_of,
)
from roadstead.verbs.declared_codes import keeping_codes_of, missing_codes_of, policy_of
from roadstead.verbs.hierarchies import cut_at, ordered_with_codes, places_in, refuse_rare
from roadstead.verbs.settings import smallest_class

MOST_CELLS = 10_000_000
"""The maximum number of combinations, counted separately for each target value."""
_NEVER_GROUPED = 2
"""A rule never lists the values of a domain with at most this many values."""


class CutSpace(FullDomain):
    """The space of all partitions of ordered domains.

    The level of an attribute is the number of boundaries that the partition removes.
    """

    @property
    def size(self) -> int:
        """Return the number of partitions: two to the power of the number of boundaries."""
        return 1 << sum(self.top)


def find_partition(search: PartitionSearch, task: AnonymizationTask, control: Control) -> Answer:
    """Search for the best intervals, and convert them to a policy."""
    ordered = tuple(ordered_with_codes(task.table, hierarchy) for hierarchy in task.hierarchies)
    where, exact = option("search"), f"use {option('search', 'exact')}"
    domains, codes = places_in(task.table, ordered, "search", exact)
    problem = _problem(task, domains, codes)
    listing = f"give a hierarchy that lists the values in order, or {exact}"
    refuse = partial(refuse_rare, task.table, fewer_than=problem.k, where=where, fix=listing)
    for domain in ordered:
        if not domain.numeric and domain.size > _NEVER_GROUPED:
            refuse(domain)
    # The loss is 1 if every record is suppressed.
    unit = problem.prices.suppressed * problem.records
    found = search.run(problem, _reporting_losses(control, unit))
    if found.best is None:
        raise NoPolicyError(ended_early(found.ending, task.promise))
    attributes, made, exact_one = [], [], True
    for domain, intervals in zip(ordered, domains.intervals(found.best.policy), strict=True):
        firsts = [first for first, _ in intervals]
        exact_one &= firsts == domain.representable(firsts)
        attributes.append(cut_at(domain, firsts))
        _, own, _ = domain.without_codes(firsts)
        kept = attributes[-1].missing_codes
        made.append(own.hierarchy(attributes[-1].rule).keeping(kept))
        if isinstance(attributes[-1].rule, Groups):
            refuse(domain)
    # In this problem, level 1 of each attribute is its rule.
    task = _without_other_codes(task, attributes)
    released = problem_of(replace(task, hierarchies=tuple(made)))
    rules = tuple(1 for _ in attributes)
    counted = released.judge(rules)
    if counted is None or (exact_one and counted.suppressed != found.best.suppressed):
        raise RuntimeError("the groups of the policy differ from the groups that the search found")
    levels = tuple(attribute.level for attribute in attributes)
    outcome = replace(
        cast("Outcome[Levels]", found),
        best=Candidate(levels, counted.loss, counted.suppressed),
        lower_bound=found.lower_bound / unit,
        proven=found.proven and exact_one,
        pruned=0,
        hits=0,
    )
    top = tuple(attribute.levels - 1 for attribute in attributes)
    return Answer(
        task=task,
        space=CutSpace(domains.attributes, tuple(0 for _ in top), top),
        outcome=outcome,
        search=search,
        attributes=tuple(attributes),
        loss_by_attribute=losses(released, rules),
        origins={domain.attribute: domain.origin for domain in ordered},
    )


def _without_other_codes(
    task: AnonymizationTask, attributes: Sequence[AttributePolicy]
) -> AnonymizationTask:
    """Return the task for the table in which codes that are not kept are missing values."""
    plan = task.plan
    read = plan.source if plan.read is None else plan.read
    persons, columns = plan.persons.rules, read.columns
    policy = policy_of(
        attributes, task.models, plan.roles, columns, persons, treatments=plan.treatments
    )
    compared = plan.request.population is not None
    source = keeping_codes_of(read, policy, compared=compared)
    if missing_codes_of(source) == missing_codes_of(plan.source):
        return task
    plan = replace(plan, source=source)
    table = counted_by(source, plan.request.person, plan.roles.quasi, plan.judged)
    return plan.task(table, table.records)


def _problem(
    task: AnonymizationTask, domains: OrderedDomains, codes: NDArray[np.uint32]
) -> PartitionProblem:
    """Return the partition problem, excluding rows that describe people outside the table."""
    table, quality = task.table, task.plan.quality
    recorded = table.counts > 0
    targets = [_targets(table, column)[recorded] for column in quality.columns]
    return PartitionProblem(
        domains=domains,
        codes=np.ascontiguousarray(codes[:, recorded]),
        counts=np.ascontiguousarray(table.counts[recorded], dtype=np.int64),
        k=smallest_class(task.models),
        cost=cast("PartitionCost", quality),
        targets=targets[0] if targets else None,
        limit=task.limit,
    )


def _targets(table: FrequencyTable, column: str) -> NDArray[np.int64]:
    """For each row, count the records with each target value."""
    target = table.histogram(column)
    if target.rows * len(target.domain) > MOST_CELLS:
        what = (
            f"{column!r} has {len(target.domain):,} values, which are too many for a table of "
            "this size"
        )
        raise wrong("target", what, "predict a column with fewer values")
    found = np.zeros((target.rows, len(target.domain)), dtype=np.int64)
    found[target.row_of_entry, target.codes] = target.counts
    return found


def _reporting_losses(control: Control, unit: int) -> Control:
    """Return a control that reports losses instead of costs."""
    report = control.report
    if report is None:
        return control

    def report_losses(progress: Progress) -> None:
        best = progress.best and replace(progress.best, loss=progress.best.loss / unit)
        report(replace(progress, best=best, lower_bound=progress.lower_bound / unit))

    return replace(control, report=report_losses)
