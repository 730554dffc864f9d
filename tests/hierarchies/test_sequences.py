"""Pairs of position and item, against the tree of the items."""

from __future__ import annotations

import pickle

import pytest

from roadstead.errors import SettingError
from roadstead.hierarchies.icd import icd9cm
from roadstead.hierarchies.taxonomy import NOT_LISTED, from_branches, ordered, with_fanout

ITEMS = from_branches("x", "any", {"A": ["a", "b"], "B": ["c"]}, origin="test")


def test_positions_come_first_then_the_tree_of_items() -> None:
    """One copy a position."""
    taxonomy = ordered(ITEMS, 2)
    assert taxonomy.labels == (
        *("any", "position 1", "A", "1:a", "1:b", "1:c"),
        *("position 2", "A", "2:a", "2:b", "2:c"),
    )
    assert taxonomy.under(1) == ("1:a", "1:b", "1:c")


def test_one_position_is_the_tree_itself() -> None:
    """A node of one child could not be made finer."""
    assert ordered(ITEMS, 1).labels == ("any", "A", "1:a", "1:b", "1:c")


def test_pairs_are_found_as_their_items_are() -> None:
    """Each leaf under its own label; codes by their category."""
    taxonomy = ordered(ITEMS, 3)
    pairs = [f"{position}:{item}" for position in (1, 2, 3) for item in "abc"]
    assert [taxonomy.leaf_labels[leaf] for leaf in taxonomy.locate(pairs)] == pairs
    codes = ordered(icd9cm("dx"), 12)
    found = codes.locate(["12:250.83", "2:25083", "1:8.5"])
    assert [codes.leaf_labels[leaf] for leaf in found] == ["12:250", "2:250", "1:008"]


@pytest.mark.parametrize(
    "pair", ["4:a", "0:a", "-1:a", "1:z", "a", "1", "", ":a", "x:a", "1:", "²:a", "1.0:a"]
)
def test_what_is_no_pair_of_the_tree_is_not_listed(pair: str) -> None:
    """Positions beyond the last, items of no leaf, and texts that are not pairs."""
    assert ordered(ITEMS, 3).locate([pair]).tolist() == [NOT_LISTED]


def test_a_smaller_fan_out_finds_the_same_pairs() -> None:
    """The leaves and their order stay."""
    plain = ordered(ITEMS, 5)
    grouped = with_fanout(plain, 2)
    pairs = [f"{position}:{item}" for position in range(1, 7) for item in "abcd"]
    assert grouped.locate(pairs).tolist() == plain.locate(pairs).tolist()
    assert max(map(len, grouped.children)) == 2


def test_a_sequence_taxonomy_can_be_sent_to_another_process() -> None:
    """With the way its pairs are found."""
    taxonomy = pickle.loads(pickle.dumps(ordered(ITEMS, 2)))  # noqa: S301 - our own bytes
    assert taxonomy.locate(["2:c"]).tolist() == [5]


def test_no_position_is_refused() -> None:
    """There is nothing to build."""
    with pytest.raises(SettingError, match="0 is not a valid number of positions"):
        ordered(ITEMS, 0)
