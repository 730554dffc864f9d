"""The antichain in a prefix tree against a plain set of vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from random import Random

import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.full_domain import Levels, is_below
from roadstead_reproductions.searches.antichain import (
    Antichain,
    PrefixNode,
    has_below,
    inherited_down,
    inherited_up,
    insert,
    remove_above,
    vectors,
)

Implies = Callable[[Levels, Levels], bool]


def downward(found: Levels, asked: Levels) -> bool:
    """Whether a more general policy passes its property on."""
    return is_below(asked, found)


DIRECTIONS: dict[str, tuple[Callable[[], Antichain], Implies]] = {
    "up": (inherited_up, is_below),
    "down": (inherited_down, downward),
}
each_direction = pytest.mark.parametrize("direction", DIRECTIONS)


@dataclass
class Model:
    """Every vector ever added, and what was done: the definition of a store."""

    implies: Implies
    added: set[Levels] = field(default_factory=set)
    inserts: int = 0
    queries: int = 0
    hits: int = 0

    def has(self, levels: Levels) -> bool:
        """Whether it is implied."""
        return any(self.implies(found, levels) for found in self.added)

    def add(self, levels: Levels) -> None:
        """Note it."""
        self.inserts += not self.has(levels)
        self.added.add(levels)

    def ask(self, levels: Levels) -> bool:
        """Answer and count."""
        self.queries += 1
        self.hits += self.has(levels)
        return self.has(levels)

    @property
    def kept(self) -> set[Levels]:
        """Those that no other vector implies."""
        return {
            levels
            for levels in self.added
            if not any(other != levels and self.implies(other, levels) for other in self.added)
        }


def agree(store: Antichain, model: Model) -> None:
    """The same counters, and the same vectors kept, each once."""
    assert (store.inserts, store.queries, store.hits) == (model.inserts, model.queries, model.hits)
    assert len(store) == len(model.kept)
    assert sorted(store) == sorted(model.kept)
    assert not any(
        model.implies(one, other) or model.implies(other, one)
        for one, other in combinations(store, 2)
    )


@st.composite
def traces(draw: st.DrawFn) -> tuple[tuple[int, ...], list[tuple[str, Levels]]]:
    """Draw the heights of a small lattice, and additions and questions in it."""
    heights = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    levels = st.tuples(*(st.integers(0, height - 1) for height in heights))
    return heights, draw(st.lists(st.tuples(st.sampled_from(("add", "ask")), levels), max_size=40))


@each_direction
@thorough
@given(traces())
def test_a_store_is_the_set_of_all_that_was_added(
    direction: str, case: tuple[tuple[int, ...], list[tuple[str, Levels]]]
) -> None:
    """The same answers on the way and, in the end, for every policy of the lattice."""
    make, implies = DIRECTIONS[direction]
    store, model = make(), Model(implies)
    heights, trace = case
    for operation, levels in trace:
        if operation == "add":
            store.add(levels)
            model.add(levels)
            assert len(store) == len(model.kept)
        else:
            assert (levels in store) == model.ask(levels)
    agree(store, model)
    for levels in product(*map(range, heights)):
        assert (levels in store) == model.ask(levels)


def nearby(random: Random, levels: Levels, most: int) -> Levels:
    """Move a vector one way, or a few components of it in any direction."""
    if random.random() < 0.5:
        step = random.choice((-1, 1))
        return tuple(min(max(level + step * random.randrange(3), 0), most) for level in levels)
    moved = list(levels)
    for at in random.sample(range(len(levels)), 3):
        moved[at] = random.randint(0, most)
    return tuple(moved)


@each_direction
@unhurried
@given(st.integers(0, 10**6))
def test_forty_attributes_of_sixty_levels_are_no_different(direction: str, seed: int) -> None:
    """Vectors near to each other, so that many are comparable."""
    random = Random(seed)  # noqa: S311 - an example, not a secret
    make, implies = DIRECTIONS[direction]
    store, model = make(), Model(implies)
    known = [tuple(random.randint(0, 60) for _ in range(40))]
    for _ in range(40):
        levels = nearby(random, random.choice(known), 60)
        known.append(levels)
        assert (levels in store) == model.ask(levels)
        if random.random() < 0.5:
            store.add(levels)
            model.add(levels)
    agree(store, model)


@each_direction
def test_a_search_of_forty_attributes_hits_and_removes(direction: str) -> None:
    """The wide examples are not all incomparable: a chain is one vector in the end."""
    make, _ = DIRECTIONS[direction]
    store = make()
    chain = [(level,) * 40 for level in range(61)]
    for levels in chain[::-1] if direction == "up" else chain:
        assert levels not in store
        store.add(levels)
        assert len(store) == 1
    assert all(levels in store for levels in chain)
    assert (store.inserts, store.queries, store.hits) == (61, 122, 61)


EXAMPLE: tuple[Levels, ...] = ((1, 1, 1), (1, 3, 0), (3, 2, 0))


def filled(vectors_of: Iterable[Levels]) -> Antichain:
    """Make a store of the upward kind that holds vectors."""
    store = inherited_up()
    for levels in vectors_of:
        store.add(levels)
    return store


def test_the_example_of_the_paper() -> None:
    """Paper 003, Fig. 3: (1, 1, 1) is found for (1, 2, 2), of rank 5."""
    store = filled(EXAMPLE)
    assert len(store) == 3
    assert (1, 2, 2) in store
    assert (1, 2, 0) not in store
    assert (2, 2, 0) not in store
    assert (store.inserts, store.queries, store.hits) == (3, 3, 1)


def test_nodes_keep_the_smallest_rank_below_them() -> None:
    """In the paper's figure 3 and 5 below the root, then 3 and 4, and 5."""
    for order in (EXAMPLE, EXAMPLE[::-1]):
        root = PrefixNode(0, 0)
        for levels in order:
            insert(root, levels)
        least = {child.level: child.least for child in root.children}
        assert least == {1: 3, 3: 5}
        (first,) = (child for child in root.children if child.level == 1)
        assert {child.level: child.least for child in first.children} == {1: 3, 3: 4}


def test_a_branch_of_higher_rank_is_not_entered() -> None:
    """A leaf that claims rank 9 is out of reach of rank 8; a tie is followed."""
    root = PrefixNode(0, 0)
    root.children.append(PrefixNode(0, 9))
    assert not has_below(root, (0,), 0, 8)
    assert has_below(root, (0,), 0, 9)


@unhurried
@given(traces())
def test_ranks_stay_lower_bounds_after_removals(
    case: tuple[tuple[int, ...], list[tuple[str, Levels]]],
) -> None:
    """At every node, of every vector below it."""

    def check(node: PrefixNode, prefix: Levels) -> None:
        for child in node.children:
            longer = (*prefix, child.level)
            assert child.least <= min(sum(levels) for levels in vectors(child, longer))
            check(child, longer)

    root = PrefixNode(0, 0)
    for _, levels in case[1]:
        if root.children and has_below(root, levels, 0, sum(levels)):
            continue
        remove_above(root, levels)
        insert(root, levels)
        check(root, ())


def test_what_is_implied_changes_nothing() -> None:
    """Neither twice the same nor a more general policy."""
    store = filled(EXAMPLE)
    for levels in (*EXAMPLE, (2, 1, 1), (3, 3, 3)):
        store.add(levels)
    assert sorted(store) == sorted(EXAMPLE)
    assert store.inserts == 3
    assert store.queries == 0


def test_what_a_new_policy_implies_is_removed() -> None:
    """All three are above (1, 1, 0), two above (1, 2, 0); an unused prefix is removed too."""
    store = filled(EXAMPLE)
    store.add((1, 1, 0))
    assert list(store) == [(1, 1, 0)]
    store = filled(((0, 0, 3), *EXAMPLE))
    store.add((1, 2, 0))
    assert sorted(store) == [(0, 0, 3), (1, 1, 1), (1, 2, 0)]
    assert (len(store), store.inserts) == (3, 5)


@each_direction
def test_an_empty_store_knows_nothing(direction: str) -> None:
    make, _ = DIRECTIONS[direction]
    store = make()
    assert (0, 0) not in store
    assert len(store) == 0
    assert list(store) == []
    assert (store.inserts, store.queries, store.hits) == (0, 1, 0)
