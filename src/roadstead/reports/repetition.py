"""Describe how a release differs from its repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from roadstead.front_end import option
from roadstead.reports import wording


@dataclass(frozen=True, repr=False)
class Repetition:
    """The comparison of a release with its repetition.

    Attributes
    ----------
    same, different
        The parts that are the same in both releases, and the parts that differ. A part is a file,
        which is compared byte for byte, or an entry of the certificate.
    secrets
        How the pseudonyms and date shifts of the first release were made: ``keyed`` if the
        custodian has the key, ``forgotten`` if the key was not kept, or None if there are none.
    """

    same: tuple[str, ...]
    different: tuple[str, ...]
    secrets: Literal["keyed", "forgotten"] | None = None

    def __repr__(self) -> str:
        if self.passed:
            return f"<Repetition: all {len(self.same)} parts are the same>"
        return f"<Repetition: {len(self.different)} parts differ>"

    @property
    def passed(self) -> bool:
        """Return whether the two releases are the same."""
        return not self.different


def repetition_lines(found: Repetition, *, key: bool = False) -> tuple[str, ...]:
    """Return one line per compared part, and then the verdict. `key` is true if a key was given."""
    parts = [
        *(f"  same       {name}" for name in found.same),
        *(f"  DIFFERENT  {name}" for name in found.different),
    ]
    if found.different:
        counted = wording.counted(len(found.different), "part")
        verb = "differs" if len(found.different) == 1 else "differ"
        secrets = _about_secrets(found, key=key)
        verdict = f"The new release is not the same: {counted} {verb}.{secrets}"
    else:
        verdict = (
            "The new release is the same: the policy makes the same release from this table. The "
            "search for the policy was not repeated."
        )
    return (*parts, verdict)


def _about_secrets(found: Repetition, *, key: bool) -> str:
    if found.secrets == "forgotten":
        return (
            " The pseudonyms or date shifts come from a random key that Roadstead did not keep, so "
            "no run can make them again."
        )
    if found.secrets == "keyed" and not key:
        return f" The pseudonyms or date shifts come from a key: give {option('key', 'FILE')}."
    if found.secrets == "keyed":
        return " Check the key: with another key, the pseudonyms or date shifts differ."
    return ""


def repetition_document(found: Repetition) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "repeated": not found.different,
        "same": list(found.same),
        "different": list(found.different),
    }
