"""Four ways to store a predictive property, timed on a search (paper 003, table 1).

The paper develops its store in three steps, and times each of them: a plain list of the policies
that have the property; the list as an antichain; the antichain in a prefix tree; and the prefix
tree with ranks, which the searches use (`search.antichain`). The first three are in this module,
for properties inherited by more general policies. A recorded sequence of operations is replayed
with all four. They must give the same answers, and only their times may differ.
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
"""A policy was found to have the property, or was asked about."""


class Store(Protocol):
    """The interface of a store for a search; its length is the number of stored policies."""

    def add(self, levels: Levels) -> None:
        """Note that a policy has the property."""

    def __contains__(self, levels: Levels) -> bool: ...

    def __len__(self) -> int: ...


class PlainList:
    """Every policy added, in a list: adding is immediate, asking reads the list."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[Levels] = []

    def add(self, levels: Levels) -> None:
        """Append a policy, implied or not."""
        self._kept.append(levels)

    def __contains__(self, levels: Levels) -> bool:
        return _any_below(self._kept, levels)

    def __len__(self) -> int:
        return len(self._kept)


class AntichainList:
    """Only policies that do not imply each other, in a list."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[Levels] = []

    def add(self, levels: Levels) -> None:
        """Append a policy that is not implied, and remove those it implies."""
        if levels in self:
            return
        self._kept = [kept for kept in self._kept if not _any_below((levels,), kept)]
        self._kept.append(levels)

    def __contains__(self, levels: Levels) -> bool:
        return _any_below(self._kept, levels)

    def __len__(self) -> int:
        return len(self._kept)


class PrefixTree:
    """The antichain in the prefix tree of `search.antichain`, asked without a look at the ranks."""

    __slots__ = ("_root", "_size")

    def __init__(self) -> None:
        self._root = PrefixNode(0, 0)
        self._size = 0

    def add(self, levels: Levels) -> None:
        """Insert a policy that is not implied, and remove those it implies."""
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
"""The four stores in the order of the paper's table."""


def replay(
    trace: Sequence[Operation],
    stores: Mapping[str, Callable[[], Store]] = STORES,
    rounds: int = 3,
) -> dict[str, float]:
    """Time stores on the operations of a search.

    Parameters
    ----------
    trace
        Operations in their order, on vectors of one length, for a property inherited by more
        general policies; `mirrored` makes it of the other kind.
    stores
        How to make each store, empty, by name.
    rounds
        How often all stores are timed, in turn; the fastest round counts.

    Returns
    -------
    dict
        Seconds by store, for all operations together. Nothing else of a search is in them.

    Raises
    ------
    RuntimeError
        When two stores answer a question differently: one of them is wrong.
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
    """Turn a trace of a property inherited by more specific policies into the other kind.

    Negated vectors are ordered the other way around.
    """
    return [(operation, tuple(-level for level in levels)) for operation, levels in trace]


def _run(store: Store, trace: Sequence[Operation]) -> tuple[float, list[bool]]:
    """Seconds that the operations took, and the answers to the questions."""
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
    """Whether a vector of a list is at most the one given: plain loops, to time them fairly."""
    for vector in kept:
        for stored, asked in zip(vector, levels, strict=True):
            if stored > asked:
                break
        else:
            return True
    return False


def _has_below(node: PrefixNode, vector: Levels, depth: int) -> bool:
    """Whether a vector kept below a node is at most the one given, from a depth on."""
    if depth == len(vector):
        return True
    level = vector[depth]
    depth += 1
    for child in node.children:  # noqa: SIM110 - a loop like the one with ranks
        if child.level <= level and _has_below(child, vector, depth):
            return True
    return False
