"""Have the charts drawn by another process, beside whatever else is to be done.

To import Altair and to start its renderer takes most of a second, and nothing else of a process
that does it can run meanwhile. So `prepared` lets another process do it while the work that leads
to the charts is going on, and `draw` tells it what to draw.

A chart is not worth a release. Whatever becomes of the other process, the answer is an image for
each chart that could be drawn, and none for the others.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

from markupsafe import Markup

from roadstead.reports.charts import Charts, to_json

PATIENCE = 30.0
"""Seconds after which the other process is given up."""

# The path is handed over as it is, so that the same package is found however this one was.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from roadstead.reports.draw_svg import main; main()"
)

_ready: list[subprocess.Popen[bytes]] = []

_taking = Lock()
"""Held while one is taken or ended: one that is ended must not look like one that failed, which
would be replaced."""


class Picture(NamedTuple):
    """One chart as ``svg`` elements, for wide and for narrow windows."""

    wide: Markup
    narrow: Markup


class Pictures(NamedTuple):
    """The charts that could be drawn."""

    risks: Picture | None = None
    class_sizes: Picture | None = None
    losses: Picture | None = None


@contextmanager
def prepared() -> Iterator[None]:
    """Let a process make ready for what is drawn within, unless one is ready already.

    It is ended with the block, whether it was needed, was not, or is still at work.
    """
    started = None if _ready else _start()
    if started is not None:
        _ready.append(started)
    try:
        yield
    finally:
        if started is not None:
            _withdraw(started)


def draw(charts: Charts) -> Pictures:
    """Draw charts, by the process that is prepared or by one that is started for it.

    Parameters
    ----------
    charts
        What they show.

    Returns
    -------
    Pictures
        Without those that could not be drawn, for whatever reason.
    """
    process = _take() or _start()
    if process is None:
        return Pictures()
    try:
        answer, _ = process.communicate(to_json(charts).encode(), timeout=PATIENCE)
        return _pictures(json.loads(answer))
    except Exception:  # noqa: BLE001 - whatever it is, it is not worth the release
        return Pictures()
    finally:
        _end(process)


def _take() -> subprocess.Popen[bytes] | None:
    with _taking:
        while _ready:
            process = _ready.pop()
            if process.poll() is None:
                return process
            _end(process)
    return None


def _withdraw(process: subprocess.Popen[bytes]) -> None:
    with _taking:
        process.kill()
        if process in _ready:
            _ready.remove(process)
            _end(process)


def _start() -> subprocess.Popen[bytes] | None:
    """Start the other process where no Ctrl-C meant for this one reaches it."""
    if not sys.executable:
        return None
    try:
        return subprocess.Popen(  # noqa: S603 - this interpreter and a program of our own
            [sys.executable, "-c", _PROGRAM, *map(str, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError):
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    with process:
        process.kill()


def _pictures(images: dict[str, dict[str, str]]) -> Pictures:
    drawn = {
        name: Picture(*(Markup(image[width]) for width in Picture._fields))  # noqa: S704 - escaped where it was drawn
        for name, image in images.items()
    }
    return Pictures(**drawn)
