"""Adult among the people of Tennessee, with Safe Harbor, as a problem.

There are 32,561 records with ages up to 120, two sexes, seven races, and 628 ZIP codes, which gives
754 boundaries. The paper has 738 boundaries, and does not specify its ZIP codes.
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
    """A table and its problem.

    The risk is the expected number of re-identifications, divided by the number for the original
    data. The loss is the divergence, divided by the largest divergence.
    """

    study: Study
    problem: TabledProblem

    @cached_property
    def safe_harbor(self) -> SafeHarbor:
        """Return Safe Harbor as a policy, based on the number of people in each ZIP code area."""
        cells = self.study.cells
        people = [
            np.bincount(own, weights=cells.people, minlength=size).astype(np.int64)
            for own, size in zip(cells.codes, cells.domains.sizes, strict=True)
        ]
        return safe_harbor(cells.domains, self.study.values, people)

    @cached_property
    def yardstick(self) -> Point:
        """Return the risk and the loss of Safe Harbor."""
        return self.problem.point(self.safe_harbor.partition)


def instance_of(study: Study) -> Instance:
    """Create the problem of a table."""
    return Instance(study, ready(TabledProblem(study.cells)))


def adult(seed: int) -> Instance:
    """Create a population from a seed, and match Adult with it.

    The function raises a SourceError if Adult or the census is not available.
    """
    return instance_of(adult_in_tennessee(seed))


def ready(problem: TabledProblem) -> TabledProblem:
    """Evaluate two policies, so that filling caches does not count toward the time of a search."""
    problem.point(problem.domains.most_specific)
    problem.point(Partition(0))
    return problem


def dominates(one: Point, other: Point) -> bool:
    """Return whether a policy is at least as good in risk and loss, and better in one of them."""
    return one.risk <= other.risk and one.loss <= other.loss and one[:2] != other[:2]
