"""The base of quality models that add up the prices of the classes in a partition.

The loss of these models is a function of the suppressed rows and of the classes of all other rows.
The same function also bounds the loss in the sublattice from policy a to policy b. In this case,
the arguments are the rows S that b suppresses and the classes of policy a outside S. The bound is
correct only if the function's value does not fall when classes are merged or suppressed. A model
without this property uses another function for the bound.

Splitting the classes of policy b into the classes of policy a counts as an evaluation. If policy b
is lowered and suppresses only a few more rows, the search does not add up all prices again. It
subtracts the price of policy a's classes in these rows from the known price.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, refine
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.class_suppression import Missing, left_of
from roadstead.quality.protocol import SurelyLost
from roadstead.tables.persons.profiles import PersonTable

Suppressed = TypeVar("Suppressed")
Prices: TypeAlias = dict[Levels, float]
"""The price of the classes in some rows, for each vector of levels."""

_ROW = np.uint64(32)
"""The number of bits by which a row is shifted to become the upper half of a member."""
_MOST_PRICES = 2
_FEW = 4
"""Rows count as few if the other rows outnumber them by at least this factor."""


def one_class_of(encoding: Encoding, rows: NDArray[np.uint32]) -> Classes:
    """Put a few rows into one class."""
    records = np.add.reduce(encoding.counts[rows])
    members = rows.astype(np.uint64) << _ROW
    return Classes(members, np.zeros(1, np.uint32), np.array([records]))


class ClassModel:
    """A quality model whose loss depends only on classes."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        return {"kind": self.name}


class ClassMeasure(ABC, Generic[Suppressed]):
    """A measure of partitions of one table. Values of the type `Suppressed` are immutable."""

    prices_lost: ClassVar[bool] = False
    """Whether `bound_in_classes` can be higher than `bound_with_lost`."""
    counts_classes: ClassVar[bool] = False
    """Whether the measure uses the number of released classes for its bounds."""

    @abstractmethod
    def nothing(self) -> Suppressed:
        """Return the tally for the case that no rows are suppressed."""

    @abstractmethod
    def more(self, suppressed: Suppressed, rows: NDArray[np.uint32]) -> Suppressed:
        """Return the tally after the given rows are also suppressed."""

    @abstractmethod
    def price(self, classes: Classes) -> float:
        """Return the total price of the classes, as a whole number if possible."""

    @abstractmethod
    def loss(self, levels: Levels, suppressed: Suppressed, price: float) -> float:
        """Return the loss if these rows are suppressed and all other classes have this price."""

    def bound(self, levels: Levels, suppressed: Suppressed, price: float) -> float:
        """Return a bound for all more general policies that suppress at least these rows.

        By default, the bound is `loss`, which is correct if suppressing more rows never lowers the
        loss.
        """
        return self.loss(levels, suppressed, price)

    def bound_with_lost(
        self,
        levels: Levels,
        suppressed: Suppressed,
        price: float,
        lost: SurelyLost,  # noqa: ARG002 - for models that know what a record costs at least
        largest: int,  # noqa: ARG002 - for the same
    ) -> float:
        """Return a bound if `lost` is also suppressed. Classes have at most `largest` records."""
        return self.bound(levels, suppressed, price)

    def bound_in_classes(
        self,
        levels: Levels,  # noqa: ARG002 - for models that know what a record costs in its class
        suppressed: Suppressed,  # noqa: ARG002 - for the same
        missing: Missing,  # noqa: ARG002 - for the same
        classes: Classes,  # noqa: ARG002 - for the same
    ) -> float:
        """Return a bound if `missing` is also suppressed and only `classes` are kept."""
        return 0.0

    def raised(
        self,
        loss: float,
        lower: Levels,
        upper: Levels,
        suppressed: Suppressed,  # noqa: ARG002 - for models that know more of a raised level
    ) -> list[list[float]]:
        """Return lower bounds on the loss after one component of `lower` is raised.

        `loss` is the bound at `lower`. Entry ``[i][j]`` is the bound for component i raised by ``j
        + 1``, up to `upper`. The entries of a row never decrease, and the default for all entries
        is `loss`.
        """
        return [[loss] * (high - low) for low, high in zip(lower, upper, strict=True)]


class RecordMeasure(ClassMeasure[int]):
    """A measure that uses only the number of suppressed records, not their rows."""

    def __init__(self, encoding: Encoding) -> None:
        self._counts = encoding.counts

    def nothing(self) -> int:
        """Return 0, because no records are suppressed."""
        return 0

    def more(self, suppressed: int, rows: NDArray[np.uint32]) -> int:
        """Add the records of these rows to the tally."""
        return suppressed + int(np.add.reduce(self._counts[rows]))


@dataclass(frozen=True)
class ClassTally(Generic[Suppressed]):
    """The suppressed rows of a policy, with cached prices.

    `prices` contains the last computed prices of the other rows. `before` contains the prices
    before the `last` rows were suppressed. For bounds, `lost` more records may be suppressed. They
    are in classes of at most `largest` records. `sharper` contains the bounds that include these
    records.
    """

    suppressed: Suppressed
    prices: Prices = field(default_factory=dict, compare=False, repr=False)
    before: Prices = field(default_factory=dict, compare=False, repr=False)
    last: NDArray[np.uint32] | None = field(default=None, compare=False, repr=False)
    lost: SurelyLost | None = None
    largest: int = 0
    sharper: Prices = field(default_factory=dict, compare=False, repr=False)


class BoundByClass(Generic[Suppressed]):
    """A quality model that is bound to one table, and uses a measure of partitions."""

    def __init__(self, encoding: Encoding, measure: ClassMeasure[Suppressed]) -> None:
        self._encoding = encoding
        self._measure = measure
        self._of_persons = isinstance(encoding.table, PersonTable)
        self._top = tuple(height - 1 for height in encoding.heights)
        self._counting = Lock()  # two parallel dives may call this object at the same time
        self._groupings = 0

    @property
    def counts_classes(self) -> bool:
        """Return whether the measure uses the number of released classes for its bounds."""
        return self._measure.counts_classes

    @property
    def groupings(self) -> int:
        """Return the number of policies whose classes were computed for bounds."""
        return self._groupings

    def nothing_suppressed(self) -> ClassTally[Suppressed]:
        """Return the tally for the case that no rows are suppressed."""
        return ClassTally(self._measure.nothing())

    def suppress(
        self, tally: ClassTally[Suppressed], rows: NDArray[np.uint32]
    ) -> ClassTally[Suppressed]:
        """Return the tally after the given rows are also suppressed.

        The method returns a new tally even if `rows` is empty. Tallies cache prices, and the cache
        of one search must not change how many policies another search evaluates. If people are
        suppressed with all their rows, the suppressed rows may be only part of a class, so cached
        prices do not apply.
        """
        if rows.size and self._of_persons:
            return ClassTally(self._measure.more(tally.suppressed, rows))
        known = self._measure.more(tally.suppressed, rows) if rows.size else tally.suppressed
        return ClassTally(known, before=dict(tally.prices), last=rows)

    def lose_some(
        self, tally: ClassTally[Suppressed], lost: SurelyLost, classes: Classes
    ) -> ClassTally[Suppressed]:
        """Return a tally that includes the lost records, without cached bounds on their losses."""
        return replace(tally, lost=lost, largest=int(classes.sizes.max(initial=0)), sharper={})

    def loss(self, levels: Levels, tally: ClassTally[Suppressed], classes: Classes) -> float:
        """Return the loss of a policy."""
        return self._measure.loss(levels, tally.suppressed, self._measure.price(classes))

    def loss_by_attribute(
        self,
        levels: Levels,  # noqa: ARG002 - as the protocol has it
        tally: ClassTally[Suppressed],  # noqa: ARG002 - as the protocol has it
        classes: Classes,  # noqa: ARG002 - as the protocol has it
    ) -> None:
        """Return None, because the price of a class does not belong to a single attribute."""
        return

    def lower_bound(
        self, lower: Levels, upper: Levels, tally: ClassTally[Suppressed], classes: Classes
    ) -> float:
        """Return the loss that results when the kept records are in the classes of `lower`."""
        return max(self._bounds(lower, upper, tally, classes))

    def _bounds(
        self, lower: Levels, upper: Levels, tally: ClassTally[Suppressed], classes: Classes
    ) -> tuple[float, float]:
        """Return two bounds: one from the classes of `lower`, and one from the lost records."""
        if lower == upper:
            price = self._measure.price(classes)
            return self._bound(lower, tally, price), self._sharper(lower, tally, classes, classes)
        sharper = 0.0
        if tally.lost is not None and self._measure.prices_lost:
            sharper = tally.sharper.get(lower, -1.0)
            if sharper < 0.0:
                with self._counting:
                    self._groupings += 1
                fine = refine(self._encoding, classes, upper, lower)
                tally.prices[lower] = self._measure.price(fine)
                sharper = tally.sharper[lower] = self._sharper(lower, tally, classes, fine)
        known = tally.prices.get(lower)
        price = self._price(lower, upper, tally, classes) if known is None else known
        if known is None:
            if len(tally.prices) >= _MOST_PRICES:
                del tally.prices[next(iter(tally.prices))]
            tally.prices[lower] = price
        return self._bound(lower, tally, price), sharper

    def groups(
        self, lower: Levels, upper: Levels, tally: ClassTally[Suppressed], classes: Classes
    ) -> bool:
        """Return whether the bound for `lower` needs classes that have not been computed yet."""
        if lower == upper:
            return False
        if tally.lost is not None and self._measure.prices_lost and lower not in tally.sharper:
            return True
        if lower in tally.prices:
            return False
        return lower not in tally.before or not _few(tally.last, classes)

    def remember(
        self, lower: Levels, tally: ClassTally[Suppressed], classes: Classes, fine: Classes
    ) -> None:
        """Cache the price of the classes of `lower` that another step has computed."""
        tally.prices[lower] = self._measure.price(fine)
        if tally.lost is not None and self._measure.prices_lost:
            tally.sharper[lower] = self._sharper(lower, tally, classes, fine)

    def _sharper(
        self, levels: Levels, tally: ClassTally[Suppressed], classes: Classes, fine: Classes
    ) -> float:
        """Return a bound that uses the lowest possible cost of the lost records in each class."""
        if tally.lost is None or not self._measure.prices_lost:
            return 0.0
        left = left_of(tally.lost, classes, self._encoding.counts)
        missing = Missing(0, tally.lost.rows, left)
        return self._measure.bound_in_classes(levels, tally.suppressed, missing, fine)

    def _bound(self, levels: Levels, tally: ClassTally[Suppressed], price: float) -> float:
        if tally.lost is None:
            return self._measure.bound(levels, tally.suppressed, price)
        return self._measure.bound_with_lost(
            levels, tally.suppressed, price, tally.lost, tally.largest
        )

    def _price(
        self, lower: Levels, upper: Levels, tally: ClassTally[Suppressed], classes: Classes
    ) -> float:
        """Return the price of the classes of `lower`, excluding the suppressed rows."""
        before = tally.before.get(lower)
        if before is not None and tally.last is not None:
            if not tally.last.size:
                return before
            if _few(tally.last, classes):
                return before - self._measure.price(self._classes_of(tally.last, lower))
        with self._counting:
            self._groupings += 1
        return self._measure.price(refine(self._encoding, classes, upper, lower))

    def _classes_of(self, rows: NDArray[np.uint32], levels: Levels) -> Classes:
        return refine(self._encoding, one_class_of(self._encoding, rows), self._top, levels)

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: ClassTally[Suppressed], classes: Classes
    ) -> list[list[float]]:
        """Return bounds on the loss after one component of `lower` is raised.

        These bounds may be below `lower_bound`. The loss of a raised level is not added to the loss
        of lost records, because both losses may come from the same records.
        """
        bound, sharper = self._bounds(lower, upper, tally, classes)
        raised = self._measure.raised(bound, lower, upper, tally.suppressed)
        return [[max(one, sharper) for one in own] for own in raised]


def _few(rows: NDArray[np.uint32] | None, classes: Classes) -> bool:
    """Return whether the number of these rows is small compared with the number of other rows."""
    return rows is not None and rows.size * _FEW <= classes.members.size
