"""Print results to standard output and all other messages to standard error.

Only this module writes to these streams, and it passes every line through `roadstead.printable`.
Therefore, a name or a value from a file cannot add a line or an escape sequence.
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
"""The exit code if no program reads the output, as in a shell."""


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else, to standard output."""
    other = _encoding().lower().replace("-", "") != "utf8"
    _put(printable_json(json.dumps(document, ensure_ascii=other, allow_nan=False)))


def show(lines: Iterable[str]) -> None:
    """Print the lines of a result to standard output. Line breaks within a line are escaped."""
    if printed := [printable(line) for line in lines]:
        _put("\n".join(printed))


def show_statement(text: str) -> None:
    """Print a statement for another program.

    The characters are not escaped, because escapes would change the statement.
    """
    encoding = _encoding()
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        raise OutputError(
            f"the encoding {encoding} cannot show a character of the statement",
            where="standard output",
            fix="set PYTHONIOENCODING=utf-8, or use --json",
        ) from None
    if any(printable(line) != line for line in text.split("\n")):
        raise OutputError(
            "the statement contains an invisible character in a name or a value",
            where="standard output",
            fix="use --json, which escapes the character",
        )
    _put(text)


def _put(text: str) -> None:
    """Write to standard output, and escape characters that the encoding does not support."""
    if sys.stdout is None:  # the caller may have closed it
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
            f"the output cannot be written ({error.strerror or type(error).__name__})",
            where="standard output",
            fix="check where standard output goes; the command itself has finished",
        ) from None


def _give_up_output() -> None:
    """Discard the buffered output so that Python does not report an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def note(line: str) -> None:
    """Print a message to standard error, on one line."""
    if sys.stderr is None:  # the caller may have closed it
        return
    sys.stderr.write(f"{printable(line)}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def on_one_line(first: str) -> Iterator[Callable[[str], None]]:
    """Display the progress on a terminal line that is updated in place.

    The context yields a function that sets the text of the line.
    """
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.markup import escape  # noqa: PLC0415 - likewise

    with Console(stderr=True).status(first) as status:
        yield lambda line: status.update(escape(printable(line)))
