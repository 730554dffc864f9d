"""What attacks on a recoding found, in words: one sentence on each thing that was attacked."""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.release.attacks.attempt import Attempt
from roadstead.release.attacks.gain import Gain
from roadstead.release.attacks.sensitive import Sensitive
from roadstead.reports.numbers import percent
from roadstead.reports.sources import ATTACKS

SOURCES = tuple(ATTACKS.values())
"""Where the attacks were published."""


def attacked(attempt: Attempt) -> tuple[str, ...]:
    """Say what was tried and what it gained: on the quasi-identifiers, then on each column."""
    quasi = [
        one for one in attempt.gains if all(one is not own.gain for _, own in attempt.sensitive)
    ]
    columns: dict[str, list[Sensitive]] = {}
    for name, one in attempt.sensitive:
        columns.setdefault(name, []).append(one)
    return (_on_quasi(quasi), *(_on_column(name, own) for name, own in columns.items()))


def _on_quasi(gains: Sequence[Gain]) -> str:
    best = max(gains, key=lambda one: one.low)
    if not best.above_noise:
        return (
            "Attacks that reason from the order and the tightness of the classes guessed no "
            "generalized value more often than who knows how frequent values are, beyond chance. "
            "That is no proof that none can."
        )
    return (
        f"Somebody who reasons from the {best.knowledge} guesses {best.target} right in "
        f"{percent(best.success)} of all cases, and in {percent(best.guessing)} who only knows how "
        f"frequent values are: classes tell a little more than what they show."
    )


def _on_column(name: str, found: Sequence[Sensitive]) -> str:
    if not any(one.above_noise for one in found):
        return (
            f"Attacks that reason from classes that were not made learned no more of {name} than "
            "who looks at the class alone, beyond chance. That is no proof that none can."
        )
    best = max(found, key=lambda one: one.gain.low)
    sure = max(found, key=lambda one: (one.when_sure.above_noise, one.sure))
    guesses = (
        f"guesses {name} right for {percent(best.gain.success)} of the records, where who looks at "
        f"the class alone does for {percent(best.gain.guessing)}"
    )
    sureness = (
        f"becomes sure of {name} for {percent(sure.sure)} of the records, and is right about "
        f"{percent(sure.when_sure.success)} of these, where the class alone makes it "
        f"{percent(sure.when_sure.guessing)} likely"
    )
    learned = [
        text
        for text, holds in (
            (guesses, best.gain.above_noise),
            (sureness, sure.when_sure.above_noise),
        )
        if holds
    ]
    return (
        f"Warning: which classes were made depends on {name}. Somebody who knows everybody's "
        f"quasi-identifiers and how classes are chosen {', and '.join(learned)}. Ask for more than "
        "you owe, or do not release the certificate and the policy with the table."
    )
