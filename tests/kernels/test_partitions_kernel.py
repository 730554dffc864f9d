"""The loops over cells against plain twins that apply every cut and every merge and recount."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.kernels import partitions as kernels
from roadstead_reproductions.searches import cut_changes
from roadstead_reproductions.searches.k_optimize import prizes_of

Key = tuple[int, ...]
Targets = Counter[int]


@dataclass(frozen=True)
class Cells:
    """Distinct cells, the boundaries between them, and which of these are in the head."""

    sizes: tuple[int, ...]
    cells: tuple[Key, ...]
    counts: tuple[tuple[int, ...], ...]
    cuts: tuple[tuple[int, ...], ...]
    """For each place: 0 no boundary, 1 one of the tail, 2 one of the head."""
    k: int
    prices: tuple[int, int, int]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """First place of each attribute, and the number of places."""
        return np.array([0, *np.cumsum(self.sizes)], dtype=np.int64)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Attribute and code of every place."""
        return [(i, code) for i, size in enumerate(self.sizes) for code in range(size)]

    def starts(self, least: int) -> NDArray[np.uint32]:
        """First code of the interval of each place, cut where a boundary is `least` or more."""
        return np.array([self.start(i, code, least) for i, code in self.places], dtype=np.uint32)

    def start(self, attribute: int, code: int, least: int) -> int:
        """Walk down to the boundary."""
        while code > 0 and self.cuts[attribute][code] < least:
            code -= 1
        return code

    def grouped(self, least: int) -> dict[Key, Targets]:
        """Records by target class in each class."""
        found: dict[Key, Targets] = {}
        for cell, counts in zip(self.cells, self.counts, strict=True):
            key = tuple(self.start(i, code, least) for i, code in enumerate(cell))
            found.setdefault(key, Counter()).update(dict(enumerate(counts)))
        return found

    def with_cut(self, attribute: int, code: int, kind: int) -> Cells:
        """Change one boundary."""
        row = self.cuts[attribute]
        changed = (*row[:code], kind, *row[code + 1 :])
        cuts = (*self.cuts[:attribute], changed, *self.cuts[attribute + 1 :])
        return replace(self, cuts=cuts)

    def cost(self, n: Targets) -> int:
        """Price of a class."""
        if n.total() < self.k:
            return self.prices[2] * n.total()
        return self.prices[0] * n.total() ** 2 + self.prices[1] * (n.total() - max(n.values()))

    def squares(self, n: Targets) -> int:
        """The part of the floor by squares."""
        return self.prices[0] * n.total() * max(n.total(), self.k)

    def minority(self, n: Targets) -> int:
        """The part of the floor by minorities."""
        return self.prices[1] * (n.total() - max(n.values()))

    def kernel(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Cells as arrays."""
        codes = np.array(self.cells, dtype=np.uint32).reshape(len(self.cells), -1).T
        return np.ascontiguousarray(codes), np.array(self.counts, dtype=np.int64)

    @property
    def price_array(self) -> NDArray[np.int64]:
        """Prices as an array."""
        return np.array(self.prices, dtype=np.int64)


@st.composite
def cells(draw: st.DrawFn) -> Cells:
    """One to three attributes, ragged counts, boundaries of every kind."""
    sizes = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    cell = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    found = draw(st.lists(cell, min_size=1, max_size=12, unique=True))
    targets = draw(st.integers(1, 3))
    one = st.tuples(*[st.integers(0, 6)] * targets).filter(any)
    counts = draw(st.lists(one, min_size=len(found), max_size=len(found)))
    cuts = tuple(
        (2, *draw(st.lists(st.integers(0, 2), min_size=size - 1, max_size=size - 1)))
        for size in sizes
    )
    prices = draw(st.sampled_from([(1, 0, 40), (0, 1, 1), (1, 2, 25)]))
    return Cells(sizes, tuple(found), tuple(counts), cuts, draw(st.integers(1, 9)), prices)


@dataclass(frozen=True)
class Grouped:
    """Cells of head and tail together, with their classes at the head."""

    codes: NDArray[np.uint32]
    counts: NDArray[np.int64]
    classes: NDArray[np.uint32]
    totals: NDArray[np.int64]


def group(c: Cells) -> Grouped:
    """Group as a search does."""
    codes, counts = c.kernel()
    classes, number = np.zeros(len(c.cells), dtype=np.uint32), 1
    heads = c.starts(2)
    for i, column in enumerate(codes):
        labels = heads[c.offsets[i] : c.offsets[i + 1]][column]
        classes, number = kernels.refine_classes(classes, labels)
    new = kernels.group_cells(codes, counts, classes, c.starts(1), c.offsets)
    return Grouped(*new, kernels.class_totals(new[2], number, new[1]))


def as_counts(row: NDArray[np.int64]) -> Targets:
    """Records by target class."""
    return Counter(dict(enumerate(row.tolist())))


@unhurried
@given(cells())
def test_cells_are_grouped_as_the_definition_groups_them(c: Cells) -> None:
    """Intervals, counts, and classes that hold them."""
    g = group(c)
    mine = {tuple(key): as_counts(n) for key, n in zip(g.codes.T.tolist(), g.counts, strict=True)}
    assert mine == c.grouped(1)
    heads = {
        (int(number), tuple(c.start(i, code, 2) for i, code in enumerate(cell)))
        for number, cell in zip(g.classes, g.codes.T.tolist(), strict=True)
    }
    assert len(heads) == g.totals.shape[0] == len({h for _, h in heads})
    assert {key: as_counts(g.totals[number]) for number, key in heads} == c.grouped(2)


@unhurried
@given(cells())
def test_costs_are_added_up(c: Cells) -> None:
    """Cost, floor and suppressed records; and what the loss of each small cell adds."""
    g = group(c)
    every = list(map(as_counts, g.counts))
    cost, least, gone = kernels.sum_costs(g.counts, c.k, c.price_array)
    assert cost == sum(map(c.cost, every))
    assert least == sum(c.squares(n) + c.minority(n) for n in every)
    assert gone == sum(n.total() for n in every if n.total() < c.k)
    prizes = [
        c.prices[2] * n.total() - c.squares(n) - c.minority(n) if n.total() < c.k else 0
        for n in every
    ]
    assert prizes_of(g.counts, c.k, c.price_array).tolist() == prizes


def is_worth(c: Cells, parts: list[Targets]) -> bool:
    """Say whether a split forbids to call a cut useless."""
    small, large = sorted(n.total() for n in parts)
    if small >= c.k:
        return True
    square, minority, suppressed = c.prices
    return large >= c.k and square * (small + 2 * large) + minority > suppressed


@unhurried
@given(cells())
def test_a_cut_changes_what_recounting_finds(c: Cells) -> None:
    """Every boundary of the tail is put into the head by itself."""
    large = inside(c)
    if not large:
        return
    alive = replace(c, cells=tuple(cell for cell, _ in large), counts=tuple(n for _, n in large))
    g = group(alive)
    weighed = cut_changes.weigh_cuts(
        g.codes, g.counts, g.classes, g.totals, c.offsets, c.k, c.price_array
    )
    before = alive.grouped(2)
    floor = {key: c.squares(n) + c.minority(n) for key, n in alive.grouped(1).items()}
    for place, (i, code) in enumerate(c.places):
        if c.cuts[i][code] != 1:
            continue
        cut = alive.with_cut(i, code, 2)
        after = cut.grouped(2)
        parts: dict[Key, list[Targets]] = {}
        for key, n in after.items():
            parts.setdefault(tuple(alive.start(j, v, 2) for j, v in enumerate(key)), []).append(n)
        split = [p for p in parts.values() if len(p) > 1]
        lost = {key for key, n in after.items() if n.total() < c.k}
        gone = sum(after[key].total() for key in lost)
        kept = sum(
            value
            for key, value in floor.items()
            if tuple(cut.start(j, v, 2) for j, v in enumerate(key)) in lost
        )
        assert weighed[:, place].tolist() == [
            len(split),
            sum(map(c.cost, after.values())) - sum(map(c.cost, before.values())),
            c.prices[2] * gone - kept,
            gone,
            sum(is_worth(c, p) for p in split),
        ]


def inside(c: Cells) -> list[tuple[Key, tuple[int, ...]]]:
    """Cells whose class at the head is large enough."""
    sizes = {key: n.total() for key, n in c.grouped(2).items()}
    return [
        (cell, counts)
        for cell, counts in zip(c.cells, c.counts, strict=True)
        if sizes[tuple(c.start(i, code, 2) for i, code in enumerate(cell))] >= c.k
    ]


def following(c: Cells) -> NDArray[np.int64]:
    """Walk up to the next boundary."""
    found = []
    for i, code in c.places:
        after = code + 1
        while after < c.sizes[i] and not c.cuts[i][after]:
            after += 1
        found.append(after)
    return np.array(found, dtype=np.int64)


def tail(c: Cells) -> NDArray[np.bool_]:
    """Places with a boundary of the tail."""
    return np.array([c.cuts[i][code] == 1 for i, code in c.places], dtype=np.bool_)


@unhurried
@given(cells())
def test_a_merge_changes_what_recounting_finds(c: Cells) -> None:
    """Every boundary of the tail is removed by itself."""
    g = group(c)
    weighed = cut_changes.weigh_merges(
        g.codes, g.counts, following(c), c.offsets, tail(c), c.k, c.price_array
    )
    before = list(c.grouped(1).values())
    for place, (i, code) in enumerate(c.places):
        after = list(c.with_cut(i, code, 0).grouped(1).values()) if tail(c)[place] else before
        assert weighed[:, place].tolist() == [
            sum(map(c.cost, after)) - sum(map(c.cost, before)),
            sum(n.total() for n in after if n.total() < c.k)
            - sum(n.total() for n in before if n.total() < c.k),
            sum(map(c.squares, after)) - sum(map(c.squares, before)),
            sum(map(c.minority, after)) - sum(map(c.minority, before)),
        ]


@unhurried
@given(cells(), st.data())
def test_the_ascent_pays_what_its_twin_pays(c: Cells, data: st.DataObject) -> None:
    """Cells with the fewest cuts first; no cut pays more than it has."""
    g = group(c)
    amounts = st.integers(0, 9)
    cells_, places = g.codes.shape[1], len(c.places)
    prizes = data.draw(st.lists(amounts, min_size=cells_, max_size=cells_), label="prizes")
    slack = data.draw(st.lists(amounts, min_size=places, max_size=places), label="slack")
    alongside = [sides(c, cell) for cell in g.codes.T.tolist()]
    left, total = list(slack), 0
    for j in sorted(range(cells_), key=lambda j: len(alongside[j])):
        if alongside[j]:
            pay = min(prizes[j], *(left[w] for w in alongside[j]))
            total += pay
            for w in alongside[j]:
                left[w] -= pay
    found = cut_changes.ascend(
        g.codes,
        np.array(prizes, dtype=np.int64),
        following(c),
        c.offsets,
        tail(c),
        np.array(slack, dtype=np.int64),
    )
    assert (found[0], found[1].tolist()) == (total, left)
    assert min(left) >= 0


def sides(c: Cells, cell: list[int]) -> list[int]:
    """Places of the tail's boundaries next to a cell."""
    found = []
    for i, code in enumerate(cell):
        after = int(following(c)[c.offsets[i] + code])
        found += [c.offsets[i] + at for at in (code, after) if 0 < at < c.sizes[i]]
    return [int(w) for w in found if tail(c)[w]]


def test_many_attributes_and_values_do_not_collide() -> None:
    """Keys are linear in the codes; codes, not keys, distinguish cells."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5000, (9, 2000)).astype(np.uint32)
    counts = np.ones((2000, 1), dtype=np.int64)
    starts = np.tile(np.arange(5000, dtype=np.uint32), 9)
    offsets = np.arange(10, dtype=np.int64) * 5000
    nowhere = np.zeros(2000, dtype=np.uint32)
    new, sums, _ = kernels.group_cells(codes, counts, nowhere, starts, offsets)
    assert new.shape[1] == len({tuple(column) for column in codes.T.tolist()})
    assert sums.sum() == 2000
