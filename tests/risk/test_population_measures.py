"""Risk against a population and records at risk: worked numbers, definitions, monotonicity."""

from __future__ import annotations

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import RISKS, Definition, any_policy, cells_of, records_at_risk

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.risk import measures
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, Risk, SummedRisk, Weights

WORKED = [
    ("1111", 2.4),
    ("0111", 1.738095),
    ("1011", 1.65),
    ("1101", 1.876190),
    ("1110", 1.125),
    ("0101", 1.214286),
    ("0100", 0.558442),
    ("0001", 0.558442),
    ("0000", 0.28),
]


def worked(risk: Risk, bits: str) -> float:
    """Risk of a policy of the worked example."""
    cells = worked_cells()
    return risk.of(cells.classes(cells.domains.of_bits([int(bit) for bit in bits])))


@pytest.mark.parametrize(("bits", "risk"), WORKED)
def test_expected_reidentifications_of_the_worked_example(bits: str, risk: float) -> None:
    """Four ages and two sexes, bits of the ages first; given to six decimals."""
    assert worked(PopulationRisk(), bits) == pytest.approx(risk, abs=6e-7)


@pytest.mark.parametrize(
    ("gamma", "risks"),
    [(0.5, (4.001346, 2.889822, 1.4)), (2.0, (0.968889, 0.227041, 0.0112))],
)
def test_gamma_dampens_large_groups(gamma: float, risks: tuple[float, ...]) -> None:
    """The policies 111|1, 010|1, 000|0."""
    found = [worked(PopulationRisk(gamma), bits) for bits in ("1111", "0101", "0000")]
    assert found == pytest.approx(risks, abs=6e-7)


def test_records_at_risk_of_the_worked_example() -> None:
    """Two records among 5 people, and one each among 3, 2, 6, 2 and 2."""
    assert [worked(RecordsAtRisk(k), "1111") for k in (2, 3, 4, 6, 7)] == [0, 3, 4, 6, 7]
    assert worked(RecordsAtRisk(25), "0000") == 0
    assert worked(RecordsAtRisk(26), "0000") == 7


@pytest.mark.parametrize(("risk", "definition"), RISKS)
@sparing
@given(cells=tiny_cells(), data=st.data())
def test_risks_are_their_definitions(
    risk: SummedRisk, definition: Definition, cells: Cells, data: st.DataObject
) -> None:
    """And the sums of the weights of the records."""
    policy = data.draw(any_policy(cells))
    classes = cells.classes(policy)
    expected = definition(cells, policy)
    assert risk.of(classes) == pytest.approx(expected, rel=1e-12)
    weights = risk.weights().of(classes.people)
    assert float(classes.records @ weights) == pytest.approx(expected, rel=1e-12)


@unhurried
@given(tiny_cells(), st.integers(2, 40), st.data())
def test_any_threshold_counts_those_below_it(cells: Cells, k: int, data: st.DataObject) -> None:
    """A record among exactly k people is not at risk."""
    policy = data.draw(any_policy(cells))
    assert RecordsAtRisk(k).of(cells.classes(policy)) == records_at_risk(cells, policy, k)


@pytest.mark.parametrize(("risk", "definition"), RISKS)
@sparing
@given(cells=tiny_cells(), data=st.data())
def test_a_more_general_policy_never_has_more_risk(
    risk: SummedRisk, definition: Definition, cells: Cells, data: st.DataObject
) -> None:
    """For any boundaries removed from any policy."""
    specific = data.draw(any_policy(cells))
    general = Partition(specific.kept & data.draw(any_policy(cells)).kept)
    above, below = (risk.of(cells.classes(p)) for p in (general, specific))
    assert above <= below + 1e-12
    assert definition(cells, general) <= definition(cells, specific) + 1e-12


@pytest.mark.parametrize("gamma", [0.3, 1.0, 2.0])
def test_the_table_of_weights_and_the_law_beyond_it_agree_where_they_meet(
    gamma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a table of eight entries, groups of 6 to 10 people."""
    expected = [g**-gamma for g in range(1, 30)]
    assert PopulationRisk(gamma).weights().of(np.arange(1, 30)) == pytest.approx(expected)
    monkeypatch.setattr(measures, "_TABLE", 8)
    # The long table is kept by its gamma; the short one is neither found there nor left there.
    monkeypatch.setattr(measures, "_weights", measures._weights.__wrapped__)
    weights = PopulationRisk(gamma).weights()
    assert weights.small.size == 8
    assert weights.of(np.arange(1, 30)) == pytest.approx(expected, rel=1e-12)
    cells = cells_of((4,), {(code,): (1, 6 + code) for code in range(4)})
    found = PopulationRisk(gamma).of(cells.classes(cells.domains.most_specific))
    assert found == pytest.approx(sum((6 + code) ** -gamma for code in range(4)), rel=1e-12)


def test_large_groups_follow_the_law_beyond_the_table() -> None:
    """Around 65,536 people, and far beyond."""
    people = np.array([65_534, 65_535, 65_536, 65_537, 10**9])
    for gamma in (0.5, 1.0, 3.0):
        expected = [float(g) ** -gamma for g in people.tolist()]
        assert PopulationRisk(gamma).weights().of(people) == pytest.approx(expected, rel=1e-12)


def test_the_table_is_looked_up_below_its_length_and_the_law_holds_from_there() -> None:
    """A table that disagrees with the law shows which is used."""
    weights = Weights(np.array([np.nan, 7.0, 8.0]), 90.0, 2.0)
    found = weights.of(np.array([1, 2, 3, 6]))
    assert found.tolist() == pytest.approx([7.0, 8.0, 10.0, 2.5], rel=1e-12)


def test_nobody_is_at_risk_among_k_people_or_many_more() -> None:
    """The weights fall from 1 to 0 at k."""
    weights = RecordsAtRisk(5).weights()
    assert weights.of(np.array([1, 4, 5, 6, 10**9])).tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("gamma", [0.0, -1.0, float("inf"), float("nan")])
def test_gamma_must_dampen(gamma: float) -> None:
    """Above 0, and a number."""
    with pytest.raises(SettingError, match="must be above 0"):
        PopulationRisk(gamma)


@pytest.mark.parametrize("k", [-1, 0, 1, (1 << 20) + 1])
def test_a_threshold_must_tell_records_apart(k: int) -> None:
    """Every group has at least one person."""
    with pytest.raises(SettingError, match="must be from 2"):
        RecordsAtRisk(k)


def test_measures_say_what_they_are() -> None:
    """For documents and the command line."""
    assert PopulationRisk(0.5).settings() == {"kind": "population", "gamma": 0.5}
    assert RecordsAtRisk(7).settings() == {"kind": "at-risk", "k": 7}
    assert "expected number" in PopulationRisk().meaning
    assert "0.5" in PopulationRisk(0.5).meaning
    assert "fewer than 7" in RecordsAtRisk(7).meaning
