"""Ctrl-C, or a notebook's button to interrupt, as a way to keep what a search has."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stoppable(say: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Take the first interrupt of a search for the wish to stop it, and `say` so.

    The function tells whether to stop. Until it is asked, and after the first interrupt, one ends
    the command. For the main thread alone, which signals come to.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script
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
