"""What is known of an attribute without looking at the table: its domain.

Differential privacy bounds what one record can change of an output. A domain that was read off the
table would itself change with a record, so each one is declared: a range for numbers, a taxonomy
for categories and for the items of sets, a list for the classes to be predicted. They are public,
and part of what is released (paper 002 assumes it).

Every record has a place in the declared domain or none; which policy applies to those that have
none is in `private_table`. The place depends on that one record alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, Taxonomy

_MOST_CELLS = 1 << 31


@dataclass(frozen=True)
class NumericDomain:
    """Numbers from `low` to `high`, both included, distinguished in steps.

    A value between two steps counts as the lower one; a value beyond an end counts as that end.
    """

    attribute: str
    low: Decimal
    high: Decimal
    step: Decimal = Decimal(1)  # the smallest difference that counts

    def __post_init__(self) -> None:
        where = f"domain of {self.attribute!r}"
        if not (self.low.is_finite() and self.high.is_finite() and self.step.is_finite()):
            raise SettingError("a range needs finite numbers", where=where, fix="write LOW..HIGH")
        if self.step <= 0:
            raise SettingError(
                "the step is not above 0",
                where=where,
                fix="write LOW..HIGH/STEP, as in 10..60/0.1",
            )
        if self.high < self.low:
            raise SettingError(
                f"the range ends below its beginning: {self.low}..{self.high}",
                where=where,
                fix="write the smaller number first",
            )
        if (self.high - self.low) / self.step >= _MOST_CELLS:
            raise SettingError(
                f"the range has more than {_MOST_CELLS:,} steps",
                where=where,
                fix="declare a larger step, as in 0..1000000000/1000",
            )

    @property
    def size(self) -> int:
        """How many values are distinguished."""
        return int((self.high - self.low) / self.step) + 1

    def beyond(self, value: str) -> bool:
        """Whether a value is a number, and beyond an end of the range."""
        number = _number(value)
        return number is not None and not self.low <= number < self.at(self.size)

    def locate(self, values: Sequence[str]) -> NDArray[np.int32]:
        """Find the step of each value, `NOT_LISTED` where it is no number; ``(len(values),)``."""
        return np.array([self._place(value) for value in values], dtype=np.int32)

    def _place(self, value: str) -> int:
        number = _number(value)
        if number is None:
            return NOT_LISTED
        clamped = min(max(number, self.low), self.high)
        return int((clamped - self.low) / self.step)

    def at(self, place: int) -> Decimal:
        """Give the number at a step."""
        return self.low + place * self.step

    def words(self, begin: int, end: int) -> str:
        """Call the steps from `begin` up to, not with, `end` by their first and last number."""
        first, last = self.at(begin), self.at(end - 1)
        return f"{first}" if first == last else f"{first} to {last}"


def _number(value: str) -> Decimal | None:
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        return None
    return None if number.is_nan() else number


@dataclass(frozen=True, eq=False)
class _TaxonomyDomain:
    taxonomy: Taxonomy

    @property
    def attribute(self) -> str:
        """The column, or the set-valued attribute."""
        return self.taxonomy.attribute

    @property
    def size(self) -> int:
        """How many values, or items, there are."""
        return self.taxonomy.size


class CategoricalDomain(_TaxonomyDomain):
    """The leaves of a taxonomy, one to a record."""


class SetDomain(_TaxonomyDomain):
    """Sets of leaves of a taxonomy, one set to a record; a set may be empty."""


Domain: TypeAlias = NumericDomain | CategoricalDomain | SetDomain
