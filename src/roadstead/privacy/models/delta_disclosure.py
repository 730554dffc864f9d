"""delta-disclosure privacy: every sensitive value is about as frequent in a class as in the table.

The model requires |log2(p / q)| < delta for the share p of every value in a class and its share q
in the table (Brickell and Shmatikov 2008; docs/methods/delta-disclosure.md). If `every_value` is
false, the model compares only the values that occur in a class, as ARX does. The union of two valid
classes may then be invalid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import (
    SLACK,
    TOLERANCE,
    ClassCounts,
    OnValues,
    Text,
    class_counts,
    has_room,
    most_under_caps,
)
from roadstead.privacy.model_capabilities import OF_VALUES, not_in_persons
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

_MOST_TRIED = 1000
"""The number of sizes to try for the smallest class that satisfies the model."""
_LARGEST = 64.0
"""The largest delta, because no share can change by a factor of 2 ** 64."""
_ABSENT = np.finfo(np.float64).tiny
"""The tiny share assigned to a value that is not in the table, so that it cannot occur."""


@dataclass(frozen=True, eq=False)
class Disclosure:
    """Classes whose shares are within a factor of 2 ** `delta` of the table's shares."""

    histogram: Histogram = field(repr=False)
    delta: float
    every_value: bool
    per_class: ClassVar[bool] = True

    @property
    def merges(self) -> bool:
        """Return whether every value must occur in every class."""
        return self.every_value

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Return the share of each value in the whole table."""
        whole = self.histogram.whole
        shares: NDArray[np.float64] = np.maximum(whole / whole.sum(), _ABSENT)
        return shares

    @cached_property
    def monotone_part(self) -> OnValues:
        """Require enough records with each value, or values whose caps add up to at least 1.

        Let m be the smallest valid class size. A valid class has at least m records, so it has at
        least as many records with each value as a class of m records needs. A class that grows does
        not lose records. If values may be absent, the caps of the values that occur add up to at
        least 1, because the shares add up to 1.
        """
        if self.every_value:
            return OnValues(self.histogram, partial(_has_each, self._least_of_each()))
        return OnValues(self.histogram, partial(has_room, self._caps))

    def _least_of_each(self) -> NDArray[np.int64]:
        """Return the smallest number of records with each value in a valid class.

        The number is 0 for a value that is not in the table.
        """
        there = self.histogram.whole > 0
        low = self.shares[there] * 2.0**-self.delta * (1.0 - SLACK)
        high = self.shares[there] * 2.0**self.delta * (1.0 + SLACK)
        first = max(int(np.ceil(1.0 / high.min())), int(there.sum()))
        size, fits = first, False
        while not fits and size < first + _MOST_TRIED:
            least, most = _between(low, high, size)
            fits = bool((least <= most).all() and least.sum() <= size <= most.sum())
            size += not fits
        needed = np.zeros(there.size, dtype=np.int64)
        needed[there] = _between(low, high, size)[0]
        return needed

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether the shares in each class are close enough to the shares in the table."""
        farthest, distinct = self.farthest(classes)
        near = farthest < self.delta * (1.0 - TOLERANCE)
        if self.every_value:
            near &= distinct == np.count_nonzero(self.histogram.whole)
        return near

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the largest number of records in each part at which no value exceeds its cap."""
        return self._capped.most_released(parts, most)

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark rows that have more records with a value than the whole release may have."""
        return self._capped.barred(parts, most)

    def least_containing(self, blocks: Classes) -> NDArray[np.float64]:
        """Return the smallest class size at which each block's values are below their caps."""
        return self._capped.least_containing(blocks)

    @cached_property
    def _capped(self) -> OnValues:
        """The condition that no value exceeds its cap, which is 2 ** delta times its share.

        The cap also applies to a union of released classes, because a share in the union lies
        between the shares in the classes.
        """
        most = partial(most_under_caps, self._caps)
        room = partial(has_room, self._caps)
        return OnValues(self.histogram, room, greatest=most, caps=self._caps)

    @property
    def _caps(self) -> NDArray[np.float64]:
        """Return the limit below which the share of each value must be."""
        caps: NDArray[np.float64] = self.shares * 2.0**self.delta
        return caps

    def farthest(self, classes: Classes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the largest |log2(p / q)| and the number of values in each class."""
        counted = class_counts(self.histogram, classes)
        starts = counted.starts[:-1]
        if not starts.size:
            return np.zeros(0), np.zeros(0, dtype=np.int64)
        sizes = np.repeat(np.add.reduceat(counted.counts, starts), counted.distinct)
        off = np.abs(np.log2(counted.counts / sizes) - np.log2(self.shares[counted.codes]))
        return np.maximum.reduceat(off, starts), counted.distinct


@dataclass(frozen=True)
class DeltaDisclosure(PrivacyModel):
    """Classes whose value shares are within a factor of 2 ** `delta` of the table's shares."""

    column: Text
    delta: float
    every_value: bool = True  # whether every value of the table must occur in every class
    kind: ClassVar[str] = "delta-disclosure"
    sources: ClassVar[tuple[str, ...]] = ("brickell",)

    def __post_init__(self) -> None:
        fix = (
            "for example, 1 means that a value is more than half and less than twice as frequent "
            "in a group as in the table"
        )
        right = f"above 0 and at most {_LARGEST:g}"
        self.require("delta", 0.0 < self.delta <= _LARGEST, right, fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        some = "" if self.every_value else " for the values that occur"
        return f"{self.delta:g}-disclosure privacy of {self.column}{some}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        if self.clause is not None:
            return f"In every released group, {self.clause} ({self.name})."
        return (
            f"In every released group, the values of {self.column} that occur are {self._near} "
            f"({self.name}). Other values may be absent, so an attacker may learn that a person "
            "does not have them."
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on a parameter
        """Return the supported features.

        The model can count people only if every value must occur.
        """
        if self.every_value:
            return OF_VALUES
        return not_in_persons(
            "allows values to be absent, so it can hold for each of two groups of people and "
            "still fail for the two groups combined",
            "require every value to occur in each group, or leave the model out",
            Feature.RECODING,
        )

    @property
    def clause(self) -> str | None:
        """Return the condition on every class, or None if values may be absent."""
        if not self.every_value:
            return None
        return f"every value of {self.column} occurs, and is {self._near}"

    @property
    def _near(self) -> str:
        times = 2.0**self.delta
        return (
            f"more than {1 / times:.4g} and less than {times:.4g} times as frequent as in the "
            "whole table"
        )

    def bind(self, table: FrequencyTable) -> Disclosure:
        """Bind the model to the distribution of the whole table."""
        return Disclosure(table.histogram(self.column), self.delta, self.every_value)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the largest |log2(p / q)|."""
        bound = self.bind(table)
        off = round(float(bound.farthest(classes)[0].max()), 9)
        what = "largest change of a value's share in a group, as a logarithm to base 2"
        return ModelFigure(what, off, f"less than {self.delta:g}")


def _between(
    low: NDArray[np.float64], high: NDArray[np.float64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the fewest and the most records with each value in a class of a given size."""
    least = np.maximum(np.ceil(size * low), 1.0).astype(np.int64)
    return least, np.minimum(np.floor(size * high), size).astype(np.int64)


def _has_each(needed: NDArray[np.int64], counted: ClassCounts) -> NDArray[np.bool_]:
    """Return whether each class has enough records with each required value."""
    enough = counted.counts >= np.maximum(needed[counted.codes], 1)
    enough &= needed[counted.codes] > 0
    sums = np.concatenate([[0], np.cumsum(enough)])
    there = sums[counted.starts[1:]] - sums[counted.starts[:-1]]
    all_there: NDArray[np.bool_] = there == np.count_nonzero(needed)
    return all_there
