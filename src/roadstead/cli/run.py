"""Run a command line, and return an exit code. An error is described on one line.

0: the command succeeded. 1: the command ran, and the answer is no. 2: the request or the input is
wrong. 70: Roadstead has a bug. 130: the command was interrupted. 141: no program reads the output.
143: the command was terminated. For an unexpected error, only the type of the error is printed,
because the error message may contain data. The setting ``ROADSTEAD_DEBUG=1`` prints everything.

A signal handler raises its exception in the code that is running at that moment. If an engine is
running, the engine reports its own error instead of the exception, so this module records which
signal arrived. If Python is deleting an object, the exception is lost, so this module sends the
signal again. A compiler may crash if it is interrupted, so this module lets the compiler finish
first.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import typer

from roadstead.cli.app import app
from roadstead.cli.other_words import meant_by
from roadstead.cli.show import note
from roadstead.errors import RoadsteadError, quoted
from roadstead.front_end import naming
from roadstead.requests.writing import CommandNaming, names_of_options
from roadstead.verbs.catalog import REQUESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Handler = Callable[[int, FrameType | None], None]

INTERRUPTED, TERMINATED = 130, 143
"""The exit codes for Ctrl-C and for a termination signal, as in a shell."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
_SOON = 0.01
"""The time in seconds before a lost or delayed signal is sent again."""
_BRITTLE = ("numba.", "llvmlite.")
"""Modules whose compiled code may crash if interrupted."""
USAGE, DEFECT = 2, 70
_OFFERED = re.compile(r"\.? (?:Did you mean .*\?|\(Possible (?:options|commands): .*\))$")
"""A pattern that matches Typer's suggestions for an unknown name."""
_PLACES = ("first", "second", "third")
_NO_COMMAND = re.compile(r"No such command '(?P<name>.*)'$")
_NO_NUMBER = re.compile(
    r"Invalid value for '(?P<option>--[^']+)': Input should be a (valid|finite) (?P<kind>\w+)"
)


@contextlib.contextmanager
def listening() -> Iterator[list[int]]:
    """Let signals end the code in the context.

    If the process already ignores a signal, the signal remains ignored. Examples are a hangup under
    nohup, and an interrupt of a background process. The context yields a list. For each signal, its
    exit code is added to this list.
    """
    heard: list[int] = []

    def strike(frame: FrameType | None) -> None:
        if _inside(frame, _BRITTLE):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        elif heard[0] == TERMINATED:
            sys.exit(TERMINATED)
        else:
            raise KeyboardInterrupt

    def struck(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            heard.append(INTERRUPTED)
        elif number != signal.SIGALRM or not heard:  # any other alarm also ends the command
            heard.append(TERMINATED)
        strike(frame)

    former_hook = sys.unraisablehook

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if heard and isinstance(what.exc_value, SystemExit | KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        else:
            former_hook(what)

    sys.unraisablehook = dropped
    with _handled(struck):
        try:
            yield heard
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.unraisablehook = former_hook


@contextlib.contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    honored = [one for one in _SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
    former = {number: signal.signal(number, handler) for number in honored}
    try:
        yield
    finally:
        for number, earlier in former.items():
            if earlier is not None:  # a handler from outside Python cannot be set again
                signal.signal(number, earlier)


def _inside(frame: FrameType | None, modules: tuple[str, ...]) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(modules):
            return True
        frame = frame.f_back
    return False


def run(arguments: Sequence[str]) -> int:
    """Run the command line, and return the exit code."""
    with naming(CommandNaming(names_of_options(REQUESTS))), listening() as heard:
        try:
            return _carried_out(arguments)
        except BaseException as error:
            # The error of an engine or of compiled code may result from a signal.
            code = _ended(heard[0]) if heard else _failed(error, arguments)
            if code is None:
                raise
            return code


def _carried_out(arguments: Sequence[str]) -> int:
    command = typer.main.get_command(_with_commands(arguments[:1]))
    result = command.main(
        list(arguments) or ["--help"], prog_name="roadstead", standalone_mode=False
    )
    if result == INTERRUPTED:  # Typer reports an interrupt with this exception
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _with_commands(named: Sequence[str]) -> typer.Typer:
    """Return the app with only the named command, because creating all commands is slow.

    If the name is unknown or missing, return the app with all commands, so that they can be listed
    or suggested.
    """
    commands = [one for one in app.registered_commands if [one.name] == list(named)]
    if not commands:
        return app
    needed = copy(app)
    needed.registered_commands = commands
    return needed


def _ended(code: int) -> int:
    """Return the exit code for a signal. Print a message unless the signal requests termination."""
    if code == TERMINATED:
        return code
    return _say("interrupted; no unfinished files remain", code)


def _failed(error: BaseException, arguments: Sequence[str]) -> int | None:
    """Print an error on one line, and return the exit code.

    Return None if the caller must raise the error again.
    """
    if isinstance(error, RoadsteadError):
        return _say(error.message, error.exit_code)
    if isinstance(error, typer.TyperException):
        return _say(_usage(error, arguments), USAGE)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _ended(INTERRUPTED)
    if os.environ.get("ROADSTEAD_DEBUG") or not isinstance(error, Exception):
        return None
    return _say(
        f"Roadstead has a bug ({type(error).__name__}); no unfinished files remain; please run "
        "the command again with ROADSTEAD_DEBUG=1, delete the data of your table from the "
        "output, and report the bug with the rest of the output",
        DEFECT,
    )


def _say(message: str, code: int) -> int:
    note(f"roadstead: {' '.join(message.split())}")
    return code


_IN_ADDRESS = {
    "--sheet": "'visits.xlsx?sheet=2026'",
    "--cells": "'visits.xlsx?sheet=2026&cells=A3'",
}
"""Parts of a file that users expect to find among the options."""


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """Describe a wrong command line on one line. If a known name is similar, suggest this name."""
    context = getattr(error, "ctx", None)
    message = _OFFERED.sub("", _plain(error.format_message().rstrip("."), arguments)).rstrip(".")
    command = "roadstead"
    if context is not None:
        command = context.command_path
        wrong, known = _misnamed(error, message, context)
        places = [
            one.name
            for one in context.command.get_params(context)
            if one.param_type_name == "argument"
        ]
        named = wrong.removeprefix("--")
        near = named if named in places else meant_by(wrong, known)
        if wrong in _IN_ADDRESS and "data" in places:  # otherwise, the command reads no workbook
            message += f"; write it after the file name, as in {_IN_ADDRESS[wrong]}"
        elif near in places:
            place = _PLACES[places.index(near)]
            message += f"; give {near} as the {place} argument, without an option name"
        elif near not in (None, wrong):
            message += f"; did you mean {near}?"
        if message.startswith("Got unexpected extra argument"):
            message += _extra(known, arguments)
    return f"{message}; see {command} --help"


def _extra(known: Sequence[str], arguments: Sequence[str]) -> str:
    """Name the option to which an extra argument probably belongs, and say how to write it."""
    given = {argument.partition("=")[0] for argument in arguments}
    lists, files = ("--quasi", "--known"), ("--original", "--rules")
    names = [name for name in lists if name in given]
    names += [name for name in files if name in known and name not in given]
    names += [name for name in (*lists, "--key") if name in known]
    if not names:
        return ""
    if names[0] in lists:
        return f"; separate the columns of an option with commas, for example {names[0]} age,sex"
    return f"; write the option before the file name, for example {names[0]} FILE"


def _misnamed(
    error: typer.TyperException, message: str, context: typer.Context
) -> tuple[str, list[str]]:
    command = context.command
    if (found := _NO_COMMAND.match(message)) is not None:
        return found["name"], [*getattr(command, "commands", ()), "--help"]
    known = [option for parameter in command.get_params(context) for option in parameter.opts]
    return getattr(error, "option_name", "") or "", known


def _plain(message: str, arguments: Sequence[str]) -> str:
    """Rewrite Typer's message about an invalid number in plain words, and quote the input."""
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
    right = "a whole number, such as 5" if kind == "integer" else "a number"
    return f"{option}: {given} is not {right}"
