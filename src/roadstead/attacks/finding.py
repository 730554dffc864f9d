"""What attacks found: counts, the interval of their difference, and whether that convicts.

How sure a share is, Clopper and Pearson's interval says, with the beta distribution of SciPy, which
takes successes that are sums of probabilities too: such a sum varies less than whole successes
would, so the interval is on the safe side. Two of them make the interval of the difference
(Newcombe's method 10, Statistics in Medicine 17, 1998, with these ends).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from roadstead.release.evidence import Bound, CertifiedAttack, Knowledge, Need, convicts

CONFIDENCE = 0.95
TOLERANCE = 0.01
"""How much more than guessing, or than the promise allows, convicts nobody."""
_DIGITS = 9
_LEAST = 1e-6
"""Fewer successes are none."""


@dataclass(frozen=True)
class HeldAgainst:
    """What an attack is held against, as `roadstead.attacks.protocol` says."""

    bound: Bound
    allowed: float | None = None  # share that the promise lets succeed, where it is one
    tolerance: float = TOLERANCE


GUESSING = HeldAgainst("guessing")
NOTHING = HeldAgainst("nothing")


def promise(allowed: float, tolerance: float = TOLERANCE) -> HeldAgainst:
    """Hold an attack against a promise that lets such a share of the attempts succeed."""
    return HeldAgainst("promise", min(allowed, 1.0), tolerance)


NONE_AT_ALL = promise(0.0, tolerance=0.0)
"""Hold an attack against a promise that one success disproves."""


@dataclass(frozen=True)
class Untried:
    """An attack, or a variant of one, that was not tried, and why, as a clause."""

    attack: str
    why: str


@dataclass(frozen=True)
class Findings:
    """What one attack found, variant by variant, and what it did not try."""

    found: tuple[CertifiedAttack, ...] = ()
    untried: tuple[Untried, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        """Put findings one after another."""
        return Findings((*self.found, *other.found), (*self.untried, *other.untried))

    @property
    def convicted(self) -> bool:
        """Whether any convicts the release."""
        return any(one.convicted for one in self.found)


def not_tried(attack: str, why: str) -> Findings:
    """Say that an attack was not tried."""
    return Findings(untried=(Untried(attack, why),))


def all_of(found: Iterable[Findings]) -> Findings:
    """Put findings one after another."""
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
    """Judge an attack by its successes and attempts, and those of guessing.

    `counted`: whether everything was looked at; then there is no chance, and nothing is tolerated.
    `interval` of the difference, where an attack works out its own, or the share of right guesses
    is known for certain and was not tried (`above_guessing`).
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
    """Say what the promise covers, and whether an attack that it does not cover finds more.

    Such an attack convicts nobody. But who reads that nothing breaks the promise has to read, too,
    that it is not about what this attacker knows: `beyond` is more than `allowed`, and more than
    guessing.
    """
    if one.against != "nothing":
        return one
    least = one.low + one.guessing
    beyond = one.low > TOLERANCE and least > allowed + TOLERANCE
    return replace(one, knowledge={**one.knowledge, "covers": covers, "beyond": beyond})


def with_interval(one: CertifiedAttack, low: float, high: float) -> CertifiedAttack:
    """Judge an attack by another interval of the difference, such as its own."""
    low, high = round(low, _DIGITS), round(high, _DIGITS)
    verdict = convicts(low, one.guessing, one.against, one.allowed, one.tolerance, one.successes)
    return replace(one, low=low, high=high, convicted=verdict)


def interval_of_share(
    successes: float, attempts: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share."""
    from scipy.stats import beta  # noqa: PLC0415 - takes long to load

    tail, missed = (1.0 - confidence) / 2.0, attempts - successes
    low = 0.0 if successes < _LEAST else float(beta.ppf(tail, successes, missed + 1.0))
    high = 1.0 if missed < _LEAST else float(beta.ppf(1.0 - tail, successes + 1.0, missed))
    return low, high


def above_guessing(
    of_attack: tuple[float, int], guessing: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Interval of the difference from a share of right guesses that is known for certain."""
    low, high = interval_of_share(*of_attack, confidence)
    return low - guessing, high - guessing


def interval_of_difference(
    one: tuple[float, int], other: tuple[float, int], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Interval of the difference of two shares, each given as successes and attempts."""
    low, high = interval_of_share(*one, confidence)
    other_low, other_high = interval_of_share(*other, confidence)
    share, other_share = one[0] / one[1], other[0] / other[1]
    difference = share - other_share
    below = sqrt((share - low) ** 2 + (other_high - other_share) ** 2)
    above = sqrt((high - share) ** 2 + (other_share - other_low) ** 2)
    return max(-1.0, difference - below), min(1.0, difference + above)
