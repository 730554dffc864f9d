"""Which parameters of a test the quick tests run, if the test has the mark ``quick``.

A test with many parameters often runs the same code many times. ``@pytest.mark.quick(3)`` selects
three of its sets of parameters for the quick tests; the others become nightly. The selection
includes as many different values of each parameter as possible. So if one parameter is a format and
another an engine, three tests have three formats and three engines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import pytest

MARK, NIGHTLY = "quick", "nightly"
_Value = TypeVar("_Value")


def selected(cases: Sequence[frozenset[_Value]], number: int) -> list[int]:
    """Return the positions of the cases with the most values that no earlier one has.

    Of equals, the case farthest from all selected cases comes first; neighbors in a list of
    parameters are often alike.
    """
    chosen: list[int] = []
    seen: set[_Value] = set()
    for _ in range(min(number, len(cases))):
        left = [at for at in range(len(cases)) if at not in chosen]
        best = max(
            left,
            key=lambda at: (len(cases[at] - seen), min((abs(at - o) for o in chosen), default=-at)),
        )
        chosen.append(best)
        seen |= cases[best]
    return sorted(chosen)


def set_aside(items: Sequence[pytest.Item]) -> None:
    """Mark the parameters that are not selected as nightly."""
    tests: dict[tuple[object, int], list[pytest.Function]] = defaultdict(list)
    for item in items:
        mark, nightly = map(item.get_closest_marker, (MARK, NIGHTLY))
        if mark is not None and nightly is None and isinstance(item, pytest.Function):
            tests[item.function, mark.args[0]].append(item)
    for (_, number), ones in tests.items():
        cases = [frozenset(one.callspec.indices.items()) for one in ones]
        quick = selected(cases, number)
        for at, one in enumerate(ones):
            if at not in quick:
                one.add_marker(NIGHTLY)
