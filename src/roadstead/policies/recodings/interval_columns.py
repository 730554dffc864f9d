"""Release intervals of numbers or dates as two columns: the lowest and the highest value.

During processing, the two ends of an interval are joined into one label, such as ``34 .. 39``, so
that the code for classes can always use one label per quasi-identifier. A column NAME is released
as NAME_low and NAME_high. If both cells are missing, the record is suppressed, the label has no
value, or the original value is missing. If only the lower end is missing, the original value is
missing or is at most the upper end.
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
"""The name of the Ibis type for the cells in both columns."""
ReleasedAs: TypeAlias = Literal["text", "columns"]
"""The form in which intervals of numbers and dates are released."""
BETWEEN = " .. "
NOTHING = "*"
"""The label of a part without a value, and of a suppressed cell."""
_LARGEST = 2**63 - 1


def end_columns(name: str) -> tuple[str, str]:
    """Return the names of the two columns for a quasi-identifier."""
    return f"{name}_low", f"{name}_high"


def joined(low: str, high: str) -> str:
    """Join two ends into one label, in which an empty string represents an open end."""
    return f"{low}{BETWEEN}{high}" if low or high else NOTHING


def cells_of(label: str) -> tuple[str | None, str | None]:
    """Return the two cells of a label. Both are missing if the label does not have two ends."""
    low, between, high = label.partition(BETWEEN)
    return (low or None, high or None) if between else (None, None)


def plain(end: str) -> str:
    """Write a number in the form of the release, and leave other text unchanged."""
    number = parse_number(end)
    return end if number is None else plain_number(number)


def cell_kind(order: str, ends: Iterable[str]) -> CellKind:
    """Return the type of the cells, which is numeric only if every end keeps all its digits."""
    if order == "dates":
        return "date"
    numbers = [number for end in ends if (number := parse_number(end)) is not None]
    if all_whole(numbers):
        return "int64" if all(abs(number) <= _LARGEST for number in numbers) else "string"
    exact = all(Decimal(repr(float(number))) == number for number in numbers)
    return "float64" if exact else "string"


def typed(cell: str | None, kind: CellKind) -> int | float | date | str | None:
    """Convert a cell to a value of the given type."""
    if cell is None or kind == "string":
        return cell
    if kind == "date":
        return date.fromisoformat(cell)
    return int(cell) if kind == "int64" else float(cell)


def with_ends(names: Iterable[str], pairs: Mapping[str, tuple[str, str]]) -> list[str]:
    """In a list of names, replace each column that is released as two columns with both names."""
    return [own for name in names for own in pairs.get(name, (name,))]


def collision(
    pairs: Mapping[str, tuple[str, str]], others: Sequence[str]
) -> tuple[str, str] | None:
    """Return a quasi-identifier and another column that has the name of one of its end columns.

    The comparison ignores case, because database engines ignore case in names.
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
    """Return the distinct labels, their possible values, and the index of each part's label.

    The array `holds` has the shape ``(values, parts)``, and marks the values in each part. In a
    release with two columns (`in_two`), two missing cells may represent any original value, even if
    the part contains only the missing value.
    """
    names = list(dict.fromkeys(labels))
    place = np.array([names.index(label) for label in labels], dtype=np.int64)
    found = np.stack([holds[:, place == one].any(axis=1) for one in range(len(names))], axis=1)
    if in_two and NOTHING in names:
        found[:, names.index(NOTHING)] = True
    return names, found, place
