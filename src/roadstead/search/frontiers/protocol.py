"""Define the input, the output, and the shared steps of frontier searches.

A search receives a problem and a `Control`, adds the policies that it finds to a `Frontier`, and
returns a `FrontierOutcome`. Searches over partitions record their progress in a `FrontierRun`.

The risk of a policy is divided by the risk of the original data, which is the greatest possible
risk (paper 000, equation 2). The loss is divided by the loss of the policy with one interval for
each attribute, because the divergence in paper 000 may exceed 1.
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
    """Find the policies that no other policy dominates in risk and loss.

    The risk and the loss must be monotone. `cells` contains the cells of the table and its
    population.
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
        """The risk of the unchanged data in the measure's units."""
        return self.risk.of(self.most_specific)

    @cached_property
    def least_loss(self) -> float:
        """The loss of the unchanged data in the measure's units."""
        return self.loss.of(self.most_specific)

    @cached_property
    def greatest_loss(self) -> float:
        """The loss, in the measure's units, with one interval for each attribute."""
        return self.loss.of(self.cells.classes(self.domains.most_general))

    @cached_property
    def risk_unit(self) -> float:
        """The risk that counts as 1: the greatest risk, or 1 if there is no risk."""
        return self.greatest_risk if self.greatest_risk > 0 else 1.0

    @cached_property
    def loss_unit(self) -> float:
        """The loss that counts as 1: the range of losses, unless this range is a rounding error."""
        span = self.greatest_loss - self.least_loss
        return span if span > _ROUNDING * (1.0 + abs(self.greatest_loss)) else 1.0

    def shares(self, risk: Number, loss: Number) -> tuple[Number, Number]:
        """Return a risk and a loss as shares of the data's risk and of the greatest loss."""
        return risk / self.risk_unit, (loss - self.least_loss) / self.loss_unit

    def policies(self) -> Iterator[Partition]:
        """Yield every policy, which is practical only for few boundaries."""
        return map(Partition, range(1 << self.domains.boundaries))

    def point(self, partition: Partition) -> Point:
        """Evaluate a policy from the cells."""
        classes = self.cells.classes(partition)
        return Point(*self.shares(self.risk.of(classes), self.loss.of(classes)))


@dataclass(frozen=True)
class FrontierOutcome(Generic[P]):
    """The result of a frontier search.

    Among the policies that the search found, the frontier contains the policies that no other
    policy dominates in risk and loss. The search counted the classes of `evaluated` policies, and
    derived the risk and the loss of `derived` further policies from these classes. `lower` is a
    staircase below which no policy can lie, or None if nothing is proven. Members of `lower`
    without a policy are corners. For each member of the frontier, `tied` is the number of policies
    found with the same point, including the member itself. If these policies were not counted,
    `tied` is empty.
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
        """The largest possible difference from the area under the frontier of all policies.

        The gap is 0 if the outcome is the frontier of all policies, and None if nothing is known.
        """
        return None if self.lower is None else max(0.0, self.frontier.area - self.lower.area)

    @property
    def proven(self) -> bool:
        """Return whether the frontier is proven to be the frontier of all policies."""
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
    """A running search over partitions, and the results of the search.

    Creating a run starts the clock.
    """

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
        """The number of policies that may still be evaluated, or None if there is no limit."""
        return None if self.control.budget is None else self.control.budget - self.evaluated

    def report(self) -> None:
        """Report the progress of the search."""
        report_frontier(self.control, self.evaluated, self.frontier)

    def ending(self) -> Ending | None:
        """Return the reason to end the search now, or None to continue."""
        return self.control.ending(self.evaluated)

    def pause(self) -> Ending | None:
        """Report the progress, and return the reason to end the search now, or None to continue."""
        self.report()
        return self.ending()

    def outcome(
        self, ending: Ending, lower: Frontier[Any] | None = None
    ) -> FrontierOutcome[Partition]:
        """Return the outcome of the search."""
        return FrontierOutcome(
            self.frontier, self.evaluated, self.control.seconds, ending, self.derived, lower
        )
