"""The command line: it parses, calls a verb, and shows what came of it."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

_OBJECTS = 50_000
"""New objects after which Python looks for cycles among them. With its usual 700 a command that
imports much, and ends soon, spends a tenth of its time looking."""


_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
"""The codes that a shell gives to a command that a signal ended."""


def main() -> None:
    """Run the command line and exit with its code."""
    for number in _CODES:  # a second of imports comes before the command can hear signals itself
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _ended)
    gc.set_threshold(_OBJECTS)
    # Arrow's own allocators keep what they had from file to file, up to 100 MB.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # A command uses no plugins of Pydantic; looking for them reads the metadata of all packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from roadstead.cli.run import run  # noqa: PLC0415 - nothing is imported before it is needed

    _leave(run(sys.argv[1:]))


def _ended(number: int, _frame: object) -> None:
    """End a command that has made nothing yet, or nothing any more."""
    if number == signal.SIGINT:
        os.write(2, b"roadstead: interrupted; no unfinished files are left\n")
    _leave(_CODES[signal.Signals(number)])


def _leave(code: int) -> None:
    """End the process without taking every object apart first, which takes half a second.

    What has to be done at the end is done: output is written, temporary folders are removed.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # one that was closed by who started the command
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # as Python ends where nobody reads what is written
    atexit._run_exitfuncs()  # noqa: SLF001 - what Python itself calls first
    os._exit(code)
