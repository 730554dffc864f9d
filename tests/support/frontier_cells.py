"""Records and people in ordered domains: tiny ones with their definition, and realistic ones.

In the tiny ones, plain Python can evaluate every policy by the definitions. The realistic ones have
the lengths of paper 000: ages, sexes, races and ZIP codes of a state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import fsum, log

import numpy as np
from hypothesis import strategies as st

from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition

_ROUNDING = 1e-12
"""A greatest divergence below it is a sum of zeros, in doubles; nothing is a share of it."""


def worked_cells() -> Cells:
    """Four ages and two sexes: the example whose 16 policies are worked out in full.

    People by age (men, women) are (5, 3), (2, 4), (6, 2), (1, 2); records (2, 1), (1, 0), (1, 1),
    (0, 1). Boundaries 0 to 2 are of the ages, boundary 3 is of the sexes.
    """
    codes = np.array(list(product(range(4), range(2))), dtype=np.uint32).T.copy()
    records = np.array([2, 1, 1, 0, 1, 1, 0, 1], dtype=np.int64)
    people = np.array([5, 3, 2, 4, 6, 2, 1, 2], dtype=np.int64)
    return Cells(OrderedDomains(("age", "sex"), (4, 2)), codes, records, people)


@st.composite
def tiny_cells(draw: st.DrawFn, boundaries: int = 8, cells: int = 12) -> Cells:
    """Draw at most so many cells of one to four attributes with at most so many boundaries.

    Attributes of one value occur, and so do cells without records and table and population that
    are the same.
    """
    sizes: list[int] = []
    for _ in range(draw(st.integers(1, 4), label="attributes")):
        spare = boundaries - sum(size - 1 for size in sizes)
        sizes.append(draw(st.integers(1, min(5, spare + 1)), label="size"))
    one = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(one, min_size=1, max_size=cells, unique=True), label="codes")
    records = [draw(st.integers(0, 3)) for _ in rows]
    if not any(records):
        records[0] = 1
    people = [own + draw(st.integers(0 if own else 1, 4)) for own in records]
    return Cells(
        OrderedDomains(tuple("abcd"[: len(sizes)]), tuple(sizes)),
        np.array(rows, dtype=np.uint32).T.reshape(len(sizes), -1).copy(),
        np.array(records, dtype=np.int64),
        np.array(people, dtype=np.int64),
    )


def every_policy(domains: OrderedDomains) -> Iterator[Partition]:
    """All partitions; there are two to the number of boundaries."""
    return map(Partition, range(1 << domains.boundaries))


def classes_by_definition(cells: Cells, partition: Partition) -> list[tuple[int, int, int]]:
    """Records, people, and combinations covered, of each class that has records."""
    records: Counter[tuple[int, ...]] = Counter()
    people: Counter[tuple[int, ...]] = Counter()
    intervals = cells.domains.intervals(partition)
    for row, own, all_ in zip(cells.codes.T, cells.records, cells.people, strict=True):
        name = tuple(
            next(i for i, (first, last) in enumerate(cuts) if first <= code <= last)
            for code, cuts in zip(row, intervals, strict=True)
        )
        records[name] += int(own)
        people[name] += int(all_)
    found = []
    for name in sorted(records):
        covered = 1
        for place, cuts in zip(name, intervals, strict=True):
            covered *= cuts[place][1] - cuts[place][0] + 1
        if records[name]:
            found.append((records[name], people[name], covered))
    return found


def risk_by_definition(cells: Cells, partition: Partition, gamma: float = 1.0) -> float:
    """Sum over records of 1 / number of matching people ** gamma."""
    return fsum(f / float(g) ** gamma for f, g, _ in classes_by_definition(cells, partition))


def divergence_by_definition(cells: Cells, partition: Partition) -> float:
    """Kullback-Leibler divergence from the original distribution, in nats."""
    total = int(cells.records.sum())
    own = sum(f / total * log(f / total) for f in map(int, cells.records) if f)
    return own - sum(
        f / total * log(f / (total * covered))
        for f, _, covered in classes_by_definition(cells, partition)
    )


def shares_by_definition(cells: Cells, partition: Partition) -> tuple[float, float]:
    """Risk as a share of the original data's; divergence as a share of the greatest."""
    domains = cells.domains
    most = divergence_by_definition(cells, domains.most_general)
    loss = divergence_by_definition(cells, partition) / (most if most > _ROUNDING else 1.0)
    risk = risk_by_definition(cells, partition)
    return risk / risk_by_definition(cells, domains.most_specific), loss


def synthetic_cells(
    seed: int = 0,
    sizes: tuple[int, int, int, int] = (121, 2, 7, 612),
    records: int = 32_560,
    people: int = 5_690_000,
) -> Cells:
    """Make a state: its people by age, sex, race and ZIP code, and some of them as records.

    Ages thin out from the middle on; ZIP codes differ a hundredfold in people and each has its own
    mixture of races. Records are adults, the middle-aged more often. With the defaults there are
    738 boundaries and some 350,000 cells.

    Parameters
    ----------
    seed
        Of the random numbers.
    sizes
        Values of age, sex, race and ZIP code; ages are scaled to the length of a life.
    records, people
        How many.
    """
    random = np.random.default_rng(seed)
    ages, sexes, races, zips = sizes
    life = np.linspace(0.0, 120.0, ages)
    by_age = 1.0 / (1.0 + np.exp((life - 68.0) / 8.0)) + 1e-5
    by_zip = random.lognormal(0.0, 1.2, zips)
    usual = 0.35 ** np.arange(races)
    by_race = random.dirichlet(12.0 * usual / usual.sum(), zips).T + 1e-6
    weights = (
        by_age[:, None, None, None]
        * random.uniform(0.9, 1.1, (ages, sexes))[:, :, None, None]
        * (by_race * by_zip)[None, None]
    ).ravel()
    counts = random.multinomial(people, weights / weights.sum())
    adult = np.where(life >= 17.0, np.exp(-(((life - 38.0) / 16.0) ** 2)) + 1e-3, 0.0)
    chosen = counts * np.repeat(adult, counts.size // ages)
    drawn = random.multinomial(records, chosen / chosen.sum())
    some = np.flatnonzero(counts)
    codes = np.array(np.unravel_index(some, sizes), dtype=np.uint32)
    return Cells(
        OrderedDomains(("age", "sex", "race", "zip"), sizes),
        codes,
        drawn[some].astype(np.int64),
        np.maximum(counts, drawn)[some].astype(np.int64),
    )
