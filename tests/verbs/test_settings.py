"""Settings: the suppression limit in records, and choices by name."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.document import Suppression
from roadstead.requests import checks
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles
from roadstead.verbs.people import populated
from roadstead.verbs.settings import (
    aggregate_of,
    check_k,
    check_target,
)


@given(st.integers(0, 10_000), st.integers(1, 10**9))
def test_a_limit_in_records_is_exact(ten_thousandths: int, records: int) -> None:
    """5% of 100 is 5, whatever 0.05 is in binary."""
    share = ten_thousandths / 10_000
    assert Suppression(share).most(records) == ten_thousandths * records // 10_000


@given(st.floats(0, 1), st.integers(1, 10**9))
def test_a_limit_in_records_is_never_more_than_the_share(share: float, records: int) -> None:
    """And less than one record below it."""
    exact = Decimal(repr(share)) * records
    assert exact - 1 < Suppression(share).most(records) <= exact


@pytest.mark.parametrize("share", [-1e-9, 1.0000001, 5, 100, float("nan"), float("inf")])
def test_a_share_is_between_none_and_all(share: float) -> None:
    """A percentage is not."""
    with pytest.raises(SettingError, match=r"between 0 and 1; write 5% as 0\.05"):
        checks.suppression(share)


def test_both_ends_are_shares() -> None:
    """Nothing and everything may be suppressed."""
    assert [checks.suppression(share) for share in (0, 1)] == [0.0, 1.0]


@pytest.mark.parametrize(("k", "records"), [(1, 10), (0, 10), (-3, 10), (11, 10), (2, 1)])
def test_a_k_is_at_least_two_and_at_most_the_records(k: int, records: int) -> None:
    """Otherwise, k is not a protection, or cannot be met."""
    with pytest.raises(SettingError, match="k is"):
        check_k(k, records, "table")
    assert check_k(10, 10, "table").k == 10


def test_a_k_is_a_whole_number() -> None:
    """Users of Python may forget this."""
    with pytest.raises(SettingError, match=r"k is 2\.5, but must be a whole number"):
        check_k(2.5, 10, "table")  # type: ignore[arg-type] # on purpose


def test_one_text_is_not_a_list_of_names() -> None:
    """Its letters are not looked for in the table."""
    assert checks.names(["sex"], "quasi") == checks.names(("sex",), "quasi") == ("sex",)
    with pytest.raises(
        SettingError, match=r"quasi: 'sex' is a single string, .*; write quasi=\[\"sex\"\]"
    ):
        checks.names("sex", "quasi")


@pytest.mark.parametrize("seconds", [-1.0, -1e-9, float("nan"), float("inf")])
def test_a_time_limit_is_a_time(seconds: float) -> None:
    """Zero is allowed."""
    with pytest.raises(SettingError, match="time_limit"):
        checks.seconds(seconds)
    assert checks.seconds(0.0) == 0.0


def test_weights_come_in_the_order_of_the_quasi_identifiers() -> None:
    """One that is not named weighs 1."""
    assert aggregate_of("geometric", {"c": 2, "a": 0.5}, ["a", "b", "c"]).weights == (0.5, 1.0, 2.0)
    assert aggregate_of("arithmetic", {}, ["a"]).weights is None
    with pytest.raises(SettingError, match=r"'d' is not a quasi-identifier; use one of a, b"):
        aggregate_of("geometric", {"d": 1}, ["a", "b"])


def test_a_seed_is_not_negative() -> None:
    """Generators take none."""
    assert checks.seed(0) == 0
    with pytest.raises(SettingError, match="seed: the seed is -1"):
        checks.seed(-1)


def test_a_column_to_be_predicted_is_released() -> None:
    """A column that is removed must not come back by way of a measure."""
    roles = Roles(("age",), ("illness",), ("name",))
    check_target(None, roles)
    check_target("illness", roles)
    for target in ("age", "name"):
        with pytest.raises(SettingError, match="is not released unchanged"):
            check_target(target, roles)


def test_a_population_contains_the_table() -> None:
    """Otherwise, a promise about the population would be empty."""
    table = small_table(["a", "b", "b"])
    known = populated(table, pa.table({"x": ["a", "a", "b", "b", "b", "b"]}), None)
    assert known.population is not None
    assert known.population.tolist() == [2, 4]
    with pytest.raises(SettingError, match="for 1 of the 3 records"):
        populated(table, pa.table({"x": ["b", "b", "b"]}), None)
    assert populated(table, None, None) is table


def small_table(values: list[str]) -> FrequencyTable:
    """Records with one attribute."""
    return summarize(read(pa.table({"x": values})), ["x"])
