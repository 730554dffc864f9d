"""Differences between two releases under one policy: who came, and who went.

Under one policy a person who does not change is in the same class of both releases. So where a
class has records in the later release that the earlier one did not have, somebody came; where these
are fewer than k, that is a group of fewer than k people. Records are compared with all cells next
to the quasi-identifiers, as whoever has both releases can.

A class that only one of the two shows is left alone: in the other one it was suppressed, and nobody
knows how many it had. The suppressed records that are kept are compared where both releases show
the same classes, because then none of them can have moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.release.ledger.classes import CellsOfClasses, ReleasedClasses, masked_class
from roadstead.release.ledger.facts import OverlayFinding

Integers = NDArray[np.int64]
OUT = -1
_TELLS = 2
"""Fewer values than this say what somebody has."""


@dataclass(frozen=True, eq=False)
class ClassDifference:
    """What is compared of two releases: their common classes, and what came and went in each."""

    common: tuple[tuple[str, ...], ...]
    added: Integers
    removed: Integers
    # The persons these records belong to, at the least; None where each record is taken for one.
    people_added: Integers | None = None
    people_removed: Integers | None = None


def same_rules(one: Policy, other: Policy) -> bool:
    """Say whether two policies show every record alike."""
    rules = [[(own.name, own.rule) for own in policy.attributes] for policy in (one, other)]
    return rules[0] == rules[1] and one.recoding == other.recoding


def difference_of(
    earlier: ReleasedClasses, later: ReleasedClasses, *, persons: bool = False
) -> ClassDifference:
    """Count the records that came and went, at least, in each class that both releases show.

    `persons`: count also the persons they are of, as a person may have several.
    """
    common, places = _common(earlier, later)
    before, after = (
        np.array(one.counts, dtype=np.int64)[place]
        for one, place in zip((earlier, later), places, strict=True)
    )
    added, removed = np.maximum(after - before, 0), np.maximum(before - after, 0)
    if (both := _comparable(earlier.rows, later.rows)) is not None:
        changed = _changed(_net(both, places, len(common)), len(common))
        added, removed = np.maximum(added, changed[0]), np.maximum(removed, changed[1])
    if not persons:
        return ClassDifference(common, added, removed)
    if (linked := _by_pseudonym(earlier, later, places, len(common))) is not None:
        # Who has both releases sees of each pseudonym whether it has more records, or fewer.
        return ClassDifference(common, *linked, *linked)
    here, there = (_people(one, place) for one, place in zip((earlier, later), places, strict=True))
    came = fewest_people(later, places[1], added)
    went = fewest_people(earlier, places[0], removed)
    if here is not None and there is not None:
        came, went = np.maximum(came, there - here), np.maximum(went, here - there)
    return ClassDifference(common, added, removed, came, went)


def fewest_people(classes: ReleasedClasses, places: Integers, records: Integers) -> Integers:
    """Count the persons whom some records of some classes belong to, at the least.

    One where it was not kept how many a person has: they may all be of one.
    """
    if classes.persons is None:
        return np.minimum(records, 1)
    all_records = np.zeros(len(classes.counts), dtype=np.int64)
    all_records[places] = records
    return np.maximum(classes.persons.fewest(all_records)[places], np.minimum(records, 1))


def _people(classes: ReleasedClasses, places: Integers) -> Integers | None:
    own = classes.persons
    return None if own is None else own.by_class(len(classes.counts))[places]


def _by_pseudonym(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    places: tuple[Integers, Integers],
    number: int,
) -> tuple[Integers, Integers] | None:
    """Count the pseudonyms with more records in a class, and those with fewer.

    None where there are none, or where the two releases have none in common, as with another key.
    """
    both = _comparable(earlier.pseudonyms, later.pseudonyms)
    if both is None or not {*both[0].values} & {*both[1].values}:
        return None
    net = _net(both, places, number)
    return (
        _by_class(net.in_class[net.growth > 0], number),
        _by_class(net.in_class[net.growth < 0], number),
    )


def differencing(
    earlier: ReleasedClasses, later: ReleasedClasses, *, k: int, name: str, persons: bool = False
) -> Iterator[OverlayFinding]:
    """Find the classes that show fewer than k records to have come, or to have gone.

    `persons`: or records of fewer than k persons, as far as can be known.
    """
    found = difference_of(earlier, later, persons=persons)
    for kind, number, people in (
        ("added", found.added, found.people_added),
        ("removed", found.removed, found.people_removed),
    ):
        units = number if people is None else people
        few = units[(number > 0) & (units < k)]
        if few.size:
            yield OverlayFinding(
                kind="added" if kind == "added" else "removed",
                earlier=name,
                classes=int(few.size),
                least=k,
                smallest=int(few.min()),
                unit="record" if people is None else "person",
            )


def values_of_newcomers(
    earlier: ReleasedClasses, later: ReleasedClasses, *, promised: Mapping[str, int], name: str
) -> Iterator[OverlayFinding]:
    """Find the classes whose newcomers show fewer values of a column than it is promised to have.

    Whoever knows that somebody came learns the values from the newcomers alone.
    """
    common, places = _common(earlier, later)
    for column, least in promised.items():
        one, other = (_of_column(x, column) for x in (earlier, later))
        if (both := _comparable(one, other)) is None:
            continue
        net = _net(both, places, len(common))
        grown = np.bincount(net.in_class[net.growth > 0], minlength=len(common))
        few = grown[(grown > 0) & (grown < least)]
        if few.size:
            yield OverlayFinding("newcomers", name, int(few.size), least, int(few.min()), column)


def _of_column(classes: ReleasedClasses, column: str) -> CellsOfClasses | None:
    return next((one for one in classes.sensitive if one.columns == (column,)), None)


def sets_of_values(
    earlier: ReleasedClasses, later: ReleasedClasses, *, promised: Mapping[str, int], name: str
) -> Iterator[tuple[str, int, OverlayFinding | None]]:
    """Say of each sensitive column in how many common classes its set of values changed.

    Whoever is in both releases has a value that both sets have. It is a finding where these are
    fewer than are promised, or fewer than two, and both sets by themselves have as many.
    """
    common, places = _common(earlier, later)
    for own in later.sensitive:
        other = _of_column(earlier, own.columns[0])
        if other is None:
            continue
        column = own.columns[0]
        least = max(promised.get(column, 0), _TELLS)
        keys = _keys((other, own), places, len(common))
        sets = [_by_class(key.in_class, len(common)) for key in keys]
        shared = _by_class(_both(*keys), len(common))
        changed = int(((sets[0] != shared) | (sets[1] != shared)).sum())
        few = shared[(shared < least) & (least <= np.minimum(*sets))]
        finding = None
        if few.size:
            finding = OverlayFinding("values", name, int(few.size), least, int(few.min()), column)
        yield column, changed, finding


def _common(
    earlier: ReleasedClasses, later: ReleasedClasses
) -> tuple[tuple[tuple[str, ...], ...], tuple[Integers, Integers]]:
    """List the classes to be compared, and their places in both."""
    texts = earlier.texts, later.texts
    masked = [masked_class(one) for one in texts]
    numbers = [{labels: at for at, labels in enumerate(one)} for one in texts]
    if set(texts[0]) != set(texts[1]):
        for number, own, at in zip(numbers, texts, masked, strict=True):
            if at is not None:
                del number[own[at]]
    common = tuple(labels for labels in numbers[1] if labels in numbers[0])
    places = [np.array([n[labels] for labels in common], dtype=np.int64) for n in numbers]
    return common, (places[0], places[1])


def _comparable(
    one: CellsOfClasses | None, other: CellsOfClasses | None
) -> tuple[CellsOfClasses, CellsOfClasses] | None:
    """Give both where they are of the same columns."""
    same = one is not None and other is not None and one.columns == other.columns
    return (one, other) if same and one is not None and other is not None else None


@dataclass(frozen=True, eq=False)
class _Keys:
    """The common class, the value and the records of each combination, of one release."""

    in_class: Integers
    value: Integers
    counts: Integers
    values: int  # of both releases together

    @property
    def packed(self) -> Integers:
        """Class and value as one number; each is there once."""
        return self.in_class * self.values + self.value


def _keys(
    cells: tuple[CellsOfClasses, CellsOfClasses], places: tuple[Integers, Integers], number: int
) -> tuple[_Keys, _Keys]:
    values = sorted({*cells[0].values, *cells[1].values})
    numbered = {value: at for at, value in enumerate(values)}
    found = []
    for own, place in zip(cells, places, strict=True):
        code = np.array([numbered[one] for one in own.values], dtype=np.int64)
        in_class = np.array(own.in_class, dtype=np.int64)
        to = np.full(int(in_class.max()) + 1, OUT, dtype=np.int64)
        to[place] = np.arange(number)
        target = to[in_class]
        inside = target != OUT
        value = code[np.array(own.value, dtype=np.int64)[inside]]
        counts = np.array(own.counts, dtype=np.int64)[inside]
        found.append(_Keys(target[inside], value, counts, len(values)))
    return found[0], found[1]


def _by_class(in_class: Integers, number: int) -> Integers:
    return np.bincount(in_class, minlength=number).astype(np.int64)


def _both(one: _Keys, other: _Keys) -> Integers:
    """Give the class of each combination that both releases have."""
    return np.asarray(np.intersect1d(one.packed, other.packed) // one.values, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Net:
    """By how many records each combination of cells grew in a class."""

    in_class: Integers
    growth: Integers


def _net(
    cells: tuple[CellsOfClasses, CellsOfClasses], places: tuple[Integers, Integers], number: int
) -> _Net:
    before, after = _keys(cells, places, number)
    key, place_of = np.unique(np.concatenate([before.packed, after.packed]), return_inverse=True)
    growth = np.zeros(key.size, dtype=np.int64)
    np.add.at(growth, place_of.reshape(-1), np.concatenate([-before.counts, after.counts]))
    return _Net(key // before.values, growth)


def _changed(net: _Net, number: int) -> tuple[Integers, Integers]:
    """Count the records that only the later release has in each class, and only the earlier."""
    added, removed = np.zeros(number, np.int64), np.zeros(number, np.int64)
    np.add.at(added, net.in_class, np.maximum(net.growth, 0))
    np.add.at(removed, net.in_class, np.maximum(-net.growth, 0))
    return added, removed
