"""The results in paper 002.

Mohammed, Jiang, Chen, Fung, and Ohno-Machado 2013, "Privacy-preserving heterogeneous health data
sharing", Journal of the American Medical Informatics Association 20 (3), 462-469, section
"Experimental description". The curves are pictures, so only statements can be compared.
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
"""The number of complete records of Adult."""
TRAINING: Final = 2 / 3
"""The share of the records that are used for a release. The other records are predicted."""
RUNS: Final = 10

EPSILONS: Final = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))
SPECIALIZATIONS: Final = (4, 7, 10, 13, 16)
"""The numbers of specializations in figure 4. The text states a range from 4 to 16."""

BA: Final = 0.853
LA: Final = 0.755

SHOWN_SPECIALIZATIONS: Final = 10
SHOWN_BENEFIT: Final = 0.0674
"""CA - LA of Max at epsilon 1 and 10 specializations."""
SHOWN_COST: Final = 0.03
"""The approximate BA - CA of Max at epsilon 1 and 10 specializations."""
HALF_COSTS: Final = (0.0357, 0.048)
"""BA - CA of Max at epsilon 0.5: minimum and maximum over the numbers of specializations."""
HALF_BENEFITS: Final = (0.05, 0.0623)
"""CA - LA of Max at epsilon 0.5: minimum and maximum."""
TENTH_HIGHEST: Final = 0.78
"""The approximate highest CA of Max at epsilon 0.1."""

FOLDS: Final = 10
COMPARED_SPECIALIZATIONS: Final = 15
"""The number of specializations in figures 5A and 5B."""
K: Final = 5
"""The k of the k-anonymous release in figure 5A."""
COMPARED: Final = (
    "Published (figure 5A): DiffGen is clearly above DiffP-C4.5 (Friedman and Schuster 2010) for "
    "epsilon up to 2 and comparable beyond, and above TDS. The figures are not available as "
    "numbers. DiffP-C4.5, which releases a tree and no data, is not run here."
)

HETEROGENEOUS_SPECIALIZATIONS: Final = 5
"""The number of specializations in figure 3."""
MIMIC: Final = (0.86, 0.89)
"""CA on MIMIC-II at these epsilons: minimum and maximum; Max and InfoGain are similar."""

SECONDS: Final = 30.0
"""The longest time of a release in all experiments except scaling."""
LARGEST: Final = 1_000_000
"""The largest number of records, up to which the time is linear."""
