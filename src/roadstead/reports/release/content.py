"""Build the content of the report of a release: the parts that all releases share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roadstead import __version__
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.classes import Classes, keep
from roadstead.policies.document import Policy
from roadstead.printable import named
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.certificate import promise_of
from roadstead.release.documents import now
from roadstead.release.draft import Draft
from roadstead.release.generalized import GeneralizedPersons, every_row_a_class
from roadstead.release.persons.dates import DatesMade, date_sentences
from roadstead.release.persons.figures import unicity_left
from roadstead.release.verification.terms import terms_of
from roadstead.reports.content import (
    Attribute,
    ChecklistRow,
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
from roadstead.reports.promise import of_masked, undone_sentence
from roadstead.reports.release.columns import ColumnDecisions
from roadstead.reports.release.facts import TableReleaseFacts
from roadstead.reports.runnable import runnable_warnings
from roadstead.reports.sentences import measured
from roadstead.reports.shared_values import shared_values_notes
from roadstead.reports.terminal.columns import linking_sentences
from roadstead.reports.terminal.release import expectation_of, why_not_masked
from roadstead.reports.treatments import treatment_notes
from roadstead.reports.wording import SAME_KEY, counted, decimal, first_few
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS
from roadstead.risk.prosecutor import histogram_as_it_is, size_histogram


def content_of_release(
    result: TableReleaseFacts,
    *,
    limit: int,
    losses: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
) -> ReportContent:
    """Return the part of the report that does not depend on how the policy was found.

    `losses` gives the loss of each quasi-identifier, if measured. `weights` gives its weight, if
    weights were given.
    """
    losses, weights = losses or {}, weights or {}
    draft, decided = result.draft, result.decided
    policy = draft.policy
    persons = _persons_of(draft)
    return ReportContent(
        title="De-identification report",
        source=draft.source.name,
        created=now(),
        version="; ".join((__version__, *map(str, draft.plugins or ()))),
        promise=Promise(
            sentence=promise_of(policy, draft.models),
            models=tuple(model.name for model in draft.models),
            k=draft.k,
            limit_share=policy.suppression.limit,
            limit_records=limit,
        ),
        counts=_record_counts(draft),
        attributes=tuple(
            _attribute(draft, a, losses.get(a.name), weights.get(a.name, 1.0))
            for a in policy.attributes
        ),
        columns=_columns(decided, policy),
        counted=decided.counted.stated,
        identifiers=decided.released_identifiers,
        checklist=_checklist(decided, draft),
        added=result.added,
        classes_before=histogram_as_it_is(draft.generalized.table),
        classes_after=size_histogram(draft.generalized.sizes),
        risk_before=draft.record_risk_before,
        risk_after=draft.record_risk,
        of_masked=of_masked(draft.counts.masked, draft.risk.maximum),
        loss=None,
        search=None,
        guarantees=_guarantees(draft, persons),
        expectation=expectation_of(draft),
        persons=persons,
        below_promise=draft.below_promise,
        terms=terms_of(
            policy.quasi,
            draft.models,
            draft.risk,
            () if draft.below_promise is None else draft.below_promise.names,
        ),
        assumptions=(
            _assumed_of_persons(draft),
            "An attacker knows only the named quasi-identifiers. The privacy requirements "
            "do not cover an attacker who knows more. The figures above show how much "
            "risk the other released columns would add.",
        ),
    )


def _record_counts(draft: Draft) -> RecordCounts:
    """Count the records of a release, and give the reasons for suppressed records."""
    counts, merged, covered = draft.counts, draft.generalized.merged, draft.generalized.covered
    failing = ~draft.generalized.kept & covered & (merged.counts >= draft.k)
    return RecordCounts(
        counts.records,
        counts.masked,
        counts.dropped,
        failing=int(merged.counts[failing].sum()),
        uncovered=int(merged.counts[~covered].sum()),
        in_no_class=draft.policy.recoding is not None,
        shifted_out=0 if draft.near_ends is None else draft.near_ends.records,
        persons_shifted_out=0 if draft.near_ends is None else draft.near_ends.persons,
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


def _assumed_of_persons(draft: Draft) -> str:
    rules = draft.policy.persons
    several = "k of them" if draft.k > 1 else "records in one group"
    if rules is None:
        return (
            "Each record is counted separately. If people can have several records, "
            f"{several} may belong to the same person. In that case, first combine the "
            "records of each person into one record."
        )
    if rules.link == "none":
        return (
            f"The person ID column is {rules.column}. It is not released, and no pseudonym "
            "replaces it."
        )
    keyed = draft.persons is not None and draft.persons.pseudonyms == "keyed"
    return (
        f"The person ID column is {rules.column}. It is released with pseudonyms, so any recipient "
        "can see which records belong to one person."
        f"{f' {SAME_KEY}' if keyed else ''}"
    )


def _persons_of(draft: Draft) -> ReportedPersons | None:
    """Return the risk of people in the table and in the release, or None if records are counted."""
    generalized = draft.generalized
    risk, curves = draft.person_risk, unicity_left(generalized, draft.k)
    if risk is None or curves is None or not isinstance(generalized, GeneralizedPersons):
        return None
    counts = generalized.persons
    return ReportedPersons(
        column=risk.column,
        known=ROWS_IN_WORDS[risk.knows],
        k=draft.k,
        persons=counts.persons,
        released=counts.released,
        in_part=counts.in_part,
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


def _columns(decided: ColumnDecisions, policy: Policy) -> ReportedColumns:
    """Return the columns that are not quasi-identifiers, grouped by what happens to them."""
    own, unnamed = decided.columns, decided.unnamed
    treated, changed = policy.treated, policy.changed
    return ReportedColumns(
        sensitive=tuple(name for name in own.sensitive if name not in changed),
        unchanged=tuple(name for name in own.unchanged if name not in {*unnamed, *changed}),
        treated=tuple((name, one.does) for name, one in treated.items()),
        identifiers=decided.roles.identifiers,
        withheld=tuple(Withheld(column.name, column.reason) for column in decided.withheld),
        replaced=tuple((name, does) for name, does in changed.items() if name not in treated),
        forced=tuple(name for name in own.forced if name not in changed),
        unnamed=unnamed,
        person=None if decided.linked else decided.roles.person,
        reasons=tuple(own.reasons.items()),
    )


def _checklist(decided: ColumnDecisions, draft: Draft) -> tuple[ChecklistRow, ...]:
    """Return the eighteen identifiers of Safe Harbor, and say what happened to their columns."""
    policy, withheld = draft.policy, decided.rare

    def became(name: str) -> str:
        if name in draft.words:
            return f"quasi-identifier, {draft.words[name]}"
        if name in withheld:
            return "withheld"
        usual = "removed" if name in policy.columns.removed else "released unchanged"
        return policy.changed.get(name, usual)

    return tuple(
        ChecklistRow(
            line.number,
            line.identifier,
            line.describe(),
            tuple((name, became(name)) for name in line.columns),
            line.note,
        )
        for line in decided.checklist
    )


def _released_classes(draft: Draft) -> Classes:
    """Return the classes of a release. Records that are kept with ``*`` form the last class."""
    every, kept = every_row_a_class(draft.generalized.merged), draft.generalized.kept
    if not draft.counts.masked:
        return keep(every, kept)[0]
    numbers = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept)).astype(np.uint32)
    sizes = np.append(every.sizes[kept], draft.counts.masked)
    return Classes(every.members, numbers, sizes)


def _attribute(draft: Draft, own: AttributePolicy, loss: float | None, weight: float) -> Attribute:
    """Describe how the release changes a quasi-identifier."""
    varies, left = draft.policy.recoding is not None, own.name not in draft.without_values
    does = draft.words[own.name]
    return Attribute(own.name, own.level, own.levels, does, loss, weight, varies, left)


def settings_of(draft: Draft) -> list[Setting]:
    """Return the settings that every search for a policy has."""
    return [
        Setting(
            "Quasi-identifiers",
            ", ".join(draft.policy.quasi),
            "the columns that an attacker may know",
        ),
        Setting(
            "Privacy model",
            " and ".join(model.name for model in draft.models),
            "the requirements that the release must meet",
        ),
    ]


def limits(time_limit: float | None, seed: int | None) -> list[Setting]:
    """Return the time limit and the seed of a search, for the settings in the report."""
    told = []
    if time_limit is not None:
        told.append(Setting("Time limit", f"{time_limit:g} s", "for the search"))
    if seed is not None:
        told.append(Setting("Seed", str(seed), "for random choices"))
    return told


def notes_of(result: TableReleaseFacts, noticed: Sequence[str], dates: DatesMade) -> list[str]:
    """Return the notes on a release that do not depend on how its policy was found."""
    first = result.decided.first
    return [
        *noticed,
        *_declared_missing(result.draft),
        *_notes_on_masking(result.draft),
        *date_sentences(result.policy.persons, dates, first=first, shared=True),
        *linking_sentences(result.decided),
        *([] if result.decided.undone is None else [undone_sentence(result.decided.undone)]),
        *treatment_notes(result.generalized.treated),
        *shared_values_notes(result.shared_values),
        *runnable_warnings(result.runnable, first=first),
    ]


def _declared_missing(draft: Draft) -> list[str]:
    """List the codes that the user declared as missing in the released columns."""
    notes = []
    if codes := draft.declared_missing:
        listed = ", ".join(f"{named(n)} ({', '.join(map(named, own))})" for n, own in codes.items())
        notes.append(f"Codes that were declared as missing values: {listed}.")
    if rare := draft.rare_missing:
        notes.append(
            f"In {first_few(rare)}, more codes were declared as missing. This report and "
            "the certificate do not list these codes, because few records have them."
        )
    return notes


def _notes_on_masking(draft: Draft) -> list[str]:
    """Explain why suppressed records are removed although the policy would keep them."""
    if draft.policy.suppression.records != "mask" or not draft.counts.dropped:
        return []
    were = "was" if draft.counts.dropped == 1 else "were"
    records = counted(draft.counts.dropped, "suppressed record")
    return [f"{records} {were} left out instead of kept with *, because {why_not_masked(draft)}."]
