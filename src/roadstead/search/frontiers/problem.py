"""What a search for the frontier gets: cells, a risk and a loss, both as shares.

The risk of a policy is given as a share of the original data's, the greatest there is (paper 000,
equation 2). Its loss is given as a share of what is lost with one interval for each attribute: the
divergence of paper 000 may well exceed 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.partition_losses import PartitionLoss, SummedLoss
from roadstead.risk.population import PopulationRisk
from roadstead.risk.protocol import Risk
from roadstead.search.frontiers.frontier import Point

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class FrontierProblem:
    """The policies are sought that no other one betters in both risk and loss.

    Attributes
    ----------
    cells
        The table and its population.
    risk, loss
        The measures, both monotone.
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
        """The classes of the data as they are."""
        return self.cells.classes(self.domains.most_specific)

    @cached_property
    def greatest_risk(self) -> float:
        """Risk of the data as they are, in the measure's units."""
        return self.risk.of(self.most_specific)

    @cached_property
    def least_loss(self) -> float:
        """Loss of the data as they are, in the measure's units."""
        return self.loss.of(self.most_specific)

    @cached_property
    def greatest_loss(self) -> float:
        """Loss with one interval for each attribute, in the measure's units."""
        return self.loss.of(self.cells.classes(self.domains.most_general))

    @cached_property
    def risk_unit(self) -> float:
        """The risk that counts as 1: the greatest; 1 where there is none to share."""
        return self.greatest_risk if self.greatest_risk > 0 else 1.0

    @cached_property
    def loss_unit(self) -> float:
        """The loss that counts as 1: the range of losses; 1 where it is but rounding."""
        span = self.greatest_loss - self.least_loss
        return span if span > _ROUNDING * (1.0 + abs(self.greatest_loss)) else 1.0

    def risk_share(self, risk: float) -> float:
        """Give a risk as a share of the data's."""
        return risk / self.risk_unit

    def loss_share(self, loss: float) -> float:
        """Give a loss as a share of the greatest."""
        return (loss - self.least_loss) / self.loss_unit

    def policies(self) -> Iterator[Partition]:
        """Every policy; only for few boundaries."""
        return map(Partition, range(1 << self.domains.boundaries))

    def point(self, partition: Partition) -> Point:
        """Evaluate a policy, from the cells."""
        classes = self.cells.classes(partition)
        return Point(self.risk_share(self.risk.of(classes)), self.loss_share(self.loss.of(classes)))
