"""Hierarchy: validation, leaves, missing values, rules read off tables."""

from __future__ import annotations

import numpy as np
import pytest

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Width, from_columns, from_rules
from roadstead.hierarchies.rules import Everything, Groups, Identity, Prefix, Rule

TABLE = (("a", "b", "c"), ("ab", "ab", "c"), ("*", "*", "*"))


def test_levels_count_what_their_labels_cover() -> None:
    """Codes, labels and leaves of each level are those of the table."""
    hierarchy = from_columns("x", TABLE, origin="f.csv")
    assert hierarchy.height == 3
    assert hierarchy.domain_size == 3
    assert hierarchy.levels[1].labels == ("ab", "c")
    np.testing.assert_array_equal(hierarchy.levels[1].codes, [0, 0, 1])
    np.testing.assert_array_equal(hierarchy.levels[1].leaves, [2, 1])
    assert hierarchy.describe(1) == "in 2 groups"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (((), ()), "no values"),
        ((("a", "a"), ("*", "*")), "value 'a' of 'x' is in two rows"),
        (
            (("a", "b"), ("g", "g"), ("1", "2")),
            "'a' and 'b' both become 'g', but at the next level they become '1' and '2'",
        ),
        ((("a", "b"), ("1", "2")), "'a' becomes '1', but 'b' becomes '2'"),
        ((("a", "b"), ("", "2"), ("*", "*")), "value 'a' of 'x' has an empty label at level 1"),
        ((("a", "b"), ("*",)), "level 1 of 'x' has 1 labels for 2 values"),
    ],
)
def test_tables_that_are_no_hierarchy_are_refused(
    columns: tuple[tuple[str, ...], ...], said: str
) -> None:
    """The error is one line that names the origin, the values and the fix."""
    with pytest.raises(HierarchyError) as caught:
        from_columns("x", columns, origin="f.csv")
    assert said in caught.value.message
    assert caught.value.where == "f.csv"
    assert caught.value.fix


def test_values_that_a_rule_does_not_cover_are_named() -> None:
    """A code of another length stops the building."""
    with pytest.raises(HierarchyError, match="does not cover value '123' of 'zip'"):
        from_rules("zip", ["12345", "123"], [Identity(), Prefix(3, 5), Everything()], origin="o")


def test_a_missing_value_is_added_where_the_table_needs_it() -> None:
    """It stays missing at every level below the top and is one more value of the domain."""
    hierarchy = from_columns("x", TABLE, origin="f.csv")
    assert hierarchy.covering(["a", "c"]) is hierarchy
    covering = hierarchy.covering(["a", ""])
    assert covering.values == ("a", "b", "c", "")
    assert covering.domain_size == 4
    assert [level.labels[level.codes[3]] for level in covering.levels] == ["", "", "*"]
    assert [covering.rule(i).label("") for i in range(3)] == ["", "", "*"]
    assert [int(c[1]) for c in covering.codes_of(["b", ""])] == [3, 2, 0]


def test_a_missing_value_given_to_rules_counts_as_one_added_later() -> None:
    """Both ways to a missing value give the same leaves, for counted and for measured levels."""
    rules: list[Rule] = [Identity(), Everything()]
    widths: list[Width | None] = [None, lambda _: 40]
    given = from_rules("x", ["1", "", "2"], rules, origin="o", widths=widths)
    added = from_rules("x", ["1", "2"], rules, origin="o", widths=widths).covering(["1", "", "2"])
    assert given.domain_size == added.domain_size == 41
    assert sorted(given.levels[0].leaves) == sorted(added.levels[0].leaves) == [1, 1, 1]


def test_values_outside_the_hierarchy_are_counted_and_one_is_named() -> None:
    """The first unknown value is shown, the others are only counted."""
    with pytest.raises(HierarchyError) as caught:
        from_columns("x", TABLE, origin="f.csv").covering(["a", "zz", "yy", "xx"])
    assert "value 'zz' of 'x' is not in the hierarchy (and 2 more)" in caught.value.message
    assert "yy" not in caught.value.message


def test_masking_is_recognized_in_a_table_with_or_without_missing_values() -> None:
    """A masked level is a rule of one line, not a list of all codes."""
    codes = [f"{i:04d}" for i in range(1_500)]
    table = [codes, [c[:2] + "**" for c in codes], ["****"] * 1_500]
    hierarchy = from_columns("code", table, origin="f.csv")
    assert hierarchy.rule(0) == Prefix(4, 4)
    assert hierarchy.rule(1) == Prefix(2, 4)
    assert hierarchy.rule(2) == Everything("****")
    assert hierarchy.covering(["0001", ""]).rule(1) == Prefix(2, 4)


def test_groups_that_only_look_masked_stay_groups() -> None:
    """One label that is not the prefix of its value is enough."""
    table = (("10", "11", "20"), ("1*", "1*", "3*"), ("*", "*", "*"))
    hierarchy = from_columns("x", table, origin="f.csv")
    assert hierarchy.rule(1) == Groups((("1*", ("10", "11")), ("3*", ("20",))))
    assert hierarchy.rule(0) == Identity(("10", "11", "20"))
