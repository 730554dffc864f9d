"""Run independent pieces of work in several processes, or in this process.

Each process receives the shared parts, such as the problem, only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from roadstead_reproductions.tables import Tell

S = TypeVar("S")
A = TypeVar("A")
R = TypeVar("R")

_SHARED: dict[str, Any] = {}
"""The shared parts that this process uses."""


def spread(
    shared: S,
    work: Callable[[S, A], R],
    pieces: Sequence[A],
    workers: int,
    done: Callable[[int], None] = lambda _number: None,
) -> list[R]:
    """Run `work` for each piece, and return the results in the order of the pieces.

    With one worker, all work is done in this process. Otherwise, `work` must be a module-level
    function that other processes can import. `done` receives the number of finished pieces.
    """
    found = []
    if workers == 1:
        for piece in pieces:
            found.append(work(shared, piece))
            done(len(found))
        return found
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _share, (shared,))
    with pool as executor:
        for result in executor.map(partial(_do, work), pieces):
            found.append(result)
            done(len(found))
    return found


def tenths(tell: Tell, what: str, every: int) -> Callable[[int], None]:
    """Return a function that reports progress after each tenth of the pieces."""
    step = max(1, every // 10)

    def done(number: int) -> None:
        if number % step == 0 or number == every:
            tell(f"{what}: {number} of {every}")

    return done


def _share(shared: object) -> None:
    _SHARED["it"] = shared


def _do(work: Callable[[Any, A], R], piece: A) -> R:
    return work(_SHARED["it"], piece)
