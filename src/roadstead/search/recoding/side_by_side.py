"""Run independent tasks in threads: boxes, parts of a table, or blocks.

The table alone determines the tasks, and results come in the order of the tasks. So the number of
threads does not change the result.
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
    """Run tasks in threads (default: one thread per core); yield results in task order."""
    if len(tasks) == 1:
        yield work(tasks[0])
        return
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        yield from pool.map(work, tasks)
