"""Describe how a release compares with the same release generated again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from roadstead.reports import wording


class Compared(Protocol):
    """A comparison of two releases."""

    @property
    def same(self) -> Sequence[str]:
        """The parts that are the same."""

    @property
    def different(self) -> Sequence[str]:
        """The parts that differ."""


def repetition_lines(found: Compared) -> tuple[str, ...]:
    """Return one line per compared part, followed by the verdict."""
    parts = [
        *(f"  same       {name}" for name in found.same),
        *(f"  DIFFERENT  {name}" for name in found.different),
    ]
    if found.different:
        counted = wording.counted(len(found.different), "part")
        verdict = f"Not repeated: {counted} of the release differ."
    else:
        verdict = (
            "Repeated: the policy makes the same release from this table. The search for the "
            "policy was not repeated."
        )
    return (*parts, verdict)


def repetition_document(found: Compared) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "repeated": not found.different,
        "same": list(found.same),
        "different": list(found.different),
    }
