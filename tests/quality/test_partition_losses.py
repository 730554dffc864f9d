"""Losses of partitions: worked numbers, definitions by record and cell, terms, monotonicity."""

from __future__ import annotations

from math import log

import pytest
from effort import sparing, unhurried
from frontier_cells import tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import LOSSES, Definition, any_policy, cells_of, divergence

from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.quality.partition_losses import PartitionLoss, SummedLoss
from roadstead.quality.registry import partition_loss

WORKED = [
    ("1111", 0.0),
    ("0111", 0.123292),
    ("1011", 0.099021),
    ("1101", 0.099021),
    ("1110", 0.222313),
    ("0101", 0.222313),
    ("0100", 0.321334),
    ("0001", 0.321334),
    ("0000", 0.331573),
]


def worked(loss: PartitionLoss, bits: str) -> float:
    """Loss of a policy of the worked example."""
    cells = worked_cells()
    return loss.of(cells.classes(cells.domains.of_bits([int(bit) for bit in bits])))


@pytest.mark.parametrize(("bits", "nats"), WORKED)
def test_divergence_of_the_worked_example(bits: str, nats: float) -> None:
    """Four ages and two sexes, bits of the ages first; given to six decimals."""
    assert worked(partition_loss("divergence"), bits) == pytest.approx(nats, abs=6e-7)


def test_divergence_exceeds_one() -> None:
    """All records in one of four combinations: ln 4, though paper 000 says at most 1."""
    cells = cells_of((2, 2), {(0, 0): (3, 3)})
    top = cells.classes(cells.domains.most_general)
    assert partition_loss("divergence").of(top) == pytest.approx(log(4), rel=1e-12)


def test_interval_loss_of_the_worked_example() -> None:
    """010|1: each record's age is one of two, of four; its sex is released."""
    assert worked(partition_loss("loss"), "0101") == pytest.approx((1 / 3 + 0) / 2)
    assert worked(partition_loss("loss"), "0110") == pytest.approx(((1 / 3) * 4 / 7 + 1) / 2)
    assert worked(partition_loss("loss"), "0000") == pytest.approx(1.0)


def test_other_losses_of_the_worked_example() -> None:
    """010|1: classes of 3, 1, 1 and 2 records; ages 3 and 1, 2 and 1 within their intervals."""
    assert worked(partition_loss("discernibility"), "0101") == pytest.approx((9 + 1 + 1 + 4) / 7)
    assert worked(partition_loss("class-size"), "0101") == 2
    ages = -(3 * log(3 / 4) + log(1 / 4) + 2 * log(2 / 3) + log(1 / 3)) / 7
    assert worked(partition_loss("entropy"), "0101") == pytest.approx(ages / 2)


@unhurried
@given(tiny_cells(), st.data())
def test_divergence_is_that_of_the_combinations_one_by_one(
    cells: Cells, data: st.DataObject
) -> None:
    """Paper 000, equation 4, over the full cross product."""
    policy = data.draw(any_policy(cells))
    found = partition_loss("divergence").of(cells.classes(policy))
    assert found == pytest.approx(divergence(cells, policy), abs=1e-12)


@pytest.mark.parametrize(("loss", "definition"), LOSSES)
@sparing
@given(cells=tiny_cells(), data=st.data())
def test_losses_are_their_definitions(
    loss: SummedLoss, definition: Definition, cells: Cells, data: st.DataObject
) -> None:
    """Record by record."""
    policy = data.draw(any_policy(cells))
    found = loss.of(cells.classes(policy))
    assert found == pytest.approx(definition(cells, policy), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("loss", "definition"), LOSSES)
@sparing
@given(cells=tiny_cells(), data=st.data())
def test_terms_add_up_to_the_loss_but_for_a_constant(
    loss: SummedLoss, definition: Definition, cells: Cells, data: st.DataObject
) -> None:
    """The constant is what the data as they are lack."""
    policy = data.draw(any_policy(cells))
    terms = loss.terms(cells)
    bottom = cells.domains.most_specific
    constant = definition(cells, bottom) - terms.sum(cells.classes(bottom))
    expected = definition(cells, policy)
    assert terms.sum(cells.classes(policy)) + constant == pytest.approx(expected, abs=1e-12)
    assert terms.by_class[0] == terms.by_interval[0] == 0.0


@pytest.mark.parametrize(("loss", "definition"), LOSSES)
@sparing
@given(cells=tiny_cells(), data=st.data())
def test_a_more_general_policy_never_loses_less(
    loss: SummedLoss, definition: Definition, cells: Cells, data: st.DataObject
) -> None:
    """For any boundaries removed from any policy."""
    specific = data.draw(any_policy(cells))
    general = Partition(specific.kept & data.draw(any_policy(cells)).kept)
    below, above = (loss.of(cells.classes(p)) for p in (specific, general))
    assert below <= above + 1e-12
    assert definition(cells, specific) <= definition(cells, general) + 1e-12


@unhurried
@given(tiny_cells())
def test_the_data_as_they_are_lose_nothing(cells: Cells) -> None:
    """But each record is in a class of its own kind."""
    bottom = cells.classes(cells.domains.most_specific)
    for name in ("divergence", "loss", "entropy", "class-size"):
        assert partition_loss(name).of(bottom) == pytest.approx(0.0, abs=1e-12)
    assert partition_loss("discernibility").of(bottom) >= 1.0


def test_joining_intervals_without_records_loses_nothing() -> None:
    """Values of people outside the table, and values without people."""
    cells = cells_of((5,), {(0,): (1, 1), (1,): (2, 3), (3,): (0, 4)})
    policy = cells.domains.of_bits([1, 1, 0, 0])
    for loss, _ in LOSSES:
        bottom = loss.of(cells.classes(cells.domains.most_specific))
        assert loss.of(cells.classes(policy)) == pytest.approx(bottom, abs=1e-12)


def test_losses_say_what_they_are() -> None:
    """Names differ, and documents have them."""
    names = [loss.name for loss, _ in LOSSES]
    assert names == ["divergence", "loss", "entropy", "discernibility", "class-size"]
    assert [loss.settings() for loss, _ in LOSSES] == [{"kind": name} for name in names]
    assert len({loss.meaning for loss, _ in LOSSES}) == len(LOSSES)
