"""Bars of a column's values: few, in their order, and without too rare values."""

from __future__ import annotations

from roadstead.reports.charts.value_bars import ValueCount, value_bars


def test_neighbors_share_a_bar_and_no_record_is_lost() -> None:
    """The order is that of the values, whatever they read like."""
    counts = [ValueCount(str(age), age) for age in range(1, 101)]
    found = value_bars(counts, ordered=True, most=10)
    assert [bar.label for bar in found.bars][:2] == ["1 to 10", "11 to 20"]
    assert sum(bar.records for bar in found.rows) == found.records == 5050
    assert found.rest is None


def test_what_too_few_have_is_not_named_even_as_the_end_of_a_bar() -> None:
    """If people are counted, by their number: one person may have many records."""
    counts = [ValueCount("20", 9, 9), ValueCount("30", 9, 9), ValueCount("97", 50, 1)]
    found = value_bars(counts, ordered=True, fewest=5, most=1)
    assert [bar.label for bar in found.bars] == ["20 to 30"]
    assert found.rest == ValueCount("1 rare value", 50)


def test_the_most_frequent_of_many_unordered_values_have_bars() -> None:
    """The others are added up, and a missing value is called so."""
    counts = [ValueCount("", 40), *(ValueCount(f"v{at:02d}", at) for at in range(1, 30))]
    found = value_bars(counts, ordered=False, most=5)
    assert [bar.label for bar in found.bars] == ["(missing)", "v29", "v28", "v27"]
    assert found.rest == ValueCount("26 other values", sum(range(1, 27)))
