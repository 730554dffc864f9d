"""What a verification found, in words and as JSON holds it."""

from __future__ import annotations

from typing import Any

from roadstead.release.verification.checks import Verification
from roadstead.reports import wording
from roadstead.reports.notebook import NotebookCell, block, table, words
from roadstead.reports.signature import signature_line
from roadstead.reports.wording import CountedUnit

_PRIVATE = (
    "Passed: the files agree with each other and with epsilon. That chance was as stated "
    "is not checked; it rests on who made the release."
)


def lines(
    verification: Verification, *, private: bool, counted: CountedUnit | None = None
) -> tuple[str, ...]:
    """Say for each check whether it holds, and then what follows.

    Of a table without a certificate, that would say it, what is `counted` is said here.
    """
    unit = () if counted is None else (counted.sentence,)
    if len(verification.checks) == 1:
        (check,) = verification.checks
        result = f"{'Passed' if check.passed else 'FAILED'}: {check.check}: {check.detail}"
        return (result, *unit)
    said = [
        f"  {'ok  ' if one.passed else 'FAIL'}  {one.check}: {one.detail}"
        for one in verification.checks
    ]
    if verification.signature is not None:
        said.append(signature_line(verification.signature))
    if verification.unchecked:
        said.append(f"Not checked: {'; '.join(verification.unchecked)}.")
    if not verification.passed:
        said.append(f"FAILED: {wording.counted(len(verification.failed), 'check')}")
    elif private:
        said.append(_PRIVATE)
    elif verification.promise_rests_on:
        said.append(
            "Passed: everything that the files show is as promised; the rest of the promise rests "
            f"on {verification.promise_rests_on}."
        )
    else:
        said.append("Passed: the release keeps its promises.")
    return (*said, *unit)


def document(verification: Verification, *, counted: CountedUnit | None = None) -> dict[str, Any]:
    """Give a verification as JSON holds it, with what is counted where no certificate says it."""
    found = verification.signature
    return {
        **({} if counted is None else {"counted": counted.to_dict()}),
        "passed": verification.passed,
        "checks": [
            {"check": c.check, "passed": c.passed, "detail": c.detail} for c in verification.checks
        ],
        "unchecked": list(verification.unchecked),
        "promise_rests_on": verification.promise_rests_on,
        **({} if found is None else {"signature": found.to_dict()}),
    }


def in_notebook(verification: Verification) -> str:
    """Make what a notebook shows: every check with its evidence, and what cannot be checked."""
    number, failed = len(verification.checks), len(verification.failed)
    said = f"{number - failed:,} of {wording.counted(number, 'check')} hold"
    caption = f"{'Passed' if verification.passed else 'FAILED'}: {said}"
    heads = [NotebookCell(one) for one in ("Check", "Holds", "Evidence")]
    rows = (
        (
            NotebookCell(one.check),
            NotebookCell("yes" if one.passed else "NO", open=not one.passed),
            NotebookCell(one.detail),
        )
        for one in verification.checks
    )
    found = verification.signature
    rest = [] if found is None else [signature_line(found)]
    rest += [f"Not checked: {one}." for one in verification.unchecked]
    if verification.promise_rests_on:
        rest.append(f"A part of the promise rests on {verification.promise_rests_on}.")
    return block(table(caption, heads, rows), *([words("\n".join(rest))] if rest else []))
