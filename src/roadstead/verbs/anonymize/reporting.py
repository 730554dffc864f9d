"""Build the content of reports, including the parts that all releases share."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead import __version__
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.quality.for_sharing import coarse_at_most
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import promise_of
from roadstead.release.draft import Draft
from roadstead.release.generalized import GeneralizedPersons, every_row_a_class
from roadstead.release.persons.dates import date_sentences
from roadstead.release.persons.figures import person_risk_left, unicity_left
from roadstead.release.verification.terms import terms_of
from roadstead.reports.content import (
    Attribute,
    ChecklistRow,
    ClassSizes,
    Guarantee,
    Measured,
    Promise,
    RecordCounts,
    ReportContent,
    ReportedColumns,
    ReportedLoss,
    ReportedParts,
    ReportedPersons,
    ReportedSearch,
    Setting,
    Withheld,
)
from roadstead.reports.numbers import percent
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.sentences import measured
from roadstead.reports.shared_values import shared_values_notes
from roadstead.reports.terminal.release import expectation_of
from roadstead.reports.treatments import treatment_notes
from roadstead.reports.wording import SAME_KEY, counted, decimal
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS
from roadstead.risk.prosecutor import (
    histogram_as_it_is,
    prosecutor_risk,
    risk_as_it_is,
    size_histogram,
)
from roadstead.search.registry import PARTITIONS
from roadstead.verbs.anonymize.words import (
    guarantee,
    reach_of_bound,
    suppression_priced,
    why_not_masked,
)
from roadstead.verbs.columns import ColumnDecisions
from roadstead.verbs.release_words import linking_sentences

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.facts import AnonymizationFacts, RecodingFound

_SLACK = 1e-9
"""The relative tolerance for comparing a risk with a threshold."""


def content_of(result: AnonymizationFacts) -> ReportContent:
    """Return the content of the report of an anonymization."""
    outcome = result.outcome
    quality = result.quality.settings()
    weights = dict(zip(result.roles.quasi, quality.get("weights") or [], strict=False))
    return replace(
        content_of_release(result.draft, limit=result.limit),
        attributes=tuple(
            attribute(result.draft, a, result.loss_by_attribute[a.name], weights.get(a.name, 1.0))
            for a in result.policy.attributes
        ),
        **({} if result.recoded is None else of_classes(result.recoded)),
        **of_columns(result.decided, result.draft, result.added),
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


def content_of_release(draft: Draft, *, limit: int) -> ReportContent:
    """Return the part of the report that does not depend on how the policy was found."""
    policy, counts = draft.policy, draft.counts
    threshold = draft.threshold
    before, after = draft.generalized.table, draft.generalized.sizes
    merged, covered = draft.generalized.merged, draft.generalized.covered
    large = merged.counts * threshold >= 1.0 - _SLACK
    k = ceil(1.0 / (threshold * (1.0 + _SLACK)))
    several = "k of them" if k > 1 else "records in one group"
    persons = persons_of(draft, k)
    return ReportContent(
        title="De-identification report",
        source=draft.source.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version="; ".join((__version__, *map(str, draft.plugins or ()))),
        promise=Promise(
            sentence=promise_of(policy, draft.models),
            models=tuple(model.name for model in draft.models),
            k=k,
            limit_share=policy.suppression.limit,
            limit_records=limit,
        ),
        counts=RecordCounts(
            counts.records,
            counts.masked,
            counts.dropped,
            failing=int(merged.counts[~draft.generalized.kept & covered & large].sum()),
            uncovered=int(merged.counts[~covered].sum()),
            in_no_class=policy.recoding is not None,
        ),
        attributes=tuple(attribute(draft, a, None, 1.0) for a in policy.attributes),
        columns=ReportedColumns(),
        classes_before=ClassSizes(histogram_as_it_is(before)),
        classes_after=ClassSizes(size_histogram(after)),
        risk_before=risk_as_it_is(before, threshold),
        risk_after=prosecutor_risk(after, threshold),
        loss=None,
        search=None,
        guarantees=_guarantees(draft, persons),
        expectation=expectation_of(draft),
        persons=persons,
        below_promise=draft.below_promise,
        terms=terms_of(
            policy.quasi,
            draft.models,
            draft.risk.maximum,
            () if draft.below_promise is None else draft.below_promise.names,
        ),
        assumptions=(
            _assumed_of_persons(draft, several),
            "An attacker knows only the named quasi-identifiers. The privacy requirements do not "
            "cover an attacker who knows more. The figures above show what the other released "
            "columns would add.",
        ),
    )


def _guarantees(draft: Draft, persons: ReportedPersons | None) -> tuple[Guarantee, ...]:
    """Describe the guarantees of models other than k-anonymity, with the measured values."""
    merged, classes = draft.generalized.merged, _released_classes(draft)
    return tuple(
        Guarantee(
            kind=str(model.settings()["kind"]),
            name=model.name,
            promise=model.promise,
            columns=tuple(model.columns),
            measured=(
                _persons_who_fit(model, persons)
                if isinstance(model, PersonAnonymity)
                else measured(model, merged, classes)
            ),
        )
        for model in draft.models
        if not isinstance(model, KAnonymity)
    )


def _assumed_of_persons(draft: Draft, several: str) -> str:
    rules = draft.policy.persons
    if rules is None:
        return (
            f"Each record is counted separately. If people can have several records, {several} may "
            "belong to the same person. In that case, first combine the records of each person "
            "into one."
        )
    if rules.link == "none":
        return (
            f"The person ID column is {rules.column}. It is not released, and no other released "
            "column shows which records belong to one person."
        )
    keyed = draft.persons is not None and draft.persons.pseudonyms == "keyed"
    return (
        f"The person ID column is {rules.column}. It is released with pseudonyms, so any recipient "
        "can see which records belong to one person."
        f"{f' {SAME_KEY}' if keyed else ''}"
    )


def persons_of(draft: Draft, k: int) -> ReportedPersons | None:
    """Return the risk of people in the table and in the release, or None if records are counted."""
    generalized = draft.generalized
    risk, curves = person_risk_left(generalized, draft.models), unicity_left(generalized, k)
    if risk is None or curves is None or not isinstance(generalized, GeneralizedPersons):
        return None
    counts = generalized.persons
    return ReportedPersons(
        column=risk.column,
        known=ROWS_IN_WORDS[risk.knows],
        k=k,
        persons=counts.persons,
        released=counts.released,
        whole=generalized.whole,
        all_rows=draft.all_rows,
        before=risk.before,
        after=risk.after,
        unicity_before=curves.before,
        unicity_after=curves.after,
    )


def _persons_who_fit(model: PersonAnonymity, persons: ReportedPersons | None) -> Measured | None:
    """Return the smallest number of people who match an attacker's knowledge about a person."""
    if persons is None or not persons.after.persons:
        return None
    what = f"smallest number of people who match {persons.known} of a person"
    return Measured(what, decimal(persons.after.smallest), f"at least {model.k}")


def of_columns(decided: ColumnDecisions, draft: Draft, added: AddedRisk) -> dict[str, Any]:
    """Return the part of the report about columns that are not quasi-identifiers."""
    own, unnamed, policy = decided.columns, decided.unnamed, draft.policy
    levels = draft.words
    withheld = {column.name: column.reason for column in decided.withheld}

    def became(name: str) -> str:
        if name in levels:
            return f"quasi-identifier, {levels[name]}"
        if name in withheld:
            return "withheld"
        if name in policy.treated:
            return policy.treated[name].does
        return "removed" if name in policy.columns.removed else "released unchanged"

    return {
        "counted": decided.counted.stated,
        "columns": ReportedColumns(
            sensitive=tuple(name for name in own.sensitive if name not in policy.treated),
            unchanged=tuple(
                name for name in own.unchanged if name not in {*unnamed, *policy.treated}
            ),
            treated=tuple((name, one.does) for name, one in policy.treated.items()),
            identifiers=decided.roles.identifiers,
            withheld=tuple(Withheld(name, reason) for name, reason in withheld.items()),
            forced=tuple(name for name in own.forced if name not in policy.treated),
            unnamed=unnamed,
            reasons=tuple(own.reasons.items()),
        ),
        "identifiers": decided.released_identifiers,
        "checklist": tuple(
            ChecklistRow(
                line.number,
                line.identifier,
                line.describe(),
                tuple((name, became(name)) for name in line.columns),
                line.note,
            )
            for line in decided.checklist
        ),
        "added": added,
    }


def _released_classes(draft: Draft) -> Classes:
    """Return the classes of a release. Records that are kept with ``*`` form the last class."""
    every, kept = every_row_a_class(draft.generalized.merged), draft.generalized.kept
    if not draft.counts.masked:
        return keep(every, kept)[0]
    numbers = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept)).astype(np.uint32)
    sizes = np.append(every.sizes[kept], draft.counts.masked)
    return Classes(every.members, numbers, sizes)


def attribute(draft: Draft, own: AttributePolicy, loss: float | None, weight: float) -> Attribute:
    """Describe how the release changes a quasi-identifier."""
    varies, left = draft.policy.recoding is not None, own.name not in draft.without_values
    does = draft.words[own.name]
    return Attribute(own.name, own.level, own.levels, does, loss, weight, varies, left)


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
        Setting(
            "Quasi-identifiers",
            ", ".join(result.roles.quasi),
            "the columns that an attacker may know",
        ),
        Setting(
            "Privacy model",
            " and ".join(m.name for m in result.models),
            "the requirements that the release must meet",
        ),
        Setting(
            "Suppression limit",
            percent(result.policy.suppression.limit),
            f"largest share of the {'people' if units == 'persons' else units} that may be "
            "suppressed",
        ),
        Setting(
            "Suppressed records",
            result.policy.suppression.records,
            "mask keeps them with * in every quasi-identifier; drop leaves them out",
        ),
        Setting(
            "Quality model",
            result.quality.name,
            "the measure of detail lost that the search minimizes",
        ),
        Setting("Search", result.search.name, guarantee(result)),
    ]
    origins = (
        Setting(f"Hierarchy of {name}", origin, "where its levels come from")
        for name, origin in result.origins.items()
    )
    return (*told, *limits(result.time_limit, result.seed), *origins)


def limits(time_limit: float | None, seed: int | None) -> list[Setting]:
    """Return the time limit and the seed of a search, for the settings in the report."""
    told = []
    if time_limit is not None:
        told.append(Setting("Time limit", f"{time_limit:g} s", "for the search"))
    if seed is not None:
        told.append(Setting("Seed", str(seed), "for random choices"))
    return told


def _notes(result: AnonymizationFacts) -> tuple[str, ...]:
    notes = [*result.noticed, *notes_on_masking(result.draft)]
    notes += date_sentences(result.policy.persons, result.dates)
    notes += linking_sentences(result.decided)
    notes += treatment_notes(result.generalized.treated)
    notes += shared_values_notes(result.shared_values)
    notes += runnable_warnings(result.runnable)
    notes += [f"{one}." for one in (result.added_model, result.without_k) if one]
    if priced := suppression_priced(result.quality.settings()):
        notes.append(f"The search minimized {result.quality.name}{priced}.")
    if result.recoded is not None:
        notes += (*reach_of_bound(result.recoded), *result.recoded.attacks)
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


def notes_on_masking(draft: Draft) -> list[str]:
    """Explain why suppressed records are removed although the policy would keep them."""
    if draft.policy.suppression.records != "mask" or not draft.counts.dropped:
        return []
    were = "was" if draft.counts.dropped == 1 else "were"
    records = counted(draft.counts.dropped, "suppressed record")
    return [
        f"{records} could not be kept with * and {were} left out, because {why_not_masked(draft)}."
    ]
