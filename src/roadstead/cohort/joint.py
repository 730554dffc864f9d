"""Who is in hospital, and why: the joint distribution of diagnosis, sex and age.

The published figures are margins: stays by diagnosis, by diagnosis and band of ages, by diagnosis
and sex. Inside a band, a diagnosis falls on single ages and on the sexes as the population does
(Census 2010), women counted as often as they have it for each man. So nobody over 44 gives birth,
and no man; and among the oldest most patients are women, because most people are.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roadstead.cohort.diagnoses import DIAGNOSES, DiagnosisGroup
from roadstead.cohort.draws import Floats, Table, total
from roadstead.cohort.people import OLDEST, POPULATION


def _share_by_age(bands: str) -> list[tuple[int, int, float]]:
    """Read "first:share ..." as (first age, age after the last, share)."""
    pairs = [band.split(":") for band in bands.split()]
    firsts = [int(first) for first, _ in pairs]
    ends = [*firsts[1:], OLDEST + 1]
    return [(a, b, float(pair[1])) for a, b, pair in zip(firsts, ends, pairs, strict=True)]


def _joint(diagnosis: DiagnosisGroup) -> Floats:
    """Thousands of stays by sex and age: bands as published, the population inside a band."""
    weights = POPULATION.astype(np.float64)
    weights[0] *= diagnosis.women
    weights[1] *= 0.0 if diagnosis.only_women else 1.0
    bands = _share_by_age(diagnosis.ages)
    shares = total([share for _, _, share in bands])
    stays = np.zeros_like(weights)
    for first, end, share in bands:
        inside = weights[:, first:end]
        stays[:, first:end] = inside * (diagnosis.stays * share / shares / total(inside))
    return stays


def _code_table() -> tuple[list[str], Table]:
    """All codes, and their weights by diagnosis and sex: each code half as frequent as the last."""
    of_sex = [(d.codes.split(), (d.codes_of_men or d.codes).split()) for d in DIAGNOSES]
    codes = sorted({code for pair in of_sex for part in pair for code in part})
    weights = np.zeros((2 * len(DIAGNOSES), len(codes)))
    for row, part in enumerate(part for pair in of_sex for part in pair):
        for rank, code in enumerate(part):
            weights[row, codes.index(code)] = 0.5**rank
    return codes, Table(weights)


STAYS: Final[Floats] = np.array([_joint(diagnosis) for diagnosis in DIAGNOSES])
"""Thousands of stays a year, shape (diagnoses, sexes, ages 0 to 103)."""

JOINT: Final = Table(STAYS.reshape(1, -1))
"""One row of all (diagnosis, sex, age): who is in hospital, and why."""

CODES, CODES_BY_GROUP = _code_table()
"""All ICD-10-CM codes in order; their weights by row 2 * diagnosis + sex."""
