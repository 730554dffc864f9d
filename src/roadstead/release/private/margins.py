"""Read and write margins.csv, which contains noisy counts with error bars.

Each line describes a cell of a margin in a release for general use. The line contains the number of
the margin, one or two columns with a group of values, the noisy count, the standard error, and a
confidence interval. The interval contains the true count of the records that were used with a
probability of at least 95% (see ``differential.margins.error_bars``). Margins are listed in the
order in which they were counted, and cells in the order of their groups.

A group of numbers is an interval. Any other group is a single value, or consists of all values that
no other line of the margin names. Sets are counted separately for each node. If the set has an item
below the node, the cell is ``yes``.

The rest of a line follows from the groups, the ledger, and the count. So a reader can compute the
line again and compare both lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import AttributeCut, NumericCut
from roadstead.differential.margins.error_bars import half_width, standard_error
from roadstead.differential.margins.variables import TARGET, Coded, Grouping, Variable
from roadstead.errors import VerificationError
from roadstead.release.private.certificate import ReleasedMargins
from roadstead.release.private.cut import names_of
from roadstead.release.private.tables import Lines, read_lines

MARGINS = "margins.csv"
OTHERS = "(all others)"
HEADER = (
    "margin",
    "column",
    "value",
    "second column",
    "second value",
    "noisy count",
    "standard error",
    "at least",
    "at most",
)
_NO_YES = ("no", "yes")
_PAIR = 2
_LARGEST = 1 << 62


@dataclass(frozen=True, eq=False)
class ReleasedMargin:
    """The noisy counts for groups of one variable, or for combinations of two variables."""

    at: tuple[int, ...]  # the positions of the variables
    groupings: tuple[Grouping, ...] = field(repr=False)  # the grouping of each variable's values
    counts: NDArray[np.int64] = field(repr=False)
    rate: Fraction  # the rate of the noise, which is the budget per record

    @property
    def half_width(self) -> int:
        """Return half the width of each count's confidence interval."""
        return half_width(self.rate)

    def agreeing(self, records: Coded) -> int:
        """Count the cells whose confidence interval contains the count of the given records."""
        own = records.margin(self.at, self.groupings)
        return int((np.abs(own - self.counts) <= self.half_width).sum())


def certified_margins(
    margins: Sequence[ReleasedMargin], records: int, coded: Coded
) -> ReleasedMargins:
    """Return facts about the margins, and about the agreement of the records with the margins."""
    return ReleasedMargins(
        records,
        len(margins),
        sum(one.counts.size for one in margins),
        sum(one.agreeing(coded) for one in margins),
    )


@dataclass(frozen=True, eq=False)
class Names:
    """The names of variables and of their values in the file."""

    variables: tuple[Variable, ...]
    cuts: tuple[AttributeCut, ...]
    classes: tuple[str, ...]

    def values(self, variable: Variable) -> tuple[str, ...]:
        """Return a unique name for each value of a variable."""
        if variable.node is not None:
            return _NO_YES
        own = (
            self.classes
            if variable.attribute == TARGET
            else names_of(self.cuts[variable.attribute])
        )
        # A backslash marks a value whose name equals the name of the group of all other values.
        return tuple(f"\\{one}" if one.lstrip("\\") == OTHERS else one for one in own)

    def groups(self, variable: Variable, grouping: Grouping) -> tuple[str, ...]:
        """Return the names of the groups of a grouping."""
        names, cut = self.values(variable), self._intervals(variable)
        found = []
        for group in range(int(grouping.max()) + 1):
            members = np.flatnonzero(grouping == group).tolist()
            if cut is not None:
                bounds = cut.bounds
                found.append(cut.domain.words(bounds[members[0]], bounds[members[-1] + 1]))
            else:
                found.append(names[members[0]] if len(members) == 1 else OTHERS)
        return tuple(found)

    def grouping(self, variable: Variable, labels: Sequence[str]) -> Grouping:
        """Return the grouping with these group names, or raise a `VerificationError`."""
        cut = self._intervals(variable)
        found = self._by_name(variable, labels) if cut is None else _by_interval(cut, labels)
        if found is None:
            raise VerificationError(
                f"each value of {variable.name!r} must be in exactly one group", where=MARGINS
            )
        return found

    def _intervals(self, variable: Variable) -> NumericCut | None:
        if variable.attribute == TARGET:
            return None
        cut = self.cuts[variable.attribute]
        return cut if isinstance(cut, NumericCut) else None

    def _by_name(self, variable: Variable, labels: Sequence[str]) -> Grouping | None:
        place = {name: at for at, name in enumerate(self.values(variable))}
        found = np.full(variable.size, -1, dtype=np.int64)
        for group, label in enumerate(labels):
            if label in place:
                found[place[label]] = group
        rest = found < 0
        if OTHERS in labels:
            found[rest] = labels.index(OTHERS)
        known = all(label in place or label == OTHERS for label in labels)
        every = not rest.any() or (OTHERS in labels and int(rest.sum()) > 1)
        return found if known and every and len(set(labels)) == len(labels) else None


def _by_interval(cut: NumericCut, labels: Sequence[str]) -> Grouping | None:
    """Return the grouping into consecutive intervals, or None if they do not cover the range."""
    found = np.zeros(cut.size, dtype=np.int64)
    begin = 0
    for group, label in enumerate(labels):
        ends = range(begin + 1, cut.size + 1)
        words = (cut.domain.words(cut.bounds[begin], cut.bounds[end]) for end in ends)
        end = next((end for end, text in zip(ends, words, strict=True) if text == label), None)
        if end is None:
            return None
        found[begin:end] = group
        begin = end
    return found if begin == cut.size else None


def rendered_margins(margins: Sequence[ReleasedMargin], names: Names) -> bytes:
    """Return the content of the file. The same margins always give the same bytes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for number, margin in enumerate(margins, start=1):
        writer.writerows(_lines(number, margin, names))
    return text.getvalue().encode()


def _lines(number: int, margin: ReleasedMargin, names: Names) -> Iterator[list[object]]:
    variables = [names.variables[at] for at in margin.at]
    groups = [
        names.groups(one, grouping)
        for one, grouping in zip(variables, margin.groupings, strict=True)
    ]
    error, width = f"{standard_error(margin.rate):.2f}", margin.half_width
    for labels, count in zip(product(*groups), margin.counts.ravel().tolist(), strict=True):
        cells: list[object] = [number]
        for one, label in zip(variables, labels, strict=True):
            cells += [one.name, label]
        cells += [""] * (2 * (_PAIR - len(variables)))
        yield [*cells, count, error, max(count - width, 0), max(count + width, 0)]


def read_margins(
    folder: Path, names: Names, rates: Sequence[Fraction]
) -> tuple[ReleasedMargin, ...]:
    """Read the margins from a file. `rates` gives the noise rate of each margin in the ledger."""
    lines = read_lines(folder / MARGINS, HEADER)
    rows = _rows(lines)
    found: list[ReleasedMargin] = []
    at = 0
    for number, rate in enumerate(rates, start=1):
        begin = at
        while at < len(rows) and rows[at][0] == str(number):
            at += 1
        found.append(_margin(rows[begin:at], rate, names))
    if at < len(rows):
        raise VerificationError("a line does not belong to a margin of the ledger", where=MARGINS)
    return tuple(found)


def columns_of(margin: ReleasedMargin, names: Names) -> tuple[str, ...]:
    """Return the names of the variables in a margin."""
    return tuple(names.variables[at].name for at in margin.at)


def _rows(lines: Lines) -> list[tuple[str, ...]]:
    columns = [
        np.array(texts, dtype=object)[codes]
        for texts, codes in zip(lines.texts, lines.codes, strict=True)
    ]
    return list(zip(*columns, strict=True)) if lines.size else []


def _margin(rows: Sequence[tuple[str, ...]], rate: Fraction, names: Names) -> ReleasedMargin:
    place = {one.name: at for at, one in enumerate(names.variables)}
    if not rows:
        raise VerificationError("a margin of the ledger does not have lines", where=MARGINS)
    called = [name for name in (rows[0][1], rows[0][3]) if name]
    if any(name not in place for name in called) or len(set(called)) < len(called):
        raise VerificationError("a column is not part of the release", where=MARGINS)
    at = tuple(place[name] for name in called)
    groupings = tuple(
        names.grouping(
            names.variables[one], tuple(dict.fromkeys(row[2 + 2 * axis] for row in rows))
        )
        for axis, one in enumerate(at)
    )
    shape = tuple(int(one.max()) + 1 for one in groupings)
    if len(rows) != int(np.prod(shape)):
        raise VerificationError("a margin does not have exactly one line per cell", where=MARGINS)
    counts = np.array([_count(row[5]) for row in rows], dtype=np.int64).reshape(shape)
    return ReleasedMargin(at, groupings, counts, rate)


def _count(text: str) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 20:  # noqa: PLR2004 - digits
        number = int(text)
        if abs(number) < _LARGEST and str(number) == text:
            return number
    raise VerificationError("a noisy count is not a whole number", where=MARGINS)
