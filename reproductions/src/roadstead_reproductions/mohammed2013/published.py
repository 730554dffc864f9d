"""The results in paper 002.

Mohammed, Jiang, Chen, Fung and Ohno-Machado 2013, "Privacy-preserving heterogeneous health data
sharing", Journal of the American Medical Informatics Association 20 (3), 462-469, section
"Experimental description". Its curves are pictures, so only its statements can be compared.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

REFERENCE: Final = (
    "Mohammed N, Jiang X, Chen R, Fung BCM, Ohno-Machado L. Privacy-preserving heterogeneous "
    "health data sharing. Journal of the American Medical Informatics Association 2013; "
    "20(3):462-469"
)

RECORDS: Final = 45_222
"""Complete records of Adult."""
TRAINING: Final = 2 / 3
"""The share of the records in a release; the others are predicted."""
RUNS: Final = 10

EPSILONS: Final = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))
SPECIALIZATIONS: Final = (4, 7, 10, 13, 16)
"""Of figure 4; the text says from 4 to 16."""

BA: Final = 0.853
LA: Final = 0.755

SHOWN_SPECIALIZATIONS: Final = 10
SHOWN_BENEFIT: Final = 0.0674
"""CA - LA of Max at epsilon 1 and 10 specializations."""
SHOWN_COST: Final = 0.03
"""BA - CA there, about."""
HALF_COSTS: Final = (0.0357, 0.048)
"""BA - CA of Max at epsilon 0.5, least and most over the numbers of specializations."""
HALF_BENEFITS: Final = (0.05, 0.0623)
"""CA - LA there."""
TENTH_HIGHEST: Final = 0.78
"""Highest CA of Max at epsilon 0.1, about."""

FOLDS: Final = 10
COMPARED_SPECIALIZATIONS: Final = 15
"""Of figure 5A and of figure 5B."""
K: Final = 5
"""The k of the k-anonymous release with which figure 5A compares."""
COMPARED: Final = (
    "Published (figure 5A): DiffGen is clearly above DiffP-C4.5 (Friedman and Schuster 2010) for "
    "epsilon up to 2 and comparable beyond, and above TDS. The figures are not available as "
    "numbers. DiffP-C4.5, which releases a tree and no data, is not run here."
)

HETEROGENEOUS_SPECIALIZATIONS: Final = 5
"""Of figure 3."""
MIMIC: Final = (0.86, 0.89)
"""CA on MIMIC-II at these epsilons, least and most; Max and InfoGain are similar."""

SECONDS: Final = 30.0
"""All experiments but the scaling take less, for one release."""
LARGEST: Final = 1_000_000
"""Records, up to which the time is linear."""
