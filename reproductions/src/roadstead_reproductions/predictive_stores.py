"""Time four ways to store a predictive property during a search (paper 003, table 1).

The paper develops its store in steps and times each step: a plain list of the policies with the
property, the list as an antichain, the antichain in a prefix tree, and the prefix tree with ranks,
which the searches use (`search.antichain`). This module has the first three stores, for properties
that more general policies inherit. A recorded sequence of operations is replayed with all four
stores, which must give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Literal, Protocol, TypeAlias

from roadstead.policies.full_domain import Levels
from roadstead_reproductions.searches.antichain import (
    PrefixNode,
    inherited_up,
    insert,
    remove_above,
)

Operation: TypeAlias = tuple[Literal["add", "ask"], Levels]
"""An operation: either a policy that was found to have the property, or a query on a policy."""


class Store(Protocol):
    """The interface of a store for a search. Its length is the number of stored policies."""

    def add(self, levels: Levels) -> None:
        """Store that a policy has the property."""

    def __contains__(self, levels: Levels) -> bool: ...

    def __len__(self) -> int: ...


class PlainList:
    """A list of all added policies. Every query reads the whole list."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[Levels] = []

    def add(self, levels: Levels) -> None:
        """Append a policy, even if it is implied."""
        self._kept.append(levels)

    def __contains__(self, levels: Levels) -> bool:
        return _any_below(self._kept, levels)

    def __len__(self) -> int:
        return len(self._kept)


class AntichainList:
    """A list of policies that do not imply each other."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[Levels] = []

    def add(self, levels: Levels) -> None:
        """Append a policy unless it is implied, and remove the policies that it implies."""
        if levels in self:
            return
        self._kept = [kept for kept in self._kept if not _any_below((levels,), kept)]
        self._kept.append(levels)

    def __contains__(self, levels: Levels) -> bool:
        return _any_below(self._kept, levels)

    def __len__(self) -> int:
        return len(self._kept)


class PrefixTree:
    """The prefix tree of `search.antichain`, with queries that do not use ranks."""

    __slots__ = ("_root", "_size")

    def __init__(self) -> None:
        self._root = PrefixNode(0, 0)
        self._size = 0

    def add(self, levels: Levels) -> None:
        """Insert a policy unless it is implied, and remove the policies that it implies."""
        if levels in self:
            return
        self._size += 1 - remove_above(self._root, levels)
        insert(self._root, levels)

    def __contains__(self, levels: Levels) -> bool:
        return _has_below(self._root, levels, 0)

    def __len__(self) -> int:
        return self._size


STORES: dict[str, Callable[[], Store]] = {
    "list": PlainList,
    "antichain list": AntichainList,
    "prefix tree": PrefixTree,
    "prefix tree with ranks": inherited_up,
}
"""The four stores, in the order of the paper's table."""


def replay(
    trace: Sequence[Operation],
    stores: Mapping[str, Callable[[], Store]] = STORES,
    rounds: int = 3,
) -> dict[str, float]:
    """Measure the time of each store on the operations of a search.

    `trace` has the operations for a property that more general policies inherit; `mirrored`
    converts a trace of the other kind. All stores are timed in turn, and the fastest of `rounds`
    counts. The result is the time of all operations in seconds, for each store. The function raises
    a RuntimeError if the stores give different answers.
    """
    seconds: dict[str, float] = {}
    expected: list[bool] | None = None
    for _ in range(rounds):
        for name, make in stores.items():
            taken, answers = _run(make(), trace)
            expected = answers if expected is None else expected
            if answers != expected:
                asked = [levels for operation, levels in trace if operation == "ask"]
                at = next(i for i, answer in enumerate(answers) if answer != expected[i])
                raise RuntimeError(
                    f"the {name} answers {answers[at]} to question {at}, {asked[at]}"
                )
            seconds[name] = min(taken, seconds.get(name, taken))
    return seconds


def mirrored(trace: Sequence[Operation]) -> list[Operation]:
    """Convert a trace of a property that more specific policies inherit by negating the vectors."""
    return [(operation, tuple(-level for level in levels)) for operation, levels in trace]


def _run(store: Store, trace: Sequence[Operation]) -> tuple[float, list[bool]]:
    """Return the time of the operations in seconds, and the answers to the queries."""
    answers = []
    add = store.add
    began = perf_counter()
    for operation, levels in trace:
        if operation == "add":
            add(levels)
        else:
            answers.append(levels in store)
    return perf_counter() - began, answers


def _any_below(kept: Sequence[Levels], levels: Levels) -> bool:
    """Return whether a vector in a list is at most `levels`, using plain loops for fair timing."""
    for vector in kept:
        for stored, asked in zip(vector, levels, strict=True):
            if stored > asked:
                break
        else:
            return True
    return False


def _has_below(node: PrefixNode, vector: Levels, depth: int) -> bool:
    """Return whether a vector below a node is at most `vector`, from component `depth`."""
    if depth == len(vector):
        return True
    level = vector[depth]
    depth += 1
    for child in node.children:  # noqa: SIM110 - a loop like the one with ranks
        if child.level <= level and _has_below(child, vector, depth):
            return True
    return False
