"""What came out when a release was laid over earlier ones, in words and as JSON holds it."""

from __future__ import annotations

from typing import Any

from roadstead.errors import quoted
from roadstead.release.ledger.facts import Overlay, OverlayFinding
from roadstead.release.ledger.spending import SpentTogether
from roadstead.reports.wording import counted

_WHY = {
    "private": "it is differentially private, and noisy counts have no classes",
    "columns": "the new table has not all of its quasi-identifiers",
    "dates": "it made something else of dates of persons",
    "size": "both policies together have more combinations than are held in memory",
}
_FIX = {
    "added": "hold the newcomers back until more have come, or suppress these classes",
    "removed": "release what was removed with the next extract's removals, or suppress these "
    "classes",
    "newcomers": "hold the newcomers back until more have come, or suppress these classes",
    "intersection": "apply the policy of the earlier release again, or ask for a larger k",
    "values": "leave the sensitive column out, or ask for l-diversity with a larger l",
}


def finding_words(one: OverlayFinding) -> str:
    """Say what two releases tell together."""
    classes = counted(one.classes, "class", "classes")
    smallest = "" if one.smallest is None else f", the smallest of {one.smallest:,}"
    if one.kind == "values":
        have = "has" if one.classes == 1 else "have"
        at_least = "" if one.smallest is None else f", down to {one.smallest:,}"
        return (
            f"with {one.earlier}, {classes} {have} fewer than {one.least:,} values of "
            f"{quoted(one.column or '')} in both{at_least}: whoever is in both has one of these"
        )
    if one.kind == "newcomers":
        return (
            f"with {one.earlier}, those who came to {classes} have fewer than {one.least:,} values "
            f"of {quoted(one.column or '')}"
        )
    if one.kind == "intersection":
        joint = counted(one.classes, "group")
        are = "is" if one.classes == 1 else "are"
        return (
            f"with {one.earlier}, which has another policy, {joint} of fewer than {one.least:,} "
            f"records {are} alike in both{smallest}"
        )
    came = "to have come" if one.kind == "added" else "to have gone"
    show = "shows" if one.classes == 1 else "show"
    return f"with {one.earlier}, {classes} {show} fewer than {one.least:,} records {came}{smallest}"


def finding_fix(one: OverlayFinding) -> str:
    """Say what can be done about it."""
    return _FIX[one.kind]


def overlay_notes(overlay: Overlay) -> tuple[str, ...]:
    """Say what was compared and what came out, for a report and a terminal."""
    if not overlay.earlier:
        return ("The ledger has no earlier release of these people.",)
    said = [f"Laid over {counted(overlay.earlier, 'earlier release')} of the ledger."]
    if overlay.same_policy and not _kinds(overlay) & {"added", "removed"}:
        said.append(
            "Under the same policy: no class that two releases show has fewer than k records that "
            "came or went, as far as released cells tell."
        )
    if overlay.other_policy and "intersection" not in _kinds(overlay):
        proven = (
            "which was made of the same records"
            if overlay.same_table == overlay.other_policy
            else "whose policy was tried on the records of this one"
        )
        said.append(
            f"Under another policy, {proven}: no fewer than k records are alike in both releases."
        )
    for column, number in overlay.changed_sets.items():
        said.append(
            f"The set of values of {quoted(column)} stays the same in every class."
            if not number
            else f"The set of values of {quoted(column)} changed in "
            f"{counted(number, 'class', 'classes')}, so the releases are not m-invariant."
        )
    said += [f"Not compared with {one.earlier}: {_WHY[one.why]}." for one in overlay.not_laid]
    said += [f"Warning: {finding_words(one)}." for one in overlay.findings]
    return tuple(said)


def spending_note(spent: SpentTogether) -> str:
    """Say what private releases cost together."""
    if not spent.releases:
        limit = "" if spent.limit is None else f" of the {spent.limit} that was set"
        return f"The first private release of these people spends epsilon {spent.now}{limit}."
    limit = "and no limit is set" if spent.limit is None else f"and the limit is {spent.limit}"
    return (
        f"With {counted(spent.releases, 'earlier private release')} of these people epsilon is "
        f"{spent.together} together, {limit}."
    )


def overlay_document(overlay: Overlay) -> dict[str, Any]:
    """Give it as JSON holds it."""
    return {
        "compared": {
            "same_policy": overlay.same_policy,
            "other_policy": overlay.other_policy,
            "same_table": overlay.same_table,
        },
        "findings": [
            {
                "kind": one.kind,
                "earlier": one.earlier,
                "classes": one.classes,
                "least": one.least,
                "smallest": one.smallest,
                "column": one.column,
            }
            for one in overlay.findings
        ],
        "not_compared": [{"earlier": one.earlier, "why": one.why} for one in overlay.not_laid],
        "changed_sets": overlay.changed_sets,
    }


def _kinds(overlay: Overlay) -> set[str]:
    return {one.kind for one in overlay.findings}
