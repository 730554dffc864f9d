"""The signals that end a command: which one it was, wherever it struck.

What a signal's handler raises comes up at the next step of whatever is at work. Struck inside an
engine or inside compiled code it arrives as an error of theirs; struck while an object is being
taken down it is dropped, and the command would go on. So a signal that was heard is noted, and one
whose exception was dropped is sent again.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    Handler = Callable[[int, FrameType | None], None]

INTERRUPTED, TERMINATED = 130, 143
"""The codes that a shell gives to a command ended by Ctrl-C, and by a termination."""
_SOON = 0.01
"""Seconds until a dropped signal is sent again: the taking down is over by then."""


@contextlib.contextmanager
def listening() -> Iterator[list[int]]:
    """Let signals end what runs meanwhile.

    Yields
    ------
    list of int
        The code of every signal heard so far that ends the command.
    """
    heard: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler
        heard.append(TERMINATED)
        sys.exit(TERMINATED)

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler
        heard.append(INTERRUPTED)
        raise KeyboardInterrupt

    def again(number: int, frame: FrameType | None) -> None:
        (terminate if heard[0] == TERMINATED else interrupt)(number, frame)

    former_hook = sys.unraisablehook

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if heard and isinstance(what.exc_value, SystemExit | KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        else:
            former_hook(what)

    handlers: dict[signal.Signals, Handler]
    handlers = {signal.SIGTERM: terminate, signal.SIGHUP: terminate, signal.SIGALRM: again}
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as it is behind nohup
        handlers[signal.SIGINT] = interrupt
    sys.unraisablehook = dropped
    with _handled(handlers):
        try:
            yield heard
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.unraisablehook = former_hook


@contextlib.contextmanager
def _handled(handlers: Mapping[signal.Signals, Handler]) -> Iterator[None]:
    former = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in former.items():
            if handler is not None:  # one that is not Python's own cannot be set again
                signal.signal(number, handler)
