"""Unicity: the share of people who can be singled out by a few of their rows.

The attacker knows all rows of a person, or some randomly chosen rows (1, 2, 3, or more). For each
of these numbers, the unicity curve gives two shares. The first is the share of people whose known
rows match fewer than k people. The second is the share of people whose known rows match no one else
(de Montjoye, Hidalgo, Verleysen, and Blondel, Sci. Rep. 2013). If a person has fewer rows than this
number, the attacker knows all rows of the person.

The shares for one row and for all rows are exact counts. The shares for other numbers of rows are
exact counts if there are few combinations. Otherwise, people and rows are sampled, and the share
has a Clopper-Pearson confidence interval. If an attacker knows one more row, no more people match
than before, so the curve never falls. The same people are sampled for all numbers of rows. For each
larger number, one more row is sampled. In addition, every share and interval is at least the exact
share for fewer rows, and at most the share for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.persons.choices import choices_matched_by_few
from roadstead.risk.persons.prosecutor import persons_fitting
from roadstead.tables.persons.profiles import Persons

CONFIDENCE = 0.95
DRAWS = 2000
_LEAST_DRAWS = 400
_NO_ROW = -1
_MOST_LOOKED_AT = 1e9
"""The approximate number of rows to examine for each number of known rows."""
KNOWN = (1, 2, 3, 4, 5)
"""The numbers of known rows on the curve, in addition to all rows."""


@dataclass(frozen=True)
class Share:
    """A share of people. If the share was sampled, `low` and `high` are its confidence limits."""

    share: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Return whether the share was counted rather than sampled."""
        return self.low == self.share == self.high

    def within(self, low: float, high: float) -> Share:
        """Return the nearest share and interval that are between two exact limits."""
        return Share(*(min(max(one, low), high) for one in (self.share, self.low, self.high)))


@dataclass(frozen=True)
class Singled:
    """How often an attacker who knows some rows of a person can single out the person.

    `known` is the number of rows, or None for all rows. `below_k` is the share of people whose
    known rows match fewer than k people. `alone` is the share of people whose known rows match no
    other person.
    """

    known: int | None
    below_k: Share
    alone: Share


def unicity_curve(
    persons: Persons, classes: NDArray[np.integer], k: int, *, seed: int, draws: int = DRAWS
) -> tuple[Singled, ...]:
    """Compute the unicity curve for all rows, and for each number in `KNOWN` that occurs.

    `classes` is the zero-based class of each row, and `k` is the minimum number of matching people.
    `draws` is the number of people to sample for each number of rows. If classes are very large,
    the function samples fewer people, but at least 400.
    """
    records = np.bincount(persons.owners, persons.times).astype(np.int64)
    rest = [known for known in KNOWN if known < records.max()]
    every = _of_all_rows(persons, classes, k)
    few = [np.zeros(persons.people.size) for _ in every]
    found, counted = [], [0.0, 0.0]
    for known, own in enumerate(choices_matched_by_few(persons, classes, (k, 2), len(rest)), 1):
        few = [np.where(records >= known, new, old) for new, old in zip(own, few, strict=True)]
        shares = [float(one @ persons.people) / persons.number for one in few]
        counted = [max(pair) for pair in zip(shares, counted, strict=True)]
        found.append(Singled(known, *map(_counted, counted)))
    rest = rest[len(found) :]
    if rest:
        index = _Index.of(persons, classes)
        draws = index.affordable(draws)
        supports = index.drawn(rest, records, np.random.default_rng(seed), draws)
        for known, support in zip(rest, supports, strict=True):
            hits = [int((support < n).sum()) for n in (k, 2)]
            ends = zip(hits, counted, every, strict=True)
            drawn = (_drawn(n, draws).within(low, high.share) for n, low, high in ends)
            found.append(Singled(known, *drawn))
    return (*found, Singled(None, *every))


def _of_all_rows(persons: Persons, classes: NDArray[np.integer], k: int) -> tuple[Share, Share]:
    same = persons_fitting(persons, classes, "all")
    below, alone = (float(persons.people[same < n].sum()) / persons.number for n in (k, 2))
    return _counted(below), _counted(alone)


def _counted(share: float) -> Share:
    return Share(share, share, share)


def _drawn(hits: int, draws: int) -> Share:
    """Return a sampled share and its confidence interval (Clopper and Pearson, Biometrika 1934)."""
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to load

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, draws - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, draws - hits, 1 - tail)) if hits < draws else 1.0
    return Share(hits / draws, low, high)


def _places_drawn(
    records: NDArray[np.int64], known: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """Sample distinct places among each person's records. If no record is left, a place is -1.

    Each place is sampled from the places that are left, and is then shifted past the earlier
    samples.
    """
    found = np.full((records.size, known), _NO_ROW)
    for at in range(known):
        there = records > at
        place = chance.integers(np.where(there, records - at, 1))
        for one in np.sort(found[:, :at], axis=1).T:
            place += (one >= 0) & (place >= one)
        found[:, at] = np.where(there, place, _NO_ROW)
    return found


@dataclass(frozen=True)
class _Index:
    """The rows of a table, sorted by class and then by profile."""

    persons: Persons
    classes: NDArray[np.integer]
    owners: NDArray[np.uint32]  # the owners of the rows, in the order of the rows' classes
    rows_before: NDArray[np.int64]  # rows before each of these rows, and their total
    places: NDArray[np.int64]  # the start of each class, followed by the end of the last class

    @staticmethod
    def of(persons: Persons, classes: NDArray[np.integer]) -> _Index:
        """Sort the rows by class."""
        number = int(classes.max()) + 1
        order = np.argsort(classes, kind="stable")
        return _Index(
            persons,
            classes,
            persons.owners[order],
            np.concatenate(([0], np.cumsum(persons.times[order]))),
            np.concatenate(([0], np.cumsum(np.bincount(classes, minlength=number)))),
        )

    def affordable(self, draws: int) -> int:
        """Return the number of samples to draw, which is lower if classes are very large."""
        sizes = np.diff(self.places).astype(np.float64)
        usual = float(sizes @ sizes) / max(float(sizes.sum()), 1.0)
        return min(draws, max(_LEAST_DRAWS, int(_MOST_LOOKED_AT / usual)))

    def drawn(
        self,
        known: Sequence[int],
        records: NDArray[np.int64],
        chance: np.random.Generator,
        draws: int,
    ) -> Iterator[NDArray[np.int64]]:
        """Sample people and their rows, and count the people who match the first `known` rows."""
        people = self.persons.people
        profiles = np.searchsorted(
            np.cumsum(people), chance.integers(people.sum(), size=draws), "right"
        )
        places = _places_drawn(records[profiles], known[-1], chance)
        before = np.concatenate(([0], np.cumsum(records)))[profiles]
        ends = np.cumsum(self.persons.times)
        rows = np.searchsorted(ends, before[:, None] + np.maximum(places, 0), "right")
        drawn = np.where(places < 0, _NO_ROW, self.classes[rows].astype(np.int64))
        for first in known:
            some = np.sort(drawn[:, :first], axis=1)
            each, which = np.unique(some, axis=0, return_inverse=True)
            counted = [self.fitting(*np.unique(one[one >= 0], return_counts=True)) for one in each]
            yield np.array(counted, dtype=np.int64)[which.reshape(-1)]

    def fitting(self, classes: NDArray[np.integer], often: NDArray[np.integer]) -> int:
        """Count the people who have at least `often` rows in each of these classes."""
        begins, ends = self.places[classes], self.places[classes + 1]
        order = np.argsort(ends - begins)  # only people in the smallest class need to be checked
        first = self.owners[begins[order[0]] : ends[order[0]]]
        left = first[np.append(True, first[1:] != first[:-1])]
        for at in order.tolist():
            own = self.owners[begins[at] : ends[at]]
            where = [begins[at] + np.searchsorted(own, left, side) for side in ("left", "right")]
            rows = self.rows_before[where[1]] - self.rows_before[where[0]]
            left = left[rows >= often[at]]
        return int(self.persons.people[left].sum())
