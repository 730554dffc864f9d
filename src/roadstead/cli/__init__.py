"""Provide the command line interface of Roadstead."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

_OBJECTS = 50_000
"""The threshold of Python's garbage collector, as a number of objects. Python's default is 700."""


_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
"""The exit code for each signal, as in a shell."""


def main() -> None:
    """Run the command line, and exit with the exit code."""
    for number in _CODES:  # during the imports, which take a second
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _ended)
    gc.set_threshold(_OBJECTS)
    # Arrow's own allocators keep up to 100 MB of memory between files.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Roadstead does not use plugins of Pydantic. A search for plugins reads the metadata of all
    # packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from roadstead.cli.run import run  # noqa: PLC0415 - imported only when needed

    _leave(run(sys.argv[1:]))


def _ended(number: int, _frame: object) -> None:
    """Exit after a signal that arrives when the command does not handle signals itself."""
    if number == signal.SIGINT:
        os.write(2, b"roadstead: interrupted; no unfinished files remain\n")
    _leave(_CODES[signal.Signals(number)])


def _leave(code: int) -> None:
    """End the process at once, because deleting all objects first would take half a second.

    The output is already written, and temporary folders are already removed.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the caller may have closed the stream
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # as Python does if no program reads the output
    atexit._run_exitfuncs()  # noqa: SLF001 - Python itself calls it at the end
    os._exit(code)
