"""Format settings in messages: ``--k 5`` on the command line, ``k=5`` in Python.

Other packages identify a field of a request by its key and by the value to set. The current front
end defines the notation of the field. The default front end is Python. The front end is not known
during imports. Therefore, build a message that names a field only when the message is needed.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, Self, TypeAlias

Value: TypeAlias = "str | bool | float | Sequence[Value] | Mapping[str, Value]"
"""The value of a field. A string in capitals is a placeholder for the user's value."""


class Naming(Protocol):
    """A callable that formats a field for a front end."""

    @property
    def front(self) -> str:
        """Return the name of the front end: ``python``, ``command line``, or ``page``."""

    def __call__(self, key: str, value: Value | None) -> str:
        """Return the field as a string, followed by the value if a value is given."""


class Field(str):
    """A field name in the notation of the current front end, which also stores the field's key."""

    __slots__ = ("key",)
    key: str

    def __new__(cls, key: str, text: str) -> Self:
        """Create the string, and store the key."""
        made = super().__new__(cls, text)
        made.key = key
        return made


class PythonNaming:
    """A naming that formats fields as keywords: ``k=5``."""

    front = "python"

    def __call__(self, key: str, value: Value | None) -> str:
        """Return the keyword argument as a string."""
        if isinstance(value, Mapping) and "kind" in value:  # such fields have a list of settings
            value = [value]
        return key if value is None else f"{key}={_python(value)}"


_PYTHON = PythonNaming()
_naming: ContextVar[Naming] = ContextVar("naming", default=_PYTHON)
_in_documents: ContextVar[Naming | None] = ContextVar("in_documents", default=None)


@contextmanager
def naming(by: Naming, *, documents: Naming | None = None) -> Iterator[None]:
    """In this context, write fields in messages in the notation of the given front end.

    If `documents` is given, it defines the notation of fields in documents that others read.
    """
    former, former_in_documents = _naming.set(by), _in_documents.set(documents)
    try:
        yield
    finally:
        _naming.reset(former)
        _in_documents.reset(former_in_documents)


@contextmanager
def as_in_documents() -> Iterator[None]:
    """In this context, write the names of fields in the notation for documents."""
    former = _naming.set(_in_documents.get() or _naming.get())
    try:
        yield
    finally:
        _naming.reset(former)


def option(key: str, value: Value | None = None) -> Field:
    """Return a field name, or an assignment of a value to the field: ``unseen="suppress"``.

    The value of a flag is a Boolean. The value of a field that is set per column is a mapping from
    column names. The value of a privacy model is a mapping of its settings. For None, the function
    returns only the name.
    """
    return Field(key, _naming.get()(key, value))


def worded(*, command: str, python: str, page: str | None = None) -> str:
    """Return the wording for the current front end: command line, Python, or page."""
    front = _naming.get().front
    if front == "page" and page is not None:
        return page
    return command if front == "command line" else python


def named_with(fields: str, *, it: str = "it") -> str:
    """Return how a user names a column in a field. On a page, the user gives the column a role."""
    if _naming.get().front != "page":
        return f"name {it} with {fields}"
    return f"give {it} {option(fields.key) if isinstance(fields, Field) else fields}"


def argument(text: str) -> str:
    """Return a path or an address as a user types it. For a shell, add quotes where needed."""
    return shlex.quote(text) if _naming.get().front == "command line" else text


def name_in_list(name: str) -> str:
    """Return a name for use in a list, with quotes if the name contains a comma or a quote."""
    if not set(name) & {",", '"', "\n", "\r"} and name == name.strip():
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _python(value: Value) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{json.dumps(key)}: {_python(one)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_python, value))}]"
    if isinstance(value, str):
        return value if _stands_for_another(value) else json.dumps(value, ensure_ascii=False)
    return repr(value)


def _stands_for_another(text: str) -> bool:
    return len(text) > 1 and text.isalpha() and text.isupper()
