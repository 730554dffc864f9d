"""A command struck by a signal at moments spread over its work, as a script of its own.

Most of a command's time is Python's start, in which there is nothing to disturb. So this process
imports everything once and every command is a fork of it. It prints, as JSON, how each ended and
what was found in its place.

Run: ``python strikes.py SIGNAL NUMBER OUT ARGUMENT...``; `OUT` is the folder that the command of
these arguments writes, which must not depend on the working directory.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from signal import SIGINT, Signals, default_int_handler, signal

NEEDED = (
    "duckdb",
    "ibis.backends.duckdb",
    "pyarrow.dataset",
    "roadstead.cli.anonymize",
    "roadstead.cli.verify",
    "roadstead.kernels.compiled",
    "roadstead.reports.page",
)
"""What a command imports; nothing of it starts a thread."""


def fork(arguments: Sequence[str]) -> int:
    """Start a command in a copy of this process, silent; return its number."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
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
    seconds = 0.0
    for _ in range(2):  # the first pays for what is done once
        began = time.monotonic()
        if ending(fork(arguments)) != 0:
            raise SystemExit("the command fails by itself")
        seconds = time.monotonic() - began
    out.rename(out.with_name("whole"))
    found = []
    for moment in range(moments):
        child = fork(arguments)
        time.sleep(seconds * (moment + 0.5) / moments)
        os.kill(child, number)
        code = ending(child)
        found.append([code, ending(fork(["verify", str(out)])) if out.exists() else -1])
    return found


if __name__ == "__main__":
    signal(SIGINT, default_int_handler)  # tests may run where it is ignored
    for module in NEEDED:
        importlib.import_module(module)
    _, name, moments, out, *arguments = sys.argv
    print(json.dumps(strike(Signals[name], int(moments), Path(out), arguments)))  # noqa: T201 - its answer
