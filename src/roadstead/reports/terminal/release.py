"""Describe in lines what can go wrong in every release.

The lines name the risk that its columns add, and values that few people have.
"""

from __future__ import annotations

from collections.abc import Iterable

from roadstead.front_end import option
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.draft import Draft
from roadstead.release.expectation import least_size_that_keeps, rule_of
from roadstead.reports import wording
from roadstead.reports.added import added_warning, adds, all_rows_known, each_alone, worst_column
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, format_count
from roadstead.risk.below_k import BelowK
from roadstead.risk.minimal_size import minimal_size


def added(found: AddedRisk, *, first: str = "", rounds: bool = True) -> list[str]:
    """Warn about the risk that the released columns add, and say what to do about the worst column.

    `first` says what must be done first. `rounds` is true if the command can round columns.
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
    ways = [
        f"add {it} to {option('quasi')} to generalize {them}",
        f"add {it} to {option('identifiers')} to withhold {them}",
        *([f"if {contain} numbers, round {them} with {option('treat')}"] if rounds else []),
    ]
    alone = each_alone(found)
    return [
        f"Warning: {added_warning(found)}",
        *([f"  {alone}"] if alone else []),
        f"  {which}: {first}{', '.join(ways[:-1])}, or, {ways[-1]}."
        if rounds
        else f"  {which}: {first}{', or '.join(ways)}.",
    ]


def terms(models: Iterable[PrivacyModel]) -> list[str]:
    """Explain each term of the models once."""
    return list(dict.fromkeys(model.terms for model in models if model.terms is not None))


def linked_rows(draft: Draft, *, first: str = "") -> list[str]:
    """Say whom an attacker who knows all linked rows of a person can single out."""
    people = draft.all_rows
    return [] if people is None else [all_rows_known(people, draft.group_size, first=first)]


def nothing_left(draft: Draft) -> list[str]:
    """Name the quasi-identifiers of which no value is released."""
    names = draft.without_values
    if not names:
        return []
    return [f"No values are left in {wording.listed(names)}."]


def linkage(draft: Draft, *, first: str = "") -> list[str]:
    """Say how the person ID column is released. `first` says what must be done to link rows."""
    persons = draft.persons
    if persons is None:
        return []
    if persons.linkage == "none":
        return [
            f"Not released: the person ID column {persons.column}. A recipient cannot join the "
            "rows of a person; to release a pseudonym for this, "
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
        f"About {format_count(found.records)} {of}{share} {'is' if one else 'are'} expected to "
        f"have {behind} (between {format_count(found.low)} and {format_count(found.high)}, "
        "whatever the sizes of the groups are)."
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
    """Say that the expectation is above the significance level, and which settings are enough."""
    k, significance = rule.k, rule.significance
    least = least_size_that_keeps(draft.generalized, rule)
    stricter = minimal_size(k, rule.fraction, "d4", significance)
    ways = []
    if least < k:
        ways.append(
            f"require groups of at least {least:,} records, which brings the share to at most "
            f"{percent(significance)} at these levels ({option('k', least)} in addition to the "
            "model)"
        )
    if stricter > rule.smallest:
        ways.append(f"use the rule d4, which requires groups of at least {stricter:,} records")
    ways.append(f"require {k}-anonymity, which leaves no such record ({option('k', k)})")
    return (
        f"Warning: {percent(share)} is more than the significance level, {percent(significance)}. "
        f"To lower it, {first}{'; or '.join(ways)}."
    )
