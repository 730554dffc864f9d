"""Find people who were added or removed between two releases under one policy.

If a person's values do not change, the person is in the same class in both releases. So if a class
has new records, an attacker knows that people were added. If there are fewer than k new records,
the attacker has found a group of fewer than k people. Roadstead also compares the other cells of
the records, because an attacker who has both releases can compare these cells too.

If only one release shows a class, the other release suppressed the class. If both releases keep
their suppressed records in masked form, such classes and the masked records together form one
class. Both releases have this class, which this module calls the rest.
`roadstead.release.ledger.masked` compares the masked records of one release with the classes that
only the other release shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.release.ledger.classes import (
    CellsOfClasses,
    ReleasedClasses,
    in_common,
    masked_class,
    numbered,
)
from roadstead.release.ledger.facts import OverlayFinding, OverlayKind
from roadstead.release.persons.multisets import added

Integers = NDArray[np.int64]
Kept: TypeAlias = tuple[bool, bool]
"""Two flags: whether the earlier and the later release keep suppressed records in masked form."""
NEITHER: Kept = (False, False)
Shared: TypeAlias = tuple[tuple[tuple[str, ...], ...], tuple[Integers, Integers]]
"""The common classes of two releases, and how each release's own classes map to them.

For each own class, the second part gives the index of the common class, or `OUT`.
"""
Of = TypeVar("Of")
Pair: TypeAlias = tuple[Of, Of]
"""Something of the earlier and of the later release."""
OUT = -1
REST = ("",)
"""The labels of the rest, which contains suppressed records."""
TELLS = 2
"""The smallest number of possible values that hides a person's value."""


@dataclass(frozen=True, eq=False)
class ClassDifference:
    """The numbers of records and people added to and removed from each common class."""

    common: tuple[tuple[str, ...], ...]
    added: Integers
    removed: Integers
    # The smallest number of people who can have these records; None if each record counts as one
    # person.
    people_added: Integers | None = None
    people_removed: Integers | None = None


def same_rules(one: Policy, other: Policy) -> bool:
    """Return whether two policies generalize every record in the same way."""
    rules = [[(own.name, own.rule) for own in policy.attributes] for policy in (one, other)]
    return rules[0] == rules[1] and one.recoding == other.recoding


def difference_of(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    *,
    persons: bool = False,
    kept: Kept = NEITHER,
    shared: Shared | None = None,
) -> ClassDifference:
    """Return the smallest possible numbers of records added to and removed from each class.

    If `persons` is true, the result also contains the smallest numbers of people who can have these
    records. `shared` contains the common classes if the policies differ.
    """
    common, places = shared or _common(earlier, later, kept)
    before, after = (
        _by_place(np.array(one.counts, dtype=np.int64), place, len(common))
        for one, place in zip((earlier, later), places, strict=True)
    )
    added, removed = np.maximum(after - before, 0), np.maximum(before - after, 0)
    changed = _changed(_net((earlier.rows, later.rows), places), len(common))
    added, removed = np.maximum(added, changed[0]), np.maximum(removed, changed[1])
    if not persons:
        return ClassDifference(common, added, removed)
    if (linked := _by_pseudonym(earlier, later, places, len(common))) is not None:
        # An attacker who has both releases sees which pseudonyms have more or fewer records.
        return ClassDifference(common, *linked, *linked)
    came = fewest_people(later, places[1], added)
    went = fewest_people(earlier, places[0], removed)
    here, there = (_people(one, place) for one, place in zip((earlier, later), places, strict=True))
    if here is not None and there is not None:
        # A person may be in several of the classes that form the rest, so the people in these
        # classes are not added up.
        single = np.array([labels != REST for labels in common], dtype=np.bool_)
        grown = np.where(single, _by_place(there, places[1], len(common)), 0)
        grown -= np.where(single, _by_place(here, places[0], len(common)), 0)
        came, went = np.maximum(came, grown), np.maximum(went, -grown)
    return ClassDifference(common, added, removed, came, went)


def fewest_people(classes: ReleasedClasses, places: Integers, records: Integers) -> Integers:
    """Return the minimum number of people who can have the given records in each common class.

    If the number of records per person is unknown, the result is 1, because one person may have all
    of the records. The result for the rest is also 1.
    """
    found = np.minimum(records, 1)
    if classes.persons is None:
        return found
    number = np.bincount(places[places != OUT], minlength=records.size + 1)
    alone = (places != OUT) & (number[places] == 1)
    of_class = np.zeros(len(classes.counts), dtype=np.int64)
    of_class[alone] = records[places[alone]]
    found[places[alone]] = np.maximum(found[places[alone]], classes.persons.fewest(of_class)[alone])
    return found


def _people(classes: ReleasedClasses, places: Integers) -> Integers | None:
    own = classes.persons
    return None if own is None else own.by_class(places.size)


def _by_place(numbers: Integers, places: Integers, number: int) -> Integers:
    """Add up the numbers of all classes that belong to one common class."""
    found = np.zeros(number, dtype=np.int64)
    np.add.at(found, places[places != OUT], numbers[places != OUT])
    return found


def _by_pseudonym(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    places: tuple[Integers, Integers],
    number: int,
) -> tuple[Integers, Integers] | None:
    """Count the pseudonyms that gain records in each class, and the pseudonyms that lose records.

    The function returns None if the releases have no common pseudonyms, for example, because their
    keys differ.
    """
    both = with_same_pseudonyms(earlier, later)
    if both is None:
        return None
    net = _net(both, places)
    return (
        _by_class(net.in_class[net.growth > 0], number),
        _by_class(net.in_class[net.growth < 0], number),
    )


def differencing(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    *,
    k: int,
    name: str,
    persons: bool = False,
    kept: Kept = NEITHER,
    shared: Shared | None = None,
) -> Iterator[OverlayFinding]:
    """Find the classes that reveal the addition or removal of fewer than k records or people.

    `shared` contains unions of classes instead if the policies differ.
    """
    found = difference_of(earlier, later, persons=persons, kept=kept, shared=shared)
    kinds: tuple[tuple[OverlayKind, Integers, Integers | None], ...] = (
        ("added", found.added, found.people_added),
        ("removed", found.removed, found.people_removed),
    )
    for kind, number, people in kinds:
        units = number if people is None else people
        small = (number > 0) & (units < k)
        few = units[small]
        if few.size:
            yield OverlayFinding(
                kind=kind,
                earlier=name,
                classes=int(few.size),
                least=k,
                smallest=int(few.min()),
                unit="person" if persons else "record",
                masked=_with_rest(found.common, small),
            )


def _with_rest(common: tuple[tuple[str, ...], ...], which: NDArray[np.bool_]) -> bool:
    """Return whether the marked classes include the rest."""
    return any(common[at] == REST for at in np.flatnonzero(which).tolist())


def values_of_newcomers(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    *,
    promised: Mapping[str, int],
    name: str,
    kept: Kept = NEITHER,
) -> Iterator[OverlayFinding]:
    """Find the classes whose new records have fewer values of a column than required.

    If an attacker knows that a person was added, the attacker also knows that one of the new
    records has the person's value.
    """
    common, places = _common(earlier, later, kept)
    for column, least in promised.items():
        if (both := cells_of_column((earlier, later), column)) is None:
            continue
        net = _net(both, places)
        grown = np.bincount(net.in_class[net.growth > 0], minlength=len(common))
        small = (grown > 0) & (grown < least)
        few = grown[small]
        if few.size:
            yield OverlayFinding(
                "newcomers",
                name,
                int(few.size),
                least,
                int(few.min()),
                column,
                masked=_with_rest(common, small),
            )


def cells_of_column(releases: Pair[ReleasedClasses], column: str) -> Pair[CellsOfClasses] | None:
    """Return the cells of a column, or None unless both releases have it in the same form."""
    one, other = in_common([own.rows for own in releases])
    named = [own for own in one.named if own[0] == column]
    return (one.only(named), other.only(named)) if named else None


def with_same_pseudonyms(
    earlier: ReleasedClasses, later: ReleasedClasses
) -> Pair[CellsOfClasses] | None:
    """Return the pseudonyms of both releases, or None if they have no pseudonym in common."""
    one, other = earlier.pseudonyms, later.pseudonyms
    if one is None or other is None or not {*one.values[0]} & {*other.values[0]}:
        return None
    return one, replace(other, columns=one.columns)


def sets_of_values(
    earlier: ReleasedClasses,
    later: ReleasedClasses,
    columns: Iterable[str],
    *,
    promised: Mapping[str, int],
    name: str,
    kept: Kept = NEITHER,
) -> Iterator[tuple[str, int, OverlayFinding | None]]:
    """For each sensitive column, yield the number of common classes whose set of values changed.

    The value of a person who is in both releases belongs to both sets of values. The function
    reports a finding if each set has enough values, but too few values belong to both sets. A set
    has enough values if it has at least the required number of values, and at least two values.
    """
    common, places = _common(earlier, later, kept)
    for column in columns:
        if (both := cells_of_column((earlier, later), column)) is None:
            continue
        least = max(promised.get(column, 0), TELLS)
        keys = keys_of(both, places)
        sets = [_by_class(key.in_class, len(common)) for key in keys]
        shared = _by_class(_both(*keys), len(common))
        changed = int(((sets[0] != shared) | (sets[1] != shared)).sum())
        small = (shared < least) & (least <= np.minimum(*sets))
        few, finding = shared[small], None
        if few.size:
            fewest, masked = int(few.min()), _with_rest(common, small)
            finding = OverlayFinding(
                "values", name, int(few.size), least, fewest, column, masked=masked
            )
        yield column, changed, finding


def _common(earlier: ReleasedClasses, later: ReleasedClasses, kept: Kept) -> Shared:
    """Return the common classes, and the common class to which each class belongs.

    If both releases keep suppressed records, the rest contains all classes that only one release
    shows.
    """
    texts = earlier.texts, later.texts
    numbers = [{labels: at for at, labels in enumerate(own)} for own in texts]
    for number, own in zip(numbers, texts, strict=True):
        if (masked := masked_class(own)) is not None:
            del number[own[masked]]
    common = tuple(labels for labels in numbers[1] if labels in numbers[0])
    rest = all(kept) and any(len(own) > len(common) for own in texts)
    places = [np.full(len(own), len(common) if rest else OUT, dtype=np.int64) for own in texts]
    for place, number in zip(places, numbers, strict=True):
        place[[number[labels] for labels in common]] = np.arange(len(common))
    return (*common, REST) if rest else common, (places[0], places[1])


@dataclass(frozen=True, eq=False)
class _Keys:
    """The combinations in one release, with their common classes, values, and counts."""

    in_class: Integers
    value: Integers
    counts: Integers
    values: int  # number of different values in both releases

    @property
    def packed(self) -> Integers:
        """Return the class and the value of each combination as one number."""
        return self.in_class * self.values + self.value


def keys_of(cells: Pair[CellsOfClasses], places: tuple[Integers, Integers]) -> tuple[_Keys, _Keys]:
    """Return the combinations of both releases, with common classes and common value codes.

    The combinations have only the columns that both releases have in the same form.
    """
    common = in_common(cells)
    codes, number = numbered(common)
    found = []
    for own, place, code in zip(common, places, codes, strict=True):
        target = place[np.array(own.in_class, dtype=np.int64)]
        inside = target != OUT
        # Several classes may belong to one common class.
        records = np.array(own.counts, dtype=np.int64)[inside]
        key, counts = added(target[inside] * number + code[inside], records)
        found.append(_Keys(key // number, key % number, counts, number))
    return found[0], found[1]


def _by_class(in_class: Integers, number: int) -> Integers:
    return np.bincount(in_class, minlength=number).astype(np.int64)


def _both(one: _Keys, other: _Keys) -> Integers:
    """Return the class of each combination that both releases have."""
    return np.asarray(np.intersect1d(one.packed, other.packed) // one.values, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Net:
    """The change in the number of records with each combination of cells, by class."""

    in_class: Integers
    growth: Integers


def _net(cells: Pair[CellsOfClasses], places: tuple[Integers, Integers]) -> _Net:
    before, after = keys_of(cells, places)
    change = np.concatenate([-before.counts, after.counts])
    key, growth = added(np.concatenate([before.packed, after.packed]), change)
    return _Net(key // before.values, growth)


def _changed(net: _Net, number: int) -> tuple[Integers, Integers]:
    """Count the records added to and removed from each class."""
    added, removed = np.zeros(number, np.int64), np.zeros(number, np.int64)
    np.add.at(added, net.in_class, np.maximum(net.growth, 0))
    np.add.at(removed, net.in_class, np.maximum(-net.growth, 0))
    return added, removed
