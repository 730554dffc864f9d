"""Describe the result of applying a policy in a few lines for the terminal."""

from __future__ import annotations

from roadstead.release.persons.dates import date_sentences
from roadstead.release.written import rewritten
from roadstead.reports.numbers import percent
from roadstead.reports.release.application import ApplicationFacts
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.shared_values import shared_values_warnings
from roadstead.reports.terminal.columns import AGAIN, alarms
from roadstead.reports.terminal.release import (
    KNOWING,
    added,
    counted_of,
    expectation_of,
    linkage,
    linked_rows,
    nothing_left,
    risk_left,
    suppression,
    terms,
)
from roadstead.reports.treatments import treatment_lines


def lines_of(result: ApplicationFacts) -> list[str]:
    """Return the lines of the output, except the last block."""
    lines = [
        *alarms(result.decided),
        *added(result.added, result.policy.treatments, first=AGAIN),
        *linked_rows(result.draft, first=AGAIN),
        *shared_values_warnings(result.shared_values, first=AGAIN),
        *runnable_warnings(result.runnable, first=AGAIN),
        f"Read {counted_of(result.draft, result.dates)} of {result.source.name}, and "
        "generalized them with the policy.",
        result.decided.counted.sentence,
        *terms(result.draft.models),
        *nothing_left(result.draft),
        *date_sentences(result.policy.persons, result.dates, first=AGAIN),
        *result.noticed,
        suppression(result.draft),
    ]
    if result.another_limit:
        allowed = percent(result.limit_of_policy)
        lines.append(f"This limit is for this run only; the policy file allows {allowed}.")
    lines += [
        *expectation_of(result.draft, first=AGAIN),
        f"Re-identification risk: {risk_left(result.draft)}, {KNOWING}.",
        *result.draft.figures,
    ]
    if result.unseen:
        told = ", ".join(f"{name} {number}" for name, number in result.unseen.items())
        lines.append(f"Records with values that the policy does not cover are suppressed: {told}.")
    lines += treatment_lines(result.generalized.treated)
    lines += linkage(result.draft, first=AGAIN)
    lines += rewritten(result.source)
    return lines
