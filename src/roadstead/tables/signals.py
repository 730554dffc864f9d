"""Run a short step that no signal can interrupt.

Two files sometimes have to appear together. An interrupt between the two steps would leave only one
file. A signal that arrives during the step is handled after the step.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Defer signals that end a process until the block ends."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python receives signals only in its main thread, so there is nothing to defer
        return
    deferred: list[int] = []

    def defer(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler
        deferred.append(number)

    # `getsignal` returns None for a handler that Python did not install and cannot restore.
    former = {one: handler for one in _ENDING if (handler := signal.getsignal(one)) is not None}
    for one in former:
        signal.signal(one, defer)
    try:
        yield
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)
    for number in deferred[:1]:
        signal.raise_signal(number)
