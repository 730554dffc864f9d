"""Describe the result of an anonymization in a few lines for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import in_words
from roadstead.quality.for_sharing import gap_between
from roadstead.quality.words import words_of
from roadstead.release.draft import Draft
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.dates import DatesMade, date_sentences
from roadstead.release.written import rewritten
from roadstead.reports import wording
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import also_rounded
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.shared_values import shared_values_warnings
from roadstead.reports.terminal.release import added, expectation_of, linkage, linked_rows, terms
from roadstead.reports.treatments import treatment_lines
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.search.protocol import Progress
from roadstead.search.registry import PARTITIONS
from roadstead.verbs.release_words import alarms, columns

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.facts import AnonymizationFacts, RecodingFound

_ENOUGH = 1.0 - 1e-9
"""A factor that makes comparisons with 1/threshold robust to rounding."""

KNOWING = "if an attacker knows only the quasi-identifiers"
"""The assumption about the attacker behind the reported risk."""
_KNOWN = {1: "one known row", 2: "two known rows", 3: "three known rows", "all": "all rows known"}


def summary(result: AnonymizationFacts) -> list[str]:
    """Describe the release, the remaining risk, the loss, and the guarantee of the search."""
    quality = result.quality.settings()
    measure = words_of(result.quality.name)
    lost = measure.clause.format(share=percent(result.loss), target=quality.get("target", ""))
    mean = f" ({in_words(quality['aggregate'])})" if "aggregate" in quality else ""
    if quality.get("average_over") == "persons":
        mean += ", each person weighted equally"
    mean += suppression_priced(quality)
    risk = result.draft.risk
    was = f"before: {percent(risk.maximum_before, bound='upper')}, {percent(risk.average_before)}"
    return [
        *alarms(result.decided),
        *added(result.added),
        *linked_rows(result.draft),
        *shared_values_warnings(result.shared_values),
        *runnable_warnings(result.runnable),
        f"Read {counted_of(result.draft, result.dates)} of {result.source.name}, with "
        f"{wording.counted(_distinct(result), 'distinct combination')} of "
        f"{wording.counted(len(result.policy.attributes), 'quasi-identifier')}.",
        result.counted.sentence,
        *terms(result.draft.models),
        *_generalized(result),
        *date_sentences(result.policy.persons, result.dates),
        *(f"{one}." for one in (result.added_model, result.without_k) if one),
        *result.noticed,
        suppression(result.draft),
        *expectation_of(result.draft),
        f"Re-identification risk: {risk_left(result.draft)} ({was}), {KNOWING}.",
        f"{measure.figure}: {lost}{mean}.",
        f"{_proof(result)}.",
        *also_rounded(float(result.loss)),
        *(
            ()
            if result.recoded is None
            else (*reach_of_bound(result.recoded), *result.recoded.attacks)
        ),
        *matches(result.matched),
        *columns(result.decided),
        *treatment_lines(result.generalized.treated),
        *linkage(result.draft),
        *rewritten(result.draft.source),
    ]


def _generalized(result: AnonymizationFacts) -> list[str]:
    attributes, words = result.policy.attributes, result.draft.words
    width = max(len(a.name) for a in attributes)
    lost = {name: percent(loss) for name, loss in result.loss_by_attribute.items()}
    if result.recoded is None:
        lines = [
            f"  {a.name:<{width}}  {words[a.name]}  (level {a.level} of 0-{a.levels - 1}, "
            f"loss {lost[a.name]})"
            for a in attributes
        ]
    else:
        lines = [f"  {name:<{width}}  {does}  (loss {lost[name]})" for name, does in words.items()]
    if not words_of(result.quality.name).by_attribute:
        lines.append(
            f"  (The loss per column is Iyengar's, because {result.quality.name} does not give a "
            "figure per column.)"
        )
    return lines


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


def _distinct(result: AnonymizationFacts) -> int:
    """Count the distinct combinations in the records, excluding people outside the table."""
    table = result.generalized.table
    return int(table.combinations.sizes.numbers.sum())


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
    people = wording.counted(persons.left_out, "person", "people")
    if generalized.whole:
        share = percent(persons.left_out / persons.persons)
        with_records = f", with all their records ({records})" if persons.left_out else ""
        of_all = f"{persons.left_out:,} of {wording.counted(persons.persons, 'person', 'people')}"
        return f"Left out: {share} ({of_all}; limit {limit}){with_records}."
    share = percent(counts.suppressed / counts.records)
    whose = ""
    if counts.suppressed:
        whose = (
            f"; {people} {'has' if persons.left_out == 1 else 'have'} no record left, and "
            f"{persons.in_part:,} lost some records"
        )
    of_all = f"{counts.suppressed:,} of {wording.counted(counts.records, 'record')}"
    return f"Left out: {share} ({of_all}; limit {limit}){whose}."


def why_not_masked(draft: Draft) -> str:
    """Explain why the release cannot keep suppressed records with ``*``.

    Records with ``*`` form a class, which must meet the privacy models like any other class.
    """
    if draft.counts.suppressed * draft.threshold < _ENOUGH:
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
    after = prosecutor_risk(draft.generalized.sizes, draft.threshold)
    mean = f"{percent(after.average)} on average"
    if not after.uniques:
        return f"at most {percent(after.maximum, bound='upper')} per record, {mean}"
    them = "that is unique" if after.uniques == 1 else "that are unique"
    return f"100% for {wording.counted(after.uniques, 'record')} {them}, {mean}"


def _proof(result: AnonymizationFacts) -> str:
    outcome = result.outcome
    if result.recoded is not None:
        return _proof_of_recoding(result.recoded, narrowed=result.narrowed)
    policies = wording.counted(result.space.size, "policy", "policies")
    pruned = f"{outcome.pruned:,} pruned, " if outcome.pruned else ""
    tried = f"{pruned}{outcome.evaluated:,} of {policies} evaluated"
    if outcome.evaluated > result.space.size:  # for bounds, some more than once
        tried = f"{pruned}{outcome.evaluated:,} evaluations, of {policies}"
    if outcome.queries:
        queries = wording.counted(outcome.queries, "query", "queries")
        tried = f"{tried}, found with {queries} in the database"
    lattice = "these hierarchies (one level per column for all records)"
    if result.search.name in PARTITIONS:
        lattice = "these orders (the same cuts for all records)"
    if result.optimal:
        return (
            f"Proven optimal: no allowed policy with {lattice} has a lower loss ({tried}). Another "
            "kind of recoding may have a lower loss"
        )
    least = percent(outcome.lower_bound, bound="lower")
    known = f"every policy with {lattice} has a loss of at least {least}"
    if outcome.ending != "complete":
        gap = percent(outcome.gap, bound="upper")
        return f"Within {gap} of the optimum: {known} ({outcome.ending}, {tried})"
    known = known if outcome.lower_bound > 0.0 else "another policy may have a much lower loss"
    return f"Not proven optimal by the {result.search.name} search: {known} ({tried})"


_LEAST_GAP = 1e-5
"""A smaller avoidable share is only an effect of rounding."""


def _proof_of_recoding(found: RecodingFound, *, narrowed: bool) -> str:
    geometric = percent(found.geometric)
    groups = wording.counted(found.classes, "group")
    made = f"{groups} with a geometric mean loss of {geometric}"
    if found.arithmetic <= 0.0:
        return f"{made}. No release can have a lower loss"
    if found.lower_bound <= 0.0:
        return f"{made}. It is not proven how much lower the loss could be"
    least = percent(found.lower_bound, bound="lower")
    gap = percent(max(found.gap, _LEAST_GAP), bound="upper")
    kind = f"{found.kind}, with the allowed levels" if narrowed else found.kind
    return (
        f"{made}. Every release of this kind ({kind}) has a loss of at least {least}, so at most "
        f"{gap} of this loss could be avoided"
    )


def reach_of_bound(found: RecodingFound) -> tuple[str, ...]:
    """Note that the lower bound ignores the requirements of models for sensitive columns."""
    if not found.unseen or found.lower_bound <= 0.0 or found.arithmetic <= 0.0:
        return ()
    return (
        "This bound on the loss considers only the size of groups, not "
        f"{wording.listed(found.unseen)}. It counts the loss that this protection requires as "
        "avoidable.",
    )


def guarantee(result: AnonymizationFacts) -> str:
    """Describe what the search guarantees about the result."""
    if result.recoded is None or not result.recoded.unseen:
        return result.search.guarantee
    return f"before groups were merged: {result.search.guarantee}"


def matches(matched: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Describe which columns match each pattern."""
    return [
        f"{pattern} matches "
        f"{wording.counted(len(names), 'column')}{': ' if names else ''}{wording.first_few(names)}."
        for pattern, names in matched.items()
    ]


def progress_line(progress: Progress) -> str:
    """Describe the progress of a search on one line."""
    best, bound = progress.best, progress.lower_bound
    if best is not None and hasattr(best.policy, "parts"):  # a recoding: policies are not counted
        least = f", at least {percent(bound, bound='lower')}" if bound > 0.0 else ""
        return f"searching {progress.seconds:.0f} s: best loss {percent(best.loss)}{least}"
    if best is None:
        known = "no policy yet"
    else:
        gap = gap_between(progress.lower_bound, best.loss)
        known = (
            f"best loss {percent(best.loss)}, "
            f"at least {percent(progress.lower_bound, bound='lower')}, "
            f"gap {percent(gap, bound='upper')}"
        )
    evaluated = wording.counted(progress.evaluated, "policy", "policies")
    queries = progress.queries
    how = f" with {wording.counted(queries, 'query', 'queries')}" if queries else ""
    return f"searching {progress.seconds:.0f} s: {known}; {evaluated} evaluated{how}"
