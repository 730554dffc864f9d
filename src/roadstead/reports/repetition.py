"""Describe how a release compares with the same release generated again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from roadstead.front_end import option
from roadstead.reports import wording


class Compared(Protocol):
    """A comparison of two releases."""

    @property
    def same(self) -> Sequence[str]:
        """The parts that are the same."""

    @property
    def different(self) -> Sequence[str]:
        """The parts that differ."""

    @property
    def secrets(self) -> str | None:
        """``keyed`` or ``forgotten``, if the first release has pseudonyms or date shifts."""


def repetition_lines(found: Compared, *, key: bool = False) -> tuple[str, ...]:
    """Return one line per compared part, followed by the verdict. `key`: a key was given."""
    parts = [
        *(f"  same       {name}" for name in found.same),
        *(f"  DIFFERENT  {name}" for name in found.different),
    ]
    if found.different:
        counted = wording.counted(len(found.different), "part")
        verb = "differs" if len(found.different) == 1 else "differ"
        verdict = f"Not repeated: {counted} of the release {verb}.{_about_secrets(found, key=key)}"
    else:
        verdict = (
            "Repeated: the policy makes the same release from this table. The search for the "
            "policy was not repeated."
        )
    return (*parts, verdict)


def _about_secrets(found: Compared, *, key: bool) -> str:
    if found.secrets == "forgotten":
        return (
            " Its pseudonyms or date shifts come from a random key that Roadstead did not keep, so "
            "no run can make them again."
        )
    if found.secrets == "keyed" and not key:
        return f" Its pseudonyms or date shifts come from a key: give {option('key', 'FILE')}."
    if found.secrets == "keyed":
        return " Check the key: with another key, the pseudonyms or date shifts differ."
    return ""


def repetition_document(found: Compared) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "repeated": not found.different,
        "same": list(found.same),
        "different": list(found.different),
    }
