"""Find columns whose values occur mostly in short periods, such as the lot of a reagent.

If dates are shifted, a value that occurs only in some weeks helps to find the true date, even if a
week can have many values. The measure is the share of the possible shifts that remains. The module
draws a shift for each person. The shifted dates and the values of the person then give a posterior
distribution over all shifts. The frequency of each value in each part of the calendar comes from
the records of other people. If the values do not depend on the date, the probability of the drawn
shift does not increase on average. So the logarithm of the increase is evidence that is not due to
chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, inf, isnan, log
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from roadstead.tables.persons.dated_columns import days_in, drawn_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

_CHANCE = log(1e6)
_PARTS = 12
"""The number of calendar periods into which the possible shifts are divided."""
_FOLDS = 5
"""The people are divided into this number of groups. Frequencies come from the other groups."""
_PRIOR = 0.5
"""The number of records that is added to each expected and each observed frequency."""
_ROWS = 8
"""The number of rows of a person that count as independent evidence."""
_SHARED, _RANKS = 5, 20
"""A value of fewer records is replaced by its rank, in this number of classes."""
_RARE = 0.2
_EXCLUDED = 0.1
"""The share of the possible shifts, on average over all people, that a column may exclude."""


def columns_that_narrow(
    source: Source, person: str, dates: Sequence[str], columns: Sequence[str], most: int
) -> Iterator[tuple[str, str, float]]:
    """Yield the columns whose values reduce the number of possible shifts of up to `most` days.

    For each column, the function also yields the date and the average share of the possible shifts
    that remain. `person` is the column of the person ID. `source` contains the dates before any
    shift.
    """
    if not columns or not dates:
        return
    cells = drawn_cells(source, person, (*dates, *columns), together=True)
    people, whose = cells[person]
    for date in dates:
        days = days_in(cells[date])
        dated = ~np.isnat(days)
        if not dated.any():
            continue
        calendar = _Calendar(days[dated].astype(np.int64), whose[dated], people, most)
        for column in columns:
            if column in (date, person):
                continue
            texts, codes = cells[column]
            gain = calendar.gain(_classes(texts, codes[dated]))
            if gain.sum() >= _CHANCE and gain.mean() >= -log(1 - _EXCLUDED):
                yield column, date, exp(-float(gain.mean()))


class _Calendar:
    """The calendar periods of the records, and a possible shift for each person."""

    def __init__(
        self,
        days: NDArray[np.int64],
        person: NDArray[np.int64],
        people: Sequence[str],
        most: int,
    ) -> None:
        length = max(1, (2 * most + 1) // _PARTS)
        self._most = most // length
        # The ID, and not the order of the records, determines the group and the shift of a person.
        drawn = np.array([crc32(name.encode()) for name in people], dtype=np.int64)
        self._fold = drawn % _FOLDS
        self._shift = drawn // _FOLDS % (2 * self._most + 1)
        self._person, self._period = person, (days - days.min()) // length
        self._periods = int(self._period.max()) + 1
        # As in the release, shifted dates near both ends are removed.
        ends = np.sort(days)[[min(_SHARED, days.size) - 1, -min(_SHARED, days.size)]]
        moved = days + (self._shift - self._most)[person] * length
        self._inside = (moved >= ends[0] + most) & (moved <= ends[1] - most)

    def gain(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each person, return the increase in the log-probability of the shift."""
        known, given = self._rows(values), self._rows(values, self._inside)
        shifts = 2 * self._most + 1
        likely = np.zeros((self._fold.size, shifts))
        for fold in range(_FOLDS):
            others = known[:, self._fold[known[0]] != fold]
            likely += self._likely(others, given[:, self._fold[given[0]] == fold])
        rows = np.bincount(given[0], minlength=self._fold.size)
        likely = likely[rows > 0] * np.minimum(1, _ROWS / rows[rows > 0])[:, None]
        if not likely.size:
            return np.zeros(1)
        at_shift = likely[np.arange(len(likely)), self._shift[rows > 0]]
        most = likely.max(axis=1)
        sums = np.exp(likely - most[:, None]).sum(axis=1)
        return np.asarray(at_shift - most - np.log(sums) + log(shifts), dtype=np.float64)

    def _rows(
        self, values: NDArray[np.int64], only: NDArray[np.bool_] | slice = slice(None)
    ) -> NDArray[np.int64]:
        """Return the person, the value, and the period of records. Equal rows count once."""
        many = int(values.max()) + 1
        keys = (self._person * many + values) * self._periods + self._period
        keys, period = np.divmod(np.unique(keys[only]), self._periods)
        return np.stack([*np.divmod(keys, many), period])

    def _likely(self, others: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the log-likelihood of each shift, based on the values of other people."""
        result = np.zeros((self._fold.size, 2 * self._most + 1))
        if not rows.size or not others.size:
            return result
        person, value, period = rows
        many = int(max(others[1].max(), value.max())) + 1
        pairs, counts = np.unique(others[1] * self._periods + others[2], return_counts=True)
        of_value = np.bincount(others[1], minlength=many)
        of_period = np.bincount(others[2], minlength=self._periods)
        shifted = period + self._shift[person]
        places = shifted[:, None] - np.arange(result.shape[1])
        there = (places >= 0) & (places < self._periods)
        places = np.where(there, places, 0)
        wanted = value[:, None] * self._periods + places
        at = np.minimum(np.searchsorted(pairs, wanted), pairs.size - 1)
        having = np.where(pairs[at] == wanted, counts[at], 0)
        expected = of_value[value][:, None] * of_period[places] / others.shape[1]
        ratio = np.log((having + _PRIOR) / (expected + _PRIOR))
        np.add.at(result, person, np.where(there, ratio, 0.0))
        return result


def _classes(texts: Sequence[str], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the values of a column. If many records have rare values, group neighboring values."""
    counts = np.bincount(codes, minlength=len(texts))
    rare = counts < _SHARED
    if counts[rare].sum() <= _RARE * codes.size:
        return codes
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[sorted(range(len(texts)), key=lambda at: _order(texts[at]))] = np.arange(len(texts))
    groups = len(texts) + ranks * _RANKS // len(texts)
    return np.where(rare, groups, np.arange(len(texts)))[codes]


def _order(text: str) -> tuple[float, str]:
    """Return a key that sorts numbers by size, and puts other values after them, sorted by text."""
    try:
        number = float(text)
    except ValueError:
        return inf, text
    return (inf if isnan(number) else number), text
