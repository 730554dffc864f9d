"""Store the facts about a policy that was applied to new data, and build the report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from roadstead.release.draft import Draft
from roadstead.release.persons.dates import DatesMade, placeholder_sentences
from roadstead.reports import wording
from roadstead.reports.content import ReportContent
from roadstead.reports.ledger import ledger_reminder
from roadstead.reports.numbers import percent
from roadstead.reports.release.content import content_of_release, notes_of
from roadstead.reports.release.drift import Drift, drift_of
from roadstead.reports.release.facts import TableReleaseFacts


@dataclass(frozen=True)
class ApplicationFacts(TableReleaseFacts):
    """The facts about a policy that was applied to new data.

    Attributes
    ----------
    limit_of_policy
        The largest share of suppressed records that the original policy allows. The limit in
        `policy` applies to this run, and may be different.
    dates
        The changes to the dates of each person, and the records that date shifts exclude.
    share_then
        The share of the records that was suppressed when the policy was created, or None if
        unknown.
    uncompared
        Whether the records are new, and the request names no ledger of earlier releases.
    """

    limit_of_policy: float
    dates: DatesMade
    share_then: float | None = None
    uncompared: bool = False

    @property
    def unknown_columns(self) -> tuple[str, ...]:
        """Return the columns that the policy does not list, and that are therefore not released."""
        return tuple(column.name for column in self.decided.withheld)

    @cached_property
    def drift(self) -> Drift:
        """Return how the new table differs from the table for which the policy was created."""
        return drift_of(self.generalized, self.policy, self.models, self.share_then)

    @property
    def noticed(self) -> tuple[str, ...]:
        """Return sentences about unusual values in the released columns, and about a ledger."""
        far = placeholder_sentences(self.dates)
        own = (*self.codes_not_listed, *self.noticed_in_columns(applied=True))
        return (*self.shared_ids, *far, *own, *self.reminder())

    def reminder(self, *, advice: bool = True) -> tuple[str, ...]:
        """Return a reminder that earlier releases were not compared, unless a ledger was used."""
        return (ledger_reminder(advice=advice),) if self.uncompared else ()

    @cached_property
    def noticed_for_sharing(self) -> tuple[str, ...]:
        """Return the same sentences for the report, without the number of records per person ID."""
        own = self.noticed_in_columns(applied=True, advice=False)
        return (*self.shared_ids_for_sharing, *own, *self.reminder(advice=False))

    @property
    def another_limit(self) -> bool:
        """Return whether the suppression limit of this run differs from the limit in the policy."""
        return self.policy.suppression.limit != self.limit_of_policy

    @cached_property
    def draft(self) -> Draft:
        """Return all parts of the release, except the report."""
        settings = {"unseen_values": self.unseen, **self.limits}
        return self.drafted(loss=None, search=None, settings=settings)

    @property
    def unseen(self) -> dict[str, int]:
        """Count the values of each quasi-identifier that the policy does not cover."""
        numbers = zip(self.policy.quasi, self.generalized.unseen, strict=True)
        return {name: number for name, number in numbers if number}

    @property
    def limits(self) -> dict[str, float]:
        """Return both suppression limits if the limit of this run differs from the policy's."""
        if not self.another_limit:
            return {}
        return {
            "suppression": self.policy.suppression.limit,
            "suppression_of_policy": self.limit_of_policy,
        }


def content_of(result: ApplicationFacts) -> ReportContent:
    """Return the complete content of the report."""
    limit = result.policy.suppression
    _, number, units = result.generalized.suppression
    people = "people" if units == "persons" else units
    notes = notes_of(result, result.noticed_for_sharing, result.dates)
    whole = result.generalized.whole
    with_others = "all records of a person with" if whole else "records with"
    notes += [
        f"The policy does not cover {wording.counted(number, 'value')} of {name}; "
        f"{with_others} such a value are suppressed."
        for name, number in result.unseen.items()
    ]
    if result.another_limit:
        notes.append(
            f"In this run, at most {percent(limit.limit)} of the {people} may be suppressed. "
            f"The policy file allows {percent(result.limit_of_policy)}."
        )
    return replace(content_of_release(result, limit=limit.most(number)), notes=tuple(notes))
