"""Trees of groups, against sets of values collected by walking."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.taxonomy import (
    NOT_LISTED,
    Branch,
    Taxonomy,
    by_longest_prefix,
    from_branches,
    from_hierarchy,
    from_paths,
    with_fanout,
)

Paths = list[tuple[str, ...]]


@st.composite
def paths_down(draw: st.DrawFn) -> Paths:
    """Ways down to distinct values through up to three groups, in any order."""
    groups = st.lists(st.sampled_from("ABC"), max_size=3)
    below = draw(st.lists(groups, min_size=1, max_size=25))
    return [(*group, f"v{at}") for at, group in enumerate(below)]


def built(paths: Paths) -> Taxonomy:
    """Build the tree of paths."""
    return from_paths("x", paths, root="any", origin="test")


def collected(taxonomy: Taxonomy, node: int) -> list[str]:
    """Walk to the leaves below a node."""
    below = taxonomy.children[node]
    if not below:
        return [taxonomy.labels[node]]
    return [leaf for child in below for leaf in collected(taxonomy, child)]


def groups_of(taxonomy: Taxonomy) -> Counter[frozenset[str]]:
    """Count the sets of values of the nodes."""
    return Counter(frozenset(collected(taxonomy, node)) for node in range(taxonomy.nodes))


@unhurried
@given(paths_down())
def test_every_node_covers_an_interval_of_the_leaves(paths: Paths) -> None:
    """The intervals are what walking down finds; preorder, parents and children agree."""
    taxonomy = built(paths)
    order: list[int] = []

    def walk(node: int) -> None:
        order.append(node)
        for child in taxonomy.children[node]:
            assert taxonomy.parents[child] == node
            walk(child)

    walk(0)
    assert order == list(range(taxonomy.nodes))
    assert taxonomy.parents[0] == -1
    assert taxonomy.leaf_labels == tuple(collected(taxonomy, 0))
    assert taxonomy.size == len(paths)
    for node in range(taxonomy.nodes):
        assert list(taxonomy.under(node)) == collected(taxonomy, node)
        assert len(taxonomy.children[node]) != 1 or taxonomy.size == 1
        edges = [int(taxonomy.first[child]) for child in taxonomy.children[node]]
        if edges:
            ends = [int(taxonomy.last[child]) for child in taxonomy.children[node]]
            assert [*edges, ends[-1]] == [int(taxonomy.first[node]), *ends]


@unhurried
@given(paths_down())
def test_a_tree_has_the_groups_of_its_paths_and_no_others(paths: Paths) -> None:
    """Values that share the beginning of their ways are a group; one of a single value is it."""
    expected = {frozenset([path[-1]]) for path in paths} | {frozenset(p[-1] for p in paths)}
    for path in paths:
        for depth in range(1, len(path)):
            expected.add(frozenset(p[-1] for p in paths if p[:-1][:depth] == path[:depth]))
    found = groups_of(built(paths))
    assert set(found) == expected
    assert len(paths) == 1 or max(found.values()) == 1


@unhurried
@given(paths_down())
def test_values_are_located_where_they_stand(paths: Paths) -> None:
    """In the requested order; unlisted values are reported."""
    taxonomy = built(paths)
    values = [path[-1] for path in paths]
    found = taxonomy.locate([*values, "A", ""])
    assert [taxonomy.leaf_labels[leaf] for leaf in found[:-2]] == values
    assert found[-2:].tolist() == [NOT_LISTED, NOT_LISTED]
    assert found.dtype == np.int32


@unhurried
@given(paths_down(), st.integers(2, 5))
def test_a_smaller_fan_out_keeps_leaves_and_groups(paths: Paths, most: int) -> None:
    """Their order stays, each group is still one, and no node has more children than allowed."""
    before = built(paths)
    after = with_fanout(before, most)
    assert after.leaf_labels == before.leaf_labels
    assert set(groups_of(before)) <= set(groups_of(after))
    assert max(map(len, after.children)) <= most
    assert len(paths) == 1 or max(groups_of(after).values()) == 1
    if max(map(len, before.children)) <= most:
        assert after.labels == before.labels


def test_a_new_group_is_called_by_its_ends() -> None:
    """By the first and the last of its values, whatever its members are called."""
    groups = {f"group {at}": [f"{at}0", f"{at}1"] for at in range(4)}
    taxonomy = with_fanout(from_branches("x", "any", groups, origin="test"), 2)
    assert taxonomy.labels[1] == "00 to 11"
    assert taxonomy.labels[2] == "group 0"
    assert [taxonomy.labels[child] for child in taxonomy.children[0]] == ["00 to 11", "20 to 31"]


@pytest.mark.parametrize("most", [1, 0, -3])
def test_a_node_of_one_child_is_refused(most: int) -> None:
    """It could not be made finer."""
    with pytest.raises(SettingError, match="at least 2"):
        with_fanout(built([("a",), ("b",), ("c",)]), most)


@st.composite
def nested_levels(draw: st.DrawFn) -> list[list[str]]:
    """Columns of a hierarchy: values, coarser and coarser labels, and a top."""
    size = draw(st.integers(1, 15))
    column = list(range(size))
    columns = [[f"v{at}" for at in column]]
    for level in range(draw(st.integers(0, 3))):
        merged = draw(
            st.lists(st.integers(0, 5), min_size=max(column) + 1, max_size=max(column) + 1)
        )
        column = [merged[label] for label in column]
        columns.append([f"l{level}.{label}" for label in column])
    return [*columns, ["*"] * size]


@unhurried
@given(nested_levels())
def test_a_hierarchy_becomes_the_tree_of_its_labels(columns: list[list[str]]) -> None:
    """The groups are those that walking through the levels finds, each once."""
    taxonomy = from_hierarchy(from_columns("x", columns, origin="test"))
    values = columns[0]
    expected = {
        frozenset(v for v, other in zip(values, column, strict=True) if other == label)
        for column in columns
        for label in column
    }
    assert set(groups_of(taxonomy)) == expected
    assert len(values) == 1 or max(groups_of(taxonomy).values()) == 1
    assert sorted(taxonomy.leaf_labels) == sorted(values)
    assert taxonomy.labels[0] == "*"
    for column in columns[1:]:
        names = dict(zip(column, column, strict=True))
        for label in names:
            group = {v for v, other in zip(values, column, strict=True) if other == label}
            if taxonomy.labels.count(label) == 1:
                assert set(taxonomy.under(taxonomy.labels.index(label))) == group


def test_the_root_of_a_hierarchy_may_be_called_otherwise() -> None:
    """Where ``*`` says too little."""
    hierarchy = from_columns("x", [["a", "b"], ["*", "*"]], origin="test")
    assert from_hierarchy(hierarchy, root="any x").labels[0] == "any x"


def test_branches_are_groups_within_groups() -> None:
    """A label with nothing below is a value, and a text is one value, not its letters."""
    branches: Branch = {"A": {"A1": ["a", "b"], "A2": "cd", "A3": []}, "B": ["e"]}
    taxonomy = from_branches("x", "any", branches, origin="test")
    assert taxonomy.labels == ("any", "A", "A1", "a", "b", "cd", "A3", "e")
    assert taxonomy.parents.tolist() == [-1, 0, 1, 2, 2, 1, 1, 0]


def test_values_listed_twice_or_not_at_all_are_refused() -> None:
    """The value and the origin are named."""
    with pytest.raises(HierarchyError, match="test: value 'a' of 'x' is listed twice"):
        built([("A", "a"), ("A", "a")])
    with pytest.raises(HierarchyError, match="value 'a' of 'x' is listed twice"):
        built([("A", "a"), ("B", "a")])
    with pytest.raises(HierarchyError, match="has no values"):
        built([])
    with pytest.raises(HierarchyError, match="has no values"):
        from_branches("x", "any", {}, origin="test")


def test_a_group_may_be_called_like_a_value() -> None:
    """A category and the code that says no more than it."""
    taxonomy = built([("250", "250"), ("250", "2500"), ("401", "401")])
    assert taxonomy.labels == ("any", "250", "250", "2500", "401")
    assert taxonomy.locate(["250"]).tolist() == [0]


digits = st.text("12", min_size=1, max_size=5)


@unhurried
@given(st.sets(digits, min_size=1, max_size=12), digits, st.integers(0, 5))
def test_codes_are_found_by_their_longest_beginning(leaves: set[str], code: str, dot: int) -> None:
    """With or without a dot."""
    places = {leaf: at for at, leaf in enumerate(sorted(leaves))}
    known = [leaf for leaf in leaves if code.startswith(leaf)]
    expected = places[max(known, key=len)] if known else NOT_LISTED
    assert by_longest_prefix(places, code) == expected
    assert by_longest_prefix(places, f" {code[:dot]}.{code[dot:]} ") == expected


def test_a_list_of_codes_may_have_dots() -> None:
    """The longest code wins, however it is written."""
    dotted = {"401": 0, "401.9": 1, "V27": 2, "V27.0": 3}
    for code, place in {"401.91": 1, "401.8": 0, "4018": 0, "V27.0": 3, "40": NOT_LISTED}.items():
        assert by_longest_prefix(dotted, code) == place
    assert by_longest_prefix({"401": 0, "4019": 1}, "401.9") == 1
    assert by_longest_prefix({"401": 0, "4019": 1, "401.9": 2}, "401.9") == 2


def test_capitals_do_not_matter_to_codes() -> None:
    """Codes are capital letters and digits."""
    assert by_longest_prefix({"V27": 0, "E800": 1}, "v27.0") == 0
    assert by_longest_prefix({"V27": 0, "E800": 1}, "e8009") == 1


@unhurried
@given(st.integers(2, 70), st.integers(2, 6))
def test_a_wide_group_becomes_no_deeper_than_it_must(size: int, most: int) -> None:
    """As few steps from the root to each value as that fan-out allows, and one less at times."""
    taxonomy = with_fanout(built([(f"c{at:02d}",) for at in range(size)]), most)
    needed = next(depth for depth in range(1, 8) if most**depth >= size)
    depths = [0] * taxonomy.nodes
    for node in range(1, taxonomy.nodes):
        depths[node] = depths[taxonomy.parents[node]] + 1
    assert max(depths) == needed
