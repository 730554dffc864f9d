"""Results of attacks: counts, the interval of their difference, and whether the release fails.

The interval of a share is Clopper and Pearson's, computed with the beta distribution of SciPy. It
also accepts successes that are sums of probabilities. Such a sum varies less than whole successes
would, so the interval is on the safe side. Two intervals of shares make the interval of the
difference (Newcombe's method 10, Statistics in Medicine 17, 1998, with these ends).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from roadstead.release.evidence import Bound, CertifiedAttack, Knowledge, Need, convicts

CONFIDENCE = 0.95
TOLERANCE = 0.01
"""A release does not fail if an attack exceeds guessing, or the allowed share, by at most this
much.
"""
_DIGITS = 9
_LEAST = 1e-6
"""Fewer successes than this count as zero."""


@dataclass(frozen=True)
class HeldAgainst:
    """What an attack is compared with, as `roadstead.attacks.protocol` explains."""

    bound: Bound
    allowed: float | None = None  # share of the attempts that may succeed, if there is a limit
    tolerance: float = TOLERANCE


GUESSING = HeldAgainst("guessing")
NOTHING = HeldAgainst("nothing")


def promise(allowed: float, tolerance: float = TOLERANCE) -> HeldAgainst:
    """Compare an attack with a limit: at most this share of the attempts may succeed."""
    return HeldAgainst("promise", min(allowed, 1.0), tolerance)


NONE_AT_ALL = promise(0.0, tolerance=0.0)
"""Compare an attack with a requirement that a single success violates."""


@dataclass(frozen=True)
class Untried:
    """An attack, or a variant of an attack, that was not run, with the reason as a clause."""

    attack: str
    why: str


@dataclass(frozen=True)
class Findings:
    """The results of one attack, variant by variant, and the variants that were not run."""

    found: tuple[CertifiedAttack, ...] = ()
    untried: tuple[Untried, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        """Concatenate findings."""
        return Findings((*self.found, *other.found), (*self.untried, *other.untried))

    @property
    def convicted(self) -> bool:
        """Whether the release fails any of them."""
        return any(one.convicted for one in self.found)


def not_tried(attack: str, why: str) -> Findings:
    """Return that an attack was not run."""
    return Findings(untried=(Untried(attack, why),))


def all_of(found: Iterable[Findings]) -> Findings:
    """Concatenate findings."""
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
    """Judge an attack by its successes and attempts, and by those of guessing.

    `counted`: whether all records were examined. Then there is no chance, and the tolerance is
    zero. `interval`: the interval of the difference, if an attack computes its own or if the share
    of right guesses is known exactly (`above_guessing`).
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
    """Say what the requirement covers, and whether an attack outside it finds more.

    A release does not fail such an attack. But a reader of "the release meets its requirements"
    must also learn that the requirements do not cover what this attacker knows. `beyond` means more
    than `allowed`, and more than guessing.
    """
    if one.against != "nothing":
        return one
    least = one.low + one.guessing
    beyond = one.low > TOLERANCE and least > allowed + TOLERANCE
    return replace(one, knowledge={**one.knowledge, "covers": covers, "beyond": beyond})


def with_interval(one: CertifiedAttack, low: float, high: float) -> CertifiedAttack:
    """Judge an attack by another interval of the difference, for example its own."""
    low, high = round(low, _DIGITS), round(high, _DIGITS)
    verdict = convicts(low, one.guessing, one.against, one.allowed, one.tolerance, one.successes)
    return replace(one, low=low, high=high, convicted=verdict)


def interval_of_share(
    successes: float, attempts: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    tail, missed = (1.0 - confidence) / 2.0, attempts - successes
    low = 0.0 if successes < _LEAST else float(beta.ppf(tail, successes, missed + 1.0))
    high = 1.0 if missed < _LEAST else float(beta.ppf(1.0 - tail, successes + 1.0, missed))
    return low, high


def above_guessing(
    of_attack: tuple[float, int], guessing: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the interval of the difference from a share of right guesses that is known exactly."""
    low, high = interval_of_share(*of_attack, confidence)
    return low - guessing, high - guessing


def interval_of_difference(
    one: tuple[float, int], other: tuple[float, int], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the interval of the difference of two shares, each given as successes and attempts."""
    low, high = interval_of_share(*one, confidence)
    other_low, other_high = interval_of_share(*other, confidence)
    share, other_share = one[0] / one[1], other[0] / other[1]
    difference = share - other_share
    below = sqrt((share - low) ** 2 + (other_high - other_share) ** 2)
    above = sqrt((high - share) ** 2 + (other_share - other_low) ** 2)
    return max(-1.0, difference - below), min(1.0, difference + above)
