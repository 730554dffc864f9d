"""Write the notes for the readers of a private release."""

from __future__ import annotations

from roadstead.differential.synthesis import Synthesis
from roadstead.release.private.guarantee import amount, factor
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.numbers import percent
from roadstead.verbs.synthesize.settings import (
    LARGE,
    AnySettings,
    PrivateSettings,
)

_MOST_LISTED = 0.8
"""A note warns readers if the groups contain less than this share of the records."""


def notes_on(
    settings: PrivateSettings, synthesis: Synthesis, released: int, unit: PrivacyUnit
) -> list[str]:
    """Return the notes for readers, which use only information that the release reveals."""
    notes = _on_epsilon(settings, unit)
    made, planned = len(synthesis.steps), settings.specializations
    if planned == 0:
        notes.append(
            "Without a specialization, the release shows only the distribution of the "
            "target classes."
        )
    elif synthesis.totals_alone:
        notes.append(
            "No group exceeds the noise, so the release shows only the distribution of the target "
            "classes. To show more, use a larger epsilon, fewer specializations, a privately "
            "chosen number of specializations, or more records."
        )
    elif planned is not None and made < planned:
        notes.append(
            f"Only {made} of {planned} specializations were possible: no attribute can be divided "
            "further."
        )
    if unit.records > 1 and (synthesis.totals_alone or not released):
        notes.append(
            f"The noise is {unit.records:,} times as large as with one row per person. Fewer rows, "
            "or one combined record per person, may show more."
        )
    if not released:
        notes.append(
            "No count exceeds the noise, so no record is released. To release records, use a "
            "larger epsilon or more records."
        )
    elif (listed := synthesis.groups.records) < _MOST_LISTED * released:
        notes.append(
            f"The counts that exceed the noise cover about {percent(listed / released)} of the "
            "records. The other records are in groups that are too small. They are released as if "
            "they had the same distribution. To list more groups, use a larger epsilon, fewer "
            "specializations, or a privately chosen number of specializations."
        )
    return [*notes, *_on_stopping(settings)]


def notes_of_any(settings: AnySettings, unit: PrivacyUnit) -> list[str]:
    """Return the notes that the readers of any private release need."""
    return [*_on_epsilon(settings, unit), *_on_stopping(settings)]


def _on_epsilon(settings: AnySettings, unit: PrivacyUnit) -> list[str]:
    if settings.epsilon <= LARGE:
        return []
    return [
        f"An epsilon of {amount(settings.epsilon)} gives hardly any protection: one {unit.noun} "
        "may change the odds of an output by a factor of "
        f"e^{amount(settings.epsilon)} = {factor(settings.epsilon)}."
    ]


def _on_stopping(settings: AnySettings) -> list[str]:
    if settings.outside != "stop":
        return []
    return [
        "A record outside the domains would have stopped the run. A finished run therefore "
        "reveals that no record was outside the domains, and the guarantee does not cover this."
    ]
