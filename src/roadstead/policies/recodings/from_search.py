"""Convert the numeric parts that a search found to the parts of a policy document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import HierarchyError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import all_whole, name_interval, parse_number, plain_number
from roadstead.hierarchies.rules import MISSING, Calendar
from roadstead.policies.attribute_policy import missing_codes_at
from roadstead.policies.axes import Axis
from roadstead.policies.document import SUPPRESSED
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.policies.interval_ends import End, calendar_of
from roadstead.policies.recodings.document import (
    IntervalParts,
    NodeParts,
    Order,
    Parts,
    Recoding,
    RecodingKind,
)
from roadstead.policies.recodings.interval_columns import ReleasedAs


def recoding_of(
    kind: RecodingKind,
    encoding: Encoding,
    parts: NDArray[np.int32],
    axes: tuple[Axis, ...] = (),
    *,
    released_as: ReleasedAs = "text",
) -> Recoding:
    """Convert classes with the shape ``(classes, attributes, 2)`` to the form of a document.

    If `axes` are given, a part consists of the first and the last place of an interval. Otherwise,
    a part consists of a level and the code of a label. `released_as` determines the form in which
    intervals of numbers and dates are released.
    """
    attributes: list[Parts] = []
    numbers = np.empty(parts.shape[:2], dtype=np.int64)
    for at, own in enumerate(np.moveaxis(parts, 1, 0)):
        unique, inverse = np.unique(own, axis=0, return_inverse=True)
        if axes:
            made: Parts = _intervals(axes[at], encoding.hierarchies[at], unique, released_as)
            place = np.arange(len(unique))
        else:
            made, place = _nodes(encoding, at, unique)
        attributes.append(made)
        numbers[:, at] = place[inverse.reshape(-1)]
    classes = tuple(tuple(int(part) for part in one) for one in numbers)
    return Recoding(kind, tuple(attributes), classes)


def require_one_meaning(
    kind: RecodingKind, hierarchies: Sequence[Hierarchy], lowest: Levels, highest: Levels
) -> None:
    """Reject a hierarchy in which a label has different values at different levels.

    `lowest` and `highest` are the levels that classes may have. In the *cells* recoding, each
    column of a class is at the common level or at the highest level.
    """
    for hierarchy, low, high in zip(hierarchies, lowest, highest, strict=True):
        used = range(low, high + 1)
        for first, second in combinations(used, 2):
            if kind == "cells" and second != high:
                continue
            label = _of_two_meanings(hierarchy, first, second)
            if label is not None:
                raise _two_meanings(hierarchy, label, first, second)


def _of_two_meanings(hierarchy: Hierarchy, first: int, second: int) -> str | None:
    """Return a label that has different values at two levels, or None if there is none."""
    one, other = hierarchy.levels[first], hierarchy.levels[second]
    places = {label: place for place, label in enumerate(other.labels)}
    same = np.array([places.get(label, -1) for label in one.labels], dtype=np.int64)[one.codes]
    shared = np.unique(same[same >= 0])
    # The value has a shared label at only one level, or has two different shared labels.
    differ = (same != other.codes) & ((same >= 0) | np.isin(other.codes, shared))
    if not differ.any():
        return None
    at = int(np.argmax(differ))
    return one.label(at) if same[at] >= 0 else other.label(at)


def _two_meanings(hierarchy: Hierarchy, label: str, first: int, second: int) -> HierarchyError:
    return HierarchyError(
        f"{quoted(label)} of {hierarchy.attribute!r} means some values at level {first} and other "
        f"values at level {second}, and a release may contain both",
        where=hierarchy.origin,
        fix="use labels that differ between the levels (for prefixes, set mask = '*' in the "
        f"hierarchy), or use {option('recoding', 'global')}",
    )


def _nodes(
    encoding: Encoding, attribute: int, pairs: NDArray[np.int32]
) -> tuple[NodeParts, NDArray[np.int64]]:
    """Name nodes by their labels, and return the part of each pair of a level and a code."""
    hierarchy = encoding.hierarchies[attribute]
    domain = encoding.table.domains[attribute]
    rows = {value: row for row, value in enumerate(hierarchy.values)}
    named: dict[str, tuple[int, frozenset[int]]] = {}
    place = np.empty(len(pairs), dtype=np.int64)
    for number, (level, code) in enumerate(_pairs(pairs)):
        members = np.flatnonzero(encoding.lookups[attribute][level] == code)
        own = hierarchy.levels[level]
        label = own.label(rows[domain[members[0]]])
        holds = frozenset(np.flatnonzero(own.codes == own.labels.index(label)).tolist())
        first, before = named.setdefault(label, (level, holds))
        if before != holds:
            raise _two_meanings(hierarchy, label, first, level)
        place[number] = list(named).index(label)
    levels = sorted({level for level, _ in named.values()})
    return (
        NodeParts(
            tuple(levels),
            tuple(hierarchy.rule(level) for level in levels),
            tuple((levels.index(level), label) for label, (level, _) in named.items()),
            missing_codes_at(hierarchy, levels[0]),
        ),
        place,
    )


@dataclass(frozen=True)
class _IntervalNames:
    """The names of the intervals along an axis, and the values at their ends."""

    axis: Axis
    calendar: Calendar | None  # the unit of dates, such as days or years

    @property
    def order(self) -> Order:
        """The order in which values are compared."""
        if self.axis.domain.numeric:
            return "numbers"
        if self.calendar is not None:
            return "dates"
        if self.axis.domain.ranges:
            return "ranges"
        if self.axis.domain.form != "plain":
            return self.axis.domain.form
        return "listed" if self.axis.domain.declared else "texts"

    def label(self, low: int, high: int) -> str:
        """Name the interval from one place to another place."""
        if self._is_all(low, high):
            return SUPPRESSED
        if self.without_value(high):
            return self.ends(low, high)[0] or MISSING
        or_missing = self.or_missing(low, high)
        first = self.axis.ends[self.axis.nothing if or_missing else low][0]
        named = self._between(first, self.axis.ends[high][1])
        # An interval without a lower end contains the missing value, even if few records have it.
        known = self.axis.domain.has_missing or self.axis.codes
        holds_missing = or_missing or (first.value is None and known)
        return f"missing or {named}" if holds_missing else named

    def ends(self, low: int, high: int) -> tuple[str | None, str | None]:
        """Return the first and last values of an interval. An open end is None."""
        if self._is_all(low, high):
            return None, None
        if self.without_value(high):
            code = self.axis.codes[low] if low == high < len(self.axis.codes) else MISSING
            return code, code
        first = self.axis.nothing if self.or_missing(low, high) else low
        return self.axis.ends[first][0].value, self.axis.ends[high][1].value

    def without_value(self, high: int) -> bool:
        """Return whether an interval contains only the missing value or missing codes."""
        return high < self.axis.nothing

    def or_missing(self, low: int, high: int) -> bool:
        """Return whether an interval contains the missing value in addition to other values."""
        return low < self.axis.nothing <= high and not self._is_all(low, high)

    def _is_all(self, low: int, high: int) -> bool:
        return bool(self.axis.is_all(np.array([[low, high]], dtype=np.int32))[0])

    def _between(self, first: End, last: End) -> str:
        if first.name == last.name and first.value is not None:
            return first.name
        least, most = (parse_number(end.value or "") for end in (first, last))
        if self.order == "numbers" and self._whole:
            return name_interval(least, None if most is None else most + 1, integer=True)
        if last.value is None:
            return f"from {first.name}"
        if first.value is None:
            return f"up to {last.name}"
        if self.order == "numbers" and least is not None and most is not None:
            return f"[{plain_number(least)}, {plain_number(most)}]"
        return f"{first.name} {'to' if self.order == 'dates' else '..'} {last.name}"

    @cached_property
    def _whole(self) -> bool:
        numbers = (parse_number(value) for value in self.axis.domain.listed)
        return all_whole(number for number in numbers if number is not None)


def has_ends(axis: Axis, hierarchy: Hierarchy) -> bool:
    """Return whether an axis has intervals of numbers or dates, which two columns can show."""
    return axis.domain.numeric or calendar_of(hierarchy) is not None


def _intervals(
    axis: Axis, hierarchy: Hierarchy, pairs: NDArray[np.int32], released_as: ReleasedAs
) -> IntervalParts:
    """Build the parts of intervals, and name each part by its ends."""
    calendar = calendar_of(hierarchy)
    names = _IntervalNames(axis, calendar)
    places = _pairs(pairs)
    made = IntervalParts(
        order=names.order,
        parts=tuple(names.ends(*one) for one in places),
        labels=_unique([names.label(*one) for one in places]),
        missing=tuple(part for part, one in enumerate(places) if names.or_missing(*one)),
        listed=axis.domain.listed if names.order == "listed" else (),
        missing_codes=missing_codes_at(hierarchy, 0),
        **({} if calendar is None else asdict(calendar.written)),
    )
    if released_as == "text" or not has_ends(axis, hierarchy):
        return made
    return replace(made, labels=made.two_columns, released_as=released_as)


def _pairs(numbers: NDArray[np.int32]) -> list[tuple[int, int]]:
    return list(zip(numbers[:, 0].tolist(), numbers[:, 1].tolist(), strict=True))


def _unique(labels: list[str]) -> tuple[str, ...]:
    """Add numbers to labels that two intervals share. Such labels are rare."""
    taken: set[str] = set()
    found = []
    for label in labels:
        number, own = 1, label
        while own in taken or (number > 1 and own in labels):
            number += 1
            own = f"{label} ({number})"
        taken.add(own)
        found.append(own)
    return tuple(found)
