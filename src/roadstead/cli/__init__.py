"""The command line: it parses, calls a verb, and shows what came of it."""

from __future__ import annotations

import gc
import sys

_OBJECTS = 50_000
"""New objects after which Python looks for cycles among them. With its usual 700 a command that
imports much, and ends soon, spends a tenth of its time looking."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(_OBJECTS)
    from roadstead.cli.run import run  # noqa: PLC0415 - nothing is imported before it is needed

    code = run(sys.argv[1:])
    gc.freeze()  # or the interpreter looks for cycles among all of them once more before it ends
    sys.exit(code)
