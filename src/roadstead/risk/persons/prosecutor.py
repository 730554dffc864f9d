"""Prosecutor risk of people who may have several rows.

The attacker knows one row of a person, any two or three rows, or all rows (and therefore how many
rows the person has). If n people match this knowledge, the attacker finds the person with
probability 1/n. The risk of a person is based on the knowledge that matches the fewest people. All
combinations are counted, without sampling. For two and three rows, the combinations are multisets
of classes (`kernels.person_rows`). If there are too many multisets, Roadstead rejects the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels import person_rows
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.tables.persons.profiles import Persons

LEFT_OUT = -1
"""The class of a row that is not released."""
MOST_MULTISETS = 30_000_000
"""The largest number of multisets of rows to count. Each multiset needs up to 80 bytes."""
_MOST_NUMBERED = 2**63
_ROUNDING = 1.0 + 1e-12
"""A factor that allows for rounding errors in the comparison of 1/n with a threshold."""
_TWO, _THREE = 2, 3


@dataclass(frozen=True)
class PersonRisk:
    """The prosecutor risk of the people in a table, or 0 if there are no people.

    Attributes
    ----------
    knows
        The number of a person's rows that an attacker may know.
    maximum
        The highest risk of a person, which is 1 divided by the smallest number of matching people.
    average
        The mean risk of a person. This is the expected share of people whom an attacker finds.
    share_above_threshold
        The share of people whose risk is above the threshold.
    threshold
        The acceptable risk; 1/k if k people must match.
    persons
        The number of people.
    above_threshold
        The number of people whose risk is above the threshold.
    uniques
        The number of people who are the only match for some knowledge that an attacker may have
        about them.
    smallest, largest
        The lowest and the highest number of matching people.
    sizes
        Pairs (number of matching people, number of people with this many matches), in ascending
        order.
    """

    knows: RowsKnown
    maximum: float
    average: float
    share_above_threshold: float
    threshold: float
    persons: int
    above_threshold: int
    uniques: int
    smallest: int
    largest: int
    sizes: tuple[tuple[int, int], ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the risk as a JSON object."""
        return {
            "knows": str(self.knows),
            "persons": self.persons,
            "maximum": self.maximum,
            "average": self.average,
            "share_above_threshold": self.share_above_threshold,
            "threshold": self.threshold,
            "persons_above_threshold": self.above_threshold,
            "persons_unique": self.uniques,
            "least_persons_fitting": self.smallest,
            "most_persons_fitting": self.largest,
            "sizes": [{"persons_fitting": size, "persons": n} for size, n in self.sizes],
        }


def persons_of_each_class(
    persons: Persons, classes: NDArray[np.integer], among: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Count the distinct people in each class.

    `classes` is the zero-based class of each row, or `LEFT_OUT`. `among` contains the number of
    people of each profile who are counted. By default, these are the people in the table.
    """
    members, numbers = _members(classes)
    return person_rows.persons_of_classes(
        members,
        numbers,
        numbers.size,
        persons.owners,
        persons.people if among is None else among,
    )


def multisets_of_rows(persons: Persons, classes: NDArray[np.integer], knows: RowsKnown) -> int:
    """Return the number of multisets to count, without listing the multisets.

    If the attacker knows one row, the result is the number of different classes per profile, summed
    over all profiles. If the attacker knows all rows, the result is the number of profiles.
    """
    there = np.flatnonzero(classes >= 0)
    owners = persons.owners[there].astype(np.int64)
    if not there.size:
        return 0
    if knows == "all":
        return int(np.unique(owners).size)
    most = int(classes.max()) + 1
    pairs, place = np.unique(owners * most + classes[there], return_inverse=True)
    if knows == 1:
        return int(pairs.size)
    often = np.bincount(place, weights=persons.times[there])
    whose = np.unique(pairs // most, return_inverse=True)[1]
    n = np.bincount(whose).astype(np.float64)
    twice = np.bincount(whose, often > 1)
    found = n + n * (n - 1) / 2 + twice
    if knows == _THREE:
        found += n * (n - 1) * (n - 2) / 6 + twice * (n - 1) + np.bincount(whose, often > _TWO)
    return round(float(found.sum()))


def persons_fitting(
    persons: Persons,
    classes: NDArray[np.integer],
    knows: RowsKnown,
    among: Sequence[NDArray[np.int64]] = (),
) -> NDArray[np.int64]:
    """For each profile, return the smallest number of people who match an attacker's knowledge.

    The result is 0 for a profile without released rows.

    Parameters
    ----------
    persons
        The people to whom the rows of a table belong.
    classes
        Shape ``(rows,)``: the zero-based class of each row, or `LEFT_OUT` for a row that is not
        released.
    knows
        The number of a person's rows that an attacker may know: 1, 2, or 3 (all rows if the person
        has fewer), or ``"all"``. An attacker who knows all rows also knows how many rows the person
        has.
    among
        Arrays of shape ``(profiles,)`` with the number of people of each profile who count as
        matches. By default, these are the people in the table. If there are several arrays, for
        example, for a table and its population, the largest number of matches counts.

    Raises
    ------
    SettingError
        If there are more multisets of two or three rows than Roadstead can count.
    """
    found = np.zeros(persons.people.size, dtype=np.int64)
    members, numbers = _members(classes)
    if not members.size:
        return found
    starts = person_rows.run_starts(members, persons.owners)
    rows = (members >> np.uint64(32)).astype(np.int64)
    present = persons.owners[rows[starts[:-1]]]
    countings = [np.ascontiguousarray(one) for one in among] or [persons.people]
    if knows == "all":
        found[present] = _most(
            person_rows.alike(members, numbers, starts, persons.owners, persons.times, people)
            for people in countings
        )
    elif knows == 1:
        each = _most(persons_of_each_class(persons, classes, people) for people in countings)
        found[present] = np.minimum.reduceat(each[classes[rows]], starts[:-1])
    else:
        require_countable(persons, classes, knows)
        ends, known, different = person_rows.known_multisets(
            members, numbers, numbers.size, starts, persons.times, knows
        )
        often = np.diff(ends)
        support = _most(_added(known, people[present], often, different) for people in countings)
        found[present] = np.minimum.reduceat(support[known], ends[:-1])
    return found


def _most(countings: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the elementwise maximum of several counts."""
    found: NDArray[np.int64] = np.maximum.reduce(list(countings))
    return found


def _added(
    known: NDArray[np.int64], people: NDArray[np.int64], often: NDArray[np.int64], different: int
) -> NDArray[np.int64]:
    """Add up the people of each multiset over all profiles."""
    support = np.zeros(different, dtype=np.int64)
    np.add.at(support, known, np.repeat(people, often))
    return support


def require_known(knows: RowsKnown) -> None:
    """Reject a number of known rows if there are too many combinations to count."""
    if knows != "all" and not 1 <= int(knows) <= person_rows.MOST_KNOWN:
        raise SettingError(
            f"the combinations of {knows} known rows cannot be counted one by one",
            where=option("knows"),
            fix=f"use 1 to {person_rows.MOST_KNOWN}, or all, which protects more than any number",
        )


def require_countable(persons: Persons, classes: NDArray[np.integer], knows: RowsKnown) -> None:
    """Reject data with too many multisets of rows, and report their number."""
    if knows in {1, "all"}:
        return
    require_known(knows)
    number = multisets_of_rows(persons, classes, knows)
    wide = (int(classes.max(initial=0)) + 2) ** int(knows) >= _MOST_NUMBERED
    if number > MOST_MULTISETS or wide:
        raise SettingError(
            f"the table has {number:,} combinations of {knows} rows of a person, but at most "
            f"{MOST_MULTISETS:,} can be counted one by one",
            where=option("knows", str(knows)),
            fix="use all, which protects more and is counted in one pass; or use fewer rows, "
            "or coarser quasi-identifiers",
        )


def person_risk(
    persons: Persons,
    fitting: NDArray[np.int64],
    knows: RowsKnown,
    threshold: float,
) -> PersonRisk:
    """Compute the prosecutor risk of people from the number of people who match each person.

    `fitting` is the result of `persons_fitting`. Profiles with a count of 0 are absent from the
    table.
    """
    there = fitting > 0
    sizes, place = np.unique(fitting[there], return_inverse=True)
    if not sizes.size:
        return PersonRisk(knows, 0.0, 0.0, 0.0, threshold, 0, 0, 0, 0, 0, ())
    held = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(held, place, persons.people[there])
    total = int(held.sum())
    above = int(held[1.0 / sizes > threshold * _ROUNDING].sum())
    return PersonRisk(
        knows=knows,
        maximum=1.0 / int(sizes[0]),
        average=float((held / sizes).sum()) / total,
        share_above_threshold=above / total,
        threshold=threshold,
        persons=total,
        above_threshold=above,
        uniques=int(held[sizes == 1].sum()),
        smallest=int(sizes[0]),
        largest=int(sizes[-1]),
        sizes=tuple(zip(sizes.tolist(), held.tolist(), strict=True)),
    )


def _members(classes: NDArray[np.integer]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Encode each present row as a member of its class, and number the classes."""
    there = np.flatnonzero(classes >= 0).astype(np.uint64)
    own = classes[classes >= 0]
    members = (there << np.uint64(32)) | own.astype(np.uint64)
    return members, np.arange(int(own.max()) + 1 if own.size else 0, dtype=np.uint32)
