"""Cells of a differentially private release: each names one place, whatever the labels hold."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, combinations

import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st
from private_releases import CODES, awkward, taxonomies

from roadstead.differential.domains import (
    CategoricalCut,
    CategoricalDomain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.hierarchies.taxonomy import Taxonomy, from_branches
from roadstead.release.private.cut import cells_of, names_of, places_of


def leaves_of(taxonomy: Taxonomy) -> tuple[int, ...]:
    """Give the nodes of the most detailed cut."""
    return tuple(node for node in range(taxonomy.nodes) if not taxonomy.children[node])


def subsets(size: int) -> list[tuple[int, ...]]:
    """Give all combinations of up to three of some places, and that of all."""
    few = chain.from_iterable(combinations(range(size), number) for number in range(4))
    return list(dict.fromkeys([*few, tuple(range(size))]))


@thorough
@given(taxonomies("a"))
def test_every_cell_of_a_set_leads_back_to_its_places(taxonomy: Taxonomy) -> None:
    """No two combinations have one cell."""
    cut = SetCut(SetDomain(taxonomy), leaves_of(taxonomy))
    every = subsets(len(cut.nodes))
    cells = cells_of(cut, every)
    assert len(set(cells)) == len(every)
    assert places_of(cut, cells) == every


@thorough
@given(taxonomies("a"), awkward)
def test_a_cell_that_can_be_read_is_the_one_that_would_be_written(
    taxonomy: Taxonomy, cell: str
) -> None:
    """There is one way to write each combination."""
    cut = SetCut(SetDomain(taxonomy), leaves_of(taxonomy))
    (found,) = places_of(cut, [cell])
    assert found is None or cells_of(cut, [found]) == (cell,)


@thorough
@given(taxonomies("a"))
def test_every_cell_of_a_category_leads_back_to_its_place(taxonomy: Taxonomy) -> None:
    """Also where two groups have one name."""
    tops = taxonomy.children[0]
    for nodes in (leaves_of(taxonomy), tops, (0,)):
        cut = CategoricalCut(CategoricalDomain(taxonomy), nodes)
        cells = cells_of(cut)
        assert len(set(cells)) == len(nodes)
        assert places_of(cut, cells) == [(place,) for place in range(len(nodes))]


def test_sets_are_told_by_the_names_of_their_nodes() -> None:
    """Semicolons in names are escaped; the empty set and a node that is called so are two."""
    taxonomy = from_branches("codes", "any", CODES, origin="a code book")
    node = taxonomy.labels.index
    nodes = (node("heart; vessels"), node("lungs"), node("other"))
    cut = SetCut(SetDomain(taxonomy), nodes)
    assert cells_of(cut, [(), (0,), (1, 2)]) == ("(none)", "heart\\; vessels", "lungs; other")
    deep = SetCut(SetDomain(taxonomy), (node("I10"), node("I50"), node("(none)"), *nodes[1:]))
    assert cells_of(deep, [(), (2,), (0, 2)]) == ("(none)", "\\(none)", "I10; \\(none)")


def test_a_set_that_is_not_told_has_the_name_of_everything() -> None:
    """Even whether it is empty is hidden."""
    cut = SetCut(SetDomain(from_branches("codes", "any", CODES, origin="a code book")), (0,))
    assert cells_of(cut, [(0,)]) == ("any",)
    assert places_of(cut, ["any", "(none)", "lungs"]) == [(0,), None, None]


@pytest.mark.parametrize(
    "cell",
    ["", "lungs; lungs", "other; lungs", "lungs;other", "lungs; ", "lungs\\", "Lungs", "(none); x"],
)
def test_what_is_no_cell_has_no_places(cell: str) -> None:
    """Wrong order, doubles, other names, loose semicolons and backslashes."""
    taxonomy = from_branches("codes", "any", CODES, origin="a code book")
    cut = SetCut(SetDomain(taxonomy), taxonomy.children[0])
    assert places_of(cut, [cell]) == [None]


def test_places_of_one_name_are_told_apart_by_their_nodes() -> None:
    """Others keep their names, also one that reads like a name with a node."""
    taxonomy = from_branches(
        "a",
        "all",
        {
            "x": {"same": ("1", "2")},
            "y": {"same": ("3", "4"), "q": ("5", "6")},
            "same (node 1)": (),
        },
        origin="made up",
    )
    wanted = ("same", "q", "same (node 1)")
    nodes = tuple(node for node in range(taxonomy.nodes) if taxonomy.labels[node] in wanted)
    assert names_of(CategoricalCut(CategoricalDomain(taxonomy), nodes)) == (
        "same (node 1) (node 1)",
        "same (node 5)",
        "q",
        "same (node 1) (node 11)",
    )


@thorough
@given(st.sets(st.integers(1, 49), max_size=6), st.sampled_from(["1", "0.5", "7"]))
def test_intervals_have_names_of_their_own(inner: set[int], step: str) -> None:
    """First and last number of each."""
    width = Decimal(step) * 49
    cut = NumericCut(
        NumericDomain("a", Decimal(-10), width - 10, Decimal(step)), (0, *sorted(inner), 50)
    )
    cells = cells_of(cut)
    assert places_of(cut, cells) == [(place,) for place in range(len(inner) + 1)]
    assert places_of(cut, ["-10 to 1000", ""]) == [None, None]
