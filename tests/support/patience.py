"""Waiting in tests: for an event, and never for a time.

A machine may be twenty times as slow as the author's. Therefore no test sleeps until something
"must have happened": it waits for the event. If the event never comes, `PATIENCE` ends the tests.
No test expects anything to take less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

PATIENCE = 600.0
"""Seconds after which something that is waited for has failed. A guard, not an expectation."""
_BETWEEN_LOOKS = 0.01


def wait_until(happened: Callable[[], object], what: str) -> None:
    """Wait for an event; a guard fails the test if it never comes."""
    end = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > end:
            pytest.fail(f"waited in vain: {what}")
        time.sleep(_BETWEEN_LOOKS)


class Ticks:
    """A clock on which a fixed time passes with every look, whatever the machine does."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.looks = 0

    def __call__(self) -> float:
        """Look at it."""
        self.looks += 1
        return self.looks * self.seconds


@contextmanager
def ticking(seconds: float) -> Iterator[Ticks]:
    """Let searches be timed by such a clock, so that a time limit is a number of steps."""
    clock = Ticks(seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roadstead.search.protocol.time", SimpleNamespace(perf_counter=clock))
        yield clock
