"""No attack pays: whoever looks for the record of a person who is in the table loses by it.

An attacker who knows that a person is in the table finds the right one of f records with a chance
of 1/f. Finding it gains `gain`, and trying costs `cost`, in any unit. Nobody attacks who cannot
gain by it: gain / f < cost (Wan et al. 2015, the game with no risk left; ARX's profitability
without attack). So classes have more than gain / cost records.

It is k-anonymity with a k that follows from an attacker's budget, and as monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import ClassVar

from roadstead.capabilities import Capabilities
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.model_capabilities import of_sizes
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable

_MOST = 1e12
"""Largest gain and cost, in any unit: beyond it a number is a slip."""


@dataclass(frozen=True)
class NoAttack(SizeModel):
    """Classes so large that an attack that gains `gain` does not pay for its `cost`."""

    gain: float
    cost: float
    kind: ClassVar[str] = "no-attack"
    sources: ClassVar[tuple[str, ...]] = ("wan",)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_stakes(self, self.gain, self.cost)

    @property
    def name(self) -> str:
        """The model's name with its parameters, and what they come to."""
        return (
            f"no attack for a gain of {self.gain:g} at a cost of {self.cost:g} (classes of "
            f"{self.least_records} or more)"
        )

    @property
    def promise(self) -> str:
        """What it promises of a release."""
        return (
            f"Every class released has {self.least_records} or more records, so whoever knows "
            f"these of a person who is in the table finds the right record with a probability of "
            f"at most 1/{self.least_records}, and loses by trying on average if finding it is "
            f"worth {self.gain:g} and trying costs {self.cost:g} (no attack pays). Whoever gains "
            f"more by it, or pays less, may attack."
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # a reason names the size
        """What it goes with: whatever knows the sizes of classes."""
        return of_sizes(
            "says how many records a class has, and several may be of one person",
            self.least_records,
        )

    @property
    def least_records(self) -> int:
        """Records of the smallest class that is released."""
        return least_alike(self.gain, self.cost)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """What an attack on the smallest class gains, before its cost."""
        most = round(self.gain / int(classes.sizes.min()), 9)
        what = "expected gain of an attack on the smallest class"
        return ModelFigure(what, most, f"less than {self.cost:g}")


def least_alike(gain: float, cost: float) -> int:
    """Give the fewest people to be told apart for whom gain / people < cost, as decimals say."""
    return floor(Fraction(repr(float(gain))) / Fraction(repr(float(cost)))) + 1


def require_stakes(model: PrivacyModel, gain: float, cost: float) -> None:
    """Refuse a gain that is negative, or a cost that is not above 0: what is free always pays."""
    fix = "the gain is what finding one person's record is worth to the attacker"
    model.require("gain", 0.0 <= gain <= _MOST, f"from 0 to {_MOST:g}", fix)
    fix = "the cost is what looking for one person's record costs; what is free always pays"
    model.require("cost", 1 / _MOST <= cost <= _MOST, f"from {1 / _MOST:g} to {_MOST:g}", fix)
