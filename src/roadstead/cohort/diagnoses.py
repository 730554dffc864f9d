"""Why people are in hospital: groups of principal diagnoses, and who has them.

`data/diagnoses.toml` has the figures of each group with their sources next to them, and says what
is an assumption. `joint.py` makes the joint distribution of diagnosis, sex and age from them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Final, Literal

from roadstead.cohort.figures import text_of

Season = Literal["even", "winter", "summer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisGroup:
    """A group of principal diagnoses and the figures that describe its patients."""

    name: str
    codes: str  # ICD-10-CM, the most frequent first
    codes_of_men: str = ""  # where they differ
    stays: float  # thousands a year in the United States
    # "first age:share" for each band of ages; a band ends where the next begins, the last with the
    # oldest age, and a share of 0 closes the bands earlier. Shares need not sum to 100.
    ages: str
    women: float = 1.0  # who have it for each man, were there as many of either at every age
    only_women: bool = False
    days: float  # mean length of stay
    died: float  # percent who die in the hospital
    facility: float  # percent of stays that end with a transfer to a hospital or nursing facility
    season: Season = "even"  # when it is more frequent
    # Standard deviation of the logarithm of the length of stay: a median of 3 days with quartiles 2
    # and 6, as AMI had (Medicina 2022 58:1846).
    spread: float = 0.8


DIAGNOSES: Final = tuple(
    DiagnosisGroup(**entry) for entry in tomllib.loads(text_of("diagnoses.toml"))["diagnosis"]
)
