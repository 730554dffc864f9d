"""Describe the distribution of a column before and after a release.

A band is a set of values that some cells of the release show. A band also has the share of the
records with these cells. The values of the original are grouped in three ways. Numbers and dates
are divided into equal steps. If the values are bands, neighboring bands are combined. For any other
column, each of the most frequent values is a group, and all remaining values form one group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from roadstead.analysis.distances import spread
from roadstead.hierarchies.label_order import label_order
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.rules import MISSING
from roadstead.policies.value_sets import ShownColumn, ShownTable

_STEPS = 24
"""The largest number of steps into which numbers or dates are divided."""
_NAMED = 12
"""The largest number of values that have a group of their own."""
_LISTED = 3
"""The number of values that are listed for a band without a label in the release."""
_NICE = (1, 2, 5, 10)
REST = "all others"


@dataclass(frozen=True)
class Band:
    """A set of values that cells show, with its label, its share of the records, and its two ends.

    The ends are positions on a scale from 0 to 1, or None if the values have no order. `whole`
    indicates whether the band contains all values of the column. `members` are the codes of the
    values.
    """

    label: str
    share: float
    low: float | None
    high: float | None
    whole: bool
    members: NDArray[np.int32] = field(repr=False, compare=False)


@dataclass(frozen=True)
class GroupedValues:
    """Labeled groups of values. `places` contains the ends of equal steps, from 0 to 1."""

    labels: tuple[str, ...]
    group: NDArray[np.int64]  # the group of each value
    places: tuple[tuple[float, float], ...] | None = None


def bands_of(
    column: ShownColumn,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    labels: Mapping[str, int],
    records: int,
    often: NDArray[np.bool_] | None = None,
) -> list[Band]:
    """Return the bands of a column, ordered by their values or by descending frequency.

    `records` is the number of records in the original, including the suppressed records. `often`
    marks the values that labels may name as ends or members of a band. By default, labels may name
    any value.
    """
    counts = np.bincount(codes, weights=weights, minlength=column.parts)
    called = {part: label for label, part in labels.items()}
    found = []
    for part in np.flatnonzero(counts):
        members = column.members[column.starts[part] : column.starts[part + 1]]
        low, high = _ends(column, members)
        whole = members.size == len(column.values) and members.size > 1
        label = called.get(int(part)) or _named(column, members, often)
        share = float(counts[part]) / max(records, 1)
        found.append(Band(label, share, low, high, whole, members))
    found.sort(key=lambda b: (b.whole, b.low is None, b.low or 0.0, -b.share, b.label))
    named = [band for band in found if not band.whole]
    order = None if column.numbers is not None else label_order([band.label for band in named])
    if order is None:
        return found
    return [*(named[at] for at in order), *(band for band in found if band.whole)]


def _ends(column: ShownColumn, members: NDArray[np.int32]) -> tuple[float | None, float | None]:
    if column.numbers is None:
        return None, None
    own = column.numbers[members]
    if np.isnan(own).all():
        return None, None
    edges = _Edges.of(column)
    return edges.place(float(np.nanmin(own)), below=True), edges.place(float(np.nanmax(own)))


@dataclass(frozen=True)
class _Edges:
    """The ends of an ordered column, and the smallest distance between two of its values."""

    first: float
    last: float
    step: float

    @classmethod
    def of(cls, column: ShownColumn) -> _Edges:
        assert column.numbers is not None  # noqa: S101 - of ordered columns alone
        known = np.unique(column.numbers[~np.isnan(column.numbers)])
        gaps = np.diff(known)
        step = float(gaps.min()) if gaps.size else 1.0
        return cls(float(known[0]), float(known[-1]), step)

    def place(self, number: float, *, below: bool = False) -> float:
        number += -self.step / 2 if below else self.step / 2
        return (number - self.first + self.step / 2) / (self.last - self.first + self.step)


def _named(column: ShownColumn, members: NDArray[np.int32], often: NDArray[np.bool_] | None) -> str:
    if members.size == len(column.values) and members.size > 1:
        return "any value"
    rare = 0 if often is None else int(np.count_nonzero(~often[members]))
    if often is not None:
        members = members[often[members]]
    texts = [column.values[one] or "missing" for one in members]
    if not texts:
        return "rare values"
    if column.numbers is not None and members.size > 1:
        own = column.numbers[members]
        if not np.isnan(own).any():
            ends = f"{texts[int(own.argmin())]} to {texts[int(own.argmax())]}"
            return f"about {ends}" if rare else ends
    others = max(len(texts) - _LISTED, 0) + rare
    more = f" and {others} more" if others else ""
    return ", ".join(texts[:_LISTED]) + more


def grouped(
    column: ShownColumn, counts: NDArray[np.float64], often: NDArray[np.bool_] | None = None
) -> GroupedValues:
    """Group the values in an original column by their order, by frequency, or in equal steps.

    `counts` gives the number of records with each value. `often` marks the values that labels may
    name. The other values belong to the last group, or to a step with round ends.
    """
    if often is None:
        often = np.ones(len(column.values), dtype=np.bool_)
    order = None if column.numbers is not None else label_order(column.values)
    if order is not None:
        return _neighbors(column, order, often)
    if len(column.values) <= _NAMED or column.numbers is None or np.isnan(column.numbers).all():
        return _by_frequency(column, counts, often)
    edges = _Edges.of(column)
    if _width(edges) <= edges.step and not often.all():  # each step would contain a single value
        return _by_frequency(column, counts, often)
    return _by_steps(column, column.numbers)


def _neighbors(column: ShownColumn, order: list[int], often: NDArray[np.bool_]) -> GroupedValues:
    """Group values that are ordered bands. If there are many bands, combine neighboring bands."""
    named = [at for at in order if column.values[at] != MISSING]
    known, rest = [at for at in named if often[at]], [at for at in named if not often[at]]
    size = max(1, -(-len(known) // _STEPS))
    parts = [known[first : first + size] for first in range(0, len(known), size)]
    labels = [
        column.values[part[0]]
        if len(part) == 1
        else f"{column.values[part[0]]} to {column.values[part[-1]]}"
        for part in parts
    ]
    if rest:
        parts.append(rest)
        labels.append(REST)
    if len(named) < len(order):
        parts.append([at for at in order if column.values[at] == MISSING])
        labels.append(_text(MISSING))
    group = np.empty(len(order), dtype=np.int64)
    for number, part in enumerate(parts):
        group[part] = number
    return GroupedValues(tuple(labels), group)


def _by_frequency(
    column: ShownColumn, counts: NDArray[np.float64], often: NDArray[np.bool_]
) -> GroupedValues:
    number = len(column.values)
    if number <= _NAMED:
        numbers = column.numbers
        order = np.arange(number) if numbers is None else np.argsort(numbers, kind="stable")
        if numbers is None:
            order = np.argsort(-counts, kind="stable")
        shown, rest = order, order[:0]
    else:
        order = np.argsort(-counts, kind="stable")
        shown, rest = order[: _NAMED - 1], order[_NAMED - 1 :]
    few = ~often[shown]
    shown, rest = shown[~few], np.concatenate([shown[few], rest])
    group = np.empty(number, dtype=np.int64)
    group[shown] = np.arange(shown.size)
    group[rest] = shown.size
    labels = [_text(column.values[one]) for one in shown]
    return GroupedValues((*labels, *([REST] if rest.size else [])), group)


def _by_steps(column: ShownColumn, numbers: NDArray[np.float64]) -> GroupedValues:
    """Divide numbers or dates into equal steps. Missing values form a separate group."""
    known = ~np.isnan(numbers)
    edges = _Edges.of(column)
    width = _width(edges)
    begin = floor(edges.first / width) * width
    at = np.floor((numbers[known] - begin) / width).astype(np.int64)
    used = np.unique(at)
    group = np.empty(numbers.size, dtype=np.int64)
    group[known] = np.searchsorted(used, at)
    group[~known] = used.size
    dated = parse_number(next(v for v in column.values if v not in column.missing)) is None
    labels, places = [], []
    reach = edges.last - edges.first + edges.step
    for one in used:
        low, high = begin + one * width, begin + (one + 1) * width
        labels.append(_range(low, high, edges.step, dated=dated))
        ends = [(end - edges.first) / reach for end in (low, high)]
        places.append((min(max(ends[0], 0.0), 1.0), min(max(ends[1], 0.0), 1.0)))
    if (~known).any():
        labels.append("missing")
        return GroupedValues(tuple(labels), group, None)
    return GroupedValues(tuple(labels), group, tuple(places))


def _width(edges: _Edges) -> float:
    return max(_nice((edges.last - edges.first + edges.step) / _STEPS), edges.step)


def _nice(number: float) -> float:
    """Round a number up to the next number that is 1, 2, or 5 times a power of ten."""
    power = 10.0 ** floor(log10(number)) if number > 0 else 1.0
    return next((one * power for one in _NICE if one * power >= number - 1e-12), 10 * power)


def _range(low: float, high: float, step: float, *, dated: bool) -> str:
    if dated:
        ends = [date.fromordinal(max(int(one), 1)) for one in (low, high - 1)]
        return f"{ends[0]} to {ends[1]}"
    last = high - step
    return f"{low:g}" if last <= low else f"{low:g} to {last:g}"


def _text(value: str) -> str:
    return "missing" if value == MISSING else value


def before_and_after(
    original: ShownTable,
    release: ShownTable,
    name: str,
    left_out: int,
    often: NDArray[np.bool_] | None = None,
) -> tuple[GroupedValues, list[float], list[float]]:
    """Return groups of a column's values, and their shares in the original and in a release.

    `often` marks the values that can form a separate group. By default, every value can.
    """
    column = original.columns[original.place(name)]
    every = np.arange(len(column.values))
    counts = spread(original, [name], [every])
    groups = grouped(column, counts, often)
    own = [
        spread(table, [name], [groups.group], out)
        for table, out in ((original, 0), (release, left_out))
    ]
    before, after = ((one / max(float(one.sum()), 1.0)).tolist() for one in own)
    return groups, before, after


def overlapping(bands: list[Band]) -> bool:
    """Return whether any two bands overlap, as they may after local recoding."""
    ordered = sorted((b.low, b.high) for b in bands if b.low is not None and b.high is not None)
    return any(a[1] > b[0] + 1e-9 for a, b in pairwise(ordered))
