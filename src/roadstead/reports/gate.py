"""Describe the result of a gate in words.

The description has one line per rule, and says whether the release passes.
"""

from __future__ import annotations

from typing import Any

from roadstead.release.gate.rules import GateFinding
from roadstead.reports import wording

_CLAIMED = (
    "No rule requires a signature. Figures that cannot be recomputed are only as trustworthy as "
    "the sender."
)


def gate_lines(found: GateFinding) -> tuple[str, ...]:
    """Return one line per rule, followed by the verdict."""
    rules = tuple(
        f"  {'ok  ' if one.passed else 'FAIL'}  {one.check}: {one.detail}" for one in found.rules
    )
    failed = sum(not one.passed for one in found.rules)
    held = wording.counted(len(found.rules), "rule")
    verdict = f"Passed: {held}"
    if failed:
        verdict = f"REFUSED: {wording.counted(failed, 'rule')}"
    elif not found.reassures:
        verdict = f"Accepted: {held}, but records are not protected ({found.shortfall})"
    return (*rules, *(() if found.requires_signature else (_CLAIMED,)), verdict)


def gate_document(found: GateFinding) -> dict[str, Any]:
    """Return the result as JSON."""
    return {
        "passed": found.passed,
        "rules": [
            {"rule": one.check, "passed": one.passed, "detail": one.detail} for one in found.rules
        ],
        "requires_signature": found.requires_signature,
        "reassures": found.reassures,
    }
