"""Exact search with a given number of parallel dives, whatever the size of the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

import pytest

from roadstead.search import attribute_subsets, exact, neighborhoods

one_dive_or_two = pytest.mark.parametrize("dives", [1, 2])


@contextmanager
def diving(dives: int) -> Iterator[None]:
    """Take the second dive from the first evaluation on, or never."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_LARGE", 0 if dives > 1 else inf)
        patch.setattr(exact, "_LONG", 0)
        patch.setattr(exact, "_VAST", 0)
        yield


@contextmanager
def taking_turns() -> Iterator[None]:
    """Take every lattice for one that is hardly ever searched to its end, in turns of few steps.

    Parts are of two attributes and of three, where there are four.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_ENDLESS", 0)
        patch.setattr(exact, "_MOST_A_TURN", 2)
        patch.setattr(attribute_subsets, "_BLOCK", 1)
        patch.setattr(neighborhoods, "_SMALLEST", 2.0)
        yield


@contextmanager
def short_of_memory() -> Iterator[None]:
    """Let no classes wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_MOST_BYTES_WAITING", 0)
        yield
