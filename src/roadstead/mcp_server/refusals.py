"""Describe an error to an agent: the kind, the place, and the argument, but not the text.

The text may quote a cell. A person who runs the same command can read the text.
"""

from __future__ import annotations

import re

from pydantic import ValidationError

from roadstead import errors
from roadstead.errors import RoadsteadError, right_form
from roadstead.printable import printable

_LINE = re.compile(r"\b(line|row|record) (\d[\d,]*)\b")
_WHOLE_MESSAGE = (
    "The full message may contain a cell of the table, so it is not shown here. To read the full "
    "message, a person who is allowed to see the data can run the same command on the command "
    "line."
)


class ArgumentError(RoadsteadError):
    """An error in an argument. The text does not quote a cell, so the agent may see the text."""


def refusal(error: BaseException, known: tuple[str, ...]) -> str:
    """Describe an error for an agent. The place contains only `known` names and line numbers."""
    if isinstance(error, ValidationError):
        return _of_arguments(error)
    if isinstance(error, ArgumentError):
        return error.message
    if isinstance(error, KeyboardInterrupt):
        return "Stopped."
    if not isinstance(error, RoadsteadError):
        return f"Unexpected error in Roadstead ({type(error).__name__}). {_WHOLE_MESSAGE}"
    kind = next(one for one in type(error).__mro__ if one.__module__ == errors.__name__)
    said = (kind.__doc__ or "").partition("\n")[0]
    where = "; ".join(_place(error, known))
    return printable(
        " ".join(part for part in (said, where and f"Where: {where}.", _WHOLE_MESSAGE) if part)
    )


def _place(error: RoadsteadError, known: tuple[str, ...]) -> list[str]:
    text = error.where or ""
    found = [one for one in known if one and one in text]
    if (line := _LINE.search(text)) is not None:
        found.append(f"{line[1]} {line[2]}")
    if error.field is not None:
        found.append(f"the argument {error.field}")
    return list(dict.fromkeys(found))


def _of_arguments(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    said = []
    for one in faults:
        name = ".".join(str(part) for part in one["loc"]) or "the arguments"
        right = right_form(one["type"])
        said.append(f"{name}: must be {right}" if right else f"{name}: {one['msg'].lower()}")
    return printable("; ".join(said))
