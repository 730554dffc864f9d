"""Fill a report with what applying a policy did."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.reports.content import ReportContent, Withheld
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.verbs.anonymize.reporting import content_of_release, notes_on_masking, of_columns

if TYPE_CHECKING:
    from roadstead.verbs.apply.result import Application


def content_of_application(result: Application) -> ReportContent:
    """Gather what the report of a policy applied to new data shows."""
    limit = result.policy.suppression.most(result.draft.counts.records)
    content = content_of_release(result.draft, limit=limit)
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
    told = of_columns(result.decided, result.policy, result.added)
    told["columns"] = replace(told["columns"], withheld=unknown)
    return replace(
        content,
        **told,
        notes=(*notes_on_masking(result.draft), *notes),
    )
