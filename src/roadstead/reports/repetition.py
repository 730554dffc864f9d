"""The comparison of a release with the same release made again, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from roadstead.reports import wording


class Compared(Protocol):
    """A comparison: what is the same, and what differs."""

    @property
    def same(self) -> Sequence[str]:
        """What is the same."""

    @property
    def different(self) -> Sequence[str]:
        """What differs."""


def repetition_lines(found: Compared) -> tuple[str, ...]:
    """Return one line per compared part, and then the verdict."""
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
