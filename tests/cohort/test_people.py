from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.cohort.people import (
    ADULTS_BY_RACE,
    FIRST_NAMES,
    LAST_NAMES,
    OLDEST,
    POPULATION,
    RACES,
    RESIDENTS,
    ZIPS,
    birth_dates,
    full_names,
)


def test_population_is_that_of_census_2010() -> None:
    """The United States had 156,964,212 women and 151,781,326 men in 2010, and 53,364 of 100 up."""
    assert POPULATION.shape == (2, OLDEST + 1)
    assert POPULATION.sum(axis=1).tolist() == [156_964_212, 151_781_326]
    assert POPULATION[:, 85:].sum() == 5_493_433
    assert POPULATION[:, 90:95].sum() == 1_448_366
    assert POPULATION[:, 100:].sum() == 53_364


def test_population_falls_year_by_year_from_85() -> None:
    """The single years that are not published decline, for women and for men."""
    assert (np.diff(POPULATION[:, 85:]) < 0).all()


def test_single_years_agree_with_the_census_file(data_dir: Path) -> None:
    """Up to 84 every figure is the one published."""
    with gzip.open(data_dir / "census" / "st-est00int-agesex.csv.gz", "rt") as file:
        published = {
            (row["SEX"], int(row["AGE"])): int(row["CENSUS2010POP"])
            for row in csv.DictReader(file)
            if row["STATE"] == "0" and row["SEX"] in "12"
        }
    for age in range(85):
        assert POPULATION[0, age] == published["2", age]
        assert POPULATION[1, age] == published["1", age]
    assert POPULATION[:, 85:].sum(axis=1).tolist() == [published["2", 85], published["1", 85]]


def test_zip_codes_agree_with_the_census_files(data_dir: Path) -> None:
    """Residents, and adults by race, of every ZIP code are those published."""
    with gzip.open(data_dir / "census" / "zcta_pop_2010.csv.gz", "rt") as file:
        residents = {row["geoid"]: int(row["pop10"]) for row in csv.DictReader(file)}
    with gzip.open(data_dir / "census" / "zcta_race_18plus_2010.csv.gz", "rt") as file:
        adults = {row["ZCTA5"]: row for row in csv.DictReader(file)}
    for place, code in enumerate(ZIPS):
        row = adults[code]
        assert RESIDENTS.weights[0, place] == residents[code]
        assert ADULTS_BY_RACE.weights[place].tolist() == [
            int(row["NH_White_alone"]),
            int(row["NH_Black_alone"]),
            int(row["Hispanic_Total"]),
            int(row["NH_API_alone"]),
            int(row["NH_AIAN_alone"]),
            int(row["NH_Other_alone"]) + int(row["NH_Mult_Total"]),
        ]


def test_zip_codes_are_varied() -> None:
    """There are New England's leading zeros, large places, and places of fewer than 300 people."""
    assert len(set(ZIPS)) == len(ZIPS)
    assert all(len(code) == 5 and code.isdigit() for code in ZIPS)
    assert "02139" in ZIPS
    assert sum(code.startswith("0") for code in ZIPS) > 40
    assert (RESIDENTS.weights < 300).sum() >= 10
    assert (RESIDENTS.weights > 40_000).sum() >= 5


@given(
    day=st.integers(0, 729),
    age=st.integers(0, OLDEST),
    uniform=st.floats(0, 1, exclude_max=True),
)
def test_a_birth_date_gives_the_age_on_the_day_of_admission(
    day: int, age: int, uniform: float
) -> None:
    """Completed years, counted on the calendar, are the requested age."""
    admission = np.array([np.datetime64("2019-09-01") + day])  # includes 29 February 2020
    birth = birth_dates(admission, np.array([age]), np.array([uniform]))
    born, admitted = birth.astype(object)[0], admission.astype(object)[0]
    before_birthday = (admitted.month, admitted.day) < (born.month, born.day)
    assert admitted.year - born.year - before_birthday == age


def test_nobody_is_born_on_a_day_that_does_not_exist() -> None:
    """A person admitted on 29 February at age 1 was born at the latest on 28 February."""
    admission = np.array(["2020-02-29"], dtype="datetime64[D]")
    birth = birth_dates(admission, np.array([1]), np.array([0.0]))
    assert birth.astype(str).tolist() == ["2019-02-28"]


@pytest.mark.parametrize(
    ("sex", "theirs", "not_theirs"), [(0, "Mary", "James"), (1, "James", "Mary")]
)
def test_first_names_go_with_the_sex(sex: int, theirs: str, not_theirs: str) -> None:
    """Women have women's names, men men's."""
    uniform = (np.arange(1000) + 0.5) / 1000
    whole = np.full(1000, sex)
    names = full_names(whole, np.zeros(1000, dtype=np.int64), uniform, uniform)
    first = {name.split()[0] for name in names}
    assert theirs in first
    assert not_theirs not in first


def test_last_names_go_with_the_race() -> None:
    """Nguyen is frequent among Asians and Pacific Islanders and rare among Black people."""
    uniform = (np.arange(1000) + 0.5) / 1000
    last = {
        race: [
            name.split()[1]
            for name in full_names(
                np.zeros(1000, dtype=np.int64),
                np.full(1000, RACES.index(race)),
                uniform,
                uniform,
            )
        ]
        for race in ("Asian or Pacific Islander", "Black", "Hispanic")
    }
    assert last["Asian or Pacific Islander"].count("Nguyen") > 150
    assert last["Black"].count("Nguyen") < 5
    assert last["Hispanic"].count("Garcia") > last["Black"].count("Garcia") + 50


def test_names_are_distinct() -> None:
    """No name occurs twice, and a name is one word."""
    assert len(set(LAST_NAMES.tolist())) == len(LAST_NAMES)
    assert len(set(FIRST_NAMES.tolist())) == len(FIRST_NAMES) == 100
