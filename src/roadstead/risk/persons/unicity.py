"""Unicity: how many persons are singled out by a few of their rows.

Rows are not people. Each row of a table may have many alike while two rows of one person, known
together, fit nobody else. The unicity curve says, for 1, 2, 3 and more rows and for all of them,
of how many persons so many of their rows, chosen at random, fit fewer than k persons, and of how
many they fit them alone (de Montjoye, Hidalgo, Verleysen and Blondel, Sci. Rep. 2013). A person
with fewer rows is known with all of them.

One row and all rows are counted exactly. Between them persons and rows are drawn, and the share
has its Clopper-Pearson interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels import person_rows
from roadstead.tables.persons.profiles import Persons

CONFIDENCE = 0.95
DRAWS = 2000
_LEAST_DRAWS = 400
_NO_ROW = -1
_MOST_LOOKED_AT = 1e9
"""Rows that are looked at, about, for each number of rows known."""
KNOWN = (1, 2, 3, 4, 5)
"""How many rows the curve is drawn for, before all of them."""


@dataclass(frozen=True)
class Share:
    """A share of persons; where it was drawn, with the ends of its interval."""

    share: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether it was counted, not drawn."""
        return self.low == self.share == self.high


@dataclass(frozen=True)
class Singled:
    """What somebody can do who knows some rows of a person.

    `known` is how many rows, None for all. `below_k` is the share of persons whom so many of their
    rows leave among fewer than k persons, `alone` of those whom they fit alone.
    """

    known: int | None
    below_k: Share
    alone: Share


def unicity_curve(
    persons: Persons, classes: NDArray[np.integer], k: int, *, seed: int, draws: int = DRAWS
) -> tuple[Singled, ...]:
    """Work out the unicity curve.

    Parameters
    ----------
    persons
        Whose the rows of a table are.
    classes
        Shape ``(rows,)``: the class of each row, counted from 0.
    k
        How many persons should fit what is known.
    seed
        Of the draws.
    draws
        Persons drawn for each number of rows; fewer, 400 at least, where classes are very large.

    Returns
    -------
    tuple
        For each of `KNOWN` that somebody has more rows than, and for all rows.
    """
    records = np.bincount(persons.owners, persons.times).astype(np.int64)
    most = int(records.max())
    index = _Index.of(persons, classes)
    draws = index.affordable(draws)
    chance = np.random.default_rng(seed)
    found = [Singled(1, *_of_one_row(persons, classes, k))] if most > 1 else []
    for known in KNOWN[1:]:
        if known < most:
            support = index.drawn(known, records, chance, draws)
            below, alone = (_drawn(int((support < n).sum()), draws) for n in (k, 2))
            found.append(Singled(known, below, alone))
    return (*found, Singled(None, *_of_all_rows(persons, classes, k)))


def _of_one_row(persons: Persons, classes: NDArray[np.integer], k: int) -> tuple[Share, Share]:
    members, numbers = _members(classes)
    found = person_rows.persons_of_classes(
        members, numbers, numbers.size, persons.owners, persons.people
    )[classes]
    records = np.bincount(persons.owners, persons.times)[persons.owners]
    weight = persons.people[persons.owners] * persons.times / records
    below, alone = (float(weight[found < n].sum()) / persons.number for n in (k, 2))
    return _counted(below), _counted(alone)


def _of_all_rows(persons: Persons, classes: NDArray[np.integer], k: int) -> tuple[Share, Share]:
    members, numbers = _members(classes)
    starts = person_rows.run_starts(members, persons.owners)
    same = person_rows.alike(
        members, numbers, starts, persons.owners, persons.times, persons.people
    )
    below, alone = (float(persons.people[same < n].sum()) / persons.number for n in (k, 2))
    return _counted(below), _counted(alone)


def _members(classes: NDArray[np.integer]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Every row as a member of its class, and each class as its own number."""
    members = (np.arange(classes.size, dtype=np.uint64) << np.uint64(32)) | classes.astype(
        np.uint64
    )
    return members, np.arange(int(classes.max()) + 1, dtype=np.uint32)


def _counted(share: float) -> Share:
    return Share(share, share, share)


def _drawn(hits: int, draws: int) -> Share:
    """Give a share with its interval (Clopper and Pearson, Biometrika 1934)."""
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to load

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, draws - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, draws - hits, 1 - tail)) if hits < draws else 1.0
    return Share(hits / draws, low, high)


def _places_drawn(
    records: NDArray[np.int64], known: int, chance: np.random.Generator
) -> NDArray[np.int64]:
    """Draw so many places among the records of each person, none twice; -1 where there are fewer.

    Each place is drawn among those that are left, and moved past the ones drawn before it.
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
    """Who has rows in a class: the rows of each, by class and then by profile."""

    persons: Persons
    classes: NDArray[np.integer]
    owners: NDArray[np.uint32]  # of the rows in the order of their classes
    rows_before: NDArray[np.int64]  # how many rows persons have before each of these, with the end
    places: NDArray[np.int64]  # where those of each class begin, with the end

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
        """Give how many of the draws are made: fewer where a class has very many rows."""
        sizes = np.diff(self.places).astype(np.float64)
        usual = float(sizes @ sizes) / max(float(sizes.sum()), 1.0)
        return min(draws, max(_LEAST_DRAWS, int(_MOST_LOOKED_AT / usual)))

    def drawn(
        self, known: int, records: NDArray[np.int64], chance: np.random.Generator, draws: int
    ) -> NDArray[np.int64]:
        """Draw persons and so many of their rows; count the persons whom these fit."""
        people = self.persons.people
        profiles = np.searchsorted(
            np.cumsum(people), chance.integers(people.sum(), size=draws), "right"
        )
        places = _places_drawn(records[profiles], known, chance)
        before = np.concatenate(([0], np.cumsum(records)))[profiles]
        ends = np.cumsum(self.persons.times)
        rows = np.searchsorted(ends, before[:, None] + np.maximum(places, 0), "right")
        some = np.sort(np.where(places < 0, _NO_ROW, self.classes[rows].astype(np.int64)), axis=1)
        each, which = np.unique(some, axis=0, return_inverse=True)
        counted = [self.fitting(*np.unique(one[one >= 0], return_counts=True)) for one in each]
        return np.array(counted, dtype=np.int64)[which.reshape(-1)]

    def fitting(self, classes: NDArray[np.integer], often: NDArray[np.integer]) -> int:
        """Count the persons with at least so many rows in each of these classes."""
        begins, ends = self.places[classes], self.places[classes + 1]
        order = np.argsort(ends - begins)  # whoever is not in the smallest is not looked for
        first = self.owners[begins[order[0]] : ends[order[0]]]
        left = first[np.append(True, first[1:] != first[:-1])]
        for at in order.tolist():
            own = self.owners[begins[at] : ends[at]]
            where = [begins[at] + np.searchsorted(own, left, side) for side in ("left", "right")]
            rows = self.rows_before[where[1]] - self.rows_before[where[0]]
            left = left[rows >= often[at]]
        return int(self.persons.people[left].sum())
