"""Refinement's programs, compared with all tables over eight combinations of values."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, TypeAlias

import numpy as np
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.attacks.recodings.segments import (
    SegmentProgram,
    bounds_of,
    program_of_all,
    program_of_class,
    solutions,
)
from roadstead.attacks.recodings.view import PublishedView
from roadstead.search.recoding.protocol import OUT

Cell: TypeAlias = tuple[int, int]
Node: TypeAlias = tuple[int, int]
"""A level and the number of a node on it."""
K = 2
WIDTHS = ((1, 2, 4), (1, 2))
"""Of two columns, with four values and with two: how many values a node of each level has."""
CELLS: list[Cell] = list(product(range(4), range(2)))
STATES = list(product(range(3), range(2)))


def turn(widths: tuple[int, ...]) -> tuple[float, float, float]:
    """Order states as ARX does: by geometric mean, by sum of levels, by their share of the most."""
    levels = [WIDTHS[at].index(width) for at, width in enumerate(widths)]
    shares = [width / WIDTHS[at][-1] for at, width in enumerate(widths)]
    loss = (shares[0] + 1) * (shares[1] + 1)
    heights = [len(own) - 1 for own in WIDTHS]
    return loss, sum(levels), sum(own / most for own, most in zip(levels, heights, strict=True))


ORDERED = sorted(STATES, key=lambda own: turn(tuple(WIDTHS[at][x] for at, x in enumerate(own))))


def node(cell: Cell, state: tuple[int, ...]) -> tuple[Node, ...]:
    """Say what a state shows of a cell."""
    return tuple((level, cell[at] // WIDTHS[at][level]) for at, level in enumerate(state))


Release: TypeAlias = tuple[tuple[tuple[tuple[Node, ...], int], ...], int]


def release_of(records: tuple[Cell, ...]) -> tuple[Release, dict[Any, Counter[Cell]]]:
    """Recode as ARX does: class after class, state after state; the dearest state suppresses."""
    left = list(records)
    classes: list[tuple[tuple[Node, ...], int]] = []
    of: dict[Any, Counter[Cell]] = {}
    for state in ORDERED[:-1]:
        sizes = Counter(node(cell, state) for cell in left)
        for label, size in sorted(sizes.items()):
            if size >= K:
                classes.append((label, size))
                of[label] = Counter(cell for cell in left if node(cell, state) == label)
        left = [cell for cell in left if sizes[node(cell, state)] < K]
    of[None] = Counter(left)
    return (tuple(classes), len(left)), of


@cache
def all_tables(number: int) -> dict[Release, list[dict[Any, Counter[Cell]]]]:
    """Put all tables of so many records by what they are released as."""
    found: dict[Release, list[dict[Any, Counter[Cell]]]] = defaultdict(list)
    for records in combinations_with_replacement(CELLS, number):
        release, of = release_of(records)
        found[release].append(of)
    return found


def view_of(release: Release) -> PublishedView:
    """See a release as an attacker does who knows the hierarchies."""
    classes, _ = release
    shows, children, numbers = [], [], []
    for at, widths in enumerate(WIDTHS):
        values = np.arange(widths[-1])
        # Parts that no class uses are known too: every node of the hierarchy.
        parts = [(x, n) for x, width in enumerate(widths) for n in range(widths[-1] // width)]
        shows.append(np.array([values // widths[x] == n for x, n in parts]).T)
        below = [values // widths[max(x - 1, 0)] for x, _ in parts]
        children.append(np.array(below, dtype=np.int64))
        numbers.append([parts.index(label[at]) for label, _ in classes])
    return PublishedView(
        ("a", "b"),
        False,
        K,
        tuple(shows),
        tuple(children),
        np.array(numbers, dtype=np.int32).T,
        np.array([size for _, size in classes], dtype=np.int64),
        tuple(np.ones(widths[-1]) for widths in WIDTHS),
    )


def as_numbers(program: SegmentProgram, release: Release, of: dict[Any, Counter[Cell]]) -> Any:  # noqa: ANN401 - hashable numbers
    """Write a table as the numbers of a program."""
    labels = [*(label for label, _ in release[0]), None]  # the last is -1, which is suppressed
    return tuple(
        of[labels[number]][tuple(cell)]
        for cell, number in zip(program.cells.T.tolist(), program.in_class.tolist(), strict=True)
    )


RECORDS = st.lists(st.sampled_from(CELLS), min_size=6, max_size=6).map(tuple)


@examples(20)
@given(RECORDS)
def test_all_classes_together_have_exactly_the_solutions_that_are_released_so(
    records: tuple[Cell, ...],
) -> None:
    """Each of 1,716 tables of six records is recoded; those of this release are the solutions."""
    release, own = release_of(records)
    if not release[0]:
        return
    view = view_of(release)
    program = program_of_all(view, release[1], order=turn)
    assert program is not None
    found = solutions(program, 2_000)
    assert found is not None
    truly = {as_numbers(program, release, of) for of in all_tables(6)[release]}
    assert {tuple(one.tolist()) for one in found} == truly
    assert len(found) == len(truly)
    bounds = bounds_of(program, np.eye(program.in_class.size, dtype=np.bool_))
    assert bounds is not None
    assert bounds.low.tolist() == np.min(list(truly), axis=0).tolist()
    assert bounds.high.tolist() == np.max(list(truly), axis=0).tolist()
    # An attacker who does not know the order concludes less, and nothing wrong.
    looser = program_of_all(view, release[1])
    assert looser is not None
    wider = bounds_of(looser, np.eye(looser.in_class.size, dtype=np.bool_))
    assert wider is not None
    assert (wider.low <= bounds.low).all()
    assert (wider.high >= bounds.high).all()
    assert (OUT in program.records) == bool(release[1])
    assert as_numbers(program, release, own) in truly


@examples(60)
@given(RECORDS)
def test_the_program_of_a_class_rules_out_nothing_that_can_be(records: tuple[Cell, ...]) -> None:
    """It has every solution that all together have, and no more than all ways to deal them out."""
    release, _ = release_of(records)
    if not release[0]:
        return
    view = view_of(release)
    for number, (label, size) in enumerate(release[0]):
        program = program_of_class(view, number)
        found = solutions(program, 2_000)
        assert found is not None
        ways = {tuple(one.tolist()) for one in found}
        assert all(as_numbers_of(program, of[label]) in ways for of in all_tables(6)[release])
        assert len(ways) <= comb(size + program.in_class.size - 1, size)


def as_numbers_of(program: SegmentProgram, has: Counter[Cell]) -> tuple[int, ...]:
    """Write a class as the numbers of its program."""
    return tuple(has[cell[0], cell[1]] for cell in program.cells.T.tolist())


def test_a_class_of_k_is_solved_where_its_halves_can_hold_but_one_each() -> None:
    """Two records over two values of a column: k of either would have been a class of it."""
    release, _ = release_of(((0, 0), (1, 0), (2, 1), (2, 1)))
    view = view_of(release)
    by_label = {label: number for number, (label, _) in enumerate(release[0])}
    wide = by_label[(1, 0), (0, 0)]
    (found,) = solutions(program_of_class(view, wide), 5) or []
    assert found.tolist() == [1, 1]


def test_too_many_solutions_are_not_listed_and_too_large_a_program_is_not_written() -> None:
    """The result says what is unknown."""
    view = view_of(release_of(((0, 0), (1, 1), (2, 0), (3, 1), (0, 0), (0, 0)))[0])
    program = program_of_all(view, 0)
    assert program is not None
    every = solutions(program, 2_000)
    assert every is not None
    assert len(every) > 1
    assert solutions(program, len(every) - 1) is None
