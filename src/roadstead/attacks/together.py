"""Many attacks on one release: their intervals hold all at once.

Of a hundred attacks on a sound release, each judged with 95 %, a few would convict it by chance. So
each that may convict is judged with as much more confidence as there are of them (Bonferroni): with
n of them each interval holds with 1 - .05 / n, and all together with 95 %. Intervals of counts are
worked out anew; one that an attack worked out itself, by drawing its classes anew, is widened as
that of a normal distribution would be. What is only shown, and what was counted in full, stays.
"""

from __future__ import annotations

from dataclasses import replace

from roadstead.attacks.finding import (
    CONFIDENCE,
    Findings,
    above_guessing,
    interval_of_difference,
    with_interval,
)
from roadstead.release.evidence import CertifiedAttack

_DIGITS = 9


def together(findings: Findings) -> Findings:
    """Judge all attacks on one release at once."""
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
    """Say how much wider an interval of a normal distribution is than that of one attack."""
    from scipy.stats import norm  # noqa: PLC0415 - takes long to load

    return float(norm.ppf((1.0 + confidence) / 2.0) / norm.ppf((1.0 + CONFIDENCE) / 2.0))
