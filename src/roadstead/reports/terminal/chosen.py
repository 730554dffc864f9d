"""Describe a release with a policy that was chosen on a frontier, for the terminal."""

from __future__ import annotations

from roadstead.front_end import option
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.release.written import rewritten
from roadstead.reports.numbers import percent
from roadstead.reports.release.chosen import ChosenReleaseFacts
from roadstead.reports.rounded import also_rounded
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.terminal.columns import alarms, columns
from roadstead.reports.terminal.release import KNOWING, added, counted_of, risk_left, terms
from roadstead.reports.wording import counted
from roadstead.risk.prosecutor import prosecutor_risk


def promised(result: ChosenReleaseFacts) -> str:
    """Return a sentence about the risk and the privacy requirements that the release meets.

    A bound on the mean risk applies to all records together, and does not limit the risk of a
    single record.
    """
    means = [m for m in result.models if isinstance(m, AveragePopulationRisk)]
    kept = "; this does not limit the risk of an individual record"
    if result.draft.threshold < 1.0:
        kept = ""
    elif means and min(model.maximum for model in means) >= 1.0:
        kept = ", which does not limit any risk"
    elif means:
        kept = ", a mean over all records; this does not limit the risk of an individual record"
    return (
        f"Privacy requirements met: {' and '.join(model.name for model in result.models)}{kept}. "
        f"Re-identification risk: {risk_left(result.draft)}, {KNOWING}."
    )


def warning(result: ChosenReleaseFacts) -> str | None:
    """Return a warning about unique records, or None if no record is unique."""
    alone = prosecutor_risk(result.draft.generalized.sizes, result.draft.threshold).uniques
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
    attributes, losses = result.policy.attributes, result.chosen.loss_by_attribute
    width = max(len(a.name) for a in attributes)
    chosen, words = result.chosen, result.draft.words
    lines = [
        f"Read {counted_of(result.draft)} of {result.source.name}. None are suppressed.",
        promised(result),
        *terms(result.models),
        *(
            f"  {a.name:<{width}}  {words[a.name]}  (level {a.level} of 0-{a.levels - 1}, "
            f"loss {percent(losses[a.name])})"
            for a in attributes
        ),
        f"Chosen from the frontier: risk {percent(chosen.risk)} of the original data's risk, "
        f"{chosen.axes[1].name} {percent(chosen.loss)} of the maximum.",
        *also_rounded(chosen.loss),
        *(f"{one[:1].upper()}{one[1:]}" for one in result.draft.figures),
    ]
    if result.chosen.population is not None:
        lines.append(f"Population: {result.chosen.population}.")
    return [
        *_less(result),
        *alarms(result.decided),
        *added(result.added, rounds=False),
        *runnable_warnings(result.runnable),
        *lines,
        *columns(result.decided),
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
