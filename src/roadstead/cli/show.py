"""Results on standard output, everything else on standard error.

Nothing else writes to either, so that every line goes through `roadstead.printable`: a name or a
value from outside writes no line of its own and no escape sequence.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import typer

from roadstead.errors import OutputError, SettingError
from roadstead.printable import printable, printable_json

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_LISTED = re.compile(
    rf"\s*(?:{_QUOTED.pattern.replace('(', '(?P<quoted>', 1)}\s*|(?P<bare>[^,]*))(?:,|$)"
)
"""A name of a list: in quotes, doubled within, or up to the next comma."""
_UNREAD = 141
"""What a shell says of a command that wrote to a pipe that nobody reads."""


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else, on standard output."""
    _put(printable_json(json.dumps(document, ensure_ascii=not _speaks_unicode(), allow_nan=False)))


def show(lines: Iterable[str]) -> None:
    """Print the lines of a result on standard output, each on one line; nothing for none."""
    if printed := [printable(line) for line in lines]:
        _put("\n".join(printed))


def show_statement(text: str) -> None:
    """Print a statement for another program, which escapes would make another statement.

    Raises
    ------
    OutputError
        When it holds a character that cannot be printed as it is.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
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
    """Write to standard output; what its encoding lacks is escaped.

    Raises
    ------
    OutputError
        When it cannot be written to.
    typer.Exit
        When nobody reads it any more.
    """
    if sys.stdout is None:  # closed by who started the command
        return
    encoding = sys.stdout.encoding or "utf-8"
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


def _speaks_unicode() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "") == "utf8"


def note(line: str) -> None:
    """Print a message on standard error, on one line."""
    if sys.stderr is None:  # closed by who started the command
        return
    sys.stderr.write(f"{printable(line)}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def on_one_line(first: str) -> Iterator[Callable[[str], None]]:
    """Show what is going on, on a line of the terminal that changes.

    Yields
    ------
    callable
        Takes what the line says next.
    """
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.markup import escape  # noqa: PLC0415 - likewise

    with Console(stderr=True).status(first) as status:
        yield lambda line: status.update(escape(printable(line)))


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """Split comma-separated names; one in quotes is taken as it is, with its commas and blanks.

    Raises
    ------
    SettingError
        When they cannot be split.
    """
    return tuple(name for name, _ in _listed(values))


def _listed(values: Sequence[str] | None) -> list[tuple[str, bool]]:
    """Give each name of a list, and whether it was in quotes."""
    found = []
    for value in values or ():
        for match in _LISTED.finditer(value):
            quoted, bare = match["quoted"], (match["bare"] or "").strip()
            if "\n" in bare or "\r" in bare:
                raise SettingError(
                    "a list of names holds a line break",
                    fix="write names with one in quotes, such as '\"line\\nbreak\",age'",
                )
            if quoted is not None and quoted.strip():
                found.append((quoted.replace('""', '"'), True))
            elif bare:
                found.append((bare, False))
    return found


def pairs(values: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=value`` pairs, several in one value separated by commas.

    A name, or a whole pair, in quotes is taken as it is.

    Raises
    ------
    SettingError
        When one has no equals sign.
    """
    found = {}
    for item, in_quotes in _listed(values):
        name, sign, value = item.rpartition("=")
        if not sign or not name:
            raise SettingError(f"{item!r} is not NAME=VALUE", where=option, fix="write age=2")
        own = _QUOTED.fullmatch(name.strip())
        name = own[1].replace('""', '"') if own else name if in_quotes else name.strip()
        found[name] = value.strip()
    return found


def numbers(values: Sequence[str] | None, option: str) -> dict[str, float]:
    """Read ``name=number`` pairs.

    Raises
    ------
    SettingError
        When one is not.
    """
    found = {}
    for name, value in pairs(values, option).items():
        try:
            found[name] = float(value)
        except ValueError:
            raise SettingError(
                f"{value!r} is not a number", where=f"{option} {name}", fix="write age=2"
            ) from None
    return found


def whole_numbers(values: Sequence[str] | None, option: str) -> dict[str, int]:
    """Read ``name=whole number`` pairs.

    Raises
    ------
    SettingError
        When one is not.
    """
    found = {}
    for name, value in pairs(values, option).items():
        if not value.isdecimal():
            raise SettingError(
                f"{value!r} is not a level", where=f"{option} {name}", fix="write age=2"
            )
        found[name] = int(value)
    return found
