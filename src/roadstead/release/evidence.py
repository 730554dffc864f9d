"""Represent the certified result of an attack. The result consists of numbers and column names.

The result contains neither values from the data nor sentences. A recipient cannot repeat an attack
that requires the original table. However, the recipient can check whether the numbers in the
certificate are consistent (`wrong_with`).
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
"""The standard with which an attack is compared: the privacy requirements, guessing, or nothing.

If the attacker knows more than the privacy requirements assume, there is no standard.
"""

Knowledge: TypeAlias = dict[
    Annotated[str, Field(pattern="^[a-z][a-z_]{0,39}$")],
    bool | int | float | str | tuple[str, ...],
]
"""Facts about the attacker's knowledge and method."""

Share: TypeAlias = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Number: TypeAlias = Annotated[float, Field(ge=0.0, le=2**63, allow_inf_nan=False)]

_ROUNDING = 1e-6
_STEPS = 200


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedAttack:
    """The result of an attack: how often the attack succeeded, and how often guessing succeeded.

    The number of successes can be a sum of probabilities, so it may not be an integer. For example,
    an attacker who picks one of five matching records succeeds with probability 1/5.
    """

    attack: Annotated[str, Field(pattern="^[a-z][a-z-]{0,39}$")]
    knowledge: Knowledge
    attempts: Annotated[int, Field(ge=1, lt=2**63)]
    successes: Number
    base_attempts: Annotated[int, Field(ge=1, lt=2**63)]
    base_successes: Number
    low: Annotated[float, Field(ge=-1.0, le=1.0)]  # 95% confidence interval of the difference
    high: Annotated[float, Field(ge=-1.0, le=1.0)]
    against: Bound
    # The share of attempts that may succeed under the privacy requirements. None if no requirement
    # applies.
    allowed: Share | None
    tolerance: Share  # the excess over the limit that is tolerated
    convicted: bool
    needs: tuple[Need, ...] = ()
    counted: bool = False  # whether all cases were examined

    @property
    def success(self) -> float:
        """Return the share of attempts that succeeded."""
        return self.successes / self.attempts

    @property
    def guessing(self) -> float:
        """Return the share of attempts that succeeded by guessing without the release."""
        return self.base_successes / self.base_attempts

    @property
    def gain(self) -> float:
        """Return the difference between the two shares."""
        return self.success - self.guessing


_ATTACK: TypeAdapter[CertifiedAttack] = TypeAdapter(CertifiedAttack)


def document_of_attack(one: CertifiedAttack) -> dict[str, Any]:
    """Return an attack as a dictionary that can be written as JSON."""
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
    """Return whether the release fails because the attack succeeded too often.

    `low` is the lower end of the confidence interval of the difference from `guessing`. So the sum
    of `low` and `guessing` is the lowest likely share of successes. The release fails if this share
    exceeds the sum of the allowed share and the tolerance. If both are zero, the release fails
    after a single success, even if guessing also succeeds.
    """
    if against == "promise" and allowed == 0.0 and tolerance == 0.0:
        return successes > 0.0
    if against == "nothing" or low <= tolerance:
        return False
    return allowed is None or low + guessing > allowed + tolerance


def is_undecided(one: CertifiedAttack) -> bool:
    """Return whether the result of an attack is undecided.

    The result is undecided if the confidence interval contains the limit (see `convicts`).
    """
    if one.convicted or one.counted or one.against == "nothing":
        return False
    if one.allowed == 0.0 and one.tolerance == 0.0:
        return False  # no attempt succeeded, and no allowance for chance is needed
    most = one.high  # The release fails only if the attack is better than guessing.
    if one.allowed is not None:
        most = min(most, one.guessing + one.high - one.allowed)
    return most > one.tolerance + _ROUNDING


def for_sharing(one: CertifiedAttack) -> CertifiedAttack:
    """Return an attack for sharing, with figures that are rounded to half a percent.

    An exact figure that was computed with the original table would help an attacker who knows all
    records except one. Figures are not rounded if they were computed from the release alone, or if
    rounding would change the verdict.
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
    """Describe a contradiction between the numbers in the result of an attack, or return None."""
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
