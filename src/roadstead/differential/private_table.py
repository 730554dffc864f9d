"""Represent the protected table as integers within public domains.

Each record is placed in the domains independently of the other records. So adding one record to the
original table adds at most one record to the private table. A number outside its range counts as
the nearest end of the range. An item that is not in the taxonomy is removed from its set. A missing
set counts as an empty set. A record is omitted if its category or its class is not in the domain,
or if a number is missing. Only the custodian sees the number of omitted records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.errors import SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, Taxonomy
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.item_sets import items_of
from roadstead.tables.names import require

Codes: TypeAlias = NDArray[np.int32]

NO_TARGET = "all records"
"""The name of the only class in a table that has no target."""


@dataclass(frozen=True, eq=False)
class ItemSets:
    """A list of distinct sets of leaves, stored one after another."""

    # Set `s` has the items from ``starts[s]`` (included) to ``starts[s + 1]`` (excluded); shape
    # ``(sets + 1,)``.
    starts: NDArray[np.int64] = field(repr=False)
    items: Codes = field(repr=False)  # leaves of the taxonomy, ascending within a set

    @property
    def size(self) -> int:
        """The number of distinct sets."""
        return self.starts.size - 1

    @property
    def owners(self) -> Codes:
        """The index of the set that contains each item."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.starts))

    def masks(self, bounds: NDArray[np.int32]) -> NDArray[np.int64]:
        """For each set, return bits for the neighboring nodes under which the set has items.

        `bounds` lists leaves in ascending order. Node `c` covers the leaves from ``bounds[c]``
        (included) to ``bounds[c + 1]`` (excluded). There can be at most 62 nodes. Bit `c` is set if
        an item is under node `c`.
        """
        leaves, sets = self._by_leaf
        masks = np.zeros(self.size, dtype=np.int64)
        for node, (begin, end) in enumerate(pairwise(np.searchsorted(leaves, bounds).tolist())):
            # If a set occurs several times, its bit is set again.
            masks[sets[begin:end]] |= np.int64(1) << node
        return masks

    @cached_property
    def _by_leaf(self) -> tuple[Codes, Codes]:
        """All items in ascending order, and the set of each item.

        The items under a node form a slice of the result.
        """
        # Integers of 16 bits can be sorted much faster.
        most = int(self.items.max()) if self.items.size else 0
        order = np.argsort(self.items.astype(np.min_scalar_type(most)), kind="stable")
        return self.items[order], self.owners[order]


@dataclass(frozen=True, eq=False)
class PrivateTable:
    """The records within their domains. Equal records form one row."""

    domains: tuple[Domain, ...]  # the domain of each attribute
    classes: tuple[str, ...]  # the classes to predict; also public
    # For each attribute, the step of a number, the leaf of a category, or the index of a set among
    # the distinct sets; shape ``(rows,)``.
    codes: tuple[Codes, ...] = field(repr=False)
    # The distinct sets of each set-valued attribute. None for other attributes.
    sets: tuple[ItemSets | None, ...] = field(repr=False)
    target: Codes = field(repr=False)  # shape ``(rows,)``: the class of each row
    counts: NDArray[np.int64] = field(repr=False)  # shape ``(rows,)``: records per row
    of_one: int = 1  # the largest number of records per unit of privacy, which may be a person
    left_out: int = 0  # the number of records outside the domains
    # For each column, its name and the number of records outside its domain. The target is last.
    homeless: tuple[tuple[str, int], ...] = ()
    # For each numeric attribute, its name and the number of records outside its range.
    clamped: tuple[tuple[str, int], ...] = ()
    # For each set-valued attribute, its name and the number of records with an unlisted item.
    unlisted: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.domains:
            what = "no attribute is named for release"
            fix = "give a domain for at least one attribute"
            raise SettingError(what, where="private table", fix=fix)
        if not self.classes or len(set(self.classes)) < len(self.classes):
            what = "a class is listed twice" if self.classes else "no class is listed"
            raise SettingError(what, where="classes to be predicted", fix="list each class once")

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def rows(self) -> int:
        """The number of distinct combinations of values."""
        return self.counts.size

    @property
    def by_class(self) -> NDArray[np.int64]:
        """The number of records of each class."""
        found = np.bincount(self.target, weights=self.counts, minlength=len(self.classes))
        return found.astype(np.int64)

    def sets_of(self, attribute: int) -> ItemSets:
        """Return the distinct sets of a set-valued attribute."""
        found = self.sets[attribute]
        assert found is not None  # noqa: S101 - as a private table has it
        return found


def within(
    table: FrequencyTable,
    domains: Sequence[Domain],
    target: str | None,
    classes: Sequence[str],
    of_one: int = 1,
    *,
    clamps: bool = True,
) -> PrivateTable:
    """Place the records of a table in public domains.

    One person can have up to `of_one` of the records. Without a target, all records are in one
    class. If `clamps` is false, records with a number outside its range are omitted, so that
    released values are true.
    """
    if target is None:
        return _without_target(table, domains, of_one, clamps=clamps)
    require([*(domain.attribute for domain in domains), target], table.attributes)
    places: list[Codes] = []
    sets: list[ItemSets | None] = []
    clamped, unlisted, homeless = [], [], []
    for domain in domains:
        at = table.attributes.index(domain.attribute)
        values, codes = table.domains[at], table.codes[at]
        match domain:
            case SetDomain(taxonomy):
                distinct, complete = _sets(values, taxonomy)
                sets.append(distinct)
                places.append(codes)
                unlisted.append((domain.attribute, _records(table, ~complete[codes])))
            case CategoricalDomain(taxonomy):
                sets.append(None)
                places.append(taxonomy.locate(values)[codes])
            case NumericDomain():
                sets.append(None)
                beyond = np.array([domain.beyond(value) for value in values], dtype=np.bool_)
                own = domain.locate(values)
                places.append((own if clamps else np.where(beyond, NOT_LISTED, own))[codes])
                clamped.append((domain.attribute, clamps * _records(table, beyond[codes])))
    at = table.attributes.index(target)
    known = {label: place for place, label in enumerate(classes)}
    by_value = np.array([known.get(one, NOT_LISTED) for one in table.domains[at]], dtype=np.int32)
    own = by_value[table.codes[at]]
    lost = [place == NOT_LISTED for place in (*places, own)]
    for name, without in zip((*(one.attribute for one in domains), target), lost, strict=True):
        homeless.append((name, _records(table, without)))
    inside = ~reduce(np.logical_or, lost)
    return PrivateTable(
        domains=tuple(domains),
        classes=tuple(classes),
        codes=tuple(np.ascontiguousarray(place[inside]) for place in places),
        sets=tuple(sets),
        target=np.ascontiguousarray(own[inside]),
        counts=np.ascontiguousarray(table.counts[inside]),
        of_one=of_one,
        left_out=_records(table, ~inside),
        homeless=tuple(one for one in homeless if one[1]),
        clamped=tuple(one for one in clamped if one[1]),
        unlisted=tuple(one for one in unlisted if one[1]),
    )


def _without_target(
    table: FrequencyTable, domains: Sequence[Domain], of_one: int, *, clamps: bool
) -> PrivateTable:
    """Place the records with an additional column that has a single value."""
    name = NO_TARGET
    while name in table.attributes:
        name += " "
    every = FrequencyTable(
        (*table.attributes, name),
        (*table.domains, (NO_TARGET,)),
        (*table.codes, np.zeros_like(table.codes[0])),
        table.counts,
    )
    return within(every, domains, name, (NO_TARGET,), of_one, clamps=clamps)


def _records(table: FrequencyTable, chosen: NDArray[np.bool_]) -> int:
    return int(table.counts[chosen].sum())


def _sets(texts: Sequence[str], taxonomy: Taxonomy) -> tuple[ItemSets, NDArray[np.bool_]]:
    """Parse sets. Also return, for each set, whether the taxonomy has all its items."""
    found: dict[str, int] = {}
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    items: list[int] = []
    complete = np.ones(len(texts), dtype=np.bool_)
    for at, text in enumerate(texts):
        leaves = set()
        for item in items_of(text):
            leaf = found.get(item)
            if leaf is None:
                leaf = found[item] = int(taxonomy.locate([item])[0])
            leaves.add(leaf)
        complete[at] = NOT_LISTED not in leaves
        items.extend(sorted(leaves - {NOT_LISTED}))
        starts[at + 1] = len(items)
    return ItemSets(starts, np.array(items, dtype=np.int32)), complete
