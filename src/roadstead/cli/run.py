"""Run a command line: every way it can end becomes an exit code and at most one line.

0: done. 1: it ran, and the answer is no. 2: the request or the input is wrong. 70: a defect of
Roadstead. 130, 141 and 143: interrupted, nobody reads what is written, terminated. An unexpected
error shows its kind and not its text, which may hold data; ``ROADSTEAD_DEBUG=1`` shows all.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from types import FrameType

import typer

from roadstead.cli.app import app
from roadstead.errors import RoadsteadError

USAGE, DEFECT, INTERRUPTED, TERMINATED = 2, 70, 130, 143


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler
        nonlocal terminated
        terminated = True
        sys.exit(TERMINATED)

    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    command = typer.main.get_command(app)
    try:
        result = command.main(
            list(arguments) or ["--help"], prog_name="roadstead", standalone_mode=False
        )
    except RoadsteadError as error:
        return _say(error.message, error.exit_code)
    except typer.TyperException as error:
        return _say(_usage(error), USAGE)
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except Exception as error:
        if os.environ.get("ROADSTEAD_DEBUG"):
            raise
        return _say(
            f"a defect of Roadstead ({type(error).__name__}); nothing unfinished was left behind; "
            "please report it with what ROADSTEAD_DEBUG=1 shows, after removing data from it",
            DEFECT,
        )
    if result == INTERRUPTED:
        # An engine at work tells of every signal as of an interrupt.
        told = "interrupted; nothing unfinished was left behind"
        return TERMINATED if terminated else _say(told, INTERRUPTED)
    return result if isinstance(result, int) else 0


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"roadstead: {' '.join(message.split())}\n")
    return code


def _usage(error: typer.TyperException) -> str:
    """Say on one line what is wrong with the command line, with a near miss if there is one."""
    context = getattr(error, "ctx", None)
    message, command = error.format_message().rstrip("."), "roadstead"
    if context is not None:
        command = context.command_path
        wrong = getattr(error, "option_name", "")
        known = [option for parameter in context.command.params for option in parameter.opts]
        near = get_close_matches(wrong, known, n=1)
        if near and near[0] != wrong and "ossible" not in message:
            message += f"; did you mean {near[0]}?"
    return f"{message}; see {command} --help"
