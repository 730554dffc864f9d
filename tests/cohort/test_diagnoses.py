from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from roadstead.cohort.diagnoses import CODES, CODES_BY_GROUP, DIAGNOSES, STAYS
from roadstead.cohort.stays import _TRANSFER

AGES = np.arange(STAYS.shape[2])
GROUP = {diagnosis.name: row for row, diagnosis in enumerate(DIAGNOSES)}


def mean_age(name: str) -> float:
    """Mean exact age: a completed year is half a year old on average."""
    by_age = STAYS[GROUP[name]].sum(axis=0)
    return float((by_age * (AGES + 0.5)).sum() / by_age.sum())


def share_of_women(name: str) -> float:
    """Women among all stays of a diagnosis."""
    stays = STAYS[GROUP[name]]
    return float(stays[0].sum() / stays.sum())


def share_under(age: int, name: str) -> float:
    """Stays of a diagnosis before an age."""
    by_age = STAYS[GROUP[name]].sum(axis=0)
    return float(by_age[:age].sum() / by_age.sum())


def test_joint_keeps_the_stays_of_each_diagnosis() -> None:
    """Spreading over ages and sexes loses no stays."""
    assert STAYS.sum(axis=(1, 2)) == pytest.approx([diagnosis.stays for diagnosis in DIAGNOSES])


@pytest.mark.parametrize(
    ("name", "published", "within"),
    [
        ("heart failure", 72.3, 1.7),
        ("diabetic ketoacidosis", 38.4, 0.6),
        ("other digestive diseases", 55.5, 1.0),
        ("nervous system diseases", 48.7, 0.7),
    ],
)
def test_mean_ages_are_near_the_published(name: str, published: float, within: float) -> None:
    """The ages made from bands have the mean that the source also gives."""
    assert mean_age(name) == pytest.approx(published, abs=within)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("heart failure", 0.490),
        ("hip fracture", 208 / 281),
        ("other digestive diseases", 0.558),
        ("nervous system diseases", 0.540),
        ("childbirth", 1.0),
    ],
)
def test_shares_of_women_are_near_the_published(name: str, published: float) -> None:
    """The sexes made from the ratio have the share that the source gives."""
    assert share_of_women(name) == pytest.approx(published, abs=0.012)


def test_age_bands_keep_the_published_shares() -> None:
    """29% of heart failure and under a third of strokes fall before 65."""
    assert share_under(65, "heart failure") == pytest.approx(0.29)
    assert share_under(65, "stroke") < 1 / 3
    assert share_under(18, "appendicitis") == pytest.approx(81 / 281)


def test_all_stays_have_the_published_age_and_sex() -> None:
    """National Hospital Discharge Survey 2006: mean age 52.5, 38% of 65 and over; 60% women."""
    by_age = STAYS.sum(axis=(0, 1))
    assert (by_age * (AGES + 0.5)).sum() / by_age.sum() == pytest.approx(52.5, abs=1.5)
    assert by_age[65:].sum() / by_age.sum() == pytest.approx(0.38, abs=0.02)
    assert STAYS[:, 0].sum() / STAYS.sum() == pytest.approx(0.60, abs=0.02)


def test_all_stays_end_as_published() -> None:
    """2.0% die (Data Brief 118), 15% go to another facility, 4.5 days (HCUP 2008 and 2012)."""
    stays = np.array([diagnosis.stays for diagnosis in DIAGNOSES])
    shares = stays / stays.sum()
    assert shares @ [diagnosis.died for diagnosis in DIAGNOSES] == pytest.approx(2.0, abs=0.3)
    assert shares @ [diagnosis.facility for diagnosis in DIAGNOSES] == pytest.approx(15, abs=1)
    assert shares @ [diagnosis.days for diagnosis in DIAGNOSES] == pytest.approx(4.5, abs=0.2)


def test_transfers_rise_with_age() -> None:
    """Less than of patients with arthritis: 1 in 8, 1 in 4 and 2 in 5 (of 45, 65 and 75 years)."""
    by_age = STAYS.sum(axis=1)
    shares = []
    for first, end in ((18, 45), (45, 65), (65, 75), (75, 104)):
        stays = by_age[:, first:end]
        shares.append(float((stays * _TRANSFER[:, first:end]).sum() / stays.sum()))
    assert shares == sorted(shares)
    published = (0.125, 0.25, 0.4)
    assert all(ours <= theirs + 0.005 for ours, theirs in zip(shares[1:], published, strict=True))
    assert shares[1:] == pytest.approx(published, rel=0.3)


def test_childbirth_is_for_women_of_15_to_44() -> None:
    """No man, no girl under 15, and no woman over 44."""
    birth = STAYS[GROUP["childbirth"]]
    assert birth[1].sum() == 0
    assert birth[0, :15].sum() == birth[0, 45:].sum() == 0
    assert (birth[0, 15:45] > 0).all()


def test_bronchiolitis_is_for_infants_and_fractured_hips_for_the_old() -> None:
    """Bands that end are closed, bands that begin late are empty before."""
    assert STAYS[GROUP["acute bronchiolitis"], :, 3:].sum() == 0
    assert STAYS[GROUP["hip fracture"], :, :45].sum() == 0


def test_codes_of_one_sex_are_never_of_the_other() -> None:
    """No man gets a code of pregnancy or breast cancer, no woman one of the prostate."""
    of_men = CODES_BY_GROUP.weights[1::2]
    of_women = CODES_BY_GROUP.weights[0::2]
    men_in_group = STAYS[:, 1].sum(axis=1) > 0
    for column, code in enumerate(CODES):
        if code.startswith(("O", "C50")):
            assert of_men[men_in_group, column].sum() == 0
        if code.startswith("C61"):
            assert of_women[:, column].sum() == 0


def test_codes_are_billable_icd_10_cm(data_dir: Path) -> None:
    """Every code is a complete ICD-10-CM code of 2019, written with its dot."""
    with gzip.open(data_dir / "icd" / "icd10cm2019.csv.gz", "rt") as file:
        billable = {row["code"] for row in csv.DictReader(file) if row["billable"] == "True"}
    assert {code.replace(".", "") for code in CODES} <= billable
    assert all(code[3:4] == "." for code in CODES if len(code) > 3)


def test_no_code_belongs_to_two_diagnoses() -> None:
    """A code has one group, so frequencies of codes are frequencies of groups."""
    groups = [{*d.codes.split(), *d.codes_of_men.split()} for d in DIAGNOSES]
    assert sum(map(len, groups)) == len(set().union(*groups)) == len(CODES)
