"""Hierarchies written by users."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.mappings import grouping, mapping, ordered


def _table(hierarchy: Hierarchy) -> dict[str, list[str]]:
    return {
        value: [level.labels[level.codes[i]] for level in hierarchy.levels]
        for i, value in enumerate(hierarchy.values)
    }


def test_labels_of_values_and_values_of_labels_say_the_same() -> None:
    """Both ways of writing give one table, with the last level added."""
    expected = {
        "I21": ["I21", "Heart", "Circulatory", "*"],
        "I63": ["I63", "Stroke", "Circulatory", "*"],
        "J45": ["J45", "Airways", "Respiratory", "*"],
    }
    by_value = {value: labels[1:3] for value, labels in expected.items()}
    by_label = {
        "Circulatory": {"Heart": ["I21"], "Stroke": ["I63"]},
        "Respiratory": {"Airways": ["J45"]},
    }
    assert _table(mapping("dx", by_value)) == expected
    assert _table(grouping("dx", by_label)) == expected


def test_a_last_level_of_one_label_is_kept() -> None:
    """No second top is added above "Any"."""
    assert mapping("x", {"a": ["Any"], "b": ["Any"]}).height == 2
    assert mapping("x", {"a": [], "b": []}).height == 2


def test_groups_of_unequal_depth_stand_for_themselves() -> None:
    """A group that is not divided keeps its label at the finer levels."""
    hierarchy = grouping("x", {"A": {"A1": ["a"], "A2": ["b"]}, "B": ["c"]})
    assert _table(hierarchy)["c"] == ["c", "B", "B", "*"]
    assert _table(hierarchy)["a"] == ["a", "A1", "A", "*"]


def test_the_domain_is_what_is_listed() -> None:
    """Leaves count listed values, whether they occur or not."""
    hierarchy = grouping("x", {"A": ["a", "b", "c"], "B": ["d"]})
    assert hierarchy.levels[1].leaves.tolist() == [3, 1]
    assert hierarchy.rule(1).label("c") == "A"
    assert hierarchy.rule(1).label("e") is None


def test_neighbors_in_an_order_are_grouped() -> None:
    """Labels name the first and the last of a group; the last group may be smaller."""
    hierarchy = ordered("stage", ["0", "I", "II", "III", "IV"], [2, 4])
    assert _table(hierarchy) == {
        "0": ["0", "0 .. I", "0 .. III", "*"],
        "I": ["I", "0 .. I", "0 .. III", "*"],
        "II": ["II", "II .. III", "0 .. III", "*"],
        "III": ["III", "II .. III", "0 .. III", "*"],
        "IV": ["IV", "IV", "IV", "*"],
    }


def test_values_with_different_numbers_of_labels_are_refused() -> None:
    """The value is named, with what the first one has."""
    with pytest.raises(HierarchyError, match="value 'b' has 1 labels, but the first value has 2"):
        mapping("x", {"a": ["g", "*"], "b": ["g"]})
    with pytest.raises(HierarchyError, match="value 'a' has text"):
        mapping("x", {"a": "g"})


def test_tables_that_do_not_nest_are_refused() -> None:
    """Validation is that of every hierarchy."""
    with pytest.raises(HierarchyError, match="are not nested"):
        mapping("x", {"a": ["g", "1"], "b": ["g", "2"]})
    with pytest.raises(HierarchyError, match="'a' of 'x' is in two rows"):
        grouping("x", {"A": ["a"], "B": ["a"]})


@pytest.mark.parametrize("sizes", [[2, 3], [1], [4, 2], [0]])
def test_group_sizes_must_be_multiples(sizes: list[int]) -> None:
    """A group of three cannot consist of groups of two."""
    with pytest.raises(HierarchyError, match="cannot be combined into groups of"):
        ordered("x", ["a", "b", "c"], sizes)


@pytest.mark.parametrize(
    "make", [lambda: mapping("x", {}), lambda: grouping("x", {}), lambda: ordered("x", [], [])]
)
def test_an_empty_list_is_refused(make: Callable[[], Hierarchy]) -> None:
    """There is no hierarchy over nothing."""
    with pytest.raises(HierarchyError, match="no value is listed"):
        make()
