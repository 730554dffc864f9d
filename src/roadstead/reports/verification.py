"""Describe the results of a verification, in words and as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roadstead.release.verification.checks import Check, Verification
from roadstead.reports import wording
from roadstead.reports.ledger import (
    compared_words,
    finding_words,
    overlay_document,
    partly_warnings,
    unlike_warnings,
)
from roadstead.reports.notebook import NotebookCell, block, table, words
from roadstead.reports.promise import nothing_promised, shortfall, undone_sentence
from roadstead.reports.signature import signature_line
from roadstead.reports.wording import CountedUnit

_DRAWN = (
    "the files cannot show whether the random choices were made as stated, so this depends on "
    "the people who made the release"
)


def lines(verification: Verification, *, counted: CountedUnit | None = None) -> tuple[str, ...]:
    """Return one line per check, followed by the conclusion with the privacy requirements.

    `counted` adds a line about the counted unit, for a table without a certificate.
    """
    unit = () if counted is None else (counted.sentence,)
    if len(verification.checks) == 1 and verification.signature is None:
        return (*unit, _single(verification, verification.checks[0]))
    said = [
        f"  {'ok  ' if one.passed else 'FAIL'}  {one.check}: {one.detail}"
        for one in verification.checks
    ]
    if verification.signature is not None:
        said.append(signature_line(verification.signature))
    if (undone := verification.terms.risk_if_undone) is not None:
        said.append(f"  !     According to the certificate: {undone_sentence(undone)}")
    said += [f"  !     {finding_words(one)}" for one in verification.singled_out]
    said += [f"  !     {line.removeprefix('Warning: ')}" for line in _missed(verification)]
    return (*said, *unit, verdict(verification))


def _single(verification: Verification, check: Check) -> str:
    """Describe the only check of a table that has no certificate, in one line."""
    if not check.passed:
        return f"FAILED: {verification.terms.clause or check.check}: {check.detail}"
    return f"{verdict(verification).removesuffix('.')}: {check.detail}"


def verdict(verification: Verification) -> str:
    """Summarize the checks in one line, with the privacy requirements and their columns."""
    unchecked = _unchecked(verification)
    if not verification.passed:
        return f"FAILED: {wording.counted(len(verification.failed), 'check')}"
    clause, terms = verification.terms.clause, verification.terms
    if not terms.promised:
        return f"Checked, but {_shortfall(verification)}{unchecked}"
    rests = verification.promise_rests_on
    if not verification.reassures:
        known = f", as far as the files show (the rest depends on {rests})" if rests else ""
        return f"Checked: {clause}{known}; but {_shortfall(verification)}{unchecked}"
    if verification.drawn:
        return f"Passed: {clause}; {_DRAWN}{unchecked}"
    if rests:
        return f"Passed: {clause}, as far as the files show; the rest depends on {rests}{unchecked}"
    return f"Passed: {clause}{unchecked}"


def held(verification: Verification) -> str:
    """Say how many checks of a written release pass, and whether it has privacy requirements."""
    checks = f"{wording.counted(len(verification.checks), 'check')} passed"
    if verification.reassures or not verification.passed:
        return f"verified: {checks}"
    return f"checked: {checks}, but {_shortfall(verification)}"


def _shortfall(verification: Verification) -> str:
    """Say why a release may be unsafe although no check failed."""
    terms = verification.terms
    said = [] if terms.reassures else [shortfall(terms)]
    if not terms.promised:
        said = [nothing_promised(terms)]
    if verification.singled_out:
        said.append("together with earlier releases, it can single out people")
    elif verification.uncompared:
        said.append("it could not be compared with all earlier releases")
    return ", and ".join(said)


def _missed(verification: Verification) -> list[str]:
    """Warn if a release was not compared with all earlier releases."""
    earlier = verification.earlier
    if earlier is None:
        return []
    return [
        *([compared_words(earlier)] if earlier.missed else []),
        *unlike_warnings(earlier),
        *partly_warnings(earlier),
    ]


def _unchecked(verification: Verification) -> str:
    """Name the checks that were not possible, and give their number."""
    missing = verification.unchecked
    if not missing:
        return "."
    checks = wording.counted(len(missing), "check")
    return f" ({checks} could not be made: {'; '.join(missing)})."


def document(verification: Verification, *, counted: CountedUnit | None = None) -> dict[str, Any]:
    """Return a verification as JSON, with the counted unit if there is no certificate."""
    found = verification.signature
    return {
        **({} if counted is None else {"counted": counted.to_dict()}),
        "passed": verification.passed,
        "checks": [
            {"check": c.check, "passed": c.passed, "detail": c.detail} for c in verification.checks
        ],
        "unchecked": list(verification.unchecked),
        "promise_rests_on": verification.promise_rests_on,
        "promised": verification.promised,
        "promise": verification.terms.clause,
        **verification.terms.risks,
        "reassures": verification.reassures,
        **({} if found is None else {"signature": found.to_dict()}),
        **(
            {}
            if verification.earlier is None
            else {"earlier_releases": overlay_document(verification.earlier)}
        ),
    }


def in_notebook(verification: Verification) -> str:
    """Return the output for a notebook: all checks with their evidence, and the missing checks."""
    caption = verdict(replace(verification, unchecked=()))
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
    if (undone := verification.terms.risk_if_undone) is not None:
        rest.append(f"Warning: according to the certificate, {undone_sentence(undone)}")
    rest += [f"Warning: {finding_words(one)}." for one in verification.singled_out]
    rest += _missed(verification)
    rest += [f"Not checked: {one}." for one in verification.unchecked]
    if verification.promise_rests_on:
        rest.append(
            "Whether all privacy requirements are met also depends on "
            f"{verification.promise_rests_on}."
        )
    return block(table(caption, heads, rows), *([words("\n".join(rest))] if rest else []))
