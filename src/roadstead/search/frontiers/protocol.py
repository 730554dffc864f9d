"""The input and the output of a frontier search, and the steps that all searches share.

A search gets a problem and a `Control`, adds the policies that it finds to a `Frontier`, and
returns a `FrontierOutcome`. Searches over partitions record their progress in a `FrontierRun`.

The risk of a policy is given as a share of the original data's risk, the greatest possible risk
(paper 000, equation 2). The loss is given as a share of the loss with one interval for each
attribute, because the divergence of paper 000 may exceed 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.partition_losses import PartitionLoss, SummedLoss
from roadstead.risk.measures import PopulationRisk, Risk
from roadstead.search.frontiers.frontier import Frontier, P, Point
from roadstead.search.protocol import Control, Ending, Progress, Search

Number = TypeVar("Number", float, NDArray[np.float64])
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class FrontierProblem:
    """Find the policies that no other policy improves on in both risk and loss, which are monotone.

    `cells` has the cells of the table and its population.
    """

    cells: Cells
    risk: Risk = field(default_factory=PopulationRisk)
    loss: PartitionLoss = field(default_factory=lambda: SummedLoss(Divergence()))

    @property
    def domains(self) -> OrderedDomains:
        """The ordered domains."""
        return self.cells.domains

    @cached_property
    def most_specific(self) -> PartitionClasses:
        """The classes of the unchanged data."""
        return self.cells.classes(self.domains.most_specific)

    @cached_property
    def greatest_risk(self) -> float:
        """The risk of the unchanged data, in the measure's units."""
        return self.risk.of(self.most_specific)

    @cached_property
    def least_loss(self) -> float:
        """The loss of the unchanged data, in the measure's units."""
        return self.loss.of(self.most_specific)

    @cached_property
    def greatest_loss(self) -> float:
        """The loss with one interval for each attribute, in the measure's units."""
        return self.loss.of(self.cells.classes(self.domains.most_general))

    @cached_property
    def risk_unit(self) -> float:
        """The risk that counts as 1: the greatest risk, or 1 if the greatest risk is 0."""
        return self.greatest_risk if self.greatest_risk > 0 else 1.0

    @cached_property
    def loss_unit(self) -> float:
        """The loss that counts as 1: the range of losses, or 1 if it is only a rounding error."""
        span = self.greatest_loss - self.least_loss
        return span if span > _ROUNDING * (1.0 + abs(self.greatest_loss)) else 1.0

    def shares(self, risk: Number, loss: Number) -> tuple[Number, Number]:
        """Return risks and losses as shares of the data's risk and of the greatest loss."""
        return risk / self.risk_unit, (loss - self.least_loss) / self.loss_unit

    def policies(self) -> Iterator[Partition]:
        """Yield every policy; only for few boundaries."""
        return map(Partition, range(1 << self.domains.boundaries))

    def point(self, partition: Partition) -> Point:
        """Evaluate a policy from the cells."""
        classes = self.cells.classes(partition)
        return Point(*self.shares(self.risk.of(classes), self.loss.of(classes)))


@dataclass(frozen=True)
class FrontierOutcome(Generic[P]):
    """The result of a search.

    The frontier has the found policies that no other found policy improves on in both risk and
    loss. The search counted the classes of the `evaluated` policies. The risk and the loss of the
    `derived` policies follow from these classes. Provably, no policy is below the staircase
    `lower`; None means that nothing is known. Members of `lower` without a policy are corners. For
    each member, `tied` counts the found policies with the same point, including the member. If they
    are not counted, `tied` is empty.
    """

    frontier: Frontier[P]
    evaluated: int
    seconds: float
    ending: Ending
    derived: int = 0
    lower: Frontier[Any] | None = None
    tied: tuple[int, ...] = ()

    @property
    def gap(self) -> float | None:
        """The largest possible difference to the area under the frontier of all policies.

        The gap is 0 if this is the frontier of all policies, or None if nothing is known.
        """
        return None if self.lower is None else max(0.0, self.frontier.area - self.lower.area)

    @property
    def proven(self) -> bool:
        """Whether this is the frontier of all policies."""
        return self.ending == "complete" and self.gap == 0.0


FrontierSearch: TypeAlias = Search[FrontierProblem, FrontierOutcome[Partition]]


def report_frontier(control: Control, evaluated: int, frontier: Frontier[Any]) -> None:
    """Report the progress of a search, if enough time has passed."""
    if control.watch is not None:
        control.watch(evaluated, frontier)
    control.report_progress(
        lambda: Progress(evaluated, control.seconds, members=len(frontier), area=frontier.area)
    )


@dataclass
class FrontierRun:
    """A running search over partitions, and its results; creating it starts the clock."""

    problem: FrontierProblem
    control: Control
    frontier: Frontier[Partition] = field(default_factory=Frontier)
    evaluated: int = 0
    derived: int = 0

    def __post_init__(self) -> None:
        self.control.begin()

    def evaluate(self, partition: Partition) -> None:
        """Evaluate one policy, and add it to the frontier if it belongs there."""
        self.evaluated += 1
        self.frontier.insert(*self.problem.point(partition), partition)

    def evaluate_ends(self) -> None:
        """Evaluate the unchanged data, and the policy with one interval for each attribute."""
        self.evaluate(self.problem.domains.most_specific)
        self.evaluate(self.problem.domains.most_general)

    @property
    def left(self) -> int | None:
        """The number of policies that may still be evaluated, or None for no limit."""
        return None if self.control.budget is None else self.control.budget - self.evaluated

    def report(self) -> None:
        """Report the progress of the search."""
        report_frontier(self.control, self.evaluated, self.frontier)

    def ending(self) -> Ending | None:
        """Return the reason to end the search now, or None."""
        return self.control.ending(self.evaluated)

    def pause(self) -> Ending | None:
        """Report the progress; return the reason to end the search now, or None."""
        self.report()
        return self.ending()

    def outcome(
        self, ending: Ending, lower: Frontier[Any] | None = None
    ) -> FrontierOutcome[Partition]:
        """Return the outcome of the search."""
        return FrontierOutcome(
            self.frontier, self.evaluated, self.control.seconds, ending, self.derived, lower
        )
