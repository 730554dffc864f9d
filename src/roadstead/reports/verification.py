"""What a verification found, in words and as JSON holds it."""

from __future__ import annotations

from typing import Any

from roadstead.release.verification.checks import Verification
from roadstead.reports.wording import counted

_PRIVATE = (
    "Passed: the files agree with each other and with epsilon. That the noise was drawn as stated "
    "is not checked; it rests on who made the release."
)


def lines(verification: Verification, *, private: bool) -> tuple[str, ...]:
    """Say for each check whether it holds, and then what follows."""
    if len(verification.checks) == 1:
        (check,) = verification.checks
        return (f"{'Passed' if check.passed else 'FAILED'}: {check.check}: {check.detail}",)
    said = [
        f"  {'ok  ' if one.passed else 'FAIL'}  {one.check}: {one.detail}"
        for one in verification.checks
    ]
    if verification.unchecked:
        said.append(f"Not checked: {'; '.join(verification.unchecked)}.")
    if not verification.passed:
        said.append(f"FAILED: {counted(len(verification.failed), 'check')}")
    elif private:
        said.append(_PRIVATE)
    elif verification.promise_rests_on:
        said.append(
            "Passed: everything that the files show is as promised; the rest of the promise rests "
            f"on {verification.promise_rests_on}."
        )
    else:
        said.append("Passed: the release keeps its promises.")
    return tuple(said)


def document(verification: Verification) -> dict[str, Any]:
    """Give a verification as JSON holds it."""
    return {
        "passed": verification.passed,
        "checks": [
            {"check": c.check, "passed": c.passed, "detail": c.detail} for c in verification.checks
        ],
        "unchecked": list(verification.unchecked),
        "promise_rests_on": verification.promise_rests_on,
    }
