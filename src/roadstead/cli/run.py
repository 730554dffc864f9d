"""Run a command line: every way it can end becomes an exit code and at most one line.

0: done. 1: it ran, and the answer is no. 2: the request or the input is wrong. 70: a defect of
Roadstead. 130, 141 and 143: interrupted, nobody reads what is written, terminated. An unexpected
error shows its kind and not its text, which may hold data; ``ROADSTEAD_DEBUG=1`` shows all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from copy import copy
from difflib import get_close_matches

import typer

from roadstead.cli.app import app
from roadstead.cli.ended import INTERRUPTED, TERMINATED, listening
from roadstead.cli.show import note
from roadstead.errors import RoadsteadError, quoted
from roadstead.front_end import naming
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS

USAGE, DEFECT = 2, 70
_NO_NUMBER = re.compile(
    r"Invalid value for '(?P<option>--[^']+)': Input should be a (valid|finite) (?P<kind>\w+)"
)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    with naming(CommandNaming(names_of_options(REQUESTS))), listening() as heard:
        try:
            return _carried_out(arguments)
        except BaseException as error:
            # A signal may have arrived as an error of an engine or of compiled code.
            code = _ended(heard[0]) if heard else _failed(error, arguments)
            if code is None:
                raise
            return code


def _carried_out(arguments: Sequence[str]) -> int:
    command = typer.main.get_command(_with_commands(arguments[:1]))
    result = command.main(
        list(arguments) or ["--help"], prog_name="roadstead", standalone_mode=False
    )
    if result == INTERRUPTED:  # so Typer tells of an interrupt
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _with_commands(named: Sequence[str]) -> typer.Typer:
    """Leave out the other commands where one is named; to make them all takes longer than to parse.

    Where none is, all are there to be listed, or to be named as near misses.
    """
    commands = [one for one in app.registered_commands if [one.name] == list(named)]
    if not commands:
        return app
    needed = copy(app)
    needed.registered_commands = commands
    return needed


def _ended(code: int) -> int:
    """End by a signal; who sent a termination needs no word of it."""
    if code == TERMINATED:
        return code
    return _say("interrupted; nothing unfinished was left behind", code)


def _failed(error: BaseException, arguments: Sequence[str]) -> int | None:
    """Tell of an error on one line; None for one that goes its way."""
    if isinstance(error, RoadsteadError):
        return _say(error.message, error.exit_code)
    if isinstance(error, typer.TyperException):
        return _say(_usage(error, arguments), USAGE)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _ended(INTERRUPTED)
    if os.environ.get("ROADSTEAD_DEBUG") or not isinstance(error, Exception):
        return None
    return _say(
        f"a defect of Roadstead ({type(error).__name__}); nothing unfinished was left behind; "
        "please report it with what ROADSTEAD_DEBUG=1 shows, after removing data from it",
        DEFECT,
    )


def _say(message: str, code: int) -> int:
    note(f"roadstead: {' '.join(message.split())}")
    return code


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """Say on one line what is wrong with the command line, with a near miss if there is one."""
    context = getattr(error, "ctx", None)
    message, command = _plain(error.format_message().rstrip("."), arguments), "roadstead"
    if context is not None:
        command = context.command_path
        wrong = getattr(error, "option_name", "")
        known = [option for parameter in context.command.params for option in parameter.opts]
        near = get_close_matches(wrong, known, n=1)
        if near and near[0] != wrong and "ossible" not in message:
            message += f"; did you mean {near[0]}?"
    if message.startswith("Got unexpected extra argument"):
        message += "; columns of one option are joined with commas, --quasi age,sex"
    return f"{message}; see {command} --help"


def _plain(message: str, arguments: Sequence[str]) -> str:
    """Say what is no number in the words that all other messages have, with what was typed."""
    found = _NO_NUMBER.match(message)
    if found is None:
        return message
    option, kind = found["option"], found["kind"]
    written = [
        after if one == option else one.removeprefix(f"{option}=")
        for one, after in zip(arguments, [*arguments[1:], ""], strict=True)
        if one == option or one.startswith(f"{option}=")
    ]
    given = quoted(written[-1]) if written else "this"
    right = "a whole number; write one such as 5" if kind == "integer" else "a number"
    return f"{option}: {given} is not {right}"
