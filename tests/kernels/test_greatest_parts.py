"""Greatest admissible parts, compared with all parts of small classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import log

import numpy as np
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.kernels import greatest_parts

Part = tuple[int, ...]
COUNTS = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def largest(counts: Sequence[int], admits: Callable[[Part], bool]) -> int:
    """Records of the largest part that is admitted; none always is."""
    parts = product(*[range(n + 1) for n in counts])
    return max((sum(part) for part in parts if not any(part) or admits(part)), default=0)


def one_class(counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give a class of all values as kernels take it, and its size."""
    starts = np.array([0, len(counts)], dtype=np.int64)
    codes = np.arange(len(counts), dtype=np.int32)
    own = np.array(counts, dtype=np.int64)
    return starts, codes, own, np.array([own.sum()], dtype=np.int64)


def shares(size: int) -> st.SearchStrategy[list[Fraction]]:
    """Shares of values, which need not sum to 1."""
    share = st.integers(1, 20).map(lambda n: Fraction(n, 20))
    return st.lists(share, min_size=size, max_size=size)


@unhurried
@given(COUNTS, st.data())
def test_under_caps_it_is_the_largest_part(counts: list[int], data: st.DataObject) -> None:
    """Exactly: any number of records up to its cap may be had of each value."""
    caps = data.draw(shares(len(counts)))
    starts, codes, own, most = one_class(counts)
    found = greatest_parts.under_caps(starts, codes, own, np.array(caps, dtype=float), most)
    expected = largest(
        counts, lambda part: all(n <= c * sum(part) for n, c in zip(part, caps, strict=True))
    )
    assert found.tolist() == [expected]


@unhurried
@given(st.lists(COUNTS.map(lambda one: (one + [0] * 4)[:4]), min_size=1, max_size=6), st.data())
def test_no_blocks_have_more_under_caps(blocks: list[list[int]], data: st.DataObject) -> None:
    """Whatever blocks are released together, and no marked one is among them."""
    caps = data.draw(shares(4))
    table = np.array(blocks, dtype=np.int64)
    rows, codes = np.nonzero(table)
    starts = np.searchsorted(rows, np.arange(len(blocks) + 1)).astype(np.int64)
    entries = starts, codes.astype(np.int32), table[rows, codes]
    sizes = table.sum(axis=1)
    most, never = greatest_parts.blocks_under_caps(
        np.array([0, len(blocks)], dtype=np.int64),
        np.arange(len(blocks), dtype=np.int64),
        len(blocks),
        entries,
        np.array(caps, dtype=float),
        np.array([sizes.sum()], dtype=np.int64),
    )
    for chosen in product([False, True], repeat=len(blocks)):
        part = table[list(chosen)].sum(axis=0)
        if all(n <= c * int(part.sum()) for n, c in zip(part.tolist(), caps, strict=True)):
            assert part.sum() <= most[0]
            assert not (never & np.array(chosen)).any()


@unhurried
@given(COUNTS, st.integers(2, 3), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]))
def test_with_a_tail_it_is_the_largest_part(counts: list[int], l: int, c: Fraction) -> None:  # noqa: E741 - the model's own letter
    """Exactly: a smaller cap on the most frequent value leaves less."""
    starts, _, own, most = one_class(counts)
    found = greatest_parts.with_tails(starts, own, l, (c.denominator, c.numerator, 0), most)

    def admits(part: Part) -> bool:
        falling = sorted(part, reverse=True)
        return falling[0] < c * sum(falling[l - 1 :])

    assert found.tolist() == [largest(counts, admits)]


@unhurried
@given(COUNTS, st.sampled_from([1.5, 2.0, 2.5, 3.0]))
def test_no_mixed_part_is_larger(counts: list[int], l: float) -> None:  # noqa: E741 - the model's own letter
    """An upper bound: the cap on every value need not be whole."""
    starts, _, own, most = one_class(counts)
    found = greatest_parts.as_mixed(starts, own, log(l), most)

    def admits(part: Part) -> bool:
        of = [n / sum(part) for n in part if n]
        return -sum(p * log(p) for p in of) >= log(l) * (1 - 1e-9)

    assert largest(counts, admits) <= found[0] <= most[0]


@unhurried
@given(COUNTS, st.data())
def test_no_part_within_a_distance_is_larger(counts: list[int], data: st.DataObject) -> None:
    """By the total variation, of values and of labels, and by the area between sums."""
    whole = data.draw(st.lists(st.integers(1, 9), min_size=len(counts), max_size=len(counts)))
    total = sum(whole)
    near = data.draw(st.integers(0, 10).map(lambda n: Fraction(n, 20)))
    starts, codes, own, most = one_class(counts)
    labels = np.array([range(len(counts)), [v // 2 for v in range(len(counts))]], dtype=np.int32)
    masses = np.zeros((2, len(counts)), dtype=np.int64)
    for level, row in enumerate(labels.tolist()):
        np.add.at(masses[level], row, whole)
    loose = float(near) * (1 + 1e-9)

    def varies(part: Part) -> Fraction:
        return sum(
            (
                max(
                    Fraction(0),
                    Fraction(sum(part[v] for v in of), sum(part)) - Fraction(int(mass), total),
                )
                for row, masses_of in zip(labels.tolist(), masses.tolist(), strict=True)
                for label, mass in enumerate(masses_of)
                if (of := [v for v, own_label in enumerate(row) if own_label == label])
            ),
            Fraction(0),
        ) / len(labels)

    found = greatest_parts.within_variation(starts, codes, own, labels, masses, loose, most)
    assert largest(counts, lambda part: varies(part) <= near) <= found[0] <= most[0]

    def area(part: Part) -> Fraction:
        steps = max(len(part) - 1, 1)
        ahead = [
            abs(Fraction(sum(part[: v + 1]), sum(part)) - Fraction(sum(whole[: v + 1]), total))
            for v in range(len(part))
        ]
        return sum(ahead, Fraction(0)) / steps

    below = np.cumsum(np.array(whole, dtype=np.int64))
    found = greatest_parts.within_area(starts, codes, own, below, loose, most)
    assert largest(counts, lambda part: area(part) <= near) <= found[0] <= most[0]
