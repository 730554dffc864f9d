"""Build the content of the report of an anonymization."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roadstead.quality.for_sharing import coarse_at_most
from roadstead.reports.content import (
    ReportContent,
    ReportedLoss,
    ReportedParts,
    ReportedSearch,
    Setting,
)
from roadstead.reports.numbers import percent
from roadstead.reports.release.content import content_of_release, limits, notes_of, settings_of
from roadstead.reports.release.facts import AnonymizationFacts, RecodingFound
from roadstead.reports.terminal.anonymization import guarantee, of_recoding
from roadstead.reports.terminal.release import suppression_priced
from roadstead.reports.wording import counted
from roadstead.search.registry import PARTITIONS


def content_of(result: AnonymizationFacts) -> ReportContent:
    """Return the content of the report of an anonymization."""
    outcome = result.outcome
    quality = result.quality.settings()
    weights = dict(zip(result.roles.quasi, quality.get("weights") or [], strict=False))
    return replace(
        content_of_release(
            result, limit=result.limit, losses=result.loss_by_attribute, weights=weights
        ),
        **({} if result.recoded is None else of_classes(result.recoded)),
        loss=ReportedLoss(
            quality.get("aggregate"),
            result.loss,
            outcome.lower_bound,
            result.optimal,
            result.quality.name,
            quality.get("target", ""),
            of_persons=quality.get("average_over") == "persons",
        ),
        search=ReportedSearch(
            name=result.search.name,
            guarantee=guarantee(result),
            evaluated=outcome.evaluated,
            lattice_size=result.space.size,
            ending=outcome.ending,
            seconds=outcome.seconds,
            pruned=outcome.pruned,
            cuts=result.search.name in PARTITIONS,
            recoding=result.recoded is not None,
            narrowed=result.narrowed,
        ),
        settings=_settings(result),
        notes=_notes(result),
    )


def of_classes(found: RecodingFound) -> dict[str, Any]:
    """Return the part of the report about classes with different levels of detail."""
    return {
        "classes_made": found.classes,
        "parts": tuple(
            ReportedParts(name, tuple((how, share) for how, share in own.items() if share))
            for name, own in found.shown.items()
        ),
    }


def _settings(result: AnonymizationFacts) -> tuple[Setting, ...]:
    _, _, units = result.draft.generalized.suppression
    told = [
        *settings_of(result.draft),
        Setting(
            "Suppression limit",
            percent(result.policy.suppression.limit),
            f"largest share of the {'people' if units == 'persons' else units} that may be "
            "suppressed",
        ),
        Setting(
            "Suppressed records",
            result.policy.suppression.records,
            "with mask, the records are kept with * in every quasi-identifier; with drop, they "
            "are left out",
        ),
        Setting(
            "Quality model",
            result.quality.name,
            "the measure of lost detail, which the search minimizes",
        ),
        Setting("Search", result.search.name, guarantee(result)),
    ]
    origins = (
        Setting(f"Hierarchy of {name}", origin, "the source of its levels")
        for name, origin in result.origins.items()
    )
    return (*told, *limits(result.time_limit, result.seed), *origins)


def _notes(result: AnonymizationFacts) -> tuple[str, ...]:
    notes = notes_of(result, result.noticed_for_sharing, result.dates)
    notes += [f"{one}." for one in (result.added_model, result.without_k) if one]
    if priced := suppression_priced(result.quality.settings()):
        notes.append(f"The search minimized {result.quality.name}{priced}.")
    notes += of_recoding(result.recoded)
    outcome = result.outcome
    if outcome.queries:
        notes.append(
            "The number of distinct combinations of quasi-identifiers exceeds the limit for "
            f"memory, so the search ran {counted(outcome.queries, 'query', 'queries')} in the "
            "database."
        )
    if outcome.ending != "complete" and not result.optimal:
        notes.append(
            f"The search ended early ({outcome.ending}); a better policy could avoid at most "
            f"{percent(coarse_at_most(outcome.gap), bound='upper')} of the loss."
        )
    elif not result.optimal and result.recoded is None:
        notes.append(
            f"The {result.search.name} search does not prove that this policy has the lowest loss; "
            "the exact search does."
        )
    return tuple(notes)
