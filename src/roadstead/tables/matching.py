"""Tables of people put together by matching the people at random.

Two tables of the same people, one by age and sex, the other by race and ZIP code, say nothing of
who is who. Line up the people of either in random order, put the two lines side by side, and count
the pairs: both tables are kept exactly, in whole numbers, and each combination can be expected as
often as chance has it, people of the one times people of the other divided by all. Where the tables
share attributes, only people with the same values of these are matched. This is sampling without
replacement; the counts have a (multivariate) hypergeometric distribution.

Any number of margins is put together so, one after the other, if each shares with those before it
only attributes that one of them has all of: the running intersection property. The expected counts
are then those of iterative proportional fitting from a uniform start (S. L. Lauritzen, Graphical
Models, 1996, section 4.4; such models are called decomposable).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.frequency import FrequencyTable, canonical


def running_order(scopes: Sequence[frozenset[str]]) -> tuple[int, ...] | None:
    """Order margins so that they can be matched one after the other.

    `scopes`: the attributes of each margin; none within another. Returns None where there is no
    such order. Taking always the margin that shares most with a single one taken before finds one
    if there is any (a spanning tree of greatest weight; Bernstein and Goodman 1981).
    """
    taken, left = [0], list(range(1, len(scopes)))
    while left:
        best = max(left, key=lambda i: max(len(scopes[i] & scopes[j]) for j in taken))
        shared = scopes[best] & frozenset().union(*(scopes[j] for j in taken))
        if not any(shared <= scopes[j] for j in taken):
            return None
        taken.append(best)
        left.remove(best)
    return tuple(taken)


def matched(
    first: FrequencyTable, second: FrequencyTable, chance: np.random.Generator
) -> FrequencyTable:
    """Match the people of two tables at random where they agree.

    `first`, `second`: people by attributes with the same domains in both. What they share has the
    same counts in both. `chance`: where random numbers come from: one uniform number for each
    person. Returns people by the attributes of `first` and the further ones of `second`; its
    margins are the two tables.
    """
    own = _key(first, second.attributes)
    other = _key(second, first.attributes)
    groups, number = np.unique(np.concatenate([own, other]), return_inverse=True)
    ours = _people(first, number[: own.size])
    theirs = _people(second, number[own.size :])
    random = chance.random(theirs.size)
    if groups.size > 1:
        random += number[own.size :][theirs]  # in line within each group
    theirs = theirs[np.argsort(random, kind="stable")]
    del random
    pairs = ours.astype(np.int64)
    pairs *= second.distinct
    pairs += theirs
    del ours, theirs
    found, counts = np.unique(pairs, return_counts=True)
    at, there = np.divmod(found, second.distinct)
    further = [i for i, name in enumerate(second.attributes) if name not in first.attributes]
    return canonical(
        (*first.attributes, *(second.attributes[i] for i in further)),
        (*first.domains, *(second.domains[i] for i in further)),
        [*(c[at] for c in first.codes), *(second.codes[i][there] for i in further)],
        counts.astype(np.int64),
    )[0]


def _key(table: FrequencyTable, others: Sequence[str]) -> NDArray[np.int64]:
    """Number the values of the shared attributes, alike in both tables."""
    key = np.zeros(table.distinct, dtype=np.int64)
    for name in sorted({*table.attributes} & {*others}):
        at = table.attributes.index(name)
        key *= len(table.domains[at])
        key += table.codes[at]
    return key


def _people(table: FrequencyTable, groups: NDArray[np.int64]) -> NDArray[np.int32]:
    """Line up people by group; each is the number of the combination that the person has."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    return np.repeat(order, table.counts[order])
