"""A table of the people below each cell gives the same risks and losses as the definition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from effort import sparing
from frontier_cells import (
    classes_by_definition,
    every_policy,
    shares_by_definition,
    synthetic_cells,
    tiny_cells,
    worked_cells,
)
from hypothesis import given

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import OrderedDomains
from roadstead.quality.partition_losses import SummedLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import RecordsAtRisk
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead_reproductions.xia2013.tabled_problem import PeopleBelow, TabledProblem


@sparing
@given(tiny_cells(boundaries=7))
def test_classes_are_those_of_the_definition(cells: Cells) -> None:
    """Records and people of every class of every policy."""
    below = PeopleBelow(cells)
    for partition in every_policy(cells.domains):
        got = below.classes(partition)
        wanted = sorted((f, g) for f, g, _ in classes_by_definition(cells, partition))
        assert sorted(zip(got.records.tolist(), got.people.tolist(), strict=True)) == wanted


@sparing
@given(tiny_cells(boundaries=6))
def test_points_are_those_of_the_definition(cells: Cells) -> None:
    """Of every policy, where there is any risk and loss to share."""
    problem = TabledProblem(cells)
    for partition in every_policy(cells.domains):
        assert problem.point(partition) == pytest.approx(
            shares_by_definition(cells, partition), abs=1e-9
        )


@pytest.mark.parametrize("loss", [partition_loss("loss"), partition_loss("entropy")])
def test_other_sums_are_the_same_from_the_table(loss: SummedLoss) -> None:
    """Random policies of a realistic table, by other measures."""
    cells = synthetic_cells(3, (20, 2, 4, 30), 400, 9_000)
    plain = FrontierProblem(cells, RecordsAtRisk(5), loss)
    tabled = TabledProblem(cells, RecordsAtRisk(5), loss)
    random = np.random.default_rng(1)
    for _ in range(30):
        partition = cells.domains.of_bits(random.random(cells.domains.boundaries) < random.random())
        assert tabled.point(partition) == pytest.approx(plain.point(partition), abs=1e-12)


@dataclass(frozen=True)
class Greatest:
    """The greatest risk of a record, which is not a sum."""

    name: str = "greatest"
    meaning: str = "greatest risk"

    def of(self, classes: PartitionClasses) -> float:
        """Risk of a partition."""
        return float((1.0 / classes.people).max())

    def settings(self) -> dict[str, object]:
        """Parameters for documents."""
        return {"kind": self.name}


def test_what_is_no_sum_is_refused() -> None:
    """With what to use instead."""
    with pytest.raises(SettingError, match="not a sum over groups; evaluate the policies with"):
        TabledProblem(worked_cells(), Greatest())


def test_a_table_of_too_many_combinations_is_refused() -> None:
    """It is refused before any memory is allocated."""
    domains = OrderedDomains(("a", "b", "c"), (1_000, 1_000, 100))
    one = np.array([1], dtype=np.int64)
    cells = Cells(domains, np.zeros((3, 1), dtype=np.uint32), one, one)
    with pytest.raises(SettingError, match="would have 101,202,101 numbers"):
        TabledProblem(cells)
