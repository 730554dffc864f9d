"""Let the user stop a search with Ctrl-C or the interrupt button, and keep the best result."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stoppable(say: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Treat the first interrupt during a search as a request to stop the search, and call `say`.

    The context yields a function that returns whether the search must stop. If an interrupt comes
    before the first call of this function, or is the second interrupt, it ends the command. Use
    this context only in the main thread, because Python handles signals there.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background process of a script
        yield lambda: False
        return
    requested = searching = False

    def request(number: int, frame: FrameType | None) -> None:
        nonlocal requested
        if requested or not searching:
            if not callable(former):
                raise KeyboardInterrupt
            former(number, frame)
            return
        requested = True
        say()

    def stopped() -> bool:
        nonlocal searching
        searching = True
        return requested

    former = signal.signal(signal.SIGINT, request)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, former)
