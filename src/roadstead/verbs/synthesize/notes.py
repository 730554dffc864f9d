"""What a reader of a private release should know besides its figures."""

from __future__ import annotations

from dataclasses import replace

from roadstead.differential.synthesis import Synthesis
from roadstead.release.private.guarantee import amount, factor
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.numbers import percent
from roadstead.verbs.synthesize.settings import (
    LARGE,
    OUTSIDE,
    AnySettings,
    PrivateSettings,
)

_MOST_LISTED = 0.8
"""If fewer of the records stand behind the groups, whoever reads the release is warned."""


def notes_on(
    settings: PrivateSettings, synthesis: Synthesis, released: int, unit: PrivacyUnit
) -> list[str]:
    """Say what a reader has to know; none of it depends on the records but through the release."""
    notes = notes_of_any(replace(settings, outside=OUTSIDE[0]), unit)
    made, planned = len(synthesis.steps), settings.specializations
    if planned == 0:
        notes.append("Without a specialization only the distribution of the classes is told.")
    elif synthesis.totals_alone:
        notes.append(
            "No group stands out from the noise, so only the distribution of the classes is told. "
            "More would be with a larger epsilon, fewer specializations, a number that is chosen "
            "privately, or more records."
        )
    elif planned is not None and made < planned:
        notes.append(
            f"{made} of {planned} specializations could be made: nothing can be told finer."
        )
    if unit.records > 1 and (synthesis.totals_alone or not released):
        notes.append(
            f"Noise is {unit.records:,} times as large as with one row of each person; fewer rows, "
            "or one record of all rows of a person, may tell more."
        )
    if not released:
        notes.append(
            "No count stands out from the noise, so no record is released. More would be with a "
            "larger epsilon or more records."
        )
    elif (listed := synthesis.groups.records) < _MOST_LISTED * released:
        notes.append(
            f"The counts that stand out from the noise hold about {percent(listed / released)} of "
            "the records; the others are in groups too small for that, and are released as if they "
            "were distributed like these. A larger epsilon, fewer specializations or a number that "
            "is chosen privately would list more."
        )
    if settings.outside == "stop":
        notes.append(
            "The run would have stopped at a record outside the domains, so that there is a "
            "release tells that there was none; the guarantee does not cover this."
        )
    return notes


def notes_of_any(settings: AnySettings, unit: PrivacyUnit) -> list[str]:
    """Say what a reader of any private release has to know."""
    notes = []
    if settings.epsilon > LARGE:
        notes.append(
            f"An epsilon of {amount(settings.epsilon)} protects hardly anybody: one {unit.noun} "
            f"may change the odds of an output by a factor of e^{amount(settings.epsilon)} = "
            f"{factor(settings.epsilon)}."
        )
    if settings.outside == "stop":
        notes.append(
            "The run would have stopped at a record outside the domains, so that there is a "
            "release tells that there was none; the guarantee does not cover this."
        )
    return notes
