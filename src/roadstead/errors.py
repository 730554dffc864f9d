"""Define all errors that Roadstead raises, in one tree.

::

    RoadsteadError
    ├── InputError            the request or the input is wrong (exit code 2)
    │   ├── SourceError       a table cannot be read
    │   ├── RoleError         a column is missing or has two roles
    │   ├── HierarchyError    a hierarchy omits values, is not nested, or has no top
    │   ├── SettingError      a number is out of range, or options exclude each other
    │   ├── PolicyError       a policy document is invalid, or does not fit the table
    │   ├── OutputError       the output exists, cannot be written, or the disk is full
    │   └── MissingExtraError an optional part is not installed
    └── Refusal               the work was done, and the answer is no (exit code 1)
        ├── NoPolicyError     no policy satisfies the models
        └── VerificationError a release fails verification

A message has three parts on one line: *where* (file, row, column), *what* is wrong, and the *fix*.
A message shows at most one cell of the data: the cell that caused the error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

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
"""The required forms of values; the keys are the first words of Pydantic's error types."""


class RoadsteadError(Exception):
    """The base class of all errors that Roadstead raises on purpose.

    Parameters
    ----------
    what
        What is wrong, as a clause without a period.
    where
        The file, row, column, or option that caused the error.
    fix
        What the user can do about the error.

    Attributes
    ----------
    field
        The key of the request's field that caused the error (`roadstead.front_end.option`). A form
        can show the error at this field. None if the cause is not a field.
    drift
        The changes in new data that prevent the use of a policy (`roadstead.Drift`). None for other
        errors.
    earlier_releases
        All findings of the ledger, if the ledger refused a release
        (`roadstead.reports.ledger.LedgerFindings`). None for other errors.
    """

    exit_code = 2
    drift: Any = None
    earlier_releases: Any = None

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        self.field: str | None = getattr(where, "key", None)
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """Return the whole error on one line, safe to print."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        text = f"{head}; {self.fix}" if self.fix else head
        return printable(" ".join(text.split()))


class InputError(RoadsteadError):
    """The request or the input is wrong, and nothing was written."""


class SourceError(InputError):
    """A table cannot be read."""


class RoleError(InputError):
    """A named column is not in the table, has two roles, or must not be released.

    Attributes
    ----------
    refused
        The reasons for each column that must not be released, in words that do not show any value.
    """

    refused: Mapping[str, Sequence[str]] = MappingProxyType({})

    def refusing(self, column: str) -> Self:
        """Store that the error is the reason for which a column must not be released."""
        self.refused = {column: (self.what,)}
        return self


class HierarchyError(InputError):
    """A generalization hierarchy is invalid, or does not cover the data."""


class SettingError(InputError):
    """A setting is out of its range, or contradicts another setting."""


class PolicyError(InputError):
    """A policy document cannot be used at all, or cannot be used on this table."""


class OutputError(InputError):
    """The output already exists, or cannot be written."""


class MissingExtraError(InputError):
    """An optional part of Roadstead is needed, but is not installed."""


class Refusal(RoadsteadError):  # noqa: N818 - an answer, not a fault
    """The work was done, and the answer is no."""

    exit_code = 1


class NoPolicyError(Refusal):
    """No policy of the search space satisfies the privacy models within the suppression limit."""


class VerificationError(Refusal):
    """A release fails verification."""


def quoted(value: str) -> str:
    """Return a cell for a message, in quotes. Shorten it, and make control characters visible."""
    shown = value if len(value) <= _LONGEST_CELL else value[: _LONGEST_CELL - 1] + "…"
    return printable(repr(shown))


def right_form(fault: str) -> str | None:
    """Return the form that an error type of Pydantic requires of a value, or None."""
    return next((right for start, right in _RIGHT_FORMS.items() if fault.startswith(start)), None)
