"""What attacks on a recoding found, in words: one sentence on each thing that was attacked."""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.attacks.recodings.attempt import Attempt
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.sensitive import Sensitive
from roadstead.reports.numbers import percent
from roadstead.reports.sources import ATTACKS

SOURCES = tuple(ATTACKS.values())
"""Where the attacks were published."""


def attacked(attempt: Attempt, untried: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what was tried and what it gained: on the quasi-identifiers, then on each column.

    `untried`: names of the models of sensitive columns that no attack reasons about.
    """
    columns: dict[str, list[Sensitive]] = {}
    for name, one in attempt.sensitive:
        columns.setdefault(name, []).append(one)
    sentences = (_on_column(name, own) for name, own in columns.items())
    missing = (
        f"Which classes were merged depends on {name}, and no attack was tried on that."
        for name in untried
    )
    return (_on_quasi(attempt.of_quasi_identifiers), *sentences, *missing)


def _on_quasi(gains: Sequence[Gain]) -> str:
    best = max(gains, key=lambda one: one.low)
    if not best.above_noise:
        return (
            "Attacks that reason from the order and the tightness of the classes guessed no "
            "generalized value more often than somebody who knows how frequent values are, beyond "
            "chance. That is no proof that no attack can."
        )
    return (
        f"Somebody who reasons from {best.knowledge} guesses {best.target} right in "
        f"{percent(best.success)} of all cases; somebody who only knows how frequent values are, "
        f"in {percent(best.guessing)}. The classes tell more than they show."
    )


def _on_column(name: str, found: Sequence[Sensitive]) -> str:
    if not any(one.above_noise for one in found):
        return (
            f"The classes were chosen without a look at {name}, and merged where they did not keep "
            f"its protection. Attacks that reason from that learned no more of {name} than "
            "somebody who looks at the class alone, beyond chance. That is no proof that no attack "
            "can."
        )
    best = max(found, key=lambda one: one.gain.low).gain
    sure = max(found, key=lambda one: (one.when_sure.above_noise, one.sure))
    guesses = (
        f"guesses {name} right for {percent(best.success)} of the records "
        f"({percent(best.guessing)} by the class alone)"
    )
    sureness = (
        f"becomes sure of {name} for {percent(sure.sure)} of the records, and is right about "
        f"{percent(sure.when_sure.success)} of these (the class alone makes it "
        f"{percent(sure.when_sure.guessing)} likely)"
    )
    holds = ((guesses, best.above_noise), (sureness, sure.when_sure.above_noise))
    return (
        f"Warning: which classes were merged depends on {name}. Somebody who knows everybody's "
        "quasi-identifiers and how classes are chosen "
        f"{', and '.join(text for text, true in holds if true)}. Ask for more than you owe, or let "
        "k-anonymity alone choose the classes."
    )
