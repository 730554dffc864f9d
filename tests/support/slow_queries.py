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

_COPIES = 16


@contextlib.contextmanager
def cancelled_when(source: Source, stopped: Callable[[], bool]) -> Iterator[None]:
    """Cancel the queries of a source while somebody wants to stop."""
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


def slow(source: Source) -> ibis.Table:
    """Ask for a sum over all combinations of the records with themselves, a great many times."""
    name = source.columns[0]
    whole = source.table.select(c0=source.table[name])
    for at in range(1, _COPIES):
        whole = whole.cross_join(source.table.select(**{f"c{at}": source.table[name]}))
    return whole.aggregate(length=sum(whole[one].length() for one in whole.columns).sum())


def check_cancelled(source: Source) -> None:
    """Somebody wants to stop while a query runs, and what waits for it hears of that."""
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()  # sooner or later is well too
    with (
        pytest.raises(KeyboardInterrupt),
        cancelled_when(source, stop.is_set),
        engine_errors("slow"),
    ):
        slow(source).to_pyarrow()
