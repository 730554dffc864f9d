"""Find attacks by name, and run the requested attacks one after another.

If many attacks are run, even a sound release would fail some of them by chance. So if n attacks can
make a release fail, each confidence interval has a level of 1 - .05 / n (Bonferroni). An interval
that is computed by resampling classes is widened by the same factor as an interval of a normal
distribution. Figures that are only reported, and complete counts, remain unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from roadstead.attacks.catalog import ATTACKS
from roadstead.attacks.finding import (
    CONFIDENCE,
    Findings,
    above_guessing,
    all_of,
    interval_of_difference,
    not_tried,
    with_interval,
)
from roadstead.attacks.protocol import Attack, AttackSettings
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Need

_DIGITS = 9
MISSING: dict[Need, str] = {
    "original": "the attack requires the original table",
    "register": "the attack requires a register",
    "held-out": "the attack requires records that are not in the release",
    "second-release": "the attack requires a second release",
}


def attack_named(name: str) -> Attack:
    """Create the attack that has this name."""
    made: Attack = ATTACKS[name]()
    return made


def try_all(
    names: Sequence[str],
    target: Target,
    settings: AttackSettings,
    before: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Run attacks in the given order. Before each attack, call `before` with the attack's name."""
    found = []
    for name in names:
        attack = attack_named(name)
        lacking = [need for need in attack.needs if need not in target.has]
        if lacking:
            found.append(not_tried(name, MISSING[lacking[0]]))
            continue
        before(name)
        found.append(attack.attempt(target, settings))
    return together(all_of(found))


def together(findings: Findings) -> Findings:
    """Compute the verdicts of all attacks on one release with a joint confidence."""
    number = sum(_may_convict(one) for one in findings.found)
    if number <= 1:
        return findings
    confidence = 1.0 - (1.0 - CONFIDENCE) / number
    found = tuple(_judged(one, confidence) if _may_convict(one) else one for one in findings.found)
    return replace(findings, found=found)


def _may_convict(one: CertifiedAttack) -> bool:
    return one.against != "nothing" and not one.counted


def _judged(one: CertifiedAttack, confidence: float) -> CertifiedAttack:
    of_attack = one.successes, one.attempts
    of_guessing = one.base_successes, one.base_attempts
    if _same(one, interval_of_difference(of_attack, of_guessing)):
        low, high = interval_of_difference(of_attack, of_guessing, confidence)
    elif _same(one, above_guessing(of_attack, one.guessing)):
        low, high = above_guessing(of_attack, one.guessing, confidence)
    else:
        low, high = _widened(one, _wider(confidence))
    return with_interval(one, low, high)


def _same(one: CertifiedAttack, ends: tuple[float, float]) -> bool:
    return (one.low, one.high) == tuple(round(end, _DIGITS) for end in ends)


def _widened(one: CertifiedAttack, factor: float) -> tuple[float, float]:
    low, high = one.gain - factor * (one.gain - one.low), one.gain + factor * (one.high - one.gain)
    return max(-1.0, low), min(1.0, high)


def _wider(confidence: float) -> float:
    """Return the factor by which the interval of a normal distribution is widened."""
    from scipy.stats import norm  # noqa: PLC0415 - takes long to load

    return float(norm.ppf((1.0 + confidence) / 2.0) / norm.ppf((1.0 + CONFIDENCE) / 2.0))
