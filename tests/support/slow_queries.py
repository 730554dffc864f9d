"""A query that takes longer than any test waits, and its cancellation."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest

from roadstead.tables.failures import engine_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import ibis

    from roadstead.tables.source import Source

_WITHOUT_END = 16
SECONDS_OF_SPARK = 4
"""Copies that Spark takes some seconds for. A task of Spark that was cancelled may go on to the end
of its loop, so there must be one: it holds a worker that the next query waits for."""


@contextlib.contextmanager
def cancelled_when(source: Source, stopped: Callable[[], bool]) -> Iterator[None]:
    """Cancel the queries of a source after a request to stop."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            if stopped():  # until the block ends: a query may be about to begin
                source.cancel()

    watcher = threading.Thread(target=watch, name="cancel", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def slow(source: Source, copies: int) -> ibis.Table:
    """Request a sum over all combinations of the records with so many copies of themselves."""
    name = source.columns[0]
    whole = source.table.select(c0=source.table[name])
    for at in range(1, copies):
        whole = whole.cross_join(source.table.select(**{f"c{at}": source.table[name]}))
    return whole.aggregate(length=sum(whole[one].length() for one in whole.columns).sum())


def check_cancelled(source: Source, copies: int = _WITHOUT_END) -> None:
    """Check that a request to stop during a query reaches the waiting caller."""
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()  # sooner or later is well too
    with (
        pytest.raises(KeyboardInterrupt),
        cancelled_when(source, stop.is_set),
        engine_errors("slow"),
    ):
        slow(source, copies).to_pyarrow()
