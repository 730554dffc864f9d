"""Write settings in messages: ``--k 5`` on the command line, ``k=5`` in Python.

The other packages identify a field of a request by its key and the value to set. The front end in
use defines how the field is written. The default is Python. Make a text that contains a field when
it is needed, and never when a module is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, Self, TypeAlias

Value: TypeAlias = "str | bool | float | Sequence[Value] | Mapping[str, Value]"
"""The value of a field. A text in capitals is a placeholder for the user's value."""


class Naming(Protocol):
    """How a front end writes a field."""

    @property
    def front(self) -> str:
        """Return the name of the front end: ``python``, ``command line``, or ``page``."""

    def __call__(self, key: str, value: Value | None) -> str:
        """Return a field as text, with the value to set. Without a value, return only the field."""


class Field(str):
    """The name of a field in the form of the front end in use, with the key of the field."""

    __slots__ = ("key",)
    key: str

    def __new__(cls, key: str, text: str) -> Self:
        """Return the text, and keep the key."""
        made = super().__new__(cls, text)
        made.key = key
        return made


class PythonNaming:
    """A naming of fields as keywords: ``k=5``."""

    front = "python"

    def __call__(self, key: str, value: Value | None) -> str:
        """Return a keyword as text."""
        return key if value is None else f"{key}={_python(value)}"


_PYTHON = PythonNaming()
_naming: ContextVar[Naming] = ContextVar("naming", default=_PYTHON)
_in_documents: ContextVar[Naming | None] = ContextVar("in_documents", default=None)


@contextmanager
def naming(by: Naming, *, documents: Naming | None = None) -> Iterator[None]:
    """Within this context, messages contain fields in the form of this front end.

    If `documents` is given, it defines the form of fields in texts for other readers.
    """
    former, former_in_documents = _naming.set(by), _in_documents.set(documents)
    try:
        yield
    finally:
        _naming.reset(former)
        _in_documents.reset(former_in_documents)


@contextmanager
def as_in_documents() -> Iterator[None]:
    """Within this context, texts contain fields in the form for documents."""
    former = _naming.set(_in_documents.get() or _naming.get())
    try:
        yield
    finally:
        _naming.reset(former)


def option(key: str, value: Value | None = None) -> Field:
    """Return the name of a field of a request, or an assignment to it: ``unseen="suppress"``.

    The value is True or False for a flag, a mapping from columns for a field that is set per
    column, and a mapping of settings for a privacy model. If the value is None, only the name is
    returned.
    """
    return Field(key, _naming.get()(key, value))


def worded(*, command: str, python: str, page: str | None = None) -> str:
    """Return the words for the front end in use: command line, Python, or page."""
    front = _naming.get().front
    if front == "page" and page is not None:
        return page
    return command if front == "command line" else python


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
