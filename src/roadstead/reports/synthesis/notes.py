"""Write notes for the readers of a private release. They use only what the release reveals."""

from __future__ import annotations

from fractions import Fraction

from roadstead.release.facts import amount
from roadstead.release.private.guarantee import factor
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.numbers import percent
from roadstead.reports.synthesis.every_use import EveryUseFacts
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.sample import SampleFacts

STOPPED = (
    "Nothing was written. The stopped run used none of the privacy budget, as long as you do not "
    "share the output above."
)
NEW_NOISE = (
    "The next run draws new noise. Do not share both the output above and the next result: "
    "together, they use twice the epsilon."
)
_LARGE = 10
"""The largest epsilon without a warning."""
_MOST_LISTED = 0.8
"""A note warns readers if the groups contain less than this share of the records."""
_NOT_MUCH_LESS = 0.1
"""A note warns if the product of delta and the number of released records exceeds this value."""


def notes_of(facts: SynthesisFacts | EveryUseFacts | SampleFacts) -> tuple[str, ...]:
    """Return the notes for readers."""
    notes = on_epsilon(facts.epsilon, facts.unit)
    if isinstance(facts, SynthesisFacts):
        notes += _on_groups(facts)
    if facts.settings["outside"] == "stop":
        notes.append(
            "A record outside the domains would have stopped the run. A finished run therefore "
            "reveals that no record was outside the domains, and the guarantee does not cover this."
        )
    return (*notes, *(_on_sample(facts) if isinstance(facts, SampleFacts) else ()))


def on_epsilon(epsilon: Fraction, unit: PrivacyUnit) -> list[str]:
    """Warn readers of a release with a large epsilon."""
    if epsilon <= _LARGE:
        return []
    return [
        f"An epsilon of {amount(epsilon)} gives hardly any protection: one {unit.noun} may change "
        f"the odds of an output by a factor of e^{amount(epsilon)} = {factor(epsilon)}."
    ]


def _on_groups(facts: SynthesisFacts) -> list[str]:
    notes, synthesis, released = [], facts.synthesis, facts.records
    made, planned = len(synthesis.steps), facts.settings["specializations"]
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
    elif not facts.chosen and made < planned:
        notes.append(
            f"Only {made} of {planned} specializations were possible: no attribute can be divided "
            "further."
        )
    if facts.unit.records > 1 and (synthesis.totals_alone or not released):
        notes.append(
            f"The noise is {facts.unit.records:,} times as large as with one row per person. Fewer "
            "rows, or one combined record per person, may show more."
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
    return notes


def _on_sample(facts: SampleFacts) -> list[str]:
    notes, delta = [], facts.settings["delta"]
    if not facts.records:
        notes.append(
            f"No group has {facts.sample.budget.least:,} sampled records, so no record is "
            "released. To release records, use coarser levels, a larger delta, or more records."
        )
    if delta * facts.records > _NOT_MUCH_LESS:
        notes.append(
            f"A delta of {delta:g} is not much smaller than one divided by the "
            f"{facts.records:,} released records, so it gives hardly any protection. Releasing "
            "each record unchanged with this probability would meet the same guarantee. Use a "
            "smaller delta, such as 1e-6."
        )
    return notes
