"""Describe the records, the suppression, the risk, and the person IDs of any release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from roadstead.front_end import option
from roadstead.policies.person_rules import ANCHOR
from roadstead.policies.treatments.document import Treatment
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.draft import Draft
from roadstead.release.expectation import least_size_that_keeps, rule_of
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.dates import DatesMade
from roadstead.reports import wording
from roadstead.reports.added import (
    added_warning,
    adds,
    all_rows_known,
    each_alone,
    without_anchor,
    worst_column,
)
from roadstead.reports.numbers import percent
from roadstead.reports.promise import of_masked
from roadstead.reports.wording import counted, format_count
from roadstead.risk.below_k import BelowK
from roadstead.risk.minimal_size import minimal_size

KNOWING = "if an attacker knows only the quasi-identifiers"
"""The assumption about the attacker behind the reported risk."""
_KNOWN = {1: "one known row", 2: "two known rows", 3: "three known rows", "all": "all rows known"}


def added(
    found: AddedRisk, treatments: Iterable[Treatment] = (), *, first: str = "", rounds: bool = True
) -> list[str]:
    """Warn about the risk that the released columns add, and say what to do about the worst column.

    `treatments` are the treatments of columns in the release. `first` says what must be done first.
    `rounds` is true if the command can round columns.
    """
    if not found.columns:
        return ["No other column is released, so no other column adds to this risk."]
    if not adds(found):
        return [
            (
                "The other released columns do not single out more records than the "
                "quasi-identifiers alone."
            )
        ]
    worst = worst_column(found)
    which = "these columns add risk only together" if worst is None else f"{worst} adds most"
    it, them = ("it", "it") if worst else ("some of them", "them")
    contain = "it contains" if worst else "they contain"
    coarser = f", if {contain} numbers, round {them} with {option('treat')}"
    if any(worst in one.columns for one in treatments):
        coarser = f" treat {them} more coarsely with {option('treat')}"
    ways = [
        f"add {it} to {option('quasi')} to generalize {them}",
        f"add {it} to {option('identifiers')} to withhold {them}",
        *([coarser] if rounds else []),
    ]
    if worst == ANCHOR:
        ways = [without_anchor()]
    alone = each_alone(found)
    return [
        f"Warning: {added_warning(found)}",
        *([f"  {alone}"] if alone else []),
        f"  {which}: {first}{', '.join(ways[:-1])}, or{ways[-1]}."
        if rounds and ways[1:]
        else f"  {which}: {first}{', or '.join(ways)}.",
    ]


def terms(models: Iterable[PrivacyModel]) -> list[str]:
    """Explain each term of the models once."""
    return list(dict.fromkeys(model.terms for model in models if model.terms is not None))


def at_levels(draft: Draft, losses: Mapping[str, float]) -> list[str]:
    """Describe what happens to each quasi-identifier, with its level and its loss."""
    attributes = draft.policy.attributes
    width = max(len(a.name) for a in attributes)
    levels = {a.name: f"level {a.level} of 0-{a.levels - 1}, " for a in attributes}
    if draft.policy.recoding is not None:  # groups differ in their levels
        levels = dict.fromkeys(levels, "")
    return [
        f"  {name:<{width}}  {does}  ({levels[name]}loss {percent(losses[name])})"
        for name, does in draft.words.items()
    ]


def nothing_left(draft: Draft) -> list[str]:
    """Name the quasi-identifiers for which no value is released."""
    names = draft.without_values
    if not names:
        return []
    return [f"No values are left in {wording.listed(names)}."]


def linked_rows(draft: Draft, *, first: str = "") -> list[str]:
    """Say how many people an attacker can single out with all linked rows of a person."""
    people = draft.all_rows
    return [] if people is None else [all_rows_known(people, draft.group_size, first=first)]


def linkage(draft: Draft, *, first: str = "") -> list[str]:
    """Say how the person ID column is released. `first` says what must be done to link rows."""
    persons = draft.persons
    if persons is None:
        return []
    if persons.linkage == "none":
        return [
            f"The person ID column {persons.column} is not released, and no pseudonym replaces it. "
            "To let a recipient join the rows of a person, "
            f"{first}use {option('link', 'pseudonym')}."
        ]
    keyed = persons.pseudonyms == "keyed"
    how = "made with your key" if keyed else "made with a random key that was not kept"
    said = f"Person IDs in {persons.column} are replaced with pseudonyms, {how}."
    return [said, wording.SAME_KEY] if keyed else [said]


def expected_in_words(found: BelowK, which: str = "released with quasi-identifiers") -> str:
    """Say how many records have fewer than k matching people. `which` describes the records."""
    of = f"of the {counted(found.released, 'record')} {which}"
    behind = f"fewer than {format_count(found.k)} matching people in the population"
    share = f" ({percent(found.share)})" if found.records else ""
    if not found.high:
        return f"None {of} has {behind}."
    one = found.records == 1
    if not found.estimated:
        return f"{format_count(found.records)} {of}{share} {'has' if one else 'have'} {behind}."
    return (
        f"About {format_count(found.records)} {of}{share} {'is' if one else 'are'} "
        f"expected to have {behind} (between {format_count(found.low)} and "
        f"{format_count(found.high)}, for any sizes of the groups)."
    )


def expectation_of(draft: Draft, *, first: str = "") -> tuple[str, ...]:
    """Return the expected matches of a release, if a model requires a number of people."""
    found, rule = draft.below_k, rule_of(draft.models)
    if found is None:
        return ()
    sentences = [expected_in_words(found)]
    if rule is not None:
        sentences.append(f"The rule {rule.estimator} limits a different figure: {rule.bounded}.")
        if found.share > rule.significance:
            sentences.append(_way_on(draft, rule, found.share, first))
    return tuple(sentences)


def _way_on(draft: Draft, rule: EstimatedKMap, share: float, first: str) -> str:
    """Warn that a share is above the significance level, and name settings that lower the share."""
    k, significance = rule.k, rule.significance
    least = least_size_that_keeps(draft.generalized, rule)
    stricter = minimal_size(k, rule.fraction, "d4", significance)
    ways = []
    if least < k:
        ways.append(
            f"require groups of at least {least:,} records, which lowers the share to at "
            f"most {percent(significance)} at these levels ({option('k', least)} in "
            "addition to the model)"
        )
    if stricter > rule.smallest:
        ways.append(f"use the rule d4, which requires groups of at least {stricter:,} records")
    ways.append(f"require {k}-anonymity, which leaves no such record ({option('k', k)})")
    return (
        f"Warning: {percent(share)} is more than the significance level, {percent(significance)}. "
        f"To lower it, {first}{'; or '.join(ways)}."
    )


def counted_of(draft: Draft, dates: DatesMade | None = None) -> str:
    """Describe the number of records, and the number of people if people are counted.

    If date shifts excluded records, the string also contains the original number of records.
    """
    records, generalized = wording.counted(draft.counts.records, "record"), draft.generalized
    if not isinstance(generalized, GeneralizedPersons) or draft.policy.persons is None:
        return records
    if dates is not None and dates.records_left_out:
        had = draft.counts.records + dates.records_left_out
        records = (
            f"{wording.format_count(draft.counts.records)} of {wording.counted(had, 'record')},"
        )
    return (
        f"{records} of {wording.counted(generalized.persons.persons, 'person', 'people')} "
        f"(column {draft.policy.persons.column})"
    )


def suppression(draft: Draft) -> str:
    """Describe how many records or people are suppressed, and whether the release keeps them."""
    if isinstance(draft.generalized, GeneralizedPersons):
        return _suppression_of_persons(draft, draft.generalized)
    counts, limit = draft.counts, percent(draft.policy.suppression.limit)
    became = ""
    if counts.masked:
        became = ", kept with * in every quasi-identifier"
        if draft.policy.two_columns:
            became += " and empty cells in interval columns"
    elif counts.suppressed:
        became = ", left out"
        if draft.policy.suppression.records == "mask":
            became += f", because {why_not_masked(draft)}"
    share = percent(counts.suppressed / counts.records)
    records = f"{counts.suppressed:,} of {wording.counted(counts.records, 'record')}"
    return f"Suppressed: {share} ({records}; limit {limit}){became}."


def _suppression_of_persons(draft: Draft, generalized: GeneralizedPersons) -> str:
    """Describe how many people were suppressed. Suppressed people are always removed."""
    persons = generalized.persons
    counts, limit = draft.counts, percent(draft.policy.suppression.limit)
    records = wording.counted(counts.suppressed, "record")
    if generalized.whole:
        share = percent(persons.left_out / persons.persons)
        with_records = f", with all their records ({records})" if persons.left_out else ""
        of_all = f"{persons.left_out:,} of {wording.counted(persons.persons, 'person', 'people')}"
        return f"Left out: {share} ({of_all}; limit {limit}){with_records}.{_shifted_out(draft)}"
    share = percent(counts.suppressed / counts.records)
    losing = wording.people_losing(persons.left_out, persons.in_part)
    whose = f"; {losing}" if counts.suppressed else ""
    of_all = f"{counts.suppressed:,} of {wording.counted(counts.records, 'record')}"
    return f"Left out: {share} ({of_all}; limit {limit}){whose}.{_shifted_out(draft)}"


def _shifted_out(draft: Draft) -> str:
    gone = draft.near_ends
    return (
        "" if gone is None else f" {wording.without_shifted(gone.records, gone.persons)}".rstrip()
    )


def why_not_masked(draft: Draft) -> str:
    """Explain why the release cannot keep suppressed records with ``*``.

    Records with ``*`` form a class, which must meet the privacy models like any other class.
    """
    if draft.counts.suppressed < draft.k:
        return "a group of so few records with * would be too small"
    others = " or ".join(m.name for m in draft.models if not isinstance(m, KAnonymity))
    return f"the records with * would form a group that does not meet {others}"


def risk_left(draft: Draft) -> str:
    """Describe the highest and the mean risk of records, or of people if people are counted.

    If the highest risk is 100%, the description also contains the number of unique records.
    """
    if draft.persons is not None:
        risk = draft.risk
        return (
            f"at most {percent(risk.maximum, bound='upper')} per person with "
            f"{_KNOWN[draft.knows or 1]}, {percent(risk.average)} on average"
        )
    after = draft.record_risk
    mean = f"{percent(after.average)} on average"
    star = of_masked(draft.counts.masked, after.maximum)
    if not after.uniques:
        return (
            f"at most {percent(after.maximum, bound='upper')} per record"
            f"{f' ({star})' if star else ''}, {mean}"
        )
    them = "that is unique" if after.uniques == 1 else "that are unique"
    return f"100% for {wording.counted(after.uniques, 'record')} {them}, {mean}"


def suppression_priced(quality: Mapping[str, Any]) -> str:
    """Describe how a loss is defined, or how suppression affects it.

    The returned string starts with a comma.
    """
    if "function" in quality:
        return (
            ", if the given function never decreases when a label covers more values (in this "
            "search, it never decreased)"
        )
    if quality.get("monotone"):
        return ", with suppressed records counted as if generalized"
    if "gs_factor" in quality:
        formula = " by ARX's formula" if quality.get("gs_formula") == "arx" else ""
        return (
            f", with a weight of {quality['gs_factor']:g} between generalization and "
            f"suppression{formula}"
        )
    return ""


def matches(matched: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Describe which columns match each pattern."""
    return [
        f"{pattern} matches "
        f"{wording.counted(len(names), 'column')}{': ' if names else ''}{wording.first_few(names)}."
        for pattern, names in matched.items()
    ]
