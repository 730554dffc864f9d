"""Record the results of attacks: counts, the interval of their difference, and the verdict.

The interval of a share is the interval of Clopper and Pearson, computed with the beta distribution
of SciPy. The number of successes can also be a sum of probabilities. Such a sum varies less than a
number of whole successes, so the interval is wide enough. The interval of a difference is computed
from the intervals of two shares (Newcombe's method 10, Statistics in Medicine 17, 1998, with these
ends).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

from roadstead.release.evidence import Bound, CertifiedAttack, Knowledge, Need, convicts

CONFIDENCE = 0.95
TOLERANCE = 0.01
"""If an attack exceeds guessing, or the allowed share, by at most this, a release does not fail."""
_DIGITS = 9
_LEAST = 1e-6
"""A smaller number of successes counts as zero."""


@dataclass(frozen=True)
class HeldAgainst:
    """The figure with which an attack is compared, as `roadstead.attacks.protocol` explains."""

    bound: Bound
    allowed: float | None = None  # the share of the attempts that may succeed, if there is a limit
    tolerance: float = TOLERANCE


GUESSING = HeldAgainst("guessing")
NOTHING = HeldAgainst("nothing")


def promise(allowed: float, tolerance: float = TOLERANCE) -> HeldAgainst:
    """Compare an attack with a limit: at most this share of the attempts may succeed."""
    return HeldAgainst("promise", min(allowed, 1.0), tolerance)


NONE_AT_ALL = promise(0.0, tolerance=0.0)
"""A comparison with a requirement that is violated by a single success."""


@dataclass(frozen=True)
class Untried:
    """An attack, or a variant of an attack, that was not run. The reason is a clause."""

    attack: str
    why: str


@dataclass(frozen=True)
class Findings:
    """The results of one attack per variant, and the variants that were not run."""

    found: tuple[CertifiedAttack, ...] = ()
    untried: tuple[Untried, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        """Concatenate findings."""
        return Findings((*self.found, *other.found), (*self.untried, *other.untried))

    @property
    def convicted(self) -> bool:
        """Whether the release fails any of the attacks."""
        return any(one.convicted for one in self.found)


def not_tried(attack: str, why: str) -> Findings:
    """Return findings that say that an attack was not run."""
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
    """Judge an attack by its successes and attempts, and by the successes of guessing.

    `counted`: whether all records were examined. If they were, the result does not depend on
    chance, and the tolerance is zero. `interval`: the interval of the difference. It is given if an
    attack computes its own interval, or if the share of correct guesses is known exactly
    (`above_guessing`).
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
    """Add what the requirement covers, and whether an attack outside it is more successful.

    Such an attack does not make a release fail. But a reader of "the release meets its
    requirements" must also learn that they do not cover the knowledge of this attacker. `beyond`
    means that the attack exceeds both `allowed` and guessing.
    """
    if one.against != "nothing":
        return one
    least = one.low + one.guessing
    beyond = one.low > TOLERANCE and least > allowed + TOLERANCE
    return replace(one, knowledge={**one.knowledge, "covers": covers, "beyond": beyond})


def with_interval(one: CertifiedAttack, low: float, high: float) -> CertifiedAttack:
    """Judge an attack by a different interval of the difference, for example its own interval."""
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
    """Return the interval of the difference from guessing, if guessing is known exactly."""
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
