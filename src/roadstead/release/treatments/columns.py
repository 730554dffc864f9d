"""Represent a treated column, with its distinct text values and the numbers in these values.

If two text values are the same number, such as ``5`` and ``5.0``, they count as one value. So they
are always in the same group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.number_text import EXACT, all_whole, parse_number, plain_number
from roadstead.tables.text import MISSING

_COMMA = re.compile(r"[+-]?\d+,\d+")
_UNIT = re.compile(r"[<>]?=? *[+-]?\d+([.,]\d+)? *([%°]|[^\W\d_]).*", re.DOTALL)
_MOST_DECIMALS = 12
"""The largest number of decimal places of a mean, even if the column has more."""


@dataclass(frozen=True, eq=False)
class TreatedColumn:
    """The distinct values of a column in ascending order, and the text form of each value.

    `numbers` contains the values as numbers, or None for a column of text. `of_text` gives the
    index of the value that each text value represents, or -1 for a missing value.
    """

    name: str
    values: tuple[str, ...] = field(repr=False)
    numbers: tuple[Decimal, ...] | None = field(repr=False)
    of_text: NDArray[np.int64] = field(repr=False)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """Return the numbers as floats, which are used for distances and means."""
        return np.array([float(one) for one in self.numbers or ()], dtype=np.float64)

    @property
    def whole(self) -> bool:
        """Return whether all numbers in the column are whole numbers."""
        return all_whole(self.numbers or ())

    @cached_property
    def decimals(self) -> int:
        """Return the largest number of decimal places in the column, up to a limit."""
        exponents = (plain_number(one).partition(".")[2] for one in self.numbers or ())
        return min(max(map(len, exponents), default=0), _MOST_DECIMALS)

    def written(self, number: float) -> str:
        """Return a group's number, such as a mean, with the precision of the column."""
        step = Decimal(1).scaleb(-self.decimals)
        rounded = Decimal(repr(float(number))).quantize(step, context=EXACT)
        return plain_number(EXACT.add(rounded, Decimal(0)))  # no negative zero


def _way_on(text: str) -> str:
    """Advise what to do about a value that is not a number."""
    if _COMMA.fullmatch(text):
        return f"if the comma is the decimal mark, add {option('decimal', 'comma')}"
    if _UNIT.fullmatch(text):
        return "remove the unit, so that the cells contain only numbers in the same unit"
    return (
        f"correct the value; if the value means missing, add {option('missing', text)}; for a "
        f"column of text, anonymize the table with {option('treat')} and "
        "function=mode,within=classes,groups=whole"
    )


def numbers_of(name: str, texts: Sequence[str]) -> TreatedColumn:
    """Read a column of numbers, or raise an error if a value is not a number."""
    read: dict[str, Decimal] = {}
    for text in texts:
        if text == MISSING:
            continue
        number = parse_number(text)
        if number is None:
            raise SourceError(
                f"{quoted(text)} is not a number, but the column is treated as numbers",
                where=f"column {quoted(name)}",
                fix=_way_on(text),
            )
        read[text] = number
    numbers = tuple(sorted(set(read.values())))
    place = {number: at for at, number in enumerate(numbers)}
    of_text = [place[read[text]] if text in read else -1 for text in texts]
    values = tuple(map(plain_number, numbers))
    return TreatedColumn(name, values, numbers, np.array(of_text, dtype=np.int64))


def texts_of(name: str, texts: Sequence[str]) -> TreatedColumn:
    """Return a column whose values are strings."""
    values = tuple(sorted({text for text in texts if text != MISSING}))
    place = {value: at for at, value in enumerate(values)}
    of_text = np.array([place.get(text, -1) for text in texts], dtype=np.int64)
    return TreatedColumn(name, values, None, of_text)
