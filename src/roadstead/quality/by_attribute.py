"""The base of quality models that measure each attribute separately and take a mean.

An attribute's loss is between 0 and 1. The loss depends on the attribute's level and on the
suppressed rows, and rises with both. A tally contains the loss of every attribute at every level,
so a bound can be read from the tally.

Most of these models define the cost of a value at a level, and the cost of a suppressed value, in
whole numbers (`BoundByValue`). As a result, the sums are exact, and equal policies have equal
losses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels.splits import raised_means
from roadstead.kernels.value_counts import add_costs
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import (
    Aggregate,
    ArithmeticMean,
    GeometricMean,
    part_of,
    whole_of,
)
from roadstead.quality.each_person_alike import each_person_alike
from roadstead.quality.protocol import BoundQuality, SurelyLost
from roadstead.quality.suppression_prices import EVEN, PLAIN, Formula, SuppressionPrices, prices_of

AverageOver: TypeAlias = Literal["rows", "persons"]
"""The unit that has equal weight in a mean: each record or each person."""
RaisedAtOnce: TypeAlias = Callable[[Levels, Levels, Any, Classes], NDArray[np.float64]]
Divide: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""A function that divides each row of parts by the corresponding whole."""


def divided(parts: NDArray[np.int64], wholes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide whole numbers of any size, and round only once."""
    rows = zip(parts.tolist(), wholes.tolist(), strict=True)
    return np.array([[part / whole for part in own] for own, whole in rows])


@dataclass(frozen=True)
class AttributeModel:
    """A quality model that aggregates the losses of the attributes."""

    aggregate: Aggregate = field(default_factory=GeometricMean)
    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        weights = self.aggregate.weights
        return {
            "kind": self.name,
            "aggregate": self.aggregate.name,
            "weights": None if weights is None else list(weights),
        }


@dataclass(frozen=True)
class RecordSums(AttributeModel):
    """A mean of the records' costs, taken over records or over people."""

    average_over: AverageOver = "rows"
    gs_factor: float = EVEN  # the balance between generalization and suppression
    monotone: bool = False  # whether suppressed records count as generalized
    gs_formula: Formula = "roadstead"  # the weight of suppression with a factor below 1/2

    def __post_init__(self) -> None:
        self.suppression  # noqa: B018 - refuses a factor that is none

    @property
    def suppression(self) -> SuppressionPrices:
        """Return the weight of suppression."""
        return prices_of(self.gs_factor, monotone=self.monotone, gs_formula=self.gs_formula)

    def weighed(self, encoding: Encoding) -> Encoding:
        """Return the encoding, with weights if the mean is taken over people."""
        return each_person_alike(encoding) if self.average_over == "persons" else encoding

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        own: dict[str, Any] = (
            {"average_over": self.average_over} if self.average_over == "persons" else {}
        )
        own |= {"gs_factor": self.gs_factor} if self.gs_factor != EVEN else {}
        own |= {"monotone": True} if self.monotone else {}
        own |= {"gs_formula": "arx"} if self.gs_formula == "arx" else {}
        return {**super().settings(), **own}


@dataclass(frozen=True)
class Shares:
    """A tally of the loss of every attribute at every level when certain rows are suppressed."""

    losses: list[list[float]]

    @cached_property
    def array(self) -> NDArray[np.float64]:
        """Return the losses as an array, with 0 for levels that an attribute does not have."""
        by_level = list(zip_longest(*self.losses, fillvalue=0.0))
        return np.ascontiguousarray(np.array(by_level).T)


Tally = TypeVar("Tally", bound=Shares)


class BoundByAttribute(Generic[Tally]):
    """An aggregate of the attributes' losses. The losses are read from a tally."""

    groupings = 0
    """Bounds do not need classes."""

    def __init__(self, aggregate: Aggregate, attributes: int) -> None:
        weights = aggregate.weights
        if weights is not None and len(weights) != attributes:
            raise SettingError(
                f"{len(weights)} weights are given for {attributes} attributes",
                where=option("weights"),
                fix="give one weight per attribute",
            )
        self._attributes = attributes
        self._take(aggregate)

    def _take(self, aggregate: Aggregate) -> None:
        shares = aggregate.shares or (1.0 / self._attributes,) * self._attributes
        self._aggregate, self._shares = aggregate, np.array(shares)
        self._geometric = int(isinstance(aggregate, GeometricMean))

    def loss(self, levels: Levels, tally: Tally, classes: Classes) -> float:
        """Return the aggregate of the attributes' losses."""
        return self._aggregate(self.loss_by_attribute(levels, tally, classes))

    def loss_by_attribute(self, levels: Levels, tally: Tally, classes: Classes) -> list[float]:  # noqa: ARG002 - as the protocol has it
        """Return the loss of each attribute."""
        return [losses[level] for losses, level in zip(tally.losses, levels, strict=True)]

    def lower_bound(self, lower: Levels, upper: Levels, tally: Tally, classes: Classes) -> float:  # noqa: ARG002 - as the protocol has it
        """Return the loss of the kept records at `lower`, because higher levels lose more."""
        return self.loss(lower, tally, classes)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: Tally, classes: Classes
    ) -> list[list[float]]:
        """Return the bounds after one component of `lower` is raised, but not above `upper`."""
        losses = self.loss_by_attribute(lower, tally, classes)
        ranges = zip(tally.losses, lower, upper, strict=True)
        others = [own[low + 1 : high + 1] for own, low, high in ranges]
        return self._aggregate.replaced(losses, others)

    @property
    def raised_at_once(self) -> RaisedAtOnce | None:
        """Return the function that raises all attributes at once, or None if there is no mean."""
        return self._raised if isinstance(self._aggregate, GeometricMean | ArithmeticMean) else None

    def _raised(
        self, lower: Levels, upper: Levels, tally: Tally, classes: Classes
    ) -> NDArray[np.float64]:
        ends = np.array((lower, upper))
        mean, geometric = self.loss(lower, tally, classes), self._geometric
        return raised_means(tally.array, ends[0], ends[1], mean, self._shares, geometric)

    def part(self, places: Sequence[int]) -> tuple[Self, float] | None:
        """Return the model for some attributes, or None if the aggregate cannot be split."""
        found = part_of(self._aggregate, places, self._attributes)
        if found is None:
            return None
        own = copy(self)
        aggregate, share = found
        own._take(aggregate)  # noqa: SLF001 - a copy of its own
        return own, share

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Return a bound on the loss of all attributes, computed from the losses of parts."""
        return whole_of(self._aggregate, known)


@dataclass(frozen=True)
class ValueTally(Shares):
    """The losses, and the `sums` of the kept records' costs, for each attribute and level."""

    sums: NDArray[np.int64]


class ValueSums(BoundByAttribute[ValueTally]):
    """Losses that are computed from sums of costs. `most` is the highest cost in each attribute."""

    def __init__(
        self,
        most: Sequence[int],
        records: int,
        aggregate: Aggregate,
        divide: Divide,
        prices: SuppressionPrices = PLAIN,
    ) -> None:
        super().__init__(aggregate, len(most))
        self.most = np.array([prices.suppressed * one for one in most], dtype=np.int64)[:, None]
        # If an attribute has nothing to lose, its loss is zero for any divisor.
        self._whole = np.array([max(one, 1) * records * prices.whole for one in most], np.int64)
        self._divide = divide
        # The fraction of a kept row's cost that is removed when the row is suppressed.
        self._given_back = (prices.suppressed, prices.whole) if prices.on_top else (1, 1)

    def tally(self, sums: NDArray[np.int64]) -> ValueTally:
        """Return the tally for sums that are already scaled."""
        return ValueTally(self._divide(sums, self._whole).tolist(), sums)

    def without(self, tally: ValueTally, records: int, sums: NDArray[np.int64]) -> ValueTally:
        """Suppress further records. `sums` contains the costs that these records had before."""
        part, whole = self._given_back  # sums of kept rows are multiples of `whole`
        return self.tally(tally.sums - sums // whole * part + records * self.most)


class BoundByValue(ValueSums):
    """Losses that are computed from the cost of each value code in each attribute and level.

    `alike` states whether every record has the weight 1.
    """

    def __init__(
        self,
        encoding: Encoding,
        costs: Sequence[Sequence[NDArray[np.int64]]],
        most: Sequence[int],
        aggregate: Aggregate,
        divide: Divide,
        prices: SuppressionPrices = PLAIN,
        *,
        alike: bool = True,
    ) -> None:
        super().__init__(most, encoding.records, aggregate, divide, prices)
        self._as_generalized = prices.as_generalized
        self._codes = encoding.codes
        self._counts = encoding.counts
        heights = encoding.heights
        offsets, begin = np.zeros((len(heights), max(heights)), dtype=np.int64), 0
        for i, levels in enumerate(costs):
            for level, own in enumerate(levels):
                offsets[i, level] = begin
                begin += own.size
        dearest = np.zeros((len(heights), max(heights)), dtype=np.int64)
        for i, levels in enumerate(costs):
            dearest[i, : len(levels)] = [own.max(initial=0) for own in levels]
        part, whole = self._given_back
        self._least_more = np.maximum(self.most - dearest // whole * part, 0)
        self._alike = alike
        self._tables = (
            np.concatenate([own for levels in costs for own in levels]).astype(np.int64),
            offsets,
            np.array(heights, dtype=np.int64),
            np.array([len(levels[0]) for levels in costs], dtype=np.int64),
        )
        self._start = self.tally(self._sums(np.arange(self._counts.size, dtype=np.uint32)))

    def _sums(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        return add_costs(rows, self._counts, self._codes, *self._tables)

    def nothing_suppressed(self) -> ValueTally:
        """Return the losses that result when all records are kept."""
        return self._start

    def suppress(self, tally: ValueTally, rows: NDArray[np.uint32]) -> ValueTally:
        """Replace the costs of these rows with the cost of suppression."""
        if self._as_generalized or not rows.size:
            return tally
        return self.without(tally, int(np.add.reduce(self._counts[rows])), self._sums(rows))

    def lose_some(
        self,
        tally: ValueTally,
        lost: SurelyLost,
        classes: Classes,  # noqa: ARG002 - as the protocol has it
    ) -> ValueTally:
        """Suppress the known rows, and add the lowest possible cost of the other lost records."""
        if self._as_generalized:
            return tally
        records = lost.records - int(np.add.reduce(self._counts[lost.rows]))
        tally = self.suppress(tally, lost.rows)
        more = records and self._alike
        return self.tally(tally.sums + records * self._least_more) if more else tally


class LossesByAttribute(BoundQuality[Any], Protocol):
    """A bound model that computes a separate loss for each attribute."""

    def loss_by_attribute(self, levels: Levels, tally: Any, classes: Classes) -> list[float]:  # noqa: ANN401 - of the model's making
        """Return the loss of each attribute."""


@dataclass(frozen=True)
class TwoTallies:
    """A pair of tallies: one for the loss, and one for the bound on the loss."""

    exact: Any
    least: Any


class CheapSuppression:
    """A loss in which a suppressed record may lose less than a kept record.

    The bound uses the smaller of the two losses.
    """

    groupings = 0

    def __init__(self, exact: LossesByAttribute, least: LossesByAttribute) -> None:
        self._exact = exact
        self._least = least

    def nothing_suppressed(self) -> TwoTallies:
        """Return both tallies for the case that all records are kept."""
        return TwoTallies(self._exact.nothing_suppressed(), self._least.nothing_suppressed())

    def suppress(self, tally: TwoTallies, rows: NDArray[np.uint32]) -> TwoTallies:
        """Suppress these rows in both tallies."""
        exact, least = self._exact.suppress(tally.exact, rows), tally.least
        return TwoTallies(exact, self._least.suppress(least, rows))

    def loss(self, levels: Levels, tally: TwoTallies, classes: Classes) -> float:
        """Return the loss of a policy."""
        return self._exact.loss(levels, tally.exact, classes)

    def loss_by_attribute(self, levels: Levels, tally: TwoTallies, classes: Classes) -> list[float]:
        """Return the loss of each attribute."""
        return self._exact.loss_by_attribute(levels, tally.exact, classes)

    def lower_bound(
        self, lower: Levels, upper: Levels, tally: TwoTallies, classes: Classes
    ) -> float:
        """Return the loss if each kept record is at `lower` or suppressed, whichever costs less."""
        return self._least.lower_bound(lower, upper, tally.least, classes)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: TwoTallies, classes: Classes
    ) -> list[list[float]]:
        """Return the bounds after one component of `lower` is raised."""
        return self._least.raised_bounds(lower, upper, tally.least, classes)


def bound_by_value(
    encoding: Encoding,
    costs: Sequence[Sequence[NDArray[np.int64]]],
    most: Sequence[int],
    counted: tuple[Aggregate, SuppressionPrices],
    divide: Divide,
    *,
    alike: bool = True,
) -> LossesByAttribute:
    """Create a bound model from the costs of values, an aggregate, and the price of suppression."""
    aggregate, prices = counted
    scaled = [[prices.kept * own for own in levels] for levels in costs]
    exact = BoundByValue(encoding, scaled, most, aggregate, divide, prices, alike=alike)
    if prices.on_top or prices.suppressed >= prices.kept:
        return exact
    capped = [
        [np.minimum(own, prices.suppressed * one) for own in levels]
        for levels, one in zip(scaled, most, strict=True)
    ]
    least = BoundByValue(encoding, capped, most, aggregate, divide, prices)
    return CheapSuppression(exact, least)
