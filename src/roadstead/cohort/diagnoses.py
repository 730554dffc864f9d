"""The joint distribution of diagnosis, sex, and age among the hospital patients.

`data/diagnoses.toml` contains the figures for each group of principal diagnoses, and the sources of
the figures. The file also marks assumptions. The figures are margins: stays by diagnosis, by
diagnosis and age band, and by diagnosis and sex. Within an age band, the patients with a diagnosis
are distributed over ages and sexes like the population (Census 2010). Each woman is weighted by the
ratio of women to men with the diagnosis.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from roadstead.cohort.draws import Floats, Table, total
from roadstead.cohort.people import OLDEST, POPULATION, text_of

Season = Literal["even", "winter", "summer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisGroup:
    """A group of principal diagnoses, and figures on the patients who have these diagnoses."""

    name: str
    codes: str  # ICD-10-CM codes, in descending order of frequency
    codes_of_men: str = ""  # the codes for men, if different from the codes for women
    stays: float  # thousands per year in the United States
    # "first age:share" for each age band. A band ends before the next band. The last band includes
    # the oldest age; a final share of 0 excludes old ages. Shares need not sum to 100.
    ages: str
    women: float = (
        1.0  # ratio of women to men with the diagnosis in a population with as many women as men
    )
    only_women: bool = False
    days: float  # mean length of stay
    died: float  # percent who die in the hospital
    facility: float  # percent of stays that end with a transfer to a hospital or nursing facility
    season: Season = "even"  # the season with the most stays
    # Standard deviation of the logarithm of the length of stay. The default fits a median of 3 days
    # with quartiles 2 and 6, as for AMI (Medicina 2022 58:1846).
    spread: float = 0.8


DIAGNOSES: Final = tuple(
    DiagnosisGroup(**entry) for entry in tomllib.loads(text_of("diagnoses.toml"))["diagnosis"]
)


def _joint(diagnosis: DiagnosisGroup) -> Floats:
    """Return stays by sex and age, in thousands. Within an age band, they follow the population."""
    weights = POPULATION.astype(np.float64)
    weights[0] *= diagnosis.women
    weights[1] *= 0.0 if diagnosis.only_women else 1.0
    firsts, shares = zip(
        *(map(float, band.split(":")) for band in diagnosis.ages.split()), strict=True
    )
    stays = np.zeros_like(weights)
    for first, end, share in zip(firsts, (*firsts[1:], OLDEST + 1), shares, strict=True):
        inside = weights[:, int(first) : int(end)]
        stays[:, int(first) : int(end)] = inside * (
            diagnosis.stays * share / total(shares) / total(inside)
        )
    return stays


def _code_table() -> tuple[list[str], Table]:
    """Return all codes, and their weights for each diagnosis and sex.

    The weight of each code is half the weight of the previous code.
    """
    of_sex = [(d.codes.split(), (d.codes_of_men or d.codes).split()) for d in DIAGNOSES]
    codes = sorted({code for pair in of_sex for part in pair for code in part})
    weights = np.zeros((2 * len(DIAGNOSES), len(codes)))
    for row, part in enumerate(part for pair in of_sex for part in pair):
        for rank, code in enumerate(part):
            weights[row, codes.index(code)] = 0.5**rank
    return codes, Table(weights)


STAYS: Final[Floats] = np.array([_joint(diagnosis) for diagnosis in DIAGNOSES])
"""Thousands of stays per year. The shape is (diagnoses, sexes, ages 0 to 103)."""

JOINT: Final = Table(STAYS.reshape(1, -1))
"""A single row with the weights of all combinations of diagnosis, sex, and age."""

CODES, CODES_BY_GROUP = _code_table()
"""All ICD-10-CM codes, and their weights. Row 2 * diagnosis + sex contains the weights."""
