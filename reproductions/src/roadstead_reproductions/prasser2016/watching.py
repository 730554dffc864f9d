"""Watch a search without delaying it.

Writing a progress report takes time, and takes longer later in a search. So reports become less
frequent: the next report is due after one fiftieth of the time elapsed so far. On a logarithmic
scale of time, the reports are evenly spaced.
"""

from __future__ import annotations

from collections.abc import Callable

from roadstead.search.protocol import Control, Progress

_SHARE = 0.02


def watching(look: Callable[[Progress], None], time_limit: float | None = None) -> Control:
    """Return a control that reports progress to `look`."""

    def report(progress: Progress) -> None:
        look(progress)
        control.interval = _SHARE * control.seconds

    control = Control(time_limit, report=report, interval=0.0)
    return control
