"""The four rules of paper 001, which are four smallest classes.

D1 is k-anonymity: every released class has k records. D2, D3, and D4 judge from the class and the
sampling fraction whether it represents k people (`risk.minimal_size`). Under one fraction for all
records, each rule is a smallest class of k' records, and k' is at most k.
"""

from __future__ import annotations

from typing import Final

from roadstead.risk.minimal_size import Estimator, minimal_size

BASELINE: Final = "D1"
ESTIMATED: Final[dict[str, Estimator]] = {"D2": "d2", "D3": "d3", "D4": "d4"}
RULES: Final = (BASELINE, *ESTIMATED)
SIGNIFICANCE: Final = 0.1
"""The significance of the tests; the paper's number is not readable."""


def smallest(rule: str, k: int, fraction: float, significance: float = SIGNIFICANCE) -> int:
    """Give the records that a class must have to be released."""
    if rule == BASELINE:
        return k
    return minimal_size(k, fraction, ESTIMATED[rule], significance)
