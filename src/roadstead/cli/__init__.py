"""The command line: it parses, calls a verb, and shows what came of it."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from roadstead.cli.run import run  # noqa: PLC0415 - nothing is imported before it is needed

    sys.exit(run(sys.argv[1:]))
