"""How a message names what a user can set: ``--k 5`` on the command line, ``k=5`` in Python.

The rooms below say *which* option they mean, and what to set it to. How that is written is up to
the front end in use. Python is the default; the command line says that it is at work while it is.
A text with an option in it is made when it is needed, never when a module is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

Value: TypeAlias = "str | bool | float | Sequence[Value] | Mapping[str, Value]"
"""What an option is set to; a text in capitals stands for something of the user's."""

_ARGUMENTS = {
    "margin": "margins",
    "order": "orders",
    "range": "ranges",
    "taxonomy": "taxonomies",
    "weight": "weights",
}
"""Options that may be repeated, which have another name in Python."""
_at_work = ["python"]


@contextmanager
def command_line() -> Iterator[None]:
    """Let messages name options as the command line has them, meanwhile."""
    _at_work.append("command line")
    try:
        yield
    finally:
        _at_work.pop()


def option(name: str, value: Value | None = None) -> str:
    """Name an option, or what to set it to.

    Parameters
    ----------
    name
        The option as the command line has it, without its dashes.
    value
        What to set it to; True and False for a flag, a mapping from columns for one that is given
        by column, or the settings of a privacy model. None to name the option alone.

    Examples
    --------
    >>> option("unseen", "suppress")
    'unseen="suppress"'
    >>> with command_line():
    ...     option("unseen", "suppress")
    '--unseen suppress'
    """
    if _at_work[-1] == "command line":
        if isinstance(value, bool):
            return f"--{name}" if value else f"--no-{name}"
        return f"--{name}" if value is None else f"--{name} {_typed(value)}"
    argument = _ARGUMENTS.get(name, name.replace("-", "_"))
    return argument if value is None else f"{argument}={_python(value)}"


def worded(*, command: str, python: str) -> str:
    """Choose between the words for the command line and those for Python."""
    return command if _at_work[-1] == "command line" else python


def _typed(value: Value) -> str:
    if isinstance(value, Mapping):
        if "kind" in value:
            settings = [f"{key}={_typed(one)}" for key, one in value.items() if key != "kind"]
            return ":".join([str(value["kind"]), *([",".join(settings)] if settings else [])])
        return ",".join(f"{key}={_typed(one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(_typed, value))
    return str(value)


def _python(value: Value) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{json.dumps(key)}: {_python(one)}" for key, one in value.items())
        return f"[{{{inside}}}]" if "kind" in value else f"{{{inside}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_python, value))}]"
    if isinstance(value, str):
        return value if _stands_for_another(value) else json.dumps(value, ensure_ascii=False)
    return repr(value)


def _stands_for_another(text: str) -> bool:
    return len(text) > 1 and text.isalpha() and text.isupper()
