"""Every error that Roadstead raises, in one tree.

::

    RoadsteadError
    ├── InputError            the request or the input is wrong (exit code 2)
    │   ├── SourceError       a table cannot be read as it is
    │   ├── RoleError         a column that is not there, or has two roles
    │   ├── HierarchyError    a hierarchy does not cover, nest or end in one value
    │   ├── SettingError      a number out of its range, options that exclude each other
    │   ├── PolicyError       a policy document that cannot be used, or not on this table
    │   ├── OutputError       exists already, cannot be written, no space left
    │   └── MissingExtraError an optional part is not installed
    └── Refusal               it ran, and the answer is no (exit code 1)
        ├── NoPolicyError     no policy satisfies the models
        └── VerificationError a release does not keep what it promises

A message has three parts and is always one line: *where* (file, row, column), *what* is wrong,
and the *fix*. No message carries more of the data than the one cell it is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from roadstead.printable import printable

_LONGEST_CELL = 60
_RIGHT_FORMS = {
    "decimal": "a number",
    "float": "a number",
    "finite": "a finite number",
    "int": "a whole number",
    "string_too": "one character",
    "string": "text",
    "path": "a path",
    "tuple": "a list",
    "list": "a list",
    "dict": "a table",
    "bool": "true or false",
}
"""By how Pydantic's names of faults begin."""


class RoadsteadError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    what
        What is wrong, as a clause without a full stop.
    where
        The file, row, column or option it is about.
    fix
        What the user can do about it.

    Attributes
    ----------
    field
        The key of the field of a request it is about (`roadstead.front_end.option`), so that a form
        can show it there; None where it is about something else.
    drift
        What drifted, where a policy does not suit new data (`roadstead.verbs.apply.drift.Drift`);
        None elsewhere.
    """

    exit_code = 2
    drift: Any = None

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        self.field: str | None = getattr(where, "key", None)
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The whole error on one line, safe to print."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        text = f"{head}; {self.fix}" if self.fix else head
        return printable(" ".join(text.split()))


class InputError(RoadsteadError):
    """The request or the input is wrong; nothing was written."""


class SourceError(InputError):
    """A table cannot be read as it is."""


class RoleError(InputError):
    """A column is named that the table does not have, has two roles, or must not be released.

    Attributes
    ----------
    refused
        For each column that must not be released, the reasons in words that show no value.
    """

    refused: Mapping[str, Sequence[str]] = MappingProxyType({})


class HierarchyError(InputError):
    """A generalization hierarchy is not one, or does not cover the data."""


class SettingError(InputError):
    """A setting is out of its range, or contradicts another."""


class PolicyError(InputError):
    """A policy document cannot be used, or not on this table."""


class OutputError(InputError):
    """The output exists already, or cannot be written."""


class MissingExtraError(InputError):
    """An optional part of Roadstead is needed and not installed."""


class Refusal(RoadsteadError):  # noqa: N818 - an answer, not a fault
    """The work was done, and the answer is no."""

    exit_code = 1


class NoPolicyError(Refusal):
    """No policy of the space satisfies the privacy models within the suppression limit."""


class VerificationError(Refusal):
    """A release does not keep what it promises."""


def quoted(value: str) -> str:
    """Show one cell in a message: quoted, shortened, control characters made visible."""
    shown = value if len(value) <= _LONGEST_CELL else value[: _LONGEST_CELL - 1] + "…"
    return printable(repr(shown))


def right_form(fault: str) -> str | None:
    """Say what a value must be, by Pydantic's name of what is wrong with it; None if unknown."""
    return next((right for start, right in _RIGHT_FORMS.items() if fault.startswith(start)), None)
