"""Find releases that are exactly or almost the sum of other releases.

Suppose, for example, that the north and the south were released separately, and that both are now
released together. An attacker who subtracts the two parts from the whole finds the people who are
in neither part. Two of the three releases alone do not reveal these people. So Roadstead takes sets
of releases that have the same rules, and tests whether they can be the parts of a whole. In each
class, the parts together must not have more records than the whole. The same applies to each
combination of cells in the class.

The parts may also contain people who are not in the whole. A set of such parts is tested only if
the sum of the parts exceeds the whole by less than half of the smallest part. Two releases of the
same table, or with a common pseudonym, cannot be parts of the same whole.

Suppose that all releases keep their suppressed records in masked form. Then all records outside the
common classes of the releases belong to one additional common class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.release.ledger.classes import ReleasedClasses, in_common, masked_class, numbered
from roadstead.release.ledger.facts import OverlayFinding, SetsTried
from roadstead.release.persons.multisets import added

Integers = NDArray[np.int64]
MOST_FAMILIES = 20_000
"""The largest number of sets of releases that are tried as parts of one whole."""
NEW = ""
"""The name of the new release in a series."""


@dataclass(frozen=True, eq=False)
class SeriesMember:
    """A release that may be a part or the whole in a series."""

    name: str  # name of its ledger entry, or `NEW`
    content: str | None  # digest of the source table
    classes: ReleasedClasses
    k: int
    masks: bool = False  # whether suppressed records are kept


def small_remainders(members: Sequence[SeriesMember], *, persons: bool = False) -> SetsTried:
    """Find sets of releases whose comparison leaves a group of fewer than k records or people.

    Each set consists of a whole and at least two parts, and includes the new release. If `persons`
    is true, the function counts the smallest number of people who can have the remaining records.
    """
    series = _Series(tuple(members))
    found: list[OverlayFinding] = []
    every = ((whole, own) for whole in range(len(members)) for own in series.families(whole))
    for tried, (whole, family) in enumerate(every):
        if tried == MOST_FAMILIES:
            return SetsTried(tuple(found), cut_short=True)
        left = series.left(whole, family)
        if left is None:
            continue
        k = max(members[at].k for at in (whole, *family))
        units = series.people(whole, left) if persons else left
        rest = series.left_of_rest(whole, family)
        left = np.append(left, rest)
        units = np.append(units, np.minimum(rest, 1) if persons else rest)
        small = (left > 0) & (units < k)
        few = units[small]
        if few.size:
            others = sorted(members[at].name for at in (whole, *family) if at != series.new)
            found.append(
                OverlayFinding(
                    "parts",
                    others[-1],
                    int(few.size),
                    k,
                    int(few.min()),
                    unit="person" if persons else "record",
                    others=tuple(others[:-1]),
                    masked=bool(small[small.size - rest.size :].any()),
                )
            )
    return SetsTried(tuple(found), cut_short=False)


@dataclass(frozen=True, eq=False)
class _Series:
    """A series of releases under the same rules."""

    members: tuple[SeriesMember, ...]

    @cached_property
    def new(self) -> int:
        return next(at for at, one in enumerate(self.members) if one.name == NEW)

    @cached_property
    def _numbers(self) -> tuple[Integers, ...]:
        """Number the classes of each release. The suppressed records get -1."""
        known: dict[tuple[str, ...], int] = {}
        found = []
        for one in self.members:
            texts = one.classes.texts
            masked = masked_class(texts)
            numbers = [
                -1 if at == masked else known.setdefault(own, len(known))
                for at, own in enumerate(texts)
            ]
            found.append(np.array(numbers, dtype=np.int64))
        return tuple(found)

    @cached_property
    def counts(self) -> Integers:
        """Return the number of records in each class of each release, or 0 for a hidden class."""
        width = max((int(own.max(initial=-1)) for own in self._numbers), default=-1) + 1
        found = np.zeros((len(self.members), width), dtype=np.int64)
        for at, (one, own) in enumerate(zip(self.members, self._numbers, strict=True)):
            shown = own >= 0
            found[at, own[shown]] = np.array(one.classes.counts, dtype=np.int64)[shown]
        return found

    @cached_property
    def _apart(self) -> NDArray[np.bool_]:
        """Return whether two releases may have no people in common."""
        number = len(self.members)
        known = [one.classes.pseudonyms for one in self.members]
        prints = [frozenset(() if one is None else one.values) for one in known]
        found = np.ones((number, number), dtype=np.bool_)
        for at in range(number):
            for other in range(at):
                same = self.members[at].content == self.members[other].content
                if (same and self.members[at].content is not None) or prints[at] & prints[other]:
                    found[at, other] = found[other, at] = False
        return found

    def families(self, whole: int) -> Iterator[tuple[int, ...]]:
        """Yield the sets of two or more releases whose sum is not much larger than the whole.

        The new release is either the whole or a member of the set.
        """
        totals = self.counts.sum(axis=1)
        first = () if whole == self.new else (self.new,)
        usable = [
            at
            for at in range(len(self.members))
            if at not in (whole, self.new) and 0 < totals[at] <= totals[whole]
        ]

        def beginning(family: tuple[int, ...], total: int, after: int) -> Iterator[tuple[int, ...]]:
            for place in range(after, len(usable)):
                at = usable[place]
                if not all(self._apart[at, other] for other in family):
                    continue
                # The excess is below half of the smallest part, so the excess is below a fourth of
                # the sum.
                own, sum_of = (*family, at), total + int(totals[at])
                if 3 * sum_of >= 4 * int(totals[whole]):
                    continue
                if len(own) > 1:
                    yield own
                yield from beginning(own, sum_of, place + 1)

        yield from beginning(first, sum(int(totals[at]) for at in first), 0)

    def left(self, whole: int, family: tuple[int, ...]) -> Integers | None:
        """Count the records in each class that are only in the whole, or only in the parts.

        The method returns None if the counts rule out that the releases are parts of the whole.
        """
        parts = self.counts[list(family)]
        own, together = self.counts[whole], parts.sum(axis=0)
        if (together[own > 0] <= own[own > 0]).all():
            if not self._cells_fit(whole, family, own > 0, 1):
                return None
            return np.where(own > 0, own - together, 0)
        # If a part does not show a class, the part's number of records in the class is unknown.
        every = np.asarray((parts > 0).all(axis=0), dtype=np.bool_)
        excess = int(together.sum() - own.sum())
        if not every.any() or 2 * excess >= int(parts.sum(axis=1).min()):
            return None
        if (together[every] < own[every]).any() or not self._cells_fit(whole, family, every, -1):
            return None
        return np.where(every, together - own, 0)

    def left_of_rest(self, whole: int, family: tuple[int, ...]) -> Integers:
        """Count the remaining records outside the common classes, if the number is known.

        `left` must have returned a result for the same releases.
        """
        own = (whole, *family)
        if not all(self.members[at].masks for at in own):
            return np.zeros(0, dtype=np.int64)
        shown = np.asarray((self.counts[list(own)] > 0).all(axis=0), dtype=np.bool_)
        totals = [sum(self.members[at].classes.counts) for at in own]
        rest = np.array(totals, dtype=np.int64) - self.counts[list(own)][:, shown].sum(axis=1)
        left = int(rest[0] - rest[1:].sum())
        fits = left and self._cells_fit(whole, family, ~shown, 1 if left > 0 else -1, as_one=True)
        return np.array([abs(left)] if fits else [], dtype=np.int64)

    def _cells_fit(
        self,
        whole: int,
        family: tuple[int, ...],
        where: NDArray[np.bool_],
        sign: int,
        *,
        as_one: bool = False,
    ) -> bool:
        """Return whether the remaining count of each combination of cells has the expected sign.

        If `as_one` is true, all classes and the masked records are treated as one class.
        """
        rows = in_common([self.members[at].classes.rows for at in (whole, *family)])
        codes, number = numbered(rows)
        keys, counts = [], []
        for at, one, code in zip((whole, *family), rows, codes, strict=True):
            own = self._numbers[at][np.array(one.in_class, dtype=np.int64)]
            kept = np.where(own >= 0, np.append(where, False)[own], as_one)
            own = np.where(as_one, 0, own)
            keys.append((own * number + code)[kept])
            of_cell = np.array(one.counts, dtype=np.int64)[kept]
            counts.append(of_cell if at == whole else -of_cell)
        _, net = added(np.concatenate(keys), np.concatenate(counts))
        return bool((sign * net >= 0).all())

    def people(self, whole: int, left: Integers) -> Integers:
        """Return the smallest number of people who can have the remaining records.

        If the remaining records are not from the whole, the result is 1. In this case, a person may
        have records in all parts.
        """
        own, classes = self.counts[whole], self.members[whole].classes
        if classes.persons is None or (left > own).any():
            return np.minimum(left, 1)
        numbers = self._numbers[whole]
        shown = numbers >= 0
        of_class = np.zeros(numbers.size, dtype=np.int64)
        of_class[shown] = left[numbers[shown]]
        found = np.minimum(left, 1)
        fewest = classes.persons.fewest(of_class)
        found[numbers[shown]] = np.maximum(found[numbers[shown]], fewest[shown])
        return found
