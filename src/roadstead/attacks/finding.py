"""Represent the results of attacks: the counts, a confidence interval, and the verdict.

The confidence interval of a share is a Clopper-Pearson interval. The number of successes may be a
sum of probabilities instead of a count. Such a sum varies less than a count, so the interval is
wide enough. The interval of the difference between two shares combines their two intervals
(Newcombe's method 10, Statistics in Medicine 17, 1998).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from roadstead.release.evidence import Bound, CertifiedAttack, Knowledge, Need, convicts

USUAL_RISK = 1 / 5
"""The share of people that a column alone may single out if the release does not set a limit."""
CONFIDENCE = 0.95
TOLERANCE = 0.01
"""A release passes if an attack exceeds guessing, or the attack's limit, by at most this share."""
_DIGITS = 9
_LEAST = 1e-6
"""The limit below which a number of successes counts as zero."""


@dataclass(frozen=True)
class HeldAgainst:
    """The standard with which a success rate is compared (see `roadstead.attacks.protocol`)."""

    bound: Bound
    allowed: float | None = None  # share of the attempts that may succeed, or None without a limit
    tolerance: float = TOLERANCE


GUESSING = HeldAgainst("guessing")
NOTHING = HeldAgainst("nothing")


def promise(allowed: float, tolerance: float = TOLERANCE) -> HeldAgainst:
    """Compare an attack with a limit on the share of attempts that may succeed."""
    return HeldAgainst("promise", min(allowed, 1.0), tolerance)


NONE_AT_ALL = promise(0.0, tolerance=0.0)
"""The limit for an attack that must not succeed even once."""


@dataclass(frozen=True)
class Untried:
    """An attack, or a variant of an attack, that did not run, and the reason."""

    attack: str
    why: str


@dataclass(frozen=True)
class Findings:
    """The results of each variant of one attack, and the variants that did not run."""

    found: tuple[CertifiedAttack, ...] = ()
    untried: tuple[Untried, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        return Findings((*self.found, *other.found), (*self.untried, *other.untried))

    @property
    def convicted(self) -> bool:
        """Return whether the release fails at least one attack."""
        return any(one.convicted for one in self.found)


def not_tried(attack: str, why: str) -> Findings:
    """Return findings that state why an attack did not run."""
    return Findings(untried=(Untried(attack, why),))


def all_of(found: Iterable[Findings]) -> Findings:
    """Concatenate several findings into one."""
    return sum(found, Findings())


def finding(
    attack: str,
    knowledge: Knowledge,
    of_attack: tuple[float, int],
    of_guessing: tuple[float, int],
    held: HeldAgainst,
    *,
    needs: tuple[Need, ...] = (),
    counted: bool = False,
    interval: tuple[float, float] | None = None,
) -> CertifiedAttack:
    """Compute the confidence interval and the verdict of an attack.

    Both are computed from the number of successful attempts of the attack and of the baseline. If
    `counted` is true, the attack examined all records, so the result does not depend on chance and
    the tolerance is zero. `interval` replaces the usual interval of the difference, for example, if
    the success rate of guessing is known exactly (`above_guessing`).
    """
    (successes, attempts), (base_successes, base_attempts) = of_attack, of_guessing
    successes, base_successes = round(successes, _DIGITS), round(base_successes, _DIGITS)
    guessing = base_successes / base_attempts
    low = high = successes / attempts - guessing
    if not counted:
        counts = (successes, attempts), (base_successes, base_attempts)
        low, high = interval or interval_of_difference(*counts)
    low, high = round(low, _DIGITS), round(high, _DIGITS)
    tolerance = 0.0 if counted else held.tolerance
    return CertifiedAttack(
        attack=attack,
        knowledge=knowledge,
        attempts=attempts,
        successes=successes,
        base_attempts=base_attempts,
        base_successes=base_successes,
        low=low,
        high=high,
        against=held.bound,
        allowed=held.allowed,
        tolerance=tolerance,
        convicted=convicts(low, guessing, held.bound, held.allowed, tolerance, successes),
        needs=needs,
        counted=counted,
    )


def with_reach(one: CertifiedAttack, covers: tuple[str, ...], allowed: float) -> CertifiedAttack:
    """Add the scope of the requirement, and whether an attack outside this scope exceeds the limit.

    An attack outside the scope of the requirement does not make a release fail. However, a reader
    must learn that the requirement does not cover what this attacker knows. `beyond` is true if the
    attack succeeds more often than `allowed` and more often than guessing.
    """
    if one.against != "nothing":
        return one
    least = one.low + one.guessing
    beyond = one.low > TOLERANCE and least > allowed + TOLERANCE
    return replace(one, knowledge={**one.knowledge, "covers": covers, "beyond": beyond})


def with_interval(one: CertifiedAttack, low: float, high: float) -> CertifiedAttack:
    """Replace the confidence interval of the difference, and compute the verdict again."""
    low, high = round(low, _DIGITS), round(high, _DIGITS)
    verdict = convicts(low, one.guessing, one.against, one.allowed, one.tolerance, one.successes)
    return replace(one, low=low, high=high, convicted=verdict)


def interval_of_share(
    successes: float, attempts: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    tail, missed = (1.0 - confidence) / 2.0, attempts - successes
    low = 0.0 if successes < _LEAST else float(beta.ppf(tail, successes, missed + 1.0))
    high = 1.0 if missed < _LEAST else float(beta.ppf(1.0 - tail, successes + 1.0, missed))
    return low, high


def above_guessing(
    of_attack: tuple[float, int], guessing: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the interval of the difference from guessing if the rate of guessing is known."""
    low, high = interval_of_share(*of_attack, confidence)
    return low - guessing, high - guessing


def interval_of_difference(
    one: tuple[float, int], other: tuple[float, int], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the confidence interval of the difference between two success rates."""
    low, high = interval_of_share(*one, confidence)
    other_low, other_high = interval_of_share(*other, confidence)
    share, other_share = one[0] / one[1], other[0] / other[1]
    difference = share - other_share
    below = sqrt((share - low) ** 2 + (other_high - other_share) ** 2)
    above = sqrt((high - share) ** 2 + (other_share - other_low) ** 2)
    return max(-1.0, difference - below), min(1.0, difference + above)
