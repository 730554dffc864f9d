"""Discernibility and classification metric, by hand, by the definition, and bounded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from cut_tables import AGES, Bits, CutTable, cut_tables
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.kernels.partitions import sum_costs
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.partition_costs import Prices


def prices(table: CutTable) -> Prices:
    """Prices of the table's metric."""
    cost = Discernibility() if table.metric == "dm" else Classification("target")
    return cost.prices(table.records)


def cost_of(prices: Prices, classes: NDArray[np.int64], k: int) -> int:
    """Cost of a partition, as the searches count it."""
    return int(sum_costs(classes, k, prices.array)[0])


def classes(table: CutTable, bits: Bits) -> NDArray[np.int64]:
    """Records of each class by target class, counted in plain Python."""
    width = len(table.targets[0])
    found = [[n[t] for t in range(width)] for n in table.classes(bits).values()]
    return np.array(found, dtype=np.int64)


def bound(table: CutTable, head: Bits, both: Bits) -> int:
    """Bound of all partitions between two."""
    surrounding = []
    sizes = {label: n.total() for label, n in table.classes(head).items()}
    where = {table.label(row, both): sizes[table.label(row, head)] for row in table.rows}
    surrounding = [where[label] for label in table.classes(both)]
    alive = np.array(surrounding) >= table.k
    cells, known = classes(table, both), prices(table)
    least = sum_costs(cells[alive], table.k, known.array)[1]
    return int(least + known.suppressed * cells[~alive].sum())


@pytest.mark.parametrize(
    ("bits", "cost"),
    [((0, 0, 0), 100), ((1, 0, 0), 58), ((0, 1, 0), 50), ((0, 1, 1), 51), ((1, 1, 0), 54)],
)
def test_the_small_example_by_hand(bits: Bits, cost: int) -> None:
    """Ages 1, 1, 1, 2, 2, 3, 3, 3, 3, 4 with k = 3."""
    assert cost_of(prices(AGES), classes(AGES, bits), 3) == cost


def test_all_values_by_themselves_cost_55() -> None:
    """3 * 3 + 4 * 4 for the kept, 3 * 10 for the suppressed."""
    assert cost_of(prices(AGES), classes(AGES, (1, 1, 1)), 3) == 9 + 16 + 30


def test_the_root_of_the_small_example_is_bounded_by_34() -> None:
    """3 * 3 + 2 * 3 + 4 * 4 + 1 * 3."""
    assert bound(AGES, (0, 0, 0), (1, 1, 1)) == 34


def test_the_minority_is_all_but_the_largest_target_class() -> None:
    """Of 5 and 2, 2; of 3, 3 and 1, 4; two suppressed."""
    found = np.array([[5, 2, 0], [3, 3, 1], [1, 1, 0]])
    assert cost_of(Classification("target").prices(16), found, 3) == 2 + 4 + 2


def test_without_classes_nothing_is_lost() -> None:
    """An empty table."""
    assert cost_of(Discernibility().prices(0), np.zeros((0, 1), dtype=np.int64), 3) == 0


@unhurried
@given(cut_tables(), st.data())
def test_the_cost_is_that_of_the_definition(table: CutTable, data: st.DataObject) -> None:
    """Class by class in plain Python."""
    bits = data.draw(st.sampled_from(sorted(table.judged)))
    assert cost_of(prices(table), classes(table, bits), table.k) == table.judged[bits].cost


def between(head: Sequence[int], bits: Sequence[int], both: Sequence[int]) -> bool:
    """Whether a partition lies between two."""
    return all(h <= b <= a for h, b, a in zip(head, bits, both, strict=True))


@unhurried
@given(cut_tables(most_bits=6), st.data())
def test_no_partition_between_two_costs_less_than_the_bound(
    table: CutTable, data: st.DataObject
) -> None:
    """Every one is looked at; where both ends are one kept partition the bound is its cost."""
    each = data.draw(st.lists(st.integers(0, 2), min_size=table.length, max_size=table.length))
    head = tuple(int(e == 1) for e in each)
    both = tuple(int(e > 0) for e in each)
    least = bound(table, head, both)
    inside = [j.cost for bits, j in table.judged.items() if between(head, bits, both)]
    assert least <= min(inside)
    if head == both:
        assert least == inside[0]


def test_too_many_records_to_square_are_refused() -> None:
    """Whole numbers must not overflow."""
    with pytest.raises(SettingError, match="square of this number is too large"):
        Discernibility().prices(1_000_000_001)
