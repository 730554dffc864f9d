"""Find intervals for each quasi-identifier's ordered domain: partitions, as k-Optimize has them.

The table becomes places in ordered domains, a search cuts them, and the intervals found become
rules. What the search counted, the release is counted by too: the rules are applied to the table
again, and loss and suppression are those of the policy itself. The cost of a partition, a whole
number, is reported as a share of the cost of suppressing every record, which is the loss of
the quality model of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.ordered_domain import OrderedDomain, in_words, ordered_domain
from roadstead.hierarchies.rules import Groups
from roadstead.policies.document import AttributePolicy
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import FullDomain, Levels, full_domain
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.privacy.combination import bind_all
from roadstead.quality.partition_costs import PartitionCost
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Candidate, Control, Outcome, Progress
from roadstead.search.registry import PartitionSearch
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.anonymize.plan import (
    AnonymizationPlan,
    AnonymizationTask,
    Answer,
    ended_early,
    losses,
)
from roadstead.verbs.hierarchies import rare_values
from roadstead.verbs.settings import least_size, smallest_class

MOST_BOUNDARIES = 10_000
"""With more, the number of partitions has more digits than are printed."""
MOST_CELLS = 10_000_000
"""Most combinations times values of the target: a number is kept for each."""
_NEVER_GROUPED = 2
"""Two values are kept or made one, so no group lists them."""


class CutSpace(FullDomain):
    """All partitions of ordered domains; the level of an attribute is its boundaries removed."""

    @property
    def size(self) -> int:
        """Two to the number of boundaries, as many partitions have the same levels."""
        return 1 << sum(self.top)


@dataclass(frozen=True)
class Cutting:
    """A table, its ordered domains, and the search problem they make."""

    task: AnonymizationTask  # what is to be found
    ordered: tuple[OrderedDomain, ...]  # the domain of each attribute

    @cached_property
    def domains(self) -> OrderedDomains:
        """Their sizes, of which partitions are made."""
        return OrderedDomains(
            self.task.table.attributes, tuple(domain.size for domain in self.ordered)
        )

    @property
    def space(self) -> CutSpace:
        """The partitions."""
        sizes = self.domains.sizes
        return CutSpace(
            self.domains.attributes, tuple(0 for _ in sizes), tuple(size - 1 for size in sizes)
        )

    @cached_property
    def problem(self) -> PartitionProblem:
        """The same for a search over partitions."""
        table, quality = self.task.table, self.task.plan.quality
        recorded = table.counts > 0
        codes = np.stack([_places(table, i, domain) for i, domain in enumerate(self.ordered)])
        targets = [_targets(table, column)[recorded] for column in quality.columns]
        return PartitionProblem(
            domains=self.domains,
            codes=np.ascontiguousarray(codes[:, recorded], dtype=np.uint32),
            counts=np.ascontiguousarray(table.counts[recorded], dtype=np.int64),
            k=smallest_class(self.task.models),
            cost=cast("PartitionCost", quality),
            targets=targets[0] if targets else None,
            limit=self.task.limit,
        )

    @cached_property
    def unit(self) -> int:
        """What it costs to suppress every record: a loss of 1."""
        return self.problem.prices.suppressed * self.problem.records

    def attributes(self, partition: Partition) -> tuple[AttributePolicy, ...]:
        """Say what a partition does to each attribute."""
        found = []
        for domain, intervals in zip(self.ordered, self.domains.intervals(partition), strict=True):
            rule = domain.rule([first for first, _ in intervals])
            level = domain.size - len(intervals)  # the boundaries removed
            found.append(
                AttributePolicy(domain.attribute, level, domain.size, in_words(rule), rule)
            )
        return tuple(found)

    def released(self, attributes: Sequence[AttributePolicy]) -> FullDomainProblem:
        """Make the problem in which level 1 of each attribute is its rule."""
        task = self.task
        made = [
            domain.hierarchy(attribute.rule)
            for domain, attribute in zip(self.ordered, attributes, strict=True)
        ]
        encoding = encode(task.table, made)
        return FullDomainProblem(
            encoding=encoding,
            space=full_domain(encoding.hierarchies),
            privacy=bind_all(task.models, task.table),
            quality=task.plan.quality.bind(encoding),
            limit=task.limit,
        )


@dataclass(frozen=True)
class PartitionFinder:
    """Finds the intervals of a policy with one of the searches over partitions."""

    search: PartitionSearch

    def check(self, plan: AnonymizationPlan) -> None:
        """Refuse other losses and models than these searches know, and limits of levels."""
        name = self.search.name
        if not hasattr(plan.quality, "prices"):
            raise SettingError(
                f"{name} minimizes discernibility or the classification metric, and not "
                f"{plan.quality.name}",
                where=option("quality"),
                fix=f"use {option('quality', 'discernibility')}, or "
                f"{option('quality', 'classification')} with {option('target')}",
            )
        for model in plan.privacy:
            if least_size(model) is None:
                raise SettingError(
                    f"{name} tells classes by their size alone, which is not enough for "
                    f"{model.name}",
                    where=option("privacy"),
                    fix=f"leave it out, or use {option('search', 'exact')}",
                )
        if plan.min_level or plan.max_level:
            raise SettingError(
                f"{name} cuts ordered domains, which have no levels to choose from",
                where=f"{option('min_level')}, {option('max_level')}",
                fix=f"leave them out, or use {option('search', 'exact')}",
            )

    def find(self, task: AnonymizationTask, control: Control) -> Answer:
        """Search the partitions, if the domains are not too large."""
        cutting = _cutting(task)
        steered = replace(control, report=_reporting_losses(control.report, cutting))
        found = self.search.run(cutting.problem, steered)
        if found.best is None:
            raise NoPolicyError(ended_early(found.ending, task.promise))
        attributes = cutting.attributes(found.best.policy)
        for domain, attribute in zip(cutting.ordered, attributes, strict=True):
            if isinstance(attribute.rule, Groups):
                _check_list(task.table, domain, cutting.problem.k)
        released = cutting.released(attributes)
        rules = tuple(1 for _ in attributes)
        counted = released.judge(rules)
        if counted is None or counted.suppressed != found.best.suppressed:
            raise RuntimeError("the rules make other classes than the search had")
        levels = tuple(attribute.level for attribute in attributes)
        best = Candidate(levels, counted.loss, counted.suppressed)
        outcome = replace(
            cast("Outcome[Levels]", found),
            best=best,
            lower_bound=found.lower_bound / cutting.unit,
            pruned=0,
            hits=0,
        )
        return Answer(
            task=task,
            space=cutting.space,
            outcome=outcome,
            search=self.search,
            attributes=attributes,
            loss_by_attribute=losses(released, rules),
            origins={domain.attribute: domain.origin for domain in cutting.ordered},
        )


def _cutting(task: AnonymizationTask) -> Cutting:
    ordered = tuple(
        ordered_domain(hierarchy.covering(domain), domain)
        for hierarchy, domain in zip(task.hierarchies, task.table.domains, strict=True)
    )
    cutting = Cutting(task, ordered)
    boundaries = cutting.domains.boundaries
    if boundaries > MOST_BOUNDARIES:
        largest = max(ordered, key=lambda domain: domain.size)
        raise SettingError(
            f"there are {boundaries:,} places to cut, most of them in {largest.attribute!r} with "
            f"{largest.size:,} values",
            where=option("search"),
            fix=f"at most {MOST_BOUNDARIES:,} can be searched; use {option('search', 'exact')}",
        )
    for domain in ordered:
        if not domain.numeric and domain.size > _NEVER_GROUPED:
            _check_list(task.table, domain, cutting.problem.k)
    return cutting


def _check_list(table: FrequencyTable, domain: OrderedDomain, k: int) -> None:
    """Refuse to write values into a policy that were read off the table and could identify."""
    rare = rare_values(table, domain, k)
    if rare:
        raise SettingError(
            f"the policy would list values of {domain.attribute!r} that fewer than {k} records "
            f"have ({rare:,} of {len(domain.listed):,})",
            where=option("search"),
            fix="give a hierarchy that lists the values in their order, or use "
            f"{option('search', 'exact')}",
        )


def _places(table: FrequencyTable, i: int, domain: OrderedDomain) -> NDArray[np.uint32]:
    """For each row of the table, the place of its value in the order."""
    places = domain.place_of()
    lookup = np.array([places[value] for value in table.domains[i]], dtype=np.uint32)
    return lookup[table.codes[i]]


def _targets(table: FrequencyTable, column: str) -> NDArray[np.int64]:
    """Records of each row by their value of the target."""
    target = table.histogram(column)
    if target.rows * len(target.domain) > MOST_CELLS:
        raise SettingError(
            f"{column!r} has {len(target.domain):,} values, too many for so large a table",
            where=option("target"),
            fix="predict a column of fewer values",
        )
    found = np.zeros((target.rows, len(target.domain)), dtype=np.int64)
    found[target.row_of_entry, target.codes] = target.counts
    return found


def _reporting_losses(
    report: Callable[[Progress], None] | None, cutting: Cutting
) -> Callable[[Progress], None] | None:
    """Report losses where the search speaks of costs."""
    if report is None:
        return None

    def report_losses(progress: Progress) -> None:
        best, unit = progress.best, cutting.unit
        report(
            replace(
                progress,
                best=None if best is None else replace(best, loss=best.loss / unit),
                lower_bound=progress.lower_bound / unit,
            )
        )

    return report_losses
