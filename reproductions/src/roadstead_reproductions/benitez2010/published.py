"""The results in paper 004.

Benitez, Loukides, and Malin 2010, "Beyond Safe Harbor: automatic discovery of health information
de-identification policy alternatives", Proceedings of the 1st ACM International Health Informatics
Symposium, 163-172, section 3. "Van" is the private data set of Vanderbilt University's patients.
"""

from __future__ import annotations

from typing import Final, NamedTuple

REFERENCE: Final = (
    "Benitez K, Loukides G, Malin B. Beyond Safe Harbor: automatic discovery of health information "
    "de-identification policy alternatives. Proceedings of the 1st ACM International Health "
    "Informatics Symposium 2010; 163-172"
)
ADULT: Final = "Adult"
PATIENTS: Final = "made-up patients"
"""The data set that replaces Van, the private data of Vanderbilt University."""

ITERATIONS: Final = 100


class Spread(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    deviation: float


SECONDS: Final[dict[tuple[str, str], Spread]] = {
    (PATIENTS, "directed"): Spread(47.52, 2.03),
    (ADULT, "directed"): Spread(109.53, 8.94),
    (PATIENTS, "bisecting"): Spread(4.01, 1.85),
    (ADULT, "bisecting"): Spread(16.36, 2.00),
}
"""Table 2: seconds per boundary policy."""

NODES: Final[dict[tuple[str, str], int]] = {(ADULT, "directed"): 5140, (ADULT, "bisecting"): 670}
"""Figure 9: nodes searched in 100 iterations."""

NON_DOMINATED: Final[dict[tuple[str, str, int], int]] = {
    (PATIENTS, "directed", 25): 25,
    (PATIENTS, "bisecting", 25): 25,
    (PATIENTS, "directed", 100): 83,
    (PATIENTS, "bisecting", 100): 95,
}
"""Figure 8: the number of non-dominated policies after this many iterations."""

LOG_TREND: Final[dict[tuple[str, str], float]] = {(PATIENTS, "bisecting"): 0.16}
"""Figure 7: the share of the variance of the times that a logarithmic trend explains."""

RISKS: Final[dict[str, float]] = {
    "Safe Harbor": 0.90917,
    "sexes merged": 0.47628,
    "Asian and Other merged": 0.85703,
    "ages 52 and 53 merged": 0.87498,
}
"""Table 3: the risks of Safe Harbor and of three alternatives, for Van."""
