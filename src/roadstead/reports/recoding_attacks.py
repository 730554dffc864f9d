"""Describe the results of attacks on a recoding, in one sentence per attacked item."""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.attacks.recodings.attempt import Attempt
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.sensitive import Sensitive
from roadstead.reports.numbers import percent


def attacked(attempt: Attempt, untried: Sequence[str] = ()) -> tuple[str, ...]:
    """Describe the attacks and their gains, first on the quasi-identifiers, then on each column.

    `untried` lists the models of sensitive columns that no attack covers.
    """
    columns: dict[str, list[Sensitive]] = {}
    for name, one in attempt.sensitive:
        columns.setdefault(name, []).append(one)
    sentences = (_on_column(name, own) for name, own in columns.items())
    missing = (
        f"The choice of merged groups depends on {name}. No attack that uses this choice was run."
        for name in untried
    )
    return (_on_quasi(attempt.downcoding.gains), *sentences, *missing)


def _on_quasi(gains: Sequence[Gain]) -> str:
    best = max(gains, key=lambda one: one.low)
    if not best.above_noise:
        return (
            "Some attacks use the order of the groups and how narrow the groups are. They did not "
            "guess generalized values measurably better than an attacker who only knows the "
            "frequency of each value. Other attacks may still succeed."
        )
    return (
        f"An attacker who uses {best.knowledge} guesses {best.target} correctly in "
        f"{percent(best.success)} of all cases. An attacker who only knows the frequency "
        f"of each value guesses correctly in {percent(best.guessing)}. So the groups "
        "reveal more than their generalized values."
    )


def _on_column(name: str, found: Sequence[Sensitive]) -> str:
    if not any(one.above_noise for one in found):
        return (
            f"The groups were chosen without using {name}, and merged if they did not meet its "
            "privacy requirement. Attacks that use this rule did not reveal measurably more about "
            f"{name} than the groups alone. Other attacks may still succeed."
        )
    best = max(found, key=lambda one: one.gain.low).gain
    sure = max(found, key=lambda one: (one.when_sure.above_noise, one.sure))
    guesses = (
        f"Such an attacker guesses {name} correctly for {percent(best.success)} of the records "
        f"({percent(best.guessing)} from the group alone)."
    )
    sureness = (
        f"Such an attacker becomes sure of {name} for {percent(sure.sure)} of the records. For "
        f"{percent(sure.when_sure.success)} of these records, the attacker is right (from the "
        f"group alone: {percent(sure.when_sure.guessing)})."
    )
    holds = ((guesses, best.above_noise), (sureness, sure.when_sure.above_noise))
    return (
        f"Warning: the choice of merged groups depends on {name}. Assume that an attacker knows "
        "the quasi-identifiers of everyone, and how groups are chosen. "
        f"{' '.join(text for text, true in holds if true)} Require a stricter model than "
        "necessary, or use k-anonymity alone to choose the groups."
    )
