"""Describe a release with a policy that was chosen on a frontier, for the terminal."""

from __future__ import annotations

from roadstead.front_end import option
from roadstead.release.written import rewritten
from roadstead.reports.numbers import percent
from roadstead.reports.release.chosen import ChosenReleaseFacts, promised
from roadstead.reports.rounded import also_rounded
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.shared_values import shared_values_warnings
from roadstead.reports.terminal.columns import alarms, columns
from roadstead.reports.terminal.release import added, at_levels, counted_of, terms
from roadstead.reports.wording import counted


def warning(result: ChosenReleaseFacts) -> str | None:
    """Return a warning about unique records, or None if no record is unique."""
    alone = result.draft.record_risk.uniques
    if not alone:
        return None
    models = option("threshold", "models")
    k_anonymity = option("privacy", {"kind": "k-anonymity", "k": 5})
    return (
        f"In this release, {counted(alone, 'record')} {'is' if alone == 1 else 'are'} unique "
        "in the quasi-identifiers. An attacker who knows that such a person is in the table "
        "finds the record with certainty (risk 100%). To limit the risk of each record, "
        f"choose a policy with less risk, or search with {models} and {k_anonymity}."
    )


def lines_of(result: ChosenReleaseFacts) -> list[str]:
    """Return the lines about the release, except the last block of the output."""
    chosen = result.chosen
    lines = [
        f"Read {counted_of(result.draft)} of {result.source.name}. None are suppressed.",
        promised(result),
        *terms(result.models),
        *at_levels(result.draft, chosen.loss_by_attribute),
        f"Chosen from the frontier: the risk is {percent(chosen.risk)} of the original data's "
        f"risk, and the {chosen.axes[1].name} is {percent(chosen.loss)} of the maximum.",
        *also_rounded(chosen.loss),
        *result.draft.figures,
    ]
    if result.chosen.population is not None:
        lines.append(f"Population: {result.chosen.population}.")
    return [
        *_less(result),
        *alarms(result.decided),
        *added(result.added, rounds=False),
        *result.noticed,
        *shared_values_warnings(result.shared_values),
        *runnable_warnings(result.runnable),
        *lines,
        *columns(result.decided, result.policy.changed),
        *rewritten(result.draft.source),
    ]


def _less(result: ChosenReleaseFacts) -> list[str]:
    if result.below is None:
        return []
    declared = " and ".join(result.below.names)
    return [
        f"Warning: {declared} was declared, but this release does not meet it. Reason given: "
        f"{result.below.reason}"
    ]
