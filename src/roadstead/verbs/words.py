"""Results in a few lines of plain words, for the terminal."""

from __future__ import annotations

from roadstead.privacy.k_anonymity import KAnonymity
from roadstead.release.publish import Draft
from roadstead.reports import wording
from roadstead.reports.measures import measure_of
from roadstead.verbs.column_words import added, alarms, columns
from roadstead.verbs.finding import Finding

_SMALLEST = 1e-5
_ENOUGH = 1.0 - 1e-9
"""A class of so many times 1/threshold records is large enough."""

listed = wording.first_few


def summary(result: Finding) -> list[str]:
    """Say what was done, what risk is left, what was lost, and what is proven."""
    attributes = result.policy.attributes
    width = max(len(a.name) for a in attributes)
    lines = [
        f"{counted(result.records)} of {result.source.name}, "
        f"{wording.counted(_distinct(result), 'distinct combination')} of "
        f"{wording.counted(len(attributes), 'quasi-identifier')}."
    ]
    lines += [
        f"  {a.name:<{width}}  {a.does}  (level {a.level} of 0-{a.levels - 1}, "
        f"loss {percent(result.loss_by_attribute[a.name])})"
        for a in attributes
    ]
    if not measure_of(result.quality.name).by_attribute:
        lines.append(
            f"  (Losses of columns are Iyengar's: {result.quality.name} does not tell them apart.)"
        )
    return [
        *alarms(result.decided),
        *lines,
        suppression(result),
        risk(result),
        *added(result),
        loss(result),
        *columns(result.decided),
    ]


def suppression(result: Finding) -> str:
    """Say how many records were suppressed."""
    share = result.suppressed / result.records
    limit = result.policy.suppression.limit
    return (
        f"Suppressed: {counted(result.suppressed)} ({percent(share)}, limit {percent(limit)})"
        f"{masked(result.draft)}."
    )


def masked(draft: Draft) -> str:
    """Say what became of the suppressed records."""
    if not draft.counts.suppressed:
        return ""
    if draft.counts.masked:
        return ", kept with * in every quasi-identifier"
    if draft.policy.suppression.records == "mask":
        return f", left out, because {why_not_masked(draft)}"
    return ", left out"


def why_not_masked(draft: Draft) -> str:
    """Say why suppressed records that were to be kept with ``*`` cannot be.

    They would be a class of their own, which must satisfy the models like any other.
    """
    if draft.counts.suppressed * draft.threshold < _ENOUGH:
        return "so few with * would stand out"
    others = " or ".join(m.name for m in draft.models if not isinstance(m, KAnonymity))
    return f"with * they would be a class that does not satisfy {others}"


def risk(result: Finding) -> str:
    """Say what risk is left."""
    after, before = result.risk, result.risk_before
    return (
        f"Risk left: at most {percent(after.maximum)} for any record, {percent(after.average)} on "
        f"average (before: {percent(before.maximum)} and {percent(before.average)}), to who knows "
        "these quasi-identifiers and nothing else."
    )


def loss(result: Finding) -> str:
    """Say what was lost, and what is proven of it."""
    quality = result.quality.settings()
    clause = measure_of(result.quality.name).clause
    lost = clause.format(share=percent(result.loss), target=quality.get("target", ""))
    mean = f" ({quality['aggregate']} mean)" if "aggregate" in quality else ""
    return f"Lost: {lost}{mean}; {proof(result)}."


def proof(result: Finding) -> str:
    """Say what is proven of the policy."""
    outcome = result.outcome
    policies = wording.counted(result.problem.space.size, "policy", "policies")
    pruned = f"{outcome.pruned:,} pruned, " if outcome.pruned else ""
    tried = f"{pruned}{outcome.evaluated:,} of {policies} evaluated"
    if outcome.queries:
        queries = wording.counted(outcome.queries, "query", "queries")
        tried = f"{tried}, found with {queries} in the database"
    if result.optimal:
        return f"optimal: no other policy that is allowed loses less ({tried})"
    known = f"no policy loses less than {percent(outcome.lower_bound)}"
    if outcome.ending != "complete":
        return f"within {percent(outcome.gap)} of the optimum: {known} ({outcome.ending}, {tried})"
    known = known if outcome.lower_bound > 0.0 else "another may lose much less"
    return f"{result.search.name} proves no more than this: {known} ({tried})"


def counted(records: int) -> str:
    """Write a number of records."""
    return wording.counted(records, "record")


def _distinct(result: Finding) -> int:
    """Count the combinations that records have; other rows are people outside the table."""
    return int(result.generalized.table.sizes.numbers.sum())


def percent(share: float) -> str:
    """Write a share as a percentage with three significant digits."""
    if share and share < _SMALLEST:
        return f"{100 * share:.1e} %"
    return f"{100 * share:.3g} %"
