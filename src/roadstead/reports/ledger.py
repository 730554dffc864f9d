"""Describe the comparison of a release with earlier releases, in words and as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.errors import quoted
from roadstead.front_end import option
from roadstead.near_names import nearest
from roadstead.release.ledger.facts import Overlay, OverlayFinding, document_of_overlay
from roadstead.release.ledger.spending import SpentTogether
from roadstead.reports.wording import counted

_WHY = {
    "private": "that release is differentially private, and noisy counts do not have groups",
    "columns": "the new table does not have some quasi-identifiers of that release; if a column "
    "was renamed, use its earlier name",
    "dates": "that release changed the dates of people in a different way",
    "size": "the combinations of both policies do not fit in memory",
}
_PARTLY = {
    "people": "in the earlier release, a person can have several records in the same group, but "
    "this release counts each of these records as one person. Added or removed records may belong "
    "to fewer people than the comparison assumes.",
    "columns": "the earlier release does not have {columns}, and shows a column that this release "
    "does not show. If a column was renamed or derived, its values were not compared. Use the "
    "earlier name, or leave the column out.",
    "treated": "the earlier release shows {columns} in another form, so these values were not "
    "compared. Treat the column as in the earlier release, or leave it out.",
}
_FIX = {
    "added": "in each of these groups, leave out the added records until {enough}",
    "removed": "in each of these groups, keep the removed records until {enough}",
    "changed": "in each of these groups, leave out the added records and keep the removed records "
    "until {enough}",
    "newcomers": "wait until more people with other values have joined each of these groups",
    "intersection": "apply the policy of the earlier release again, or keep its k and use levels "
    "that are at least as coarse",
    "parts": "release the parts and the whole for the same people",
    "together": "apply the policy of an earlier release again, or keep its k and use levels that "
    "are at least as coarse",
    "values": "leave the sensitive column out, or require l-diversity with a larger l",
}

_DIGITS = re.compile(r"\d+")
_IN_BOTH = (
    "The comparison does not cover a person who belongs to several groups with different names."
)


@dataclass(frozen=True)
class LedgerFindings:
    """All findings that led to the refusal of a release."""

    overlay: Overlay

    def __str__(self) -> str:
        said = ("Found by the ledger:", *(f"  {finding_words(x)}" for x in self.overlay.findings))
        return "\n".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        return overlay_document(self.overlay)


def finding_words(one: OverlayFinding) -> str:
    """Return a sentence about what two releases together reveal."""
    classes = counted(one.classes, "group")
    smallest = "" if one.smallest is None else f"; the smallest has {one.smallest:,}"
    if one.kind == "values":
        have = "has" if one.classes == 1 else "have"
        at_least = "" if one.smallest is None else f", down to {one.smallest:,}"
        where = "all of these" if one.others else "both"
        which = f"{_all_of(one)} together" if one.others else one.earlier
        return (
            f"compared with {which}, {classes} {have} fewer than {one.least:,} values of "
            f"{quoted(one.column or '')} in {where} releases{at_least}: everyone who is in "
            f"{where} releases has one of these values"
        )
    if one.kind == "newcomers":
        return (
            f"compared with {one.earlier}, the people added to {classes} have fewer than "
            f"{one.least:,} values of {quoted(one.column or '')}"
        )
    if one.kind in ("intersection", "together"):
        joint = counted(one.classes, "group")
        are = "is" if one.classes == 1 else "are"
        which, where = f"{one.earlier}, which has a different policy", "both"
        if one.kind == "together":
            which, where = f"{_all_of(one)} together", "all"
        return (
            f"compared with {which}, {joint} of fewer than {one.least:,} "
            f"{'people' if one.unit == 'person' else one.unit + 's'} {are} identical in "
            f"{where} releases{smallest}"
        )
    if one.kind == "joined":
        match = "matches" if one.classes == 1 else "match"
        return (
            f"compared with {one.earlier}, which has the same pseudonyms, {classes} of fewer than "
            f"{one.least:,} people {match} a record in each release{smallest}"
        )
    if one.kind == "parts":
        least = "" if one.smallest is None else f"; the smallest difference is {one.smallest:,}"
        return (
            f"this release, {', '.join(one.others)}, and {one.earlier} are a whole and its "
            f"parts; in {classes}, the difference between the whole and the sum of the "
            f"parts is fewer than {one.least:,} "
            f"{'people' if one.unit == 'person' else one.unit + 's'}{least}"
        )
    change = "added" if one.kind == "added" else "removed"
    show = "shows" if one.classes == 1 else "show"
    fewer = f"fewer than {one.least:,} {change} records"
    if one.unit == "person":
        fewer = f"{change} records that may belong to fewer than {one.least:,} people"
    return f"compared with {one.earlier}, {classes} {show} {fewer}{smallest}"


def _all_of(one: OverlayFinding) -> str:
    return f"{', '.join(one.others)} and {one.earlier}"


def findings_fix(findings: Sequence[OverlayFinding], *, named: bool = True) -> str:
    """Say how the user can fix the first problem that several releases cause together.

    `named` states whether the earlier release has a name for its people in the ledger. A release
    without a name is compared with all later releases.
    """
    one = findings[0]
    kinds = {other.kind for other in findings if other.earlier == one.earlier}
    both = {"added", "removed"} <= kinds
    # Pseudonyms are also compared with releases of people with another name.
    key = f"use a different {option('key')} or none, so that the pseudonyms differ"
    and_key = f", and {key}" if any(other.kind == "joined" for other in findings) else ""
    if one.kind == "joined":
        fix = (
            f"{key}; or release all tables in one release ({option('tables')}) instead of one at a "
            "time"
        )
    else:
        kind = "changed" if both and one.kind in ("added", "removed") else one.kind
        enough = f"there are at least {one.least:,}"
        if one.unit == "person":
            enough = f"they belong to at least {one.least:,} people"
        fix = f"{_FIX[kind].format(enough=enough)}{and_key}"
    fix += "; or, if no one has received the earlier release, delete it and its entry in the ledger"
    if both or (not named and one.kind != "joined"):
        apart = f"give each period a name ({option('ledger_people', 'PERIOD')})"
        if not named:
            apart = (
                f"keep a ledger for each period ({option('ledger', 'DIR')}), or begin a new ledger "
                f"and {apart} (the earlier release has no name, so Roadstead compares it with "
                "every group of people)"
            )
        fix += (
            "; or, if each table has the records of one period and no record is in both tables, "
            f"{apart}{and_key}, but this protects only against attackers who know one record of a "
            "person"
        )
    if one.masked:
        dropped = option("suppressed", "drop")
        fix += f"; or make both releases without suppressed records (anonymize with {dropped})"
    return fix


def overlay_notes(overlay: Overlay) -> tuple[str, ...]:
    """Describe the comparison and its result in sentences, for a report and for the terminal."""
    if not overlay.earlier:
        return (_alone(overlay), *joined_notes(overlay), *warnings_of(overlay))
    said = [compared_words(overlay)]
    units = "people" if overlay.unit == "person" else f"{overlay.unit}s"
    if overlay.no_size:
        said.append(
            "This release does not require a group size, so Roadstead uses the k of the earlier "
            "releases. If the earlier releases do not require a group size either, the comparison "
            "cannot find anything."
        )
    if overlay.same_policy and not _kinds(overlay) & {"added", "removed", "unlike"}:
        few = "fewer than k records"
        if overlay.unit == "person":
            few = "records of fewer than k people"
        said.append(
            "Releases under the same policy: the released cells do not reveal a group "
            f"that gained or lost {few} between two releases."
        )
    if overlay.unit == "person":
        said.append(
            "A person may have several records. The ledger can connect the records of a "
            "person only if pseudonyms were made with a key. Without a key, it assumes "
            "that added or removed records belong to as few people as possible."
        )
    if overlay.same_policy > 1 and not _kinds(overlay) & {"parts", "unlike"}:
        tried = ", as far as the releases were compared" if overlay.cut_short else ""
        said.append(
            "If some releases are parts of another release, the counts do not reveal a remainder "
            f"of fewer than k {units}{tried}."
        )
    if overlay.cut_short:
        said.append(
            "Roadstead did not compare everything, because there are too many sets of "
            "releases or of groups."
        )
    if overlay.other_policy and not _kinds(overlay) & {"intersection", "together", "unlike"}:
        proven = (
            "made from the same records"
            if overlay.same_table == overlay.other_policy
            else "with that policy applied to the records of this release"
        )
        said.append(
            f"Releases under another policy, {proven}: no group of fewer than k {units} is "
            "identical in both "
            f"releases{', or in all of them' if overlay.other_policy > 1 else ''}."
        )
    said += _sets_of_values(overlay)
    said += [
        f"This release was not compared with {one.earlier}: {_WHY[one.why]}."
        for one in overlay.not_laid
    ]
    said += apart_notes(overlay.apart)
    return (*said, *joined_notes(overlay), *warnings_of(overlay))


def _sets_of_values(overlay: Overlay) -> list[str]:
    """Say in how many of the compared groups the set of values changed."""
    return [
        f"The set of values of {quoted(column)} is the same in every group."
        if not number
        else f"The set of values of {quoted(column)} changed in {counted(number, 'group')}. An "
        "attacker who knows that a person is in both releases can exclude the values that only one "
        "of the releases shows."
        for column, number in overlay.changed_sets.items()
        if number or "unlike" not in _kinds(overlay)
    ]


def unlike_warnings(overlay: Overlay) -> list[str]:
    """Warn about earlier releases that have no value of a column in common with this release."""
    return [
        f"Warning: this release and {earlier} have no value of {quoted(column)} in common, so no "
        "group is the same in both releases. If both releases are about the same people, their "
        "values are written in different ways. Then the comparison cannot find anything, and both "
        "releases together may single out people. Write the values as in the earlier release."
        for earlier, column in overlay.unlike.items()
    ]


def partly_warnings(overlay: Overlay) -> list[str]:
    """Warn about releases that were only partly compared."""
    return [
        f"Warning: this release was compared with {one.earlier} only in part: "
        + _PARTLY[one.why].format(columns=", ".join(map(quoted, one.columns)))
        for one in overlay.partly
    ]


def compared_words(overlay: Overlay) -> str:
    """Say with how many earlier releases a release was compared.

    A private release has no groups, so it cannot be compared. This does not cause a warning.
    """
    if overlay.compared == overlay.earlier:
        earlier = counted(overlay.earlier, "earlier release")
        return f"This release was compared with {earlier} in the ledger."
    share = f"{overlay.compared:,} of {overlay.earlier:,} earlier releases in the ledger"
    if not overlay.missed:
        return f"This release was compared with {share}."
    return (
        f"Warning: this release was compared with only {share}. Together with a release that was "
        "not compared, it may single out people."
    )


def joined_notes(overlay: Overlay) -> tuple[str, ...]:
    """Name the earlier releases that can be joined with this release. Say what was compared."""
    said = [
        f"This release and {name} have the same pseudonyms for "
        f"{'1 person' if people == 1 else f'{people:,} people'}, so anyone who has both can join "
        f"the records of {'this person' if people == 1 else 'these people'}."
        for name, people in overlay.joined.items()
    ]
    if overlay.strange:
        said.append(
            f"Warning: {counted(overlay.strange, 'earlier release')} of these people "
            f"{'has' if overlay.strange == 1 else 'have'} pseudonyms, but none of the pseudonyms "
            "of this release. If the key is the same, the person IDs are written in another form, "
            "and the ledger cannot follow these people."
        )
    if overlay.joined and "joined" not in _kinds(overlay) and not overlay.cut_short:
        said.append(
            "For releases with the same pseudonyms, at least k people match a record in each of "
            "two releases. This does not cover an attacker who knows more records, or compares "
            "more releases."
        )
    return tuple(said)


def warnings_of(overlay: Overlay) -> tuple[str, ...]:
    """Return a warning about each finding of a release that is published anyway."""
    return (
        *unlike_warnings(overlay),
        *partly_warnings(overlay),
        *(f"Warning: {finding_words(one)}." for one in overlay.findings),
    )


def nothing_compared(people: str, names: Sequence[str], *, joined: bool = False) -> str:
    """Say why a release was not compared with any other release.

    `names` are the names of all groups of people in the ledger. `joined` states whether the
    pseudonyms of the release also occur in an earlier release.
    """
    if not names:
        return "No earlier release was compared: the ledger is new."
    known = ", ".join(map(quoted, names))
    but = ", except for its pseudonyms" if joined else ""
    said = (
        f"earlier release was compared{but}: the ledger has releases of {known}, but no "
        f"release of {quoted(people)}."
    )
    # Names of periods differ in their digits, such as 2025-01 and 2025-02.
    near = nearest(
        people, [one for one in names if _DIGITS.sub("", one) != _DIGITS.sub("", people)]
    )
    if near is None:
        return f"No {said} {_IN_BOTH}"
    return f"Warning: no {said} Did you mean {quoted(near)}? {_IN_BOTH}"


def apart_notes(releases: int) -> tuple[str, ...]:
    """Say how many releases about groups of people with another name were not compared."""
    if not releases:
        return ()
    others = f"{counted(releases, 'release')} in the ledger whose group of people has another name"
    return (f"This release was not compared with {others}. {_IN_BOTH}",)


def _alone(overlay: Overlay) -> str:
    """Say why a release was not compared. Omit the names, because recipients do not know them."""
    if overlay.apart:
        but = ", except for its pseudonyms" if overlay.joined else ""
        return (
            f"No earlier release was compared{but}: the ledger has "
            f"{counted(overlay.apart, 'release')} whose group of people has another name, "
            f"but no release of this group. {_IN_BOTH}"
        )
    if overlay.joined:
        return "No earlier release was compared, except for its pseudonyms."
    return nothing_compared("", ())


def ledger_reminder(*, advice: bool = True) -> str:
    """Say what two releases under one policy can reveal if no ledger compares them.

    `advice` states whether to say how the custodian can compare them. Recipients cannot.
    """
    risk = (
        "Warning: this release was not compared with earlier releases under the same policy. An "
        "attacker who has two of these releases can subtract their counts, and may learn the "
        "values of people who are in only one of them."
    )
    if not advice:
        return risk
    ledger = option("ledger", "DIR")
    return (
        f"{risk} To compare them, use {ledger}. The ledger must contain all earlier releases. To "
        f"record an earlier release now, apply the policy to its table again with {ledger}."
    )


def spending_note(spent: SpentTogether) -> str:
    """Return a sentence about the total budget that private releases have spent."""
    delta = f" Delta is {float(spent.delta)} in total." if spent.delta else ""
    if not spent.releases:
        limit = "" if spent.limit is None else f", and the limit is {spent.limit}"
        first = (
            f"The first private release of these people spends an epsilon of {spent.now}{limit}."
        )
        return f"{first}{delta}"
    limit = "and there is no limit" if spent.limit is None else f"and the limit is {spent.limit}"
    return (
        f"With {counted(spent.releases, 'earlier private release')} of these people, epsilon is "
        f"{spent.together} in total, {limit}.{delta}"
    )


def overlay_document(overlay: Overlay) -> dict[str, Any]:
    """Return the comparison as JSON."""
    certified = document_of_overlay(overlay)
    numbers = ("same_policy", "other_policy", "same_table")
    return {
        "compared": {name: certified.pop(name) for name in numbers},
        "findings": certified.pop("findings"),
        "not_compared": certified.pop("not_laid"),
        **certified,
    }


def _kinds(overlay: Overlay) -> set[str]:
    kinds: set[str] = {one.kind for one in overlay.findings}
    return kinds | {"unlike"} if overlay.unlike or overlay.partly else kinds
