"""Define rules that keep only the first parts of a system's codes, or that group codes.

A rule contains all data that it needs, so Roadstead can read and apply a policy without the
system's file. Any string that is not a code of the system becomes `other`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from roadstead.code_systems.forms import (
    by_shape,
    first_parts,
    marks_of,
    plain,
    shape_of,
    written,
)

_MISSING = ""
STAR = "*"


class CodeRule:
    """The common methods of rules for codes. Each rule declares its own fields."""

    book: str
    part: str
    forms: tuple[str, ...]

    @cached_property
    def shapes(self) -> Mapping[str, str]:
        """Map each possible shape of a code to the form with this shape."""
        return by_shape(self.forms)

    @cached_property
    def marks(self) -> str:
        """Return the marks between the parts of a code."""
        return marks_of(self.forms)

    def describe(self) -> str:
        """Describe the rule in words."""
        return f"as {self.book} {self.part}"


@dataclass(frozen=True)
class Beginnings(CodeRule):
    """A rule that groups codes by the longest listed beginning of each code.

    Dots in codes are ignored. A code without a listed beginning becomes `other`. The beginnings
    must come from a code book, and not from the protected table. If `forms` are given (see
    `code_systems.forms`), a code must have one of these forms, and the comparison ignores marks and
    case. If `whole` is set, groups list complete values rather than beginnings.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    book: str
    part: str  # the kind of groups in the code book, such as chapters
    other: str = "not in the code book"
    forms: tuple[str, ...] = ()
    whole: bool = False
    kind: Literal["beginnings"] = "beginnings"

    @cached_property
    def _label_of(self) -> dict[str, str]:
        return {begin: label for label, begins in self.groups for begin in begins}

    @cached_property
    def lengths(self) -> list[int]:
        """Return the lengths of the listed beginnings, in descending order."""
        return sorted({len(begin) for begin in self._label_of}, reverse=True)

    def label(self, value: str) -> str:
        """Return the group of the code. A missing value stays missing."""
        if value == _MISSING:
            return value
        if self.whole:
            return self._label_of.get(value, self.other)
        if self.forms and shape_of(value) not in self.shapes:
            return self.other
        code = plain(value, self.marks) if self.forms else value.replace(".", "")
        known = (self._label_of.get(code[:length]) for length in self.lengths)
        return next((label for label in known if label is not None), self.other)

    def produces(self, label: str) -> bool:
        """Return whether the label belongs to a group."""
        return label in {_MISSING, self.other, *self._label_of.values()}


@dataclass(frozen=True)
class CodeParts(CodeRule):
    """A rule that keeps the first `keep` parts of a code and the marks between these parts.

    `forms` are forms as in `code_systems.forms`. `first` lists the possible first parts; if it is
    empty, every first part is possible. A label is extended with stars to the length `width`. If
    `width` is 0, the label has no stars. A code with fewer parts keeps all of its parts. A string
    that does not have one of the forms becomes `other`.
    """

    book: str
    part: str  # the name of the last kept part
    keep: int
    forms: tuple[str, ...]
    first: tuple[str, ...] = ()
    width: int = 0
    other: str = "other"
    kind: Literal["code-parts"] = "code-parts"

    @cached_property
    def _first(self) -> frozenset[str]:
        return frozenset(self.first)

    @cached_property
    def _begins(self) -> frozenset[tuple[str, int]]:
        """Return each shape of a label without stars, with the length of its first part."""
        return frozenset((first_parts(form, self.keep), self.of_first(form)) for form in self.forms)

    def of_first(self, form: str) -> int:
        """Return the length of the first part of a form."""
        return len(first_parts(form, 1))

    def label(self, value: str) -> str:
        """Return the first parts of the code. A missing value stays missing."""
        if value == _MISSING:
            return value
        form = self.shapes.get(shape_of(value))
        if form is None:
            return self.other
        code = plain(value, self.marks)
        if self.first and code[: self.of_first(form)] not in self._first:
            return self.other
        return written(first_parts(form, self.keep), code).ljust(self.width, STAR)

    def produces(self, label: str) -> bool:
        """Return whether a code of the system can have these first parts."""
        if label in {_MISSING, self.other}:
            return True
        kept = label.rstrip(STAR)
        if kept.ljust(self.width, STAR) != label or plain(kept, "") != kept:
            return False
        shape = shape_of(kept)
        return any(
            shape == begin and (not self.first or kept[:length] in self._first)
            for begin, length in self._begins
        )
