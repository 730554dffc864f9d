"""What came out when a release was laid over earlier ones, in words and as JSON holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roadstead.errors import quoted
from roadstead.front_end import option
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
    "parts": "release the parts and the whole with the same people, or suppress these classes",
    "together": "apply the policy of an earlier release again, or ask for a larger k",
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
    if one.kind in ("intersection", "together"):
        joint = counted(one.classes, "group")
        are = "is" if one.classes == 1 else "are"
        which, where = f"{one.earlier}, which has another policy", "both"
        if one.kind == "together":
            which, where = f"{_all_of(one)} at once", "all"
        return (
            f"with {which}, {joint} of fewer than {one.least:,} {one.unit}s {are} alike in "
            f"{where}{smallest}"
        )
    if one.kind == "parts":
        leave = "leaves" if one.classes == 1 else "leave"
        return (
            f"with {_all_of(one)}, which add up to a whole, {classes} {leave} fewer than "
            f"{one.least:,} {one.unit}s{smallest}"
        )
    came = "to have come" if one.kind == "added" else "to have gone"
    show = "shows" if one.classes == 1 else "show"
    whose = " that may be of fewer than" if one.unit == "person" else " fewer than"
    units = "persons" if one.unit == "person" else "records"
    records = " records" if one.unit == "person" else ""
    return (
        f"with {one.earlier}, {classes} {show}{records}{whose} {one.least:,} {units} {came}"
        f"{smallest}"
    )


def _all_of(one: OverlayFinding) -> str:
    return f"{', '.join(one.others)} and {one.earlier}"


def finding_fix(one: OverlayFinding) -> str:
    """Say what can be done about it."""
    fix = _FIX[one.kind]
    if not one.masked:
        return fix
    return (
        f"{fix}; or release both tables without suppressed records ({option('suppressed', 'drop')})"
    )


def overlay_notes(overlay: Overlay) -> tuple[str, ...]:
    """Say what was compared and what came out, for a report and a terminal."""
    if not overlay.earlier:
        return ("The ledger has no earlier release of these people.",)
    said = [f"Laid over {counted(overlay.earlier, 'earlier release')} of the ledger."]
    units = f"{overlay.unit}s"
    if overlay.no_size:
        said.append(
            "This release promises no size of groups, so k is what the earlier ones promise; where "
            "these promise none either, nothing can be found."
        )
    if overlay.same_policy and not _kinds(overlay) & {"added", "removed"}:
        few = "fewer than k records"
        if overlay.unit == "person":
            few = "records of fewer than k persons"
        said.append(
            f"Under the same policy: no class that two releases show has {few} that "
            "came or went, as far as released cells tell."
        )
    if overlay.unit == "person":
        said.append(
            "A person may have several records. Whose records came or went is not kept unless "
            "pseudonyms were made with a key, so they are taken for those of as few persons as can "
            "be."
        )
    if overlay.same_policy > 1 and "parts" not in _kinds(overlay):
        tried = "as far as they were tried, " if overlay.cut_short else ""
        said.append(
            f"No releases that may be parts of another leave fewer than k {units} of it, "
            f"{tried}by their counts."
        )
    if overlay.cut_short:
        said.append(
            "Not everything was compared: there are too many sets of releases, or of classes, to "
            "try them all."
        )
    if overlay.other_policy and not _kinds(overlay) & {"intersection", "together"}:
        proven = (
            "which was made of the same records"
            if overlay.same_table == overlay.other_policy
            else "whose policy was tried on the records of this one"
        )
        said.append(
            f"Under another policy, {proven}: no fewer than k {units} are alike in both releases"
            f"{', nor in all of them' if overlay.other_policy > 1 else ''}."
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


def nothing_compared(people: str, names: Sequence[str]) -> str:
    """Say why a release was laid over no other; `names`: of all people that the ledger has."""
    if not names:
        return "Nothing earlier was compared: the ledger is new."
    known = ", ".join(map(quoted, names))
    return (
        f"Nothing earlier was compared: the ledger has no release of {quoted(people)}, but of "
        f"{known}."
    )


def spending_note(spent: SpentTogether) -> str:
    """Say what private releases cost together."""
    delta = f" Delta is {float(spent.delta)} together." if spent.delta else ""
    if not spent.releases:
        limit = "" if spent.limit is None else f" of the {spent.limit} that was set"
        first = f"The first private release of these people spends epsilon {spent.now}{limit}."
        return f"{first}{delta}"
    limit = "and no limit is set" if spent.limit is None else f"and the limit is {spent.limit}"
    return (
        f"With {counted(spent.releases, 'earlier private release')} of these people epsilon is "
        f"{spent.together} together, {limit}.{delta}"
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
                **({} if one.unit == "record" else {"unit": one.unit}),
                **({"others": list(one.others)} if one.others else {}),
                **({"masked": True} if one.masked else {}),
            }
            for one in overlay.findings
        ],
        "not_compared": [{"earlier": one.earlier, "why": one.why} for one in overlay.not_laid],
        "changed_sets": overlay.changed_sets,
        **({} if overlay.unit == "record" else {"unit": overlay.unit}),
        **({"cut_short": True} if overlay.cut_short else {}),
        **({"no_size": True} if overlay.no_size else {}),
    }


def _kinds(overlay: Overlay) -> set[str]:
    return {one.kind for one in overlay.findings}
