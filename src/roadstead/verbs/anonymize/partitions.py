"""Partition the ordered domain of each quasi-identifier into intervals, as in k-Optimize.

The search measures the cost of a partition in whole numbers. The loss of a partition is its cost
divided by the cost of suppressing every record.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import NoPolicyError
from roadstead.front_end import option
from roadstead.hierarchies.ordered_domain import ordered_domain
from roadstead.hierarchies.rules import Groups
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.policies.partition import OrderedDomains
from roadstead.quality.partition_costs import PartitionCost
from roadstead.requests.checks import wrong
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Candidate, Control, Outcome, Progress
from roadstead.search.registry import PartitionSearch
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.anonymize.plan import (
    AnonymizationTask,
    Answer,
    ended_early,
    losses,
    problem_of,
)
from roadstead.verbs.hierarchies import cut_at, places_in, refuse_rare
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
    ordered = tuple(
        ordered_domain(hierarchy.covering(domain), domain)
        for hierarchy, domain in zip(task.hierarchies, task.table.domains, strict=True)
    )
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
    attributes = []
    for domain, intervals in zip(ordered, domains.intervals(found.best.policy), strict=True):
        attributes.append(cut_at(domain, [first for first, _ in intervals]))
        if isinstance(attributes[-1].rule, Groups):
            refuse(domain)
    # In this problem, level 1 of each attribute is its rule.
    made = (domain.hierarchy(a.rule) for domain, a in zip(ordered, attributes, strict=True))
    released = problem_of(replace(task, hierarchies=tuple(made)))
    rules = tuple(1 for _ in attributes)
    counted = released.judge(rules)
    if counted is None or counted.suppressed != found.best.suppressed:
        raise RuntimeError("the groups of the policy differ from the groups that the search found")
    levels = tuple(attribute.level for attribute in attributes)
    outcome = replace(
        cast("Outcome[Levels]", found),
        best=Candidate(levels, counted.loss, counted.suppressed),
        lower_bound=found.lower_bound / unit,
        pruned=0,
        hits=0,
    )
    top = tuple(size - 1 for size in domains.sizes)
    return Answer(
        task=task,
        space=CutSpace(domains.attributes, tuple(0 for _ in top), top),
        outcome=outcome,
        search=search,
        attributes=tuple(attributes),
        loss_by_attribute=losses(released, rules),
        origins={domain.attribute: domain.origin for domain in ordered},
    )


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
        what = f"{column!r} has {len(target.domain):,} values, too many for a table of this size"
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
