"""The four rules of paper 001, which are four minimum class sizes.

D1 is k-anonymity: every released class has k records. D2, D3, and D4 decide from the class and the
sampling fraction whether the class represents k people (`risk.minimal_size`). With one fraction for
all records, each rule is a minimum class size k', which is at most k.
"""

from __future__ import annotations

from typing import Final

from roadstead.risk.minimal_size import Estimator, minimal_size

BASELINE: Final = "D1"
ESTIMATED: Final[dict[str, Estimator]] = {"D2": "d2", "D3": "d3", "D4": "d4"}
RULES: Final = (BASELINE, *ESTIMATED)
SIGNIFICANCE: Final = 0.1
"""The assumed significance of the tests, because the number in the paper is not legible."""


def smallest(rule: str, k: int, fraction: float, significance: float = SIGNIFICANCE) -> int:
    """Return the minimum class size of a rule."""
    if rule == BASELINE:
        return k
    return minimal_size(k, fraction, ESTIMATED[rule], significance)
