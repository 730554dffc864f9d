"""Run independent tasks in threads, such as searches in parts of a table.

The table alone determines the tasks, and results are returned in the order of the tasks. Therefore,
the number of threads does not change the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def side_by_side(
    work: Callable[[S], T], tasks: Sequence[S], threads: int | None = None
) -> Iterator[T]:
    """Run tasks in threads (by default, one per core), and yield results in the order of tasks."""
    if len(tasks) == 1:
        yield work(tasks[0])
        return
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        yield from pool.map(work, tasks)
