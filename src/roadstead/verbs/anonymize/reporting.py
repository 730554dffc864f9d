"""Fill a report with what a search found, or what applying a policy did."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import ceil
from typing import Any

import numpy as np

from roadstead import __version__
from roadstead.policies.classes import Classes, keep
from roadstead.policies.document import AttributePolicy
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.for_sharing import coarse_at_most
from roadstead.release.certificate import promise_of
from roadstead.release.draft import Draft
from roadstead.release.generalized import every_row_a_class
from roadstead.reports.content import (
    Attribute,
    ClassSizes,
    Columns,
    Counts,
    Guarantee,
    Loss,
    Promise,
    ReportContent,
    Risk,
    Search,
    Setting,
    Withheld,
)
from roadstead.reports.measured import measured
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.risk.prosecutor import (
    ProsecutorRisk,
    histogram_as_it_is,
    prosecutor_risk,
    risk_as_it_is,
    size_histogram,
)
from roadstead.verbs.anonymize.finding import Finding
from roadstead.verbs.anonymize.words import why_not_masked
from roadstead.verbs.apply.applied import Applied
from roadstead.verbs.expectation_words import expectation_of
from roadstead.verbs.frontier.chosen import ReleasedPolicy
from roadstead.verbs.frontier.facts import Axis
from roadstead.verbs.reporting_columns import (
    shown_added,
    shown_checklist,
    shown_columns,
)
from roadstead.verbs.settings import PARTITION_SEARCHES

_SLACK = 1e-9
"""Relative: a risk is at a threshold whatever rounding made of it."""


def report_of(result: Finding) -> str:
    """Make the report's HTML."""
    from roadstead.reports.page import render  # noqa: PLC0415 - charts are heavy

    return render(content_of(result))


def report_of_application(result: Applied) -> str:
    """Make the report's HTML for a policy applied to new data."""
    from roadstead.reports.page import render  # noqa: PLC0415 - charts are heavy

    return render(content_of_application(result))


def report_of_frontier_release(result: ReleasedPolicy) -> str:
    """Make the report's HTML for a policy chosen on a frontier."""
    from roadstead.reports.page import render  # noqa: PLC0415 - charts are heavy

    return render(content_of_frontier_release(result))


def summary_of(result: Finding) -> str:
    """Make a small table for a notebook."""
    from roadstead.reports.page import render_summary  # noqa: PLC0415 - templates are heavy

    return render_summary(content_of(result))


def content_of(result: Finding) -> ReportContent:
    """Gather what the report of an anonymization shows."""
    outcome, problem = result.outcome, result.problem
    quality = result.quality.settings()
    weights = dict(zip(result.roles.quasi, quality.get("weights") or [], strict=False))
    return replace(
        _content_of_release(result.draft, limit=problem.limit),
        attributes=tuple(
            _attribute(a, result.loss_by_attribute[a.name], weights.get(a.name, 1.0))
            for a in result.policy.attributes
        ),
        **_of_columns(result),
        loss=Loss(
            quality.get("aggregate"),
            result.loss,
            outcome.lower_bound,
            result.optimal,
            result.quality.name,
            quality.get("target", ""),
        ),
        search=Search(
            name=result.search.name,
            guarantee=result.search.guarantee,
            evaluated=outcome.evaluated,
            lattice_size=problem.space.size,
            ending=outcome.ending,
            seconds=outcome.seconds,
            pruned=outcome.pruned,
            cuts=result.search.name in PARTITION_SEARCHES,
        ),
        settings=_settings(result),
        notes=_notes(result),
    )


def content_of_application(result: Applied) -> ReportContent:
    """Gather what the report of a policy applied to new data shows."""
    limit = result.policy.suppression.most(result.draft.counts.records)
    content = _content_of_release(result.draft, limit=limit)
    notes = [
        f"{counted(number, 'value')} of {name} {'is' if number == 1 else 'are'} not covered by the "
        "policy; records with such a value are suppressed."
        for name, number in result.unseen.items()
    ]
    if result.another_limit:
        notes.append(
            f"At most {percent(result.policy.suppression.limit)} of the records may be suppressed "
            f"in this run. The policy as it was given allows {percent(result.limit_of_policy)}."
        )
    unknown = tuple(
        Withheld(name, "the policy does not speak of it") for name in result.unknown_columns
    )
    told = _of_columns(result)
    told["columns"] = replace(told["columns"], withheld=unknown)
    return replace(
        content,
        **told,
        notes=(*_notes_on_masking(result.draft), *notes),
    )


def content_of_frontier_release(result: ReleasedPolicy) -> ReportContent:
    """Gather what the report of a policy chosen on a frontier shows."""
    chosen, content = result.chosen, _content_of_release(result.draft, limit=0)
    risk, loss = chosen.measured
    searched = chosen.searched
    losses, label = chosen.loss_by_attribute, chosen.population
    members = counted(chosen.members, "policy", "policies")
    return replace(
        content,
        attributes=tuple(_attribute(a, losses[a.name], 1.0) for a in result.policy.attributes),
        **_of_columns(result),
        loss=Loss(None, chosen.loss, kind=_kind_of_loss(loss)),
        search=Search(
            name=searched.name,
            guarantee=searched.guarantee,
            evaluated=searched.evaluated,
            lattice_size=chosen.lattice_size,
            ending=searched.ending,
            seconds=searched.seconds,
            cuts=chosen.cuts,
            frontier=True,
        ),
        settings=_settings_of_frontier(result),
        assumptions=(*content.assumptions, *_on_the_population(result)),
        notes=(
            result.promised,
            f"The policy was chosen among {members} of a frontier, of which none is better than "
            f"another in both risk and loss. Its risk is {percent(chosen.risk)} of the "
            f"original data's ({risk.meaning}).",
            *(f"{told[:1].upper()}{told[1:]}" for told in result.draft.figures),
            *([] if label is None else [f"The population is {label}."]),
        ),
    )


def _on_the_population(result: ReleasedPolicy) -> tuple[str, ...]:
    """What the risk against a population takes for true."""
    if result.generalized.table.population is None:
        return (
            "No population is known, so the risk is that of somebody who knows that the person is "
            "in the data: no guess is easier.",
        )
    label = result.chosen.population
    known = "" if label is None else f": {label}"
    return (
        f"Whose a record is must be guessed among the people of the population{known}. If it "
        "counts more people than there are, the risk is larger than told. Whoever knows that a "
        "person is in the data guesses among fewer: that risk is told above as prosecutor risk, "
        "and only the other is bounded.",
    )


def _kind_of_loss(loss: Axis) -> str:
    """Name a loss that the report has words for; say of another one what it is a share of."""
    if loss.name in {"divergence", "loss"}:
        return loss.name
    return f"{loss.meaning}, as a share of the most that can be lost"


def _settings_of_frontier(result: ReleasedPolicy) -> tuple[Setting, ...]:
    chosen = result.chosen
    told = [
        Setting("Quasi-identifiers", ", ".join(result.roles.quasi), "what others may know"),
        Setting("Privacy model", " and ".join(m.name for m in result.models), "what must hold"),
        Setting("Risk measure", chosen.measured[0].name, chosen.measured[0].meaning),
        Setting("Loss measure", chosen.measured[1].name, chosen.measured[1].meaning),
        Setting("Search", chosen.searched.name, chosen.searched.guarantee),
    ]
    if chosen.population is not None:
        told.append(Setting("Population", chosen.population, "who a record may be of"))
    return (
        *told,
        *_limits(chosen.searched.time_limit, chosen.searched.seed),
        *(
            Setting(
                f"Order of {name}" if chosen.cuts else f"Hierarchy of {name}",
                how,
                "its values are cut into intervals" if chosen.cuts else "the levels of its values",
            )
            for name, how in chosen.origins.items()
        ),
    )


def _content_of_release(draft: Draft, *, limit: int) -> ReportContent:
    """Gather what holds of any release, however its policy was found."""
    policy, counts = draft.policy, draft.counts
    threshold = draft.threshold
    before, after = draft.generalized.table, draft.generalized.sizes
    k = ceil(1.0 / (threshold * (1.0 + _SLACK)))
    several = "k of them" if k > 1 else "records that are alike"
    return ReportContent(
        title="De-identification report",
        source=draft.source.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        promise=Promise(
            sentence=promise_of(policy, draft.models),
            models=tuple(model.name for model in draft.models),
            k=k,
            limit_share=policy.suppression.limit,
            limit_records=limit,
        ),
        counts=Counts(counts.records, counts.masked, counts.dropped, *_why_suppressed(draft)),
        attributes=tuple(_attribute(a, None, 1.0) for a in policy.attributes),
        columns=Columns(),
        classes_before=ClassSizes(histogram_as_it_is(before)),
        classes_after=ClassSizes(size_histogram(after)),
        risk_before=_risk(risk_as_it_is(before, threshold)),
        risk_after=_risk(prosecutor_risk(after, threshold)),
        loss=None,
        search=None,
        guarantees=_guarantees(draft),
        expectation=expectation_of(draft),
        assumptions=(
            f"Every record counts by itself. Where a person has several, {several} may be the same "
            "person's: make one record a person first.",
            "The quasi-identifiers named are all that others know. What they know beside them is "
            "not in the promise; what the other released columns would add is counted above.",
        ),
    )


def _of_columns(result: Finding | Applied | ReleasedPolicy) -> dict[str, Any]:
    """Give what a report tells of the columns beside the quasi-identifiers."""
    return {
        "columns": shown_columns(result.decided),
        "identifiers": result.decided.released_identifiers,
        "checklist": shown_checklist(result.decided, result.policy),
        "added": shown_added(result.added),
    }


def _why_suppressed(draft: Draft) -> tuple[int, int]:
    """Suppressed records of large enough classes, and those that the policy does not cover."""
    merged, kept = draft.generalized.merged, draft.generalized.kept
    uncovered = ~draft.generalized.covered
    large = merged.counts * draft.threshold >= 1.0 - _SLACK
    failing = merged.counts[~kept & ~uncovered & large].sum()
    return int(failing), int(merged.counts[uncovered].sum())


def _guarantees(draft: Draft) -> tuple[Guarantee, ...]:
    """The models beside k-anonymity, and what the released classes measure under them."""
    merged, classes = draft.generalized.merged, _released_classes(draft)
    return tuple(
        Guarantee(
            kind=str(model.settings()["kind"]),
            name=model.name,
            promise=model.promise,
            columns=tuple(model.columns),
            measured=measured(model, merged, classes),
        )
        for model in draft.models
        if not isinstance(model, KAnonymity)
    )


def _released_classes(draft: Draft) -> Classes:
    """The classes of a release; suppressed records that are kept with ``*`` are the last."""
    every, kept = every_row_a_class(draft.generalized.merged), draft.generalized.kept
    if not draft.counts.masked:
        return keep(every, kept)[0]
    numbers = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept)).astype(np.uint32)
    sizes = np.append(every.sizes[kept], draft.counts.masked)
    return Classes(every.members, numbers, sizes)


def _attribute(policy: AttributePolicy, loss: float | None, weight: float) -> Attribute:
    return Attribute(policy.name, policy.level, policy.levels, policy.does, loss, weight)


def _risk(risk: ProsecutorRisk) -> Risk:
    return Risk(risk.maximum, risk.average, risk.share_above_threshold, risk.uniques)


def _settings(result: Finding) -> tuple[Setting, ...]:
    told = [
        Setting("Quasi-identifiers", ", ".join(result.roles.quasi), "what others may know"),
        Setting("Privacy model", " and ".join(m.name for m in result.models), "what must hold"),
        Setting(
            "Suppression limit",
            percent(result.policy.suppression.limit),
            "largest share of records that may be suppressed",
        ),
        Setting(
            "Suppressed records",
            result.policy.suppression.records,
            "mask keeps them with * in every quasi-identifier; drop leaves them out",
        ),
        Setting("Quality model", result.quality.name, "the loss that is minimized"),
        Setting("Search", result.search.name, result.search.guarantee),
    ]
    told += _limits(result.time_limit, result.seed)
    told += [
        Setting(f"Hierarchy of {name}", origin, "what its levels are")
        for name, origin in result.origins.items()
    ]
    return tuple(told)


def _limits(time_limit: float | None, seed: int | None) -> list[Setting]:
    told = []
    if time_limit is not None:
        told.append(Setting("Time limit", f"{time_limit:g} s", "for the search"))
    if seed is not None:
        told.append(Setting("Seed", str(seed), "of random choices"))
    return told


def _notes(result: Finding) -> tuple[str, ...]:
    notes = _notes_on_masking(result.draft)
    if result.added_model:
        notes.append(f"{result.added_model}.")
    outcome = result.outcome
    if outcome.queries:
        notes.append(
            "There are more distinct combinations of the quasi-identifiers than were to be held in "
            f"memory, so the policy was found with {counted(outcome.queries, 'query', 'queries')} "
            "in the database."
        )
    if outcome.ending != "complete" and not result.optimal:
        notes.append(
            f"The search ended early ({outcome.ending}); a better policy could avoid at most "
            f"{percent(coarse_at_most(outcome.gap), bound='upper')} of the loss."
        )
    elif not result.optimal:
        notes.append(
            f"The search {result.search.name} does not prove that no other policy loses less; the "
            "exact search does."
        )
    return tuple(notes)


def _notes_on_masking(draft: Draft) -> list[str]:
    if draft.policy.suppression.records != "mask" or not draft.counts.dropped:
        return []
    number = draft.counts.dropped
    were = "was" if number == 1 else "were"
    return [
        f"{counted(number, 'suppressed record')} {were} to be kept with * and {were} left out: "
        f"{why_not_masked(draft)}."
    ]
