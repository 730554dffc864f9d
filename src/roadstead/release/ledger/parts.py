"""More than two releases: parts that add up, or nearly, to another one.

North and south were released apart, and now both together: the whole less the two parts is whoever
is in neither. No two of the three show it. So each set of releases under the rules of the new one
is tried as parts of another one, whether the new one is the whole or among the parts. Their
counts say whether they can be: a part has no more records of any class, nor of any combination of
cells in it, than the whole has left for it. What is then left of a class is a group that
anybody can count, once it is known that the parts have nobody in common.

The other way round, parts may have somebody whom the whole has not. All releases are that, more or
less, where parts overlap; so these are tried only where the parts together have less than half
of the smallest part more than the whole.

Two releases that were made of the same table, or that share a pseudonym, are no parts of another.

Where all keep their suppressed records, masked, all that is not in a class that each shows is one
more class that all have, as between two releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.release.ledger.classes import ReleasedClasses, masked_class
from roadstead.release.ledger.facts import OverlayFinding

Integers = NDArray[np.int64]
MOST_FAMILIES = 20_000
"""Sets of releases that are tried as parts of one whole."""
NEW = ""
"""The name of the new release among the others."""


@dataclass(frozen=True, eq=False)
class SeriesMember:
    """A release that may be a part or the whole."""

    name: str  # of its entry; of the new one `NEW`
    content: str | None  # digest of the table it was made of
    classes: ReleasedClasses
    k: int
    masks: bool = False  # it keeps its suppressed records


@dataclass(frozen=True)
class PartsTried:
    """What came of all sets."""

    findings: tuple[OverlayFinding, ...]
    cut_short: bool  # not all were tried


def small_remainders(
    members: Sequence[SeriesMember], *, persons: bool = False, most: int = MOST_FAMILIES
) -> PartsTried:
    """Find wholes and parts, the new release among them, that leave a group of fewer than k.

    Parts are two or more; pairs of releases are compared by `roadstead.release.ledger.differences`.
    `persons`: judge by the persons who have the records left, at the least.
    """
    series = _Series(tuple(members))
    found: list[OverlayFinding] = []
    every = ((whole, own) for whole in range(len(members)) for own in series.families(whole))
    for tried, (whole, family) in enumerate(every):
        if tried == most:
            return PartsTried(tuple(found), cut_short=True)
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
    return PartsTried(tuple(found), cut_short=False)


@dataclass(frozen=True, eq=False)
class _Series:
    """Releases by the same classes."""

    members: tuple[SeriesMember, ...]

    @cached_property
    def new(self) -> int:
        return next(at for at, one in enumerate(self.members) if one.name == NEW)

    @cached_property
    def _numbers(self) -> tuple[Integers, ...]:
        """For each release the number of each of its classes; -1 of the suppressed records."""
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
        """Records of each release in each class, 0 where it does not show it."""
        width = max((int(own.max(initial=-1)) for own in self._numbers), default=-1) + 1
        found = np.zeros((len(self.members), width), dtype=np.int64)
        for at, (one, own) in enumerate(zip(self.members, self._numbers, strict=True)):
            shown = own >= 0
            found[at, own[shown]] = np.array(one.classes.counts, dtype=np.int64)[shown]
        return found

    @cached_property
    def _apart(self) -> NDArray[np.bool_]:
        """Whether two may have nobody in common."""
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
        """Go through the sets of two and more releases whose sum is not far above the whole.

        The new one is the whole or in the set.
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
                # The excess is below half of the smallest of two or more: a fourth of the sum.
                own, sum_of = (*family, at), total + int(totals[at])
                if 3 * sum_of >= 4 * int(totals[whole]):
                    continue
                if len(own) > 1:
                    yield own
                yield from beginning(own, sum_of, place + 1)

        yield from beginning(first, sum(int(totals[at]) for at in first), 0)

    def left(self, whole: int, family: tuple[int, ...]) -> Integers | None:
        """Count what of each class is in the whole and in no part, or the other way round.

        None where counts say that these are no parts.
        """
        parts = self.counts[list(family)]
        own, together = self.counts[whole], parts.sum(axis=0)
        if (together[own > 0] <= own[own > 0]).all():
            if not self._cells_fit(whole, family, own > 0, 1):
                return None
            return np.where(own > 0, own - together, 0)
        # Where a part does not show a class, nobody knows how many it had.
        every = np.asarray((parts > 0).all(axis=0), dtype=np.bool_)
        excess = int(together.sum() - own.sum())
        if not every.any() or 2 * excess >= int(parts.sum(axis=1).min()):
            return None
        if (together[every] < own[every]).any() or not self._cells_fit(whole, family, every, -1):
            return None
        return np.where(every, together - own, 0)

    def left_of_rest(self, whole: int, family: tuple[int, ...]) -> Integers:
        """Count the records outside the classes that all show, which are left; none if not known.

        The whole and the parts are such that `left` has an answer.
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
        """Say whether each combination of cells, too, has as many left, or as many too many.

        `as_one`: the classes are taken for one, and the masked records are in it.
        """
        rows = [self.members[at].classes.rows for at in (whole, *family)]
        if any(one is None or rows[0] is None or one.columns != rows[0].columns for one in rows):
            return True
        values = sorted({value for one in rows if one is not None for value in one.values})
        number = {value: at for at, value in enumerate(values)}
        keys, counts = [], []
        for at, one in zip((whole, *family), rows, strict=True):
            assert one is not None  # noqa: S101 - looked at above
            own = self._numbers[at][np.array(one.in_class, dtype=np.int64)]
            kept = np.where(own >= 0, np.append(where, False)[own], as_one)
            own = np.where(as_one, 0, own)
            code = np.array([number[value] for value in one.values], dtype=np.int64)
            keys.append((own * len(values) + code[np.array(one.value, dtype=np.int64)])[kept])
            of_cell = np.array(one.counts, dtype=np.int64)[kept]
            counts.append(of_cell if at == whole else -of_cell)
        _, place = np.unique(np.concatenate(keys), return_inverse=True)
        net = np.zeros(int(place.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(net, place.reshape(-1), np.concatenate(counts))
        return bool((sign * net >= 0).all())

    def people(self, whole: int, left: Integers) -> Integers:
        """Count the persons whom the records left are of, at the least.

        One, where they are not those of the whole: a person may have records in all parts.
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
