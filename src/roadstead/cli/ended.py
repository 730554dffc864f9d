"""The signals that end a command: which one it was, wherever it struck.

What a signal's handler raises comes up at the next step of whatever is at work. Struck inside an
engine it arrives as an error of the engine's, so what was heard is noted. Struck while an object is
taken down it is dropped, so it is sent again. And a compiler that is struck may crash when it ends,
so that is left to finish what it is at.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Handler = Callable[[int, FrameType | None], None]

INTERRUPTED, TERMINATED = 130, 143
"""The codes that a shell gives to a command ended by Ctrl-C, and by a termination."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
_SOON = 0.01
"""Seconds until a signal that was dropped or put off is sent again."""
_BRITTLE = ("numba.", "llvmlite.")
"""Modules that are not made to be left halfway: compiled code may not survive it."""


@contextlib.contextmanager
def listening() -> Iterator[list[int]]:
    """Let signals end what runs meanwhile.

    One that is ignored stays so: a hangup behind nohup, an interrupt in the background of a script.
    The list gets the code of every signal heard that ends the command.
    """
    heard: list[int] = []

    def strike(frame: FrameType | None) -> None:
        if _inside(frame, _BRITTLE):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        elif heard[0] == TERMINATED:
            sys.exit(TERMINATED)
        else:
            raise KeyboardInterrupt

    def struck(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            heard.append(INTERRUPTED)
        elif number != signal.SIGALRM or not heard:  # an alarm from elsewhere means to end it too
            heard.append(TERMINATED)
        strike(frame)

    former_hook = sys.unraisablehook

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if heard and isinstance(what.exc_value, SystemExit | KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        else:
            former_hook(what)

    sys.unraisablehook = dropped
    with _handled(struck):
        try:
            yield heard
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.unraisablehook = former_hook


@contextlib.contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    honored = [one for one in _SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
    former = {number: signal.signal(number, handler) for number in honored}
    try:
        yield
    finally:
        for number, earlier in former.items():
            if earlier is not None:  # one that is not Python's own cannot be set again
                signal.signal(number, earlier)


def _inside(frame: FrameType | None, modules: tuple[str, ...]) -> bool:
    """Tell whether one of these modules is at work."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(modules):
            return True
        frame = frame.f_back
    return False
