"""What every release says on the terminal: its other columns, and who has few people behind them.

Of records with fewer than k people behind them the first sentence tells what is expected, the
second what the rule that was asked for bounds. A third follows where more is expected than the
significance lets hope for, and says what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from roadstead.front_end import option
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.draft import Draft
from roadstead.release.expectation import least_size_that_keeps, rule_of
from roadstead.reports import wording
from roadstead.reports.added import added_warning, adds, each_alone, worst_column
from roadstead.reports.content import ReleasedIdentifier
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, format_count
from roadstead.risk.below_k import BelowK
from roadstead.risk.minimal_size import minimal_size
from roadstead.verbs.columns import ColumnDecisions


def alarms(decided: ColumnDecisions) -> list[str]:
    """Say loudly which released columns look like one of the eighteen identifiers."""
    found, lines = decided.released_identifiers, []
    forced = _by_column(one for one in found if one.forced and one.number is not None)
    against = _by_column(one for one in found if one.forced and one.number is None)
    others = _by_column(one for one in found if not one.forced)
    if forced:
        lines.append(
            f"WARNING: released by name although Safe Harbor forbids it: {'; '.join(forced)}. "
            "Whoever gets the release may find these people by it."
        )
    if against:
        lines.append(
            f"WARNING: released by name although it may reveal people: {'; '.join(against)}."
        )
    if others:
        lines.append(
            "WARNING: released because it was declared, and looks like one of the eighteen "
            f"identifiers of Safe Harbor: {'; '.join(others)}."
        )
    if decided.unnamed:
        lines.append(
            f"WARNING: released without a decision, because {option('undecided', 'release')} was "
            f"given: {wording.first_few(decided.unnamed)}."
        )
    lines += [f"WARNING: {sentence}" for sentence in linking_sentences(decided)]
    return lines


def _by_column(found: Iterable[ReleasedIdentifier]) -> list[str]:
    return [
        f"{name} ({', '.join(map(_named, ones))})"
        for name, ones in groupby(found, key=lambda one: one.column)
    ]


def _named(one: ReleasedIdentifier) -> str:
    """Name an identifier with its number, or say what was seen where it has none."""
    return one.why if one.number is None else f"{one.identifier}, number {one.number}"


def added(found: AddedRisk) -> list[str]:
    """Warn of what the released columns add to the risk, and say what to do about the worst."""
    if not found.columns:
        return ["No other column is released that could add to this risk."]
    if not adds(found):
        return ["The other released columns single out no more records than the quasi-identifiers."]
    worst = worst_column(found)
    ways = (
        f"round it with {option('treat')}, make it a quasi-identifier with "
        f"{option('quasi', [worst])}, or withhold it with {option('identifiers', [worst])}"
    )
    alone = each_alone(found)
    return [
        f"Warning: {added_warning(found)}",
        *([f"  {alone}"] if alone else []),
        f"  {worst} adds most: {ways}.",
    ]


def terms(models: Iterable[PrivacyModel]) -> list[str]:
    """Say what counts as what for the models, each once."""
    return list(dict.fromkeys(model.terms for model in models if model.terms is not None))


def nothing_left(draft: Draft) -> list[str]:
    """Name the quasi-identifiers of which the release shows no value."""
    names = draft.without_values
    if not names:
        return []
    return [f"No value is left of {wording.listed(names)}."]


def columns(decided: ColumnDecisions) -> list[str]:
    """Say which other columns are released unchanged, and which are never released."""
    roles, lines = decided.roles, []
    declared = [n for n in (*roles.sensitive, *roles.unchanged) if n not in decided.treated]
    if declared:
        lines.append(f"Released as they are: {wording.first_few(declared)}.")
    if forced := [name for name in roles.release_anyway if name not in decided.treated]:
        lines.append(f"Released by name: {wording.first_few(forced)}.")
    if decided.unnamed:
        lines.append(f"Released without a decision: {', '.join(decided.unnamed)}.")
    if roles.identifiers:
        lines.append(f"Not released: {wording.first_few(roles.identifiers)}.")
    return lines


def linking_sentences(decided: ColumnDecisions) -> list[str]:
    """Say which released columns tell which records are of one person, where none is to."""
    lines = []
    for one in decided.linking:
        several = len(one.names) > 1
        which = f"{wording.listed(one.names)} are" if several else f"{one.names[0]} is"
        lines.append(
            f"{which} released and {'together tell' if several else 'tells'} which records are of "
            f"one person, although they are not to be linked: {one.how}."
        )
    return lines


def linkage(draft: Draft) -> list[str]:
    """Say what becomes of the column that says whose each record is."""
    persons = draft.persons
    if persons is None:
        return []
    if persons.linkage == "none":
        return [f"Not released: {persons.column}, which says whose each record is."]
    how = "made with the key" if persons.pseudonyms == "keyed" else "drawn at random and forgotten"
    return [f"Released with a pseudonym in place of each person, {how}: {persons.column}."]


def expected_in_words(found: BelowK, which: str = "released with quasi-identifiers") -> str:
    """Say how many records (`which` are they?) have fewer than k people behind them."""
    of = f"of the {counted(found.released, 'record')} {which}"
    behind = f"fewer than {format_count(found.k)} people of the population behind them"
    share = f" ({percent(found.share)})" if found.records else ""
    if not found.high:
        return f"None {of} has {behind}."
    one = found.records == 1
    if not found.estimated:
        return f"{format_count(found.records)} {of}{share} {'has' if one else 'have'} {behind}."
    return (
        f"About {format_count(found.records)} {of}{share} {'is' if one else 'are'} expected to "
        f"have {behind} (between "
        f"{format_count(found.low)} and {format_count(found.high)}, whatever the sizes of the "
        "classes are)."
    )


def expectation_of(draft: Draft) -> tuple[str, ...]:
    """Say what is expected of a release; nothing where no model asks for a number of people."""
    found, rule = draft.below_k, rule_of(draft.models)
    if found is None:
        return ()
    sentences = [expected_in_words(found)]
    if rule is not None:
        sentences.append(f"The rule {rule.estimator} bounds something else: {rule.bounded}.")
        if found.share > rule.significance:
            sentences.append(_way_on(draft, rule, found.share))
    return tuple(sentences)


def _way_on(draft: Draft, rule: EstimatedKMap, share: float) -> str:
    """Say that more is expected than the significance, and what would do."""
    k, significance = rule.k, rule.significance
    least = least_size_that_keeps(draft.generalized, rule)
    stricter = minimal_size(k, rule.fraction, "d4", significance)
    ways = []
    if least < k:
        ways.append(
            f"classes of {least:,} records or more bring it to {percent(significance)} or less at "
            f"these levels ({option('k', least)}, alongside the model)"
        )
    if stricter > rule.smallest:
        ways.append(f"the rule d4 asks for classes of {stricter:,}")
    ways.append(f"{k}-anonymity leaves none ({option('k', k)})")
    return (
        f"Warning: {percent(share)} is more than the significance, {percent(significance)}. "
        f"What helps: {'; '.join(ways)}."
    )
