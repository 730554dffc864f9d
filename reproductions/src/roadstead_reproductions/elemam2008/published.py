"""The results in paper 001.

El Emam and Dankar 2008, "Protecting privacy using k-anonymity", Journal of the American Medical
Informatics Association 15 (5), 627-637. The curves are pictures, so only statements of the Results
can be compared.
"""

from __future__ import annotations

from typing import Final, NamedTuple

REFERENCE: Final = (
    "El Emam K, Dankar FK. Protecting privacy using k-anonymity. Journal of the American Medical "
    "Informatics Association 2008; 15(5):627-637"
)
PHYSICIANS: Final = "physicians of Ontario"
VETERANS: Final = "paralyzed veterans"
FARS: Final = "fatal crashes"

REPETITIONS: Final = 1000
FRACTIONS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SIZES: Final = (5, 10, 15)
"""The k of k-anonymity."""


class Described(NamedTuple):
    """The paper's description of a population."""

    people: int
    values: str


POPULATIONS: Final[dict[str, Described]] = {
    PHYSICIANS: Described(23_590, "postal code 5,349, graduation year 70, gender 2"),
    VETERANS: Described(95_412, "ZIP 10,909, date of birth 901, gender 2"),
    FARS: Described(101_034, "age 98, gender 2, race 19, date of death 386"),
}
"""The populations in the section Data Sets."""

RELATIVE_LOSS: Final = 0.45
"""The ratio of D4 to D1: physicians at a fraction of 0.1, k = 5 (Results)."""
MOST_SUPPRESSED: Final = 0.5
"""The share of records that D1 suppresses in some cases, at small fractions (Results)."""
