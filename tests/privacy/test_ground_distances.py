"""Earth mover's distances and their lower bounds, compared with distances value by value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import COLUMN, Sample, samples

from roadstead.privacy.conditions import class_counts
from roadstead.privacy.ground_distances import GroundDistance, LabelTree, ValueRow, equal_distance

Ground = Callable[[int, int], Fraction]
UNIVERSE = tuple("abcdefg")


@dataclass(frozen=True)
class Case:
    """A sample, a ground distance for its values, and the same as a function of two values."""

    sample: Sample
    engine: GroundDistance
    ground: Ground


@st.composite
def trees(draw: st.DrawFn) -> Case:
    """Random labels under random labels, on none to three levels."""
    sample = draw(samples(UNIVERSE))
    number = len(sample.domain)
    levels, groups = [], list(range(number))
    for level in range(draw(st.integers(0, 3))):
        if level:
            parents = st.lists(st.integers(0, number - 1), min_size=number, max_size=number)
            chosen = draw(parents)
            groups = [chosen[group] for group in groups]
        levels.append(groups)

    def ground(u: int, v: int) -> Fraction:
        apart = sum(level[u] != level[v] for level in levels)
        return Fraction(apart, max(len(levels), 1))

    labels = np.array(levels, dtype=np.int32).reshape(len(levels), number)
    return Case(sample, LabelTree(labels, np.array(sample.whole)), ground)


@st.composite
def lines(draw: st.DrawFn) -> Case:
    """Values at equal steps."""
    sample = draw(samples(UNIVERSE))
    steps = max(len(sample.domain) - 1, 1)
    return Case(sample, ValueRow(np.array(sample.whole)), lambda u, v: Fraction(abs(u - v), steps))


@st.composite
def stars(draw: st.DrawFn) -> Case:
    """Values that are all equally far."""
    sample = draw(samples(UNIVERSE))
    return Case(sample, equal_distance(np.array(sample.whole)), lambda u, v: Fraction(u != v))


def transported(ground: Ground, records: tuple[int, ...], whole: tuple[int, ...]) -> Fraction:
    """Least work by successive cheapest paths: a transport problem of whole numbers, solved."""
    number, size, total = len(records), sum(records), sum(whole)
    supply = [n * total for n in records]
    demand = [w * size for w in whole]
    flow = [[0] * number for _ in range(number)]
    work = Fraction(0)
    while any(supply):
        # Bellman and Ford from every value that still has some, over the residual network.
        cost: list[Fraction | None] = [Fraction(0) if s else None for s in supply]
        cost += [None] * number
        before = [-1] * (2 * number)
        for _ in range(2 * number):
            for u in range(number):
                for v in range(number):
                    edges = [(u, number + v, ground(u, v), True)]
                    edges.append((number + v, u, -ground(u, v), flow[u][v] > 0))
                    for a, b, price, is_open in edges:
                        here, there = cost[a], cost[b]
                        if is_open and here is not None and (there is None or here + price < there):
                            cost[b], before[b] = here + price, a
        ends = [(c, v) for v in range(number) if demand[v] and (c := cost[number + v]) is not None]
        price, end = min(ends)
        path = [number + end]
        while before[path[-1]] >= 0:
            path.append(before[path[-1]])
        path.reverse()
        steps = list(pairwise(path))
        back = [flow[b][a - number] for a, b in steps if a >= number]
        moved = min([supply[path[0]], demand[end], *back])
        for a, b in steps:
            if a < number:
                flow[a][b - number] += moved
            else:
                flow[b][a - number] -= moved
        supply[path[0]] -= moved
        demand[end] -= moved
        work += moved * price
    return work / (size * total)


every_ground = pytest.mark.parametrize(
    "cases", [trees(), lines(), stars()], ids=["tree", "line", "equal"]
)


@every_ground
@sparing
@given(data=st.data())
def test_the_distance_is_the_least_work(
    cases: st.SearchStrategy[Case], data: st.DataObject
) -> None:
    """The closed forms give what solving the transport problem does."""
    case = data.draw(cases)
    sample = case.sample
    classes = sample.classes(sample.groups)
    found = case.engine.of(class_counts(sample.table().histogram(COLUMN), classes))
    exact = [transported(case.ground, sample.added(g), sample.whole) for g in sample.groups]
    assert found.tolist() == pytest.approx([float(one) for one in exact], rel=1e-12, abs=0)


@every_ground
@unhurried
@given(data=st.data())
def test_the_bound_is_the_way_to_the_nearest_value_that_occurs(
    cases: st.SearchStrategy[Case], data: st.DataObject
) -> None:
    """Summed over the records of the whole table."""
    case = data.draw(cases)
    sample = case.sample
    classes = sample.classes(sample.groups)
    found = case.engine.at_least(class_counts(sample.table().histogram(COLUMN), classes))
    expected = []
    for group in sample.groups:
        occurring = [u for u, n in enumerate(sample.added(group)) if n]
        way = sum(
            (w * min(case.ground(u, v) for u in occurring) for v, w in enumerate(sample.whole)),
            Fraction(0),
        )
        expected.append(float(way / sum(sample.whole)))
    assert found.tolist() == pytest.approx(expected, rel=1e-12, abs=0)
