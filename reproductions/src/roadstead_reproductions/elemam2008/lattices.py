"""All policies of a small lattice, arranged so that one sweep computes the classes of a sample.

The populations of paper 001 have a few hundred policies. The classes of a combination of values do
not depend on the sample, so they are computed once per population. A sample is then a count for
each combination, and the remaining work consists of additions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels, full_domain, rank
from roadstead_reproductions.elemam2008 import class_histograms

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Lattice:
    """Policies with their classes. Each policy comes after all more specific policies.

    Attributes
    ----------
    policies
        The policies in the order that breaks ties: by rank, then by levels.
    first, source, links, above
        The classes and the links between them, as in `class_histograms`.
    people
        The number of people in the population in each class, policy by policy.
    """

    policies: tuple[Levels, ...]
    first: NDArray[np.int64]
    source: NDArray[np.int64]
    links: NDArray[np.int64]
    above: Ids
    people: NDArray[np.int64]

    @property
    def combinations(self) -> int:
        """Return the number of distinct combinations of values in the population."""
        return int(self.first[1])

    def sizes(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the records in every class of every policy.

        `counts` is the number of records of each combination of values.
        """
        return class_histograms.roll_up(counts, self.first, self.source, self.links, self.above)

    def combination_of_each(self) -> Ids:
        """Return the combination of values of each person."""
        own = self.people[: self.combinations]
        return np.repeat(np.arange(self.combinations, dtype=np.int32), own)

    def rare(self, people: int) -> NDArray[np.int64]:
        """Count the classes with fewer than this number of people under each policy."""
        return np.add.reduceat((self.people < people).astype(np.int64), self.first[:-1])


def lattice_of(encoding: Encoding, space: FullDomain | None = None) -> Lattice:
    """Arrange all policies over a population.

    Each row of the encoding has people. The default `space` is all policies of the hierarchies.
    """
    space = full_domain(encoding.hierarchies) if space is None else space
    policies = tuple(sorted(space, key=lambda levels: (rank(levels), levels)))
    number = {levels: i for i, levels in enumerate(policies)}
    ids, members = _classes(encoding, policies[0], np.arange(encoding.counts.size))
    alone = np.zeros(members.size, np.int64)
    np.add.at(alone, ids, encoding.counts)
    one_of_each = [members]
    source = np.zeros(len(policies), np.int64)
    parts: list[Ids] = [np.empty(0, np.int32)]
    for i, levels in enumerate(policies[1:], start=1):
        below = (number[lower] for lower in _right_below(space, levels))
        source[i] = least = min(below, key=lambda j: one_of_each[j].size)
        ids, members = _classes(encoding, levels, one_of_each[least])
        one_of_each.append(members)
        parts.append(ids)
    first = _starts([members.size for members in one_of_each])
    links, above = _starts([part.size for part in parts])[:-1], np.concatenate(parts)
    people = class_histograms.roll_up(alone, first, source, links, above)
    return Lattice(policies, first, source, links, above, people)


def _classes(
    encoding: Encoding, levels: Levels, rows: NDArray[np.int64]
) -> tuple[Ids, NDArray[np.int64]]:
    """Number the classes of some rows, and return each row's class and one row of each class."""
    ids = np.zeros(rows.size, np.int64)
    found = np.zeros(1, np.int64)
    for codes, lookups, labels, level in zip(
        encoding.codes, encoding.lookups, encoding.labels, levels, strict=True
    ):
        if labels[level] > 1:
            keys = ids * labels[level] + lookups[level][codes[rows]]
            _, found, ids = np.unique(keys, return_index=True, return_inverse=True)
    return ids.astype(np.int32), rows[found]


def _starts(lengths: list[int]) -> NDArray[np.int64]:
    """Return the start of each of several segments, and the end of the last segment."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _right_below(space: FullDomain, levels: Levels) -> Iterator[Levels]:
    for i, (level, least) in enumerate(zip(levels, space.bottom, strict=True)):
        if level > least:
            yield (*levels[:i], level - 1, *levels[i + 1 :])
