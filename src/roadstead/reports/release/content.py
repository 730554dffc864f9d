"""Build the content of the report of a release: the parts that all releases share."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil
from typing import Any

import numpy as np

from roadstead import __version__
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import promise_of
from roadstead.release.draft import Draft
from roadstead.release.generalized import GeneralizedPersons, every_row_a_class
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
    ReportedPersons,
    Setting,
    Withheld,
)
from roadstead.reports.release.columns import ColumnDecisions
from roadstead.reports.sentences import measured
from roadstead.reports.terminal.release import expectation_of, why_not_masked
from roadstead.reports.wording import SAME_KEY, counted, decimal
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS
from roadstead.risk.prosecutor import (
    histogram_as_it_is,
    prosecutor_risk,
    risk_as_it_is,
    size_histogram,
)

_SLACK = 1e-9
"""The relative tolerance for comparing a risk with a threshold."""


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


def limits(time_limit: float | None, seed: int | None) -> list[Setting]:
    """Return the time limit and the seed of a search, for the settings in the report."""
    told = []
    if time_limit is not None:
        told.append(Setting("Time limit", f"{time_limit:g} s", "for the search"))
    if seed is not None:
        told.append(Setting("Seed", str(seed), "for random choices"))
    return told


def notes_on_masking(draft: Draft) -> list[str]:
    """Explain why suppressed records are removed although the policy would keep them."""
    if draft.policy.suppression.records != "mask" or not draft.counts.dropped:
        return []
    were = "was" if draft.counts.dropped == 1 else "were"
    records = counted(draft.counts.dropped, "suppressed record")
    return [
        f"{records} could not be kept with * and {were} left out, because {why_not_masked(draft)}."
    ]
