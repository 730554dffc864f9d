"""A command interrupted by a signal just before it touches the disk, as a separate script.

Between two touches, nothing on the disk changes except a file that is being written. The moments
are therefore touches, not times, which differ between machines. Python's audit reports each touch.
A first run counts the touches, and each later run is interrupted at another one.

Most of a command's time is Python's start, in which nothing can go wrong. This process therefore
imports everything once, and every command is a fork of it. The script prints, as JSON, how each
command ended and what was in its folder.

Run: ``python strikes.py SIGNAL NUMBER OUT ARGUMENT...``; `OUT` is the folder that the command of
these arguments writes, which must not depend on the working directory. `NUMBER` touches are spread
over the work; 0 means all of them.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import SIGINT, Signals, default_int_handler, signal

NEEDED = (
    "duckdb",
    "ibis.backends.duckdb",
    "pyarrow.dataset",
    "roadstead.verbs.anonymize.run",
    "roadstead.cli.carrying_out",
    "roadstead.kernels.compiled",
    "roadstead.reports.page",
)
"""Imports of a command; none of them starts a thread."""
CHANGES = ("os.", "shutil.", "ctypes.", "tempfile.")
"""Kinds of events that may change what is on the disk, besides the opening of a file."""
READS = ("os.listdir", "os.scandir", "os.walk")


def touches(event: str, given: Sequence[object], folders: tuple[str, ...]) -> bool:
    """Say whether an event of Python's audit touches a file in one of the folders."""
    if event == "open":
        if given[1] is None or "r" in str(given[1]):
            return False
    elif event in READS or not event.startswith(CHANGES):
        return False
    return any(str(one).startswith(folders) for one in given if isinstance(one, str | os.PathLike))


def fork(arguments: Sequence[str], touched: Callable[[], None] | None = None, *folders: str) -> int:
    """Start a command in a copy of this process, silent; return its number.

    `touched` is called in the copy just before what is in one of the folders is touched.
    """
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        if touched is not None:
            watch = touched

            def heard(event: str, given: Sequence[object]) -> None:
                if touches(event, given, folders):
                    watch()

            sys.addaudithook(heard)
        from roadstead.cli.run import run  # noqa: PLC0415 - in the copy

        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = run(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


def ending(child: int) -> int:
    """Wait for a command; its code, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def strike(number: Signals, moments: int, out: Path, arguments: Sequence[str]) -> list[list[int]]:
    """Strike a command so many times; for each, its code and that of a verification after it."""
    folders = (str(out.parent), tempfile.gettempdir())
    with tempfile.TemporaryFile() as tally:
        # Twice, so that there is a former release to be replaced.
        for _ in range(2):
            tally.truncate(0)
            if ending(fork(arguments, lambda: note(tally.fileno()), *folders)) != 0:
                raise SystemExit("the command fails by itself")
        all_touches = os.fstat(tally.fileno()).st_size
    out.rename(out.with_name("whole"))
    moments = min(moments or all_touches, all_touches)
    found = []
    for moment in range(moments):
        code = ending(fork(arguments, striking(number, moment * all_touches // moments), *folders))
        found.append([code, ending(fork(["verify", str(out)])) if out.exists() else -1])
    return found


def note(tally: int) -> None:
    """Make a mark in a file that this process shares with its copies."""
    os.pwrite(tally, b".", os.fstat(tally).st_size)


def striking(number: Signals, moment: int) -> Callable[[], None]:
    """Make what is called at each touch: it strikes at one of them."""
    count = 0

    def touched() -> None:
        nonlocal count
        count += 1
        if count == moment + 1:
            os.kill(os.getpid(), number)

    return touched


if __name__ == "__main__":
    signal(SIGINT, default_int_handler)  # tests may run where it is ignored
    for module in NEEDED:
        importlib.import_module(module)
    _, name, moments, out, *arguments = sys.argv
    print(json.dumps(strike(Signals[name], int(moments), Path(out), arguments)))  # noqa: T201 - its answer
