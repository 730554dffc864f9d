"""The certified result of an attack on a release: numbers and column names.

The result does not contain values of the data or sentences. A recipient who has only the
certificate cannot repeat an attack that requires the original. However, the recipient can check
whether the numbers agree with each other (`wrong_with`).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT

Need: TypeAlias = Literal["original", "register", "held-out", "second-release"]
"""A table that an attack requires in addition to the release."""

Bound: TypeAlias = Literal["promise", "guessing", "nothing"]
"""The standard for an attack: the privacy requirements, guessing, or nothing.

The standard is nothing if the attacker knows more than the privacy requirements assume.
"""

Knowledge: TypeAlias = dict[
    Annotated[str, Field(pattern="^[a-z][a-z_]{0,39}$")],
    bool | int | float | str | tuple[str, ...],
]
"""Facts about the attacker's knowledge and method: numbers, column names, and Roadstead's words."""

Share: TypeAlias = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Number: TypeAlias = Annotated[float, Field(ge=0.0, le=2**63, allow_inf_nan=False)]

_ROUNDING = 1e-6
_STEPS = 200


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedAttack:
    """The result of an attack: how often the attack was right, and how often guessing was right.

    A success can be a probability: an attacker who picks among five matching records is right with
    probability 1/5. So the number of successes need not be a whole number.
    """

    attack: Annotated[str, Field(pattern="^[a-z][a-z-]{0,39}$")]
    knowledge: Knowledge
    attempts: Annotated[int, Field(ge=1, lt=2**63)]
    successes: Number
    base_attempts: Annotated[int, Field(ge=1, lt=2**63)]
    base_successes: Number
    low: Annotated[float, Field(ge=-1.0, le=1.0)]  # bounds of the difference of both shares, 95%
    high: Annotated[float, Field(ge=-1.0, le=1.0)]
    against: Bound
    # The share of attempts that may succeed under the privacy requirements. None if no requirement
    # applies.
    allowed: Share | None
    tolerance: Share  # the excess over the limit that does not count as a failure
    convicted: bool
    needs: tuple[Need, ...] = ()
    counted: bool = False  # whether all cases were examined, without sampling error

    @property
    def success(self) -> float:
        """Return the share of attempts that were right."""
        return self.successes / self.attempts

    @property
    def guessing(self) -> float:
        """Return the share of guesses without the release that were right."""
        return self.base_successes / self.base_attempts

    @property
    def gain(self) -> float:
        """Return the difference between the two shares."""
        return self.success - self.guessing


_ATTACK: TypeAdapter[CertifiedAttack] = TypeAdapter(CertifiedAttack)


def document_of_attack(one: CertifiedAttack) -> dict[str, Any]:
    """Return an attack as a dictionary for JSON."""
    found: dict[str, Any] = _ATTACK.dump_python(one, mode="json")
    return found


def convicts(
    low: float,
    guessing: float,
    against: Bound,
    allowed: float | None,
    tolerance: float,
    successes: float = 0.0,
) -> bool:
    """Return whether the release fails: the attack exceeds the allowed and tolerated shares.

    `low` is the lower end of the difference from `guessing`, so the sum of both is the lowest
    likely share of successes. If a requirement allows no success and no tolerance, one success is a
    failure, even if guessing also succeeds.
    """
    if against == "promise" and allowed == 0.0 and tolerance == 0.0:
        return successes > 0.0
    if against == "nothing" or low <= tolerance:
        return False
    return allowed is None or low + guessing > allowed + tolerance


def is_undecided(one: CertifiedAttack) -> bool:
    """Return whether an attack leaves open whether the release passes or fails.

    An attack is undecided if the lower end is below the limit (see `convicts`) and the upper end is
    above the limit.
    """
    if one.convicted or one.counted or one.against == "nothing":
        return False
    if one.allowed == 0.0 and one.tolerance == 0.0:
        return False  # no attempt was right, and chance alone cannot give more
    most = one.high  # the release fails only if the attack is better than guessing
    if one.allowed is not None:
        most = min(most, one.guessing + one.high - one.allowed)
    return most > one.tolerance + _ROUNDING


def for_sharing(one: CertifiedAttack) -> CertifiedAttack:
    """Return an attack with figures rounded to half a percent, for sharing.

    An exact figure that was computed with the original would help an attacker who knows all records
    except one. A figure from the release alone stays exact. If rounding would change the verdict,
    the figures stay exact.
    """
    if not one.needs:
        return one
    successes, base = (
        round(share * _STEPS) / _STEPS * number
        for share, number in (
            (one.success, one.attempts),
            (one.guessing, one.base_attempts),
        )
    )
    gain = successes / one.attempts - base / one.base_attempts
    low = max(-1.0, min(floor(one.low * _STEPS) / _STEPS, gain))
    high = min(1.0, max(ceil(one.high * _STEPS) / _STEPS, gain))
    shared = replace(one, successes=successes, base_successes=base, low=low, high=high)
    return shared if wrong_with(shared) is None else one


def wrong_with(one: CertifiedAttack) -> str | None:
    """Describe a contradiction between the numbers of an attack, or return None."""
    if one.successes > one.attempts or one.base_successes > one.base_attempts:
        return "more successes than attempts"
    if not one.low - _ROUNDING <= one.gain <= one.high + _ROUNDING:
        return "the difference is not within its interval"
    if (one.against == "promise") != (one.allowed is not None):
        return "the limit contradicts the comparison"
    if one.convicted != convicts(
        one.low, one.guessing, one.against, one.allowed, one.tolerance, one.successes
    ):
        return "the verdict does not follow from the numbers"
    return None
