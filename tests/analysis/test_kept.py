"""Detail that is kept of a column: bands with shares of the records, values before and after."""

from __future__ import annotations

import numpy as np
import pytest

from roadstead.analysis.retained_information import (
    REST,
    bands_of,
    before_and_after,
    grouped,
    overlapping,
)
from roadstead.policies.value_sets import ShownTable, original_column


def test_bands_are_as_wide_as_their_values() -> None:
    """Ages 20 to 29 of 20 to 39 are the first half, whatever the release calls them."""
    ages = original_column("age", [str(age) for age in range(20, 40)])
    halves = ages.with_parts([np.arange(10), np.arange(10, 20)])  # type: ignore[list-item] # places
    codes, weights = np.array([0, 1], dtype=np.int32), np.array([30, 10])
    first, second = bands_of(halves, codes, weights, {"twenties": 0}, 50)
    assert (first.label, first.share, first.low, first.high) == ("twenties", 0.6, 0.0, 0.5)
    assert (second.label, second.share, second.low, second.high) == ("30 to 39", 0.2, 0.5, 1.0)
    assert not overlapping([first, second])


def test_bands_of_classes_of_their_own_overlap() -> None:
    """As those of a local recoding do."""
    ages = original_column("age", [str(age) for age in range(20, 40)])
    parts = ages.with_parts([np.arange(12), np.arange(8, 20)])  # type: ignore[list-item] # places
    bands = bands_of(parts, np.array([0, 1], dtype=np.int32), np.array([1, 1]), {}, 2)
    assert overlapping(bands)


def test_a_cell_that_says_nothing_is_marked() -> None:
    """It has every value."""
    sexes = original_column("sex", ["f", "m"]).with_parts([])
    (band,) = bands_of(sexes, np.array([0], dtype=np.int32), np.array([5]), {}, 5)
    assert band.whole
    assert band.low is None


def test_values_are_spread_over_the_cells_that_may_hold_them() -> None:
    """Half of the records show their value, half show either: what was 3 to 1 becomes nearer."""
    own = original_column("sex", ["f", "m"])
    original = ShownTable((own,), (np.array([0, 1], dtype=np.int32),), np.array([30, 10]))
    merged = own.with_parts([np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)])
    release = ShownTable((merged,), (np.array([0, 2], dtype=np.int32),), np.array([20, 20]))
    groups, before, after = before_and_after(original, release, "sex", 0)
    assert groups.labels == ("f", "m")
    assert before == pytest.approx([0.75, 0.25])
    assert after == pytest.approx([0.75, 0.25])
    _, _, without = before_and_after(original, release, "sex", 40)
    assert without == pytest.approx([(30 + 20) / 80, (10 + 20) / 80])


def test_numbers_are_put_into_equal_steps_and_names_by_how_frequent_they_are() -> None:
    """No group is without a value, and the rest is named so."""
    numbers = original_column("n", [str(n) for n in range(0, 1000, 3)])
    found = grouped(numbers, np.ones(len(numbers.values)))
    assert len(found.labels) <= 25
    assert found.places is not None
    assert found.places[0][0] == 0.0
    assert sorted(set(found.group.tolist())) == list(range(len(found.labels)))
    names = original_column("name", [f"v{n}" for n in range(40)])
    found = grouped(names, np.arange(40, dtype=float))
    assert found.labels[0] == "v39"
    assert found.labels[-1] == REST


def test_dates_are_put_into_steps_of_days() -> None:
    """Groups are called by their first and last day."""
    dates = original_column("day", [f"2024-01-{day:02}" for day in range(1, 31)])
    found = grouped(dates, np.ones(30))
    assert found.labels[0].startswith("2024-01-01 to") or found.labels[0].startswith("2023-12-31")


def test_bands_that_are_values_stand_in_their_order() -> None:
    """By no frequency and no text: 5-9 before 10-14, 90+ last, the missing one apart."""
    values = ["0-4", "10-14", "5-9", "90+", ""]
    ages = original_column("age", values)
    groups = grouped(ages, np.array([1.0, 50.0, 2.0, 9.0, 30.0]))
    assert groups.labels == ("0-4", "5-9", "10-14", "90+", "missing")
    assert [groups.labels[one] for one in groups.group] == [
        "0-4" if value == "0-4" else value or "missing" for value in ages.values
    ]
    codes = np.arange(5, dtype=np.int32)
    weights = np.array([1, 50, 2, 9, 30])
    bands = bands_of(ages, codes, weights, {value: at for at, value in enumerate(values)}, 92)
    assert [band.label for band in bands] == ["missing", "0-4", "5-9", "10-14", "90+"]


def test_of_many_bands_neighbors_are_one_group() -> None:
    """So that a reader takes them in; no value is left out."""
    ages = original_column("age", [f"{low}-{low + 1}" for low in range(0, 100, 2)])
    groups = grouped(ages, np.ones(50))
    assert groups.labels[:2] == ("0-1 to 4-5", "6-7 to 10-11")
    assert len(groups.labels) <= 24
    assert np.unique(groups.group).tolist() == list(range(len(groups.labels)))


def test_values_that_few_have_are_not_named_where_they_are_covered() -> None:
    """They are among the others, however few values there are."""
    names = original_column("name", ["Ann", "Bob"])
    assert grouped(names, np.array([4.0, 5.0]), np.array([False, True])).labels == ("Bob", REST)
    assert REST not in grouped(names, np.array([4.0, 5.0])).labels


def test_neighbors_and_bands_do_not_end_at_values_that_few_have() -> None:
    """Each end was a value of one person."""
    ages = original_column("age", [f"{low}-{low + 1}" for low in range(0, 100, 2)])
    often = np.arange(50) % 3 == 1
    named = {value for value, enough in zip(ages.values, often, strict=True) if enough}
    labels = grouped(ages, np.ones(50), often).labels
    assert {end for one in labels[:-1] for end in one.split(" to ")} <= named
    assert labels[-1] == REST
    numbers = original_column("n", [str(n) for n in range(20)])
    half = numbers.with_parts([np.arange(10), np.arange(10, 20)])  # type: ignore[list-item] # places
    often = np.isin(np.arange(20), [3, 7])
    codes = np.arange(2, dtype=np.int32)
    bands = bands_of(half, codes, np.array([10, 10]), {}, 20, often)
    assert [band.label for band in bands] == ["about 3 to 7", "rare values"]
    assert grouped(numbers, np.ones(20), often).labels == ("3", "7", REST)
