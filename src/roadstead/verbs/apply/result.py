"""Define the result of applying a policy to new data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from roadstead.printable import printable_lines
from roadstead.release.draft import Draft
from roadstead.release.persons.dates import DatesMade, date_sentences
from roadstead.release.written import rewritten
from roadstead.reports import wording
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.runnable import runnable_document, runnable_warnings
from roadstead.reports.terminal.release import (
    added,
    expectation_of,
    linkage,
    nothing_left,
    terms,
)
from roadstead.reports.treatments import treated_document, treatment_lines, treatment_notes
from roadstead.verbs.anonymize.words import KNOWING, counted_of, risk_left, suppression
from roadstead.verbs.apply.drift import Drift, drift_of
from roadstead.verbs.frames import brief
from roadstead.verbs.noticed.ages import old_ages
from roadstead.verbs.noticed.declared_missing import declared_codes_lost
from roadstead.verbs.release_words import AGAIN, alarms, linking_sentences
from roadstead.verbs.released import ReleaseResult


@dataclass(frozen=True)
class Application(ReleaseResult):
    """The result of applying a policy to new data.

    Attributes
    ----------
    source, policy, models, generalized
        The new table, the policy, its models, and the summary of the generalized table.
    unrecorded
        Columns that the policy releases without recording a decision about them.
    decided
        The decisions about the columns of the table.
    limit_of_policy
        The largest share of suppressed records that the original policy allows. The limit in
        `policy` applies to this run, and may be different.
    dates
        The changes to the dates of each person, and the records that date shifts exclude.
    share_then
        The share of the records that was suppressed when the policy was created, or None if
        unknown.
    """

    unrecorded: tuple[str, ...]
    limit_of_policy: float
    dates: DatesMade
    share_then: float | None = None

    @property
    def unknown_columns(self) -> tuple[str, ...]:
        """Return the columns that the policy does not list, and that are therefore not released."""
        return tuple(column.name for column in self.decided.withheld)

    @cached_property
    def drift(self) -> Drift:
        """Return how the new table differs from the table for which the policy was created."""
        return drift_of(self.generalized, self.policy, self.models, self.share_then)

    @cached_property
    def noticed(self) -> tuple[str, ...]:
        """Return sentences about unusual values in the released columns."""
        lost = declared_codes_lost(self.source, self.policy.released)
        return (*lost, *old_ages(self.policy, self.generalized, applied=True))

    @property
    def another_limit(self) -> bool:
        """Return whether the suppression limit of this run differs from the limit in the policy."""
        return self.policy.suppression.limit != self.limit_of_policy

    @cached_property
    def draft(self) -> Draft:
        """Return all parts of the release, except the report."""
        settings = {"unseen_values": self.unseen, **self._limits}
        return self.drafted(loss=None, search=None, settings=settings)

    @property
    def unseen(self) -> dict[str, int]:
        """Count the values of each quasi-identifier that the policy does not cover."""
        numbers = zip(self.policy.quasi, self.generalized.unseen, strict=True)
        return {name: number for name, number in numbers if number}

    @property
    def _limits(self) -> dict[str, float]:
        if not self.another_limit:
            return {}
        return {
            "suppression": self.policy.suppression.limit,
            "suppression_of_policy": self.limit_of_policy,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dictionary that can be converted to JSON."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "noticed": list(self.noticed),
            "levels": None if self.policy.recoding is not None else self.policy.levels,
            "counted": self.decided.counted.to_dict(),
            "records": counts.records,
            "released": counts.released,
            "suppressed": counts.suppressed,
            "masked": counts.masked,
            "dropped": counts.dropped,
            "risk": {"maximum": risk.maximum, "average": risk.average},
            "expected_below_k": self.draft.expected_below_k,
            "unseen_values": self.unseen,
            "columns_not_released": list(self.unknown_columns),
            "drift": self.drift.to_dict(),
            **self._limits,
            **({} if self.policy.persons is None else {"dates": self.dates.to_dict()}),
            "released_by_name": list(self.decided.roles.release_anyway),
            "released_identifiers": [one.to_dict() for one in self.decided.released_identifiers],
            "released_columns_add": self.added.to_dict(),
            **runnable_document(self.runnable),
            **treated_document(self.generalized.treated),
            "columns_not_recorded": list(self.unrecorded),
            "columns_withheld": self.withheld_document,
        }

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        from roadstead.verbs.anonymize import reporting  # noqa: PLC0415 - heavy

        limit = self.policy.suppression
        _, number, units = self.generalized.suppression
        people = "people" if units == "persons" else units
        notes = [*self.noticed, *reporting.notes_on_masking(self.draft)]
        notes += date_sentences(self.policy.persons, self.dates, first=AGAIN)
        notes += linking_sentences(self.decided)
        notes += treatment_notes(self.generalized.treated)
        notes += runnable_warnings(self.runnable, first=AGAIN)
        whole = self.generalized.whole
        with_others = "all records of a person with" if whole else "records with"
        notes += [
            f"The policy does not cover {wording.counted(number, 'value')} of {name}; "
            f"{with_others} such a value are suppressed."
            for name, number in self.unseen.items()
        ]
        if self.another_limit:
            notes.append(
                f"In this run, at most {percent(limit.limit)} of the {people} may be suppressed. "
                f"The policy file allows {percent(self.limit_of_policy)}."
            )
        told = reporting.of_columns(self.decided, self.draft, self.added)
        content = reporting.content_of_release(self.draft, limit=limit.most(number))
        return replace(content, **told, notes=tuple(notes))

    def __repr__(self) -> str:
        counts = self.draft.counts
        return brief(
            self,
            self.source.name,
            wording.counted(counts.records, "record"),
            wording.first_few(tuple(model.name for model in self.models)),
            f"{percent(counts.suppressed / counts.records)} suppressed, limit "
            f"{percent(self.policy.suppression.limit)}",
        )

    def __str__(self) -> str:
        return printable_lines([*self.lines, *self.ending()])

    @property
    def lines(self) -> list[str]:
        """Return the lines of the output, except the last block."""
        lines = [
            *alarms(self.decided),
            *([self._not_recorded] if self.unrecorded else []),
            *added(self.added, first=AGAIN),
            *runnable_warnings(self.runnable, first=AGAIN),
            f"Read {counted_of(self.draft, self.dates)} of {self.source.name}, and "
            "generalized them with the policy.",
            self.decided.counted.sentence,
            *terms(self.draft.models),
            *nothing_left(self.draft),
            *date_sentences(self.policy.persons, self.dates, first=AGAIN),
            *self.noticed,
            suppression(self.draft),
        ]
        if self.another_limit:
            allowed = percent(self.limit_of_policy)
            lines.append(f"This limit is for this run only; the policy file allows {allowed}.")
        lines += [
            *expectation_of(self.draft, first=AGAIN),
            f"Re-identification risk: {risk_left(self.draft)}, {KNOWING}.",
            *(f"{sentence[:1].upper()}{sentence[1:]}" for sentence in self.draft.figures),
        ]
        if self.unseen:
            told = ", ".join(f"{name} {number}" for name, number in self.unseen.items())
            lines.append(f"Suppressed, because the policy does not cover the value: {told}.")
        lines += treatment_lines(self.generalized.treated)
        lines += linkage(self.draft)
        lines += rewritten(self.source)
        return lines

    @property
    def _not_recorded(self) -> str:
        """Return a note about columns that are withheld because the policy records no decision."""
        return (
            f"Withheld: {wording.first_few(self.unrecorded)}. An earlier version of Roadstead made "
            "the policy and did not record who decided to release "
            f"{'it' if len(self.unrecorded) == 1 else 'them'}."
        )
