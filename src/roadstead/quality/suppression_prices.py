"""The weight of suppression relative to generalization, in losses that are means over records.

By default, a suppressed record loses everything, on the same scale as a generalized record. The
*factor* changes the balance. At 1/2, both count in full. Below 1/2, suppression counts less, down
to nothing at 0. Above 1/2, generalization counts less, down to nothing at 1. With *monotone*, a
suppressed record has the loss that it would have if it were released as generalized. A loss then
never falls on the way up, and only the limit bounds suppression.

If suppression counts less than generalization, a more general policy may suppress a record, and the
record's loss may be below its loss as generalized under a more specific policy. So the bound for a
record is the lesser of the two.

In the formula of *ARX*, let s be the share that a suppressed record would lose as generalized. With
a factor below 1/2, the record loses s, and the part 2 * factor of the rest 1 - s. This is at least
s and grows with s. So a record never costs less suppressed than kept, and never less at more
general levels. The bounds are those of the factor 1/2.
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
"""Largest denominator: factors are the fractions nearest to the numbers given."""


@dataclass(frozen=True)
class SuppressionPrices:
    """Whole numbers: a unit of detail's weight when `kept` and `suppressed`, out of `whole`."""

    kept: int = 1
    suppressed: int = 1
    whole: int = 1
    as_generalized: bool = False
    on_top: bool = False  # whether `suppressed` applies to the detail that generalization leaves


PLAIN = SuppressionPrices()
"""Suppression loses everything, and counts as generalization does."""


def prices_of(
    gs_factor: float, *, monotone: bool, gs_formula: Formula = "roadstead"
) -> SuppressionPrices:
    """Return the prices of a factor from 0 to 1; raise a SettingError for other factors."""
    if not 0.0 <= gs_factor <= 1.0:
        raise SettingError(
            f"the factor of generalization and suppression is {gs_factor}, but must be from 0 to 1",
            where=option("gs_factor"),
            fix="0.5 counts both in full, 0 only generalization, and 1 only suppression",
        )
    if monotone and gs_factor != EVEN:
        raise ValueError("the monotone loss does not use a factor")  # requests refuse it earlier
    factor = Fraction(gs_factor).limit_denominator(_FINEST)
    kept, suppressed = min(Fraction(1), 2 - 2 * factor), min(Fraction(1), 2 * factor)
    whole = lcm(kept.denominator, suppressed.denominator)
    on_top = gs_formula == "arx" and suppressed < kept
    return SuppressionPrices(int(kept * whole), int(suppressed * whole), whole, monotone, on_top)
