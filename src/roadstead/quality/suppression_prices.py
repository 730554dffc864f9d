"""The weight of suppression relative to generalization in losses that are means over records.

If the *factor* is 1/2, suppression and generalization have their full weight. Below 1/2,
suppression has less weight. Above 1/2, generalization has less weight (docs/methods/loss.md). If
*monotone* is set, a suppressed record has the same loss as if it were generalized and released.

If suppression has less weight than generalization, a more general policy may lower the loss of a
record because it suppresses the record. So the bound for a record is the smaller of the two losses.

The formula of *ARX* differs if the factor is below 1/2. If generalizing a record would lose a share
s, suppressing the record loses s + 2 * factor * (1 - s). This loss is at least s and grows with s,
so the bounds for a factor of 1/2 apply.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Literal, TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option

EVEN = 0.5
Formula: TypeAlias = Literal["roadstead", "arx"]
"""The formula for the loss of a suppressed record if the factor is below 1/2."""
_FINEST = 1000
"""The largest denominator of the fraction that replaces a factor."""


@dataclass(frozen=True)
class SuppressionPrices:
    """The weights of detail in kept records and in suppressed records, in units of 1 / `whole`."""

    kept: int = 1
    suppressed: int = 1
    whole: int = 1
    as_generalized: bool = False
    on_top: bool = False  # whether `suppressed` applies to the detail that generalization leaves


PLAIN = SuppressionPrices()
"""The default prices: suppression loses everything and weighs as much as generalization."""


def prices_of(
    gs_factor: float, *, monotone: bool, gs_formula: Formula = "roadstead"
) -> SuppressionPrices:
    """Return the prices for a factor, or raise an error unless the factor is from 0 to 1."""
    if not 0.0 <= gs_factor <= 1.0:
        raise SettingError(
            f"the factor of generalization and suppression is {gs_factor}, but must be from 0 to 1",
            where=option("gs_factor"),
            fix="with 0.5, both count in full; with 0, only generalization counts; with 1, only "
            "suppression",
        )
    if monotone and gs_factor != EVEN:
        raise ValueError("the monotone loss does not use a factor")  # requests reject it earlier
    factor = Fraction(gs_factor).limit_denominator(_FINEST)
    kept, suppressed = min(Fraction(1), 2 - 2 * factor), min(Fraction(1), 2 * factor)
    whole = lcm(kept.denominator, suppressed.denominator)
    on_top = gs_formula == "arx" and suppressed < kept
    return SuppressionPrices(int(kept * whole), int(suppressed * whole), whole, monotone, on_top)
