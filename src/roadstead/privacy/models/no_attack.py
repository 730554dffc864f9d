"""No attack pays: an attacker who searches for a person in the table expects a loss.

An attacker finds the right record among f records with a probability of 1/f. The right record is
worth `gain`, and an attempt costs `cost`. So every released class has more than gain / cost records
(Wan et al. 2015, the game with zero remaining risk; ARX's profitability without attack). The model
is k-anonymity with a k that follows from these amounts.
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
"""The largest gain and cost, in any unit. A larger number is probably a mistake."""


@dataclass(frozen=True)
class NoAttack(SizeModel):
    """Classes so large that the expected gain of an attack is less than its `cost`."""

    gain: float
    cost: float
    kind: ClassVar[str] = "no-attack"
    sources: ClassVar[tuple[str, ...]] = ("wan",)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_stakes(self, self.gain, self.cost)

    @property
    def name(self) -> str:
        """Return the model's name, its parameters, and the resulting class size."""
        return (
            f"no attack pays with a gain of {self.gain:g} and a cost of {self.cost:g} (groups of "
            f"{self.least_records} or more)"
        )

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"Every released group has {self.least_records} or more records. An attacker who knows "
            "the quasi-identifiers of a person in the table finds the right record with a "
            f"probability of at most 1/{self.least_records}. If the record is worth "
            f"{self.gain:g} to the attacker and a try costs {self.cost:g}, the attacker loses on "
            "average (no attack pays). An attacker with a larger gain or a lower cost may attack."
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # a reason names the size
        """Return the supported features. Every method that knows class sizes supports the model."""
        return of_sizes(
            "counts the records of a group, and several of these records may belong to one person",
            self.least_records,
        )

    @property
    def least_records(self) -> int:
        """Return the minimum class size."""
        return least_alike(self.gain, self.cost)

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the expected gain of an attack on the smallest class."""
        most = round(self.gain / int(classes.sizes.min()), 9)
        what = "expected gain of an attack on the smallest group"
        return ModelFigure(what, most, f"less than {self.cost:g}")


def least_alike(gain: float, cost: float) -> int:
    """Return the smallest number of candidates with gain / candidates < cost, computed exactly."""
    return floor(Fraction(repr(float(gain))) / Fraction(repr(float(cost)))) + 1


def require_stakes(model: PrivacyModel, gain: float, cost: float) -> None:
    """Raise an error for a negative gain, or for a cost of 0 or less."""
    fix = "the gain is the value of one person's record to the attacker"
    model.require("gain", 0.0 <= gain <= _MOST, f"from 0 to {_MOST:g}", fix)
    fix = "the cost is the amount spent on searching for one record; a free attack always pays"
    model.require("cost", 1 / _MOST <= cost <= _MOST, f"from {1 / _MOST:g} to {_MOST:g}", fix)
