"""Describe the result of an anonymization in a few lines for the terminal."""

from __future__ import annotations

import shlex
from pathlib import Path

from roadstead.front_end import option
from roadstead.quality.aggregates import in_words
from roadstead.quality.for_sharing import gap_between
from roadstead.quality.words import words_of
from roadstead.release.persons.dates import date_sentences
from roadstead.release.written import rewritten
from roadstead.reports import wording
from roadstead.reports.numbers import percent
from roadstead.reports.release.facts import AnonymizationFacts, RecodingFound
from roadstead.reports.rounded import also_rounded
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.shared_values import shared_values_warnings
from roadstead.reports.terminal.columns import alarms, columns
from roadstead.reports.terminal.release import (
    KNOWING,
    added,
    at_levels,
    counted_of,
    expectation_of,
    linkage,
    linked_rows,
    matches,
    risk_left,
    suppression,
    suppression_priced,
    terms,
)
from roadstead.reports.treatments import treatment_lines
from roadstead.search.protocol import Progress
from roadstead.search.registry import PARTITIONS

_LEAST_GAP = 1e-5
"""A smaller avoidable share is only an effect of rounding."""


def summary(result: AnonymizationFacts) -> list[str]:
    """Describe the release, the remaining risk, the loss, and the guarantee of the search."""
    quality = result.quality.settings()
    measure = words_of(result.quality.name)
    lost = measure.clause.format(share=percent(result.loss), target=quality.get("target", ""))
    weights = quality.get("weights") or ()
    how = wording.weighted(dict(zip(result.policy.quasi, weights, strict=bool(weights))))
    how = f", weighted: {how}" if how else ""
    mean = f" ({in_words(quality['aggregate'])}{how})" if "aggregate" in quality else ""
    if quality.get("average_over") == "persons":
        mean += ", with equal weight for each person"
    mean += suppression_priced(quality)
    risk, known = result.draft.risk, result.generalized.table.combinations
    distinct = int(known.sizes.numbers.sum())  # without people outside the table
    was = f"before: {percent(risk.maximum_before, bound='upper')}, {percent(risk.average_before)}"
    return [
        *alarms(result.decided),
        *added(result.added, result.policy.treatments),
        *linked_rows(result.draft),
        *shared_values_warnings(result.shared_values),
        *runnable_warnings(result.runnable),
        f"Read {counted_of(result.draft, result.dates)} of {result.source.name}, with "
        f"{wording.counted(distinct, 'distinct combination')} of "
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
        *of_recoding(result.recoded),
        *matches(result.matched),
        *columns(result.decided, result.policy.changed),
        *treatment_lines(result.generalized.treated),
        *linkage(result.draft),
        *rewritten(result.draft.source),
    ]


def _generalized(result: AnonymizationFacts) -> list[str]:
    lines = at_levels(result.draft, result.loss_by_attribute)
    if not words_of(result.quality.name).by_attribute:
        lines.append(
            f"  (The loss per column uses Iyengar's measure, because {result.quality.name} "
            "does not give a figure per column.)"
        )
    return [*lines, *_removed(result)]


def _removed(result: AnonymizationFacts) -> list[str]:
    """Name the quasi-identifiers that the search removed, and say how to keep a part of one."""
    if result.policy.recoding is not None or result.search.name in PARTITIONS:
        return []
    both = zip(result.policy.attributes, result.hierarchies, strict=True)
    gone = {a.name: h for a, h in both if 0 < a.level == a.levels - 1 and a.does == "removed"}
    if not gone:
        return []
    kept = {name: (h.height - 2, h.describe(h.height - 2)) for name, h in gone.items()}
    years = {
        name: (level, words)
        for name, h in gone.items()
        for level, words in enumerate(map(h.describe, range(h.height)))
        if words.startswith("by year")
    }
    name, (level, words) = next(iter((years or kept).items()))
    are = "is" if len(gone) == 1 else "are"
    return [
        f"{wording.listed(tuple(gone))} {are} removed. To keep a part of a removed column, limit "
        f"its level, for example, with {option('max_level', {name: level})} "
        f"({words.partition(' (')[0]}). Other "
        "columns are then generalized more, or more records are suppressed."
    ]


def _proof(result: AnonymizationFacts) -> str:
    outcome = result.outcome
    if result.recoded is not None:
        return _proof_of_recoding(result.recoded, narrowed=result.narrowed)
    policies = wording.counted(result.space.size, "policy", "policies")
    pruned = f"{outcome.pruned:,} pruned, " if outcome.pruned else ""
    tried = f"{pruned}{outcome.evaluated:,} of {policies} evaluated"
    if outcome.evaluated > result.space.size:  # bounds evaluate some policies more than once
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


def _proof_of_recoding(found: RecodingFound, *, narrowed: bool) -> str:
    geometric, arithmetic = percent(found.geometric), percent(found.arithmetic)
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
        f"{groups} with an arithmetic mean loss of {arithmetic} (geometric mean: {geometric}). "
        f"Every release of this kind ({kind}) has a loss of at least {least} (arithmetic mean), so "
        f"at most {gap} of the {arithmetic} could be avoided"
    )


def of_recoding(found: RecodingFound | None) -> tuple[str, ...]:
    """Describe the attacks on the groups, and which requirements the lower bound ignores."""
    if found is None:
        return ()
    if not found.unseen or found.lower_bound <= 0.0 or found.arithmetic <= 0.0:
        return found.attacks
    return (
        "This bound on the loss considers only the size of groups, not "
        f"{wording.listed(found.unseen)}. Therefore, the bound counts loss as avoidable even if "
        "this protection needs it.",
        *found.attacks,
    )


def guarantee(result: AnonymizationFacts) -> str:
    """Describe what the search guarantees about the result."""
    if result.recoded is None or not result.recoded.unseen:
        return result.search.guarantee
    return f"before groups were merged: {result.search.guarantee}"


def proof_lines(
    path: Path | None, table: Path | None, unpacked_from: Path | None, *, recoded: bool
) -> tuple[str, ...]:
    """Describe where a requested proof was written, and how to check it with a text file."""
    if path is None:
        return ()
    if not path.exists():
        return ("No proof was written, because the search was stopped.",)
    before = () if unpacked_from is None else (f"Unpack {unpacked_from} first.",)
    if table is None:
        before = (
            "First export the table as TABLE: a CSV file in UTF-8, with commas, a header, and the "
            "values as Roadstead read them.",
        )
    return (
        f"Wrote the proof to {path}. It is as confidential as the original table: do not release "
        "it.",
        *before,
        f"Check it with: roadstead-check-{'bound' if recoded else 'proof'} "
        f"{shlex.quote(str(table or 'TABLE'))} {shlex.quote(str(path))}",
    )


def progress_line(progress: Progress) -> str:
    """Describe the progress of a search on one line."""
    best, bound = progress.best, progress.lower_bound
    if best is not None and hasattr(best.policy, "parts"):  # a recoding: policies are not counted
        least = f", lower bound {percent(bound, bound='lower')}" if bound > 0.0 else ""
        return f"searching {progress.seconds:.0f} s: best loss {percent(best.loss)}{least}"
    if best is None:
        known = "no policy yet"
    else:
        gap = gap_between(progress.lower_bound, best.loss)
        known = (
            f"best loss {percent(best.loss)}, "
            f"lower bound {percent(progress.lower_bound, bound='lower')}, "
            f"gap {percent(gap, bound='upper')}"
        )
    evaluated = wording.counted(progress.evaluated, "policy", "policies")
    queries = progress.queries
    how = f" with {wording.counted(queries, 'query', 'queries')}" if queries else ""
    return f"searching {progress.seconds:.0f} s: {known}; {evaluated} evaluated{how}"
