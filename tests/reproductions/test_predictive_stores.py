"""Four stores of a property, replayed: they give the same answers, and are timed alone."""

from __future__ import annotations

import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.policies.full_domain import Levels, is_below
from roadstead_reproductions import predictive_stores
from roadstead_reproductions.predictive_stores import (
    STORES,
    AntichainList,
    Operation,
    PlainList,
    PrefixTree,
    mirrored,
    replay,
)
from roadstead_reproductions.searches.antichain import inherited_down


@st.composite
def traces(draw: st.DrawFn) -> list[Operation]:
    """Draw additions and questions on vectors of one length."""
    width = draw(st.integers(1, 4))
    levels = st.tuples(*[st.integers(0, 3)] * width)
    operations: st.SearchStrategy[Operation] = st.one_of(
        st.tuples(st.just("add"), levels), st.tuples(st.just("ask"), levels)
    )
    return draw(st.lists(operations, max_size=40))


def minimal(added: set[Levels]) -> set[Levels]:
    """Those above no other."""
    return {x for x in added if not any(y != x and is_below(y, x) for y in added)}


@pytest.mark.parametrize("name", STORES)
@thorough
@given(traces())
def test_every_store_answers_by_the_definition(name: str, trace: list[Operation]) -> None:
    """Whether any added policy is at most the given one; only the plain list keeps all."""
    store = STORES[name]()
    calls = 0
    added: set[Levels] = set()
    for operation, levels in trace:
        if operation == "add":
            store.add(levels)
            added.add(levels)
            calls += 1
        else:
            assert (levels in store) == any(is_below(found, levels) for found in added)
        assert len(store) == (calls if name == "list" else len(minimal(added)))


@unhurried
@given(traces())
def test_a_mirrored_trace_is_of_a_property_inherited_downward(trace: list[Operation]) -> None:
    """Its questions have the answers of the other direction, and it can be replayed."""
    down, store = inherited_down(), AntichainList()
    for (operation, levels), (_, negated) in zip(trace, mirrored(trace), strict=True):
        if operation == "add":
            down.add(levels)
            store.add(negated)
        else:
            assert (levels in down) == (negated in store)
    assert list(replay(mirrored(trace), rounds=1)) == list(STORES)


TRACE: list[Operation] = [
    ("ask", (1, 1)),
    ("add", (1, 0)),
    ("ask", (1, 1)),
    ("ask", (0, 1)),
]


def test_a_replay_gives_seconds_by_store() -> None:
    """Each store once, in the order of the paper's table, from the plain list on."""
    seconds = replay(TRACE)
    assert list(seconds) == list(STORES)
    assert [type(make()) for make in STORES.values()][:3] == [PlainList, AntichainList, PrefixTree]


def test_the_fastest_round_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores take turns, and each round starts with an empty one."""
    clock = iter((0.0, 5.0, 10.0, 17.0, 20.0, 22.0, 30.0, 39.0, 40.0, 43.0, 50.0, 56.0))
    monkeypatch.setattr(predictive_stores, "perf_counter", lambda: next(clock))
    seconds = replay(TRACE, {"one": PlainList, "other": PrefixTree}, rounds=3)
    assert seconds == {"one": 2.0, "other": 6.0}


class Forgetful(PlainList):
    """Keeps nothing."""

    def add(self, levels: Levels) -> None:
        """Forget it."""


def test_a_store_that_answers_differently_is_named() -> None:
    """With the first question it answers wrongly."""
    with pytest.raises(RuntimeError, match=r"the sieve answers False to question 1, \(1, 1\)"):
        replay(TRACE, {"list": PlainList, "sieve": Forgetful})
