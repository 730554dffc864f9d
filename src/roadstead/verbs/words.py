"""Results in a few lines of plain words, for the terminal."""

from __future__ import annotations

from roadstead.release.publish import Draft
from roadstead.reports import wording
from roadstead.verbs.finding import Finding

_SMALLEST = 1e-5


def summary(result: Finding) -> list[str]:
    """Say what was done, what risk is left, what was lost, and what is proven."""
    attributes = result.policy.attributes
    width = max(len(a.name) for a in attributes)
    lines = [
        f"{counted(result.records)} of {result.source.name}, "
        f"{wording.counted(result.generalized.table.distinct, 'distinct combination')} of "
        f"{wording.counted(len(attributes), 'quasi-identifier')}."
    ]
    lines += [
        f"  {a.name:<{width}}  {a.does}  (level {a.level} of 0-{a.levels - 1}, "
        f"loss {percent(result.loss_by_attribute[a.name])})"
        for a in attributes
    ]
    return [*lines, suppression(result), risk(result), loss(result), *columns(result)]


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
        return ", left out, because so few with * would stand out"
    return ", left out"


def risk(result: Finding) -> str:
    """Say what risk is left."""
    after, before = result.risk, result.risk_before
    return (
        f"Risk left: at most {percent(after.maximum)} for any record, {percent(after.average)} on "
        f"average (before: {percent(before.maximum)} and {percent(before.average)})."
    )


def loss(result: Finding) -> str:
    """Say what was lost, and what is proven of it."""
    outcome = result.outcome
    mean = result.quality.settings()["aggregate"]
    policies = wording.counted(result.problem.space.size, "policy", "policies")
    tried = f"{outcome.evaluated:,} of {policies} evaluated"
    if result.optimal:
        proof = f"optimal: no other policy that is allowed loses less ({tried})"
    else:
        proof = (
            f"within {percent(outcome.gap)} of the optimum: no policy loses less than "
            f"{percent(outcome.lower_bound)} ({outcome.ending}, {tried})"
        )
    return f"Lost: {percent(result.loss)} of the information ({mean} mean); {proof}."


def columns(result: Finding) -> list[str]:
    """Say which other columns are released, and which are not."""
    lines = []
    free = (*result.policy.columns.sensitive, *result.policy.columns.insensitive)
    undeclared = tuple(name for name in free if name not in result.roles.declared)
    declared = tuple(name for name in free if name in result.roles.declared)
    if declared:
        lines.append(f"Released as they are: {listed(declared)}.")
    if undeclared:
        lines.append(f"Released as they are, though no role was given: {listed(undeclared)}.")
    if result.roles.identifying:
        lines.append(f"Not released: {listed(result.roles.identifying)}.")
    if result.withheld:
        lines.append(
            "Withheld, because too many of its values are rare: "
            f"{listed(tuple(result.withheld))}. Declare it --insensitive or --identifying."
        )
    return lines


def counted(records: int) -> str:
    """Write a number of records."""
    return wording.counted(records, "record")


def percent(share: float) -> str:
    """Write a share as a percentage with three significant digits."""
    if share and share < _SMALLEST:
        return f"{share:.1e}"
    return f"{100 * share:.3g} %"


def listed(names: tuple[str, ...], most: int = 12) -> str:
    """Write names in a row, the first few of many."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
