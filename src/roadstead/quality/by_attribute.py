"""What models have in common that measure each attribute by itself and take a mean.

An attribute loses a share between 0 and 1 that depends on its level and on the rows suppressed,
and grows with both. A tally holds what every attribute would lose at every level with these rows
suppressed, so a bound is looked up.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import Aggregate


class Shares(Protocol):
    """A tally with the loss of every attribute at every level."""

    @property
    def losses(self) -> list[list[float]]:
        """Entry ``[i][l]``: attribute i at level l, the rows of the tally suppressed."""
        ...


Tally = TypeVar("Tally", bound=Shares)


class AttributeMeasure(Protocol, Generic[Tally]):
    """A measure of single attributes on one table."""

    def nothing_suppressed(self) -> Tally:
        """Tally of the empty set of rows."""
        ...

    def suppress(self, tally: Tally, rows: NDArray[np.uint32]) -> Tally:
        """Tally after these rows too are suppressed; there are some."""
        ...


class BoundByAttribute(Generic[Tally]):
    """A measure of single attributes under an aggregate, as a quality model on one table."""

    groupings = 0
    """Bounds are looked up."""

    def __init__(
        self, encoding: Encoding, aggregate: Aggregate, measure: AttributeMeasure[Tally]
    ) -> None:
        weights, attributes = aggregate.weights, len(encoding.attributes)
        if weights is not None and len(weights) != attributes:
            raise SettingError(
                f"{len(weights)} weights are given for {attributes} attributes",
                where=option("weights"),
                fix="give one an attribute",
            )
        self._aggregate = aggregate
        self._measure = measure
        self._start = measure.nothing_suppressed()

    def nothing_suppressed(self) -> Tally:
        """Losses with every record kept."""
        return self._start

    def suppress(self, tally: Tally, rows: NDArray[np.uint32]) -> Tally:
        """Losses with these rows too suppressed."""
        return self._measure.suppress(tally, rows) if rows.size else tally

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """Aggregate of the attributes' losses."""
        return self._aggregate(self.loss_by_attribute(levels, tally, classes))

    def loss_by_attribute(
        self,
        levels: Levels,
        tally: Tally,
        classes: Classes,  # noqa: ARG002 - a part of the protocol not needed here
    ) -> list[float]:
        """Loss of each attribute."""
        return [losses[level] for losses, level in zip(tally.losses, levels, strict=True)]

    def lower_bound(
        self,
        lower: Levels,
        upper: Levels,  # noqa: ARG002 - a part of the protocol not needed here
        tally: Tally,
        classes: Classes,
    ) -> float:
        """Loss if the kept records were at `lower`: they lose at least that further up."""
        return self.loss(lower, tally, classes)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Tally, classes: Classes
    ) -> list[list[float]]:
        """Bounds with one component of `lower` raised, up to `upper`."""
        losses = self.loss_by_attribute(lower, tally, classes)
        ranges = zip(tally.losses, lower, upper, strict=True)
        others = [own[low + 1 : high + 1] for own, low, high in ranges]
        return self._aggregate.replaced(losses, others)


def settings(name: str, aggregate: Aggregate) -> dict[str, Any]:
    """Parameters for the certificate."""
    weights = aggregate.weights
    return {
        "kind": name,
        "aggregate": aggregate.name,
        "weights": None if weights is None else list(weights),
    }
