"""Generate small random tables for checks of models.

Each table has two or three quasi-identifiers with few values. The values are ordered, and the
hierarchies consist of nested intervals. Each table also has a column ``sensitive`` with three
values, and a population. The tables depend only on the seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.hierarchy import from_columns
from roadstead.policies.cells import Cells
from roadstead.policies.classes import Classes, classes_at
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.publications import Publication
from roadstead.reports.sources import SOURCES
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram

SENSITIVE = "sensitive"
"""The name of the additional column, which can be passed to models that use a column."""

_MOST_VALUES = 5
_MOST_LEVELS = 4
_MOST_COUNTS = (1, 3, 20)


@dataclass(frozen=True)
class RandomTable:
    """A random table. For each attribute and level, `ends` marks the ends of the intervals."""

    table: FrequencyTable  # the rows, including the additional column and a population
    # For each attribute and level, flags mark the kept boundaries between values.
    ends: tuple[tuple[NDArray[np.bool_], ...], ...]
    chance: np.random.Generator  # generates policies and classes

    @cached_property
    def encoding(self) -> Encoding:
        """Return the table, encoded with its hierarchies."""
        hierarchies = []
        for name, domain, levels in zip(
            self.table.attributes, self.table.domains, self.ends, strict=True
        ):
            labels = [_labels(domain, ends) for ends in levels[1:]]
            hierarchies.append(from_columns(name, [domain, *labels], origin=name))
        return encode(self.table, hierarchies)

    @cached_property
    def cells(self) -> Cells:
        """Return the table as cells of ordered domains."""
        names = self.table.attributes
        domains = OrderedDomains(names, tuple(len(domain) for domain in self.table.domains))
        codes = np.array(self.table.codes, dtype=np.uint32)
        people = self.table.counts if self.table.population is None else self.table.population
        return Cells(domains, codes, self.table.counts, people)

    def partition(self, levels: Levels) -> Partition:
        """Return the partition that is equivalent to a generalization policy."""
        kept = [own[level] for own, level in zip(self.ends, levels, strict=True)]
        return self.cells.domains.of_bits(np.concatenate(kept))

    def chain(self) -> tuple[Levels, Levels, Levels]:
        """Draw three policies, each at least as general as the previous policy."""
        drawn = [np.sort(self.chance.integers(0, len(own), 3)).tolist() for own in self.ends]
        low, middle, high = zip(*drawn, strict=True)
        return low, middle, high

    def classes(self, levels: Levels) -> Classes:
        """Return the class of each record under a policy."""
        return classes_at(self.encoding, levels)


def random_tables(number: int, seed: int) -> Iterator[RandomTable]:
    """Yield random tables that depend only on the seed."""
    chance = np.random.default_rng(seed)
    return (_drawn(chance) for _ in range(number))


def check_sources(sources: Iterable[str | Publication]) -> None:
    """Check that each source is a known publication or a `Publication`."""
    for source in sources:
        known = isinstance(source, Publication) or source in SOURCES
        assert known, f"{source!r} is not a known publication; give a Publication"


def _drawn(chance: np.random.Generator) -> RandomTable:
    sizes = chance.integers(1, _MOST_VALUES + 1, chance.integers(2, 4)).tolist()
    every = np.indices(sizes).reshape(len(sizes), -1)
    rows = np.sort(chance.permutation(every.shape[1])[: chance.integers(1, 13)])
    # A value that does not occur is not in the domain.
    codes = [np.unique(own[rows], return_inverse=True) for own in every]
    most = chance.choice(_MOST_COUNTS)
    by_value = chance.integers(0, most + 1, (rows.size, 3))
    by_value[:, 0] += by_value.sum(axis=1) == 0
    row, value = np.nonzero(by_value)
    present = np.unique(value)
    entries = row, np.searchsorted(present, value).astype(np.int32), by_value[row, value]
    domain = tuple("xyz"[one] for one in present)
    counts = by_value.sum(axis=1)
    table = FrequencyTable(
        attributes=tuple("abc"[: len(sizes)]),
        domains=tuple(tuple(str(code) for code in range(own.size)) for own, _ in codes),
        codes=tuple(inverse.astype(np.int32) for _, inverse in codes),
        counts=counts,
        alongside=(histogram(SENSITIVE, domain, entries, rows.size),),
        population=counts + chance.integers(0, 2 * most, rows.size),
    )
    return RandomTable(table, tuple(_ends(own.size, chance) for own, _ in codes), chance)


def _ends(size: int, chance: np.random.Generator) -> tuple[NDArray[np.bool_], ...]:
    """Draw nested levels of intervals, from a level with all boundaries to a level with none."""
    levels = [np.ones(size - 1, dtype=np.bool_)]
    for _ in range(chance.integers(0, _MOST_LEVELS - 1)):
        levels.append(levels[-1] & (chance.random(size - 1) < 1 / 2))
    return (*levels, np.zeros(size - 1, dtype=np.bool_))


def _labels(domain: tuple[str, ...], ends: NDArray[np.bool_]) -> list[str]:
    """Return the label of each value's interval. The label lists the values in the interval."""
    interval = np.concatenate([[0], np.cumsum(ends)])
    if not ends.any():
        return ["*"] * len(domain)
    names = np.array(domain)
    return ["-".join(names[interval == one]) for one in interval]
