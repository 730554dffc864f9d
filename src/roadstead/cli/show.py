"""Results on standard output, everything else on standard error.

Nothing else writes to either, so that every line goes through `roadstead.printable`: a name or a
value from outside writes no line of its own and no escape sequence.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer

from roadstead.errors import OutputError
from roadstead.printable import printable, printable_json

_UNREAD = 141
"""What a shell says of a command that wrote to a pipe that nobody reads."""


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else, on standard output."""
    other = _encoding().lower().replace("-", "") != "utf8"
    _put(printable_json(json.dumps(document, ensure_ascii=other, allow_nan=False)))


def show(lines: Iterable[str]) -> None:
    """Print the lines of a result on standard output, each on one line; nothing for none."""
    if printed := [printable(line) for line in lines]:
        _put("\n".join(printed))


def show_statement(text: str) -> None:
    """Print a statement for another program, which escapes would make another statement."""
    encoding = _encoding()
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        raise OutputError(
            f"its encoding, {encoding}, lacks a character of the statement",
            where="standard output",
            fix="set PYTHONIOENCODING=utf-8, or ask for --json",
        ) from None
    if any(printable(line) != line for line in text.split("\n")):
        raise OutputError(
            "a name or a value in the statement holds a character that is not seen",
            where="standard output",
            fix="ask for --json, which escapes it",
        )
    _put(text)


def _put(text: str) -> None:
    """Write to standard output; what its encoding lacks is escaped."""
    if sys.stdout is None:  # closed by who started the command
        return
    encoding = _encoding()
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
        raise typer.Exit(_UNREAD) from None
    except OSError as error:
        _give_up_output()
        raise OutputError(
            f"cannot be written to ({error.strerror or type(error).__name__})",
            where="standard output",
            fix="see where it leads; what was asked for is done",
        ) from None


def _give_up_output() -> None:
    """Let what is still buffered go nowhere, or Python complains of it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def note(line: str) -> None:
    """Print a message on standard error, on one line."""
    if sys.stderr is None:  # closed by who started the command
        return
    sys.stderr.write(f"{printable(line)}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def on_one_line(first: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on, on a line of the terminal that changes: the function sets it."""
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.markup import escape  # noqa: PLC0415 - likewise

    with Console(stderr=True).status(first) as status:
        yield lambda line: status.update(escape(printable(line)))
