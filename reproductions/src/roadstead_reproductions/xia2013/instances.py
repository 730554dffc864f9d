"""Adult among the people of Tennessee, with Safe Harbor, as a problem.

32,561 records with ages to 120, two sexes, seven races and 628 ZIP codes: 754 boundaries, where the
paper has 738, because it does not say which ZIP codes it used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.policies.safe_harbor import SafeHarbor, safe_harbor
from roadstead.search.frontiers.frontier import Point
from roadstead_reproductions.tennessee_records import Study, adult_in_tennessee
from roadstead_reproductions.xia2013.tabled_problem import TabledProblem


@dataclass(frozen=True, eq=False)
class Instance:
    """A table whose frontier is wanted.

    Attributes
    ----------
    study
        Its cells, values and the sentences that belong next to its figures.
    problem
        Expected re-identifications as a share of the data's, and divergence as a share of the
        greatest.
    """

    study: Study
    problem: TabledProblem

    @cached_property
    def safe_harbor(self) -> SafeHarbor:
        """Give Safe Harbor; areas with few people are those of the population."""
        cells = self.study.cells
        people = [
            np.bincount(own, weights=cells.people, minlength=size).astype(np.int64)
            for own, size in zip(cells.codes, cells.domains.sizes, strict=True)
        ]
        return safe_harbor(cells.domains, self.study.values, people)

    @cached_property
    def yardstick(self) -> Point:
        """Risk and loss of Safe Harbor."""
        return self.problem.point(self.safe_harbor.partition)


def instance_of(study: Study) -> Instance:
    """Make the problem of a table."""
    return Instance(study, ready(TabledProblem(study.cells)))


def adult(seed: int) -> Instance:
    """Make a population from a seed and put Adult into it.

    Raises
    ------
    SourceError
        Adult or the census cannot be had.
    """
    return instance_of(adult_in_tennessee(seed))


def ready(problem: TabledProblem) -> TabledProblem:
    """Let a problem work out what it keeps, so that no search is charged with it."""
    problem.point(problem.domains.most_specific)
    problem.point(Partition(0))
    return problem


def dominates(one: Point, other: Point) -> bool:
    """Whether one policy is as good as another in both, and better in one."""
    return one.risk <= other.risk and one.loss <= other.loss and one[:2] != other[:2]
