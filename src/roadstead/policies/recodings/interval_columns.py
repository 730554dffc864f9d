"""Intervals of numbers or dates as two columns of a release, for the lowest and the highest value.

During processing, the two ends of an interval are one text, such as ``34 .. 39``. So all code for
classes uses one label per quasi-identifier. A column NAME is released as NAME_low and NAME_high.
Both cells are missing if the record is suppressed, if the label has no value, or if the original
value is missing. Only the low end is missing if the original value is missing or is at most the
high end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.number_text import all_whole, parse_number, plain_number

CellKind: TypeAlias = Literal["int64", "float64", "date", "string"]
"""The type of the cells of both columns, by its name in Ibis."""
ReleasedAs: TypeAlias = Literal["text", "columns"]
"""The form of intervals of numbers and dates in a release."""
BETWEEN = " .. "
NOTHING = "*"
"""The label of a part without a value, and of a suppressed cell."""
_LARGEST = 2**63 - 1


def end_columns(name: str) -> tuple[str, str]:
    """Name the two columns of a quasi-identifier."""
    return f"{name}_low", f"{name}_high"


def joined(low: str, high: str) -> str:
    """Join two ends into one label; an empty text represents an open end."""
    return f"{low}{BETWEEN}{high}" if low or high else NOTHING


def cells_of(label: str) -> tuple[str | None, str | None]:
    """Return the two cells of a label; both are missing if the label does not have two ends."""
    low, between, high = label.partition(BETWEEN)
    return (low or None, high or None) if between else (None, None)


def plain(end: str) -> str:
    """Write a number in the form of the release; leave other texts unchanged."""
    number = parse_number(end)
    return end if number is None else plain_number(number)


def cell_kind(order: str, ends: Iterable[str]) -> CellKind:
    """Return the type of the cells; they are numbers only if no digit of an end is lost."""
    if order == "dates":
        return "date"
    numbers = [number for end in ends if (number := parse_number(end)) is not None]
    if all_whole(numbers):
        return "int64" if all(abs(number) <= _LARGEST for number in numbers) else "string"
    exact = all(Decimal(repr(float(number))) == number for number in numbers)
    return "float64" if exact else "string"


def typed(cell: str | None, kind: CellKind) -> int | float | date | str | None:
    """Return the value of a cell."""
    if cell is None or kind == "string":
        return cell
    if kind == "date":
        return date.fromisoformat(cell)
    return int(cell) if kind == "int64" else float(cell)


def with_ends(names: Iterable[str], pairs: Mapping[str, tuple[str, str]]) -> list[str]:
    """Replace each name that has two columns with these two columns."""
    return [own for name in names for own in pairs.get(name, (name,))]


def collision(
    pairs: Mapping[str, tuple[str, str]], others: Sequence[str]
) -> tuple[str, str] | None:
    """Find a quasi-identifier whose end column has the name of another column; return both names.

    Database engines ignore case in names.
    """
    taken = {name.casefold() for name in others}
    for name, ends in pairs.items():
        for own in ends:
            if own.casefold() in taken:
                return name, own
            taken.add(own.casefold())
    return None


def by_label(
    labels: Sequence[str], holds: NDArray[np.bool_], *, in_two: bool
) -> tuple[list[str], NDArray[np.bool_], NDArray[np.int64]]:
    """Return each label once, its possible values, and the index of each part's label.

    `holds` has the values of each part, shape ``(values, parts)``. If two columns (`in_two`) have
    no value, the original may be any value, even if the part contains only the missing value.
    """
    names = list(dict.fromkeys(labels))
    place = np.array([names.index(label) for label in labels], dtype=np.int64)
    found = np.stack([holds[:, place == one].any(axis=1) for one in range(len(names))], axis=1)
    if in_two and NOTHING in names:
        found[:, names.index(NOTHING)] = True
    return names, found, place
