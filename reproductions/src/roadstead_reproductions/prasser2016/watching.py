"""Look at a search while it runs, without holding it up.

To ask how far a search is takes it time, the more the longer it has run. So looks become rarer: the
next is due when a fiftieth of the time so far has passed. On a logarithmic scale of time they are
evenly spread, and there are a few hundred of them at most.
"""

from __future__ import annotations

from collections.abc import Callable

from roadstead.search.protocol import Control, Progress

_SHARE = 0.02


def watching(look: Callable[[Progress], None], time_limit: float | None = None) -> Control:
    """Make the control of a search that is looked at."""

    def report(progress: Progress) -> None:
        look(progress)
        control.interval = _SHARE * control.seconds

    control = Control(time_limit, report=report, interval=0.0)
    return control
