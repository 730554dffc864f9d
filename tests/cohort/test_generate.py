from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.cohort import generate
from roadstead.cohort.diagnoses import DIAGNOSES, STAYS
from roadstead.cohort.generate import MISSING
from roadstead.cohort.people import ADULTS_BY_RACE, RACES, RESIDENTS, ZIPS
from roadstead.cohort.stays import OUTCOMES
from roadstead.errors import SettingError

Cohort = dict[str, list[str]]
SIGMAS = 4.5
RESPIRATORY = ("J18.9", "J15.9", "J13", "J69.0", "J44", "J45", "J21")


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    """Return the default cohort, which the tests only read."""
    return generate()


@pytest.fixture(scope="module")
def ages(cohort: Cohort) -> NDArray[np.float64]:
    """Years between birth and admission."""
    birth = np.array(cohort["birth_date"], dtype="datetime64[D]")
    admission = np.array(cohort["admission_date"], dtype="datetime64[D]")
    return np.asarray((admission - birth).astype(np.int64) / 365.2425)


def assert_share(count: int, of: int, expected: float) -> None:
    """Compare a share with its expectation, within sampling error."""
    error = (expected * (1 - expected) / of) ** 0.5
    assert abs(count / of - expected) < SIGMAS * error + 1e-9


def test_columns_are_those_documented(cohort: Cohort) -> None:
    """Ten columns of 20,000 texts each, in a fixed order."""
    assert tuple(cohort) == (
        "record_number",
        "name",
        "birth_date",
        "sex",
        "race",
        "zip",
        "admission_date",
        "diagnosis",
        "length_of_stay",
        "outcome",
    )
    assert {len(values) for values in cohort.values()} == {20_000}
    assert all(isinstance(value, str) for values in cohort.values() for value in values)


def test_the_default_cohort_is_the_same_everywhere(cohort: Cohort) -> None:
    """The bytes for the default seed are pinned."""
    lines = "\n".join(",".join(row) for row in zip(*cohort.values(), strict=True))
    pinned = "77a6b228950ef832178f48bc9855141090f161a4ddefd26e205485bb1cd05bd2"
    assert hashlib.sha256(lines.encode()).hexdigest() == pinned


def test_seeds_matter_and_repeat() -> None:
    """The same seed gives the same cohort, another seed another."""
    assert generate(300, seed=7) == generate(300, seed=7)
    assert generate(300, seed=7) != generate(300, seed=8)


@pytest.mark.parametrize("patients", [1, 2, 1000])
def test_any_number_of_patients(patients: int) -> None:
    """The number of rows is the requested one."""
    assert {len(values) for values in generate(patients).values()} == {patients}


@pytest.mark.parametrize(
    ("patients", "seed", "where"), [(0, 1, "patients"), (-5, 1, "patients"), (10, -1, "seed")]
)
def test_senseless_settings_are_refused(patients: int, seed: int, where: str) -> None:
    """No patients, or a negative seed, is an error that names the setting."""
    with pytest.raises(SettingError, match=where):
        generate(patients, seed)


def test_record_numbers_identify(cohort: Cohort) -> None:
    """No two patients share one, and they do not follow the order of admission."""
    numbers = cohort["record_number"]
    assert len(set(numbers)) == len(numbers)
    rising = sum(a < b for a, b in pairwise(numbers))
    assert 0.45 < rising / len(numbers) < 0.55


def test_dates_are_iso_and_birth_precedes_admission(cohort: Cohort) -> None:
    """Every date is a day of the calendar; birth comes first; rows are in order of admission."""
    birth = [dt.date.fromisoformat(text) for text in cohort["birth_date"]]
    admission = [dt.date.fromisoformat(text) for text in cohort["admission_date"]]
    assert all(born <= admitted for born, admitted in zip(birth, admission, strict=True))
    assert {admitted.year for admitted in admission} == {2018, 2019}
    assert admission == sorted(admission)
    assert all(len(text) == 10 for text in cohort["birth_date"] + cohort["admission_date"])


def test_there_are_people_of_every_age(ages: NDArray[np.float64]) -> None:
    """From infants to centenarians, and enough of 90 and over for that rule to matter."""
    assert ages.min() < 1
    assert 100 < ages.max() < 104
    expected = float(STAYS[:, :, 90:].sum() / STAYS.sum())
    assert_share(int((ages >= 90).sum()), len(ages), expected)
    assert (ages >= 90).sum() > 400


def test_ages_and_sexes_follow_the_joint_distribution(
    cohort: Cohort, ages: NDArray[np.float64]
) -> None:
    """In each decade of age, as many women and men as the published figures give."""
    women = np.array(cohort["sex"]) == "female"
    assert set(cohort["sex"]) == {"female", "male"}
    for first in range(0, 100, 10):
        decade = (ages >= first) & (ages < first + 10)
        for sex, of_sex in ((0, women), (1, ~women)):
            expected = float(STAYS[:, sex, first : first + 10].sum() / STAYS.sum())
            assert_share(int((decade & of_sex).sum()), len(ages), expected)


def test_zip_codes_keep_their_zeros_and_follow_population(cohort: Cohort) -> None:
    """Five digits always; the largest places have as many patients as their share of people."""
    known = [code for code in cohort["zip"] if code]
    assert all(len(code) == 5 and code.isdigit() for code in known)
    counts = Counter(known)
    assert counts["02139"] > 0
    people = RESIDENTS.weights[0]
    for place in np.argsort(people)[-20:]:
        assert_share(counts[ZIPS[place]], len(known), float(people[place] / people.sum()))
    assert min(counts.values()) <= 3


def test_races_follow_the_place(cohort: Cohort) -> None:
    """Overall and in single places, races have the shares of the census."""
    pairs = [(z, r) for z, r in zip(cohort["zip"], cohort["race"], strict=True) if z and r]
    people = RESIDENTS.weights[0] / RESIDENTS.weights.sum()
    shares = ADULTS_BY_RACE.weights / ADULTS_BY_RACE.weights.sum(axis=1, keepdims=True)
    overall = people @ shares
    counts = Counter(race for _, race in pairs)
    assert set(counts) == set(RACES)
    for race, expected in zip(RACES, overall, strict=True):
        assert_share(counts[race], len(pairs), float(expected))
    for code in ("02119", "87301", "94110"):
        here = [race for place, race in pairs if place == code]
        for race, expected in zip(RACES, shares[ZIPS.index(code)], strict=True):
            assert_share(here.count(race), len(here), float(expected))


def test_a_few_values_are_missing(cohort: Cohort) -> None:
    """Race, ZIP and outcome lack their stated share of values, the other columns none."""
    for column, values in cohort.items():
        assert_share(values.count(""), len(values), MISSING.get(column, 0.0))


def test_diagnoses_have_their_published_frequencies(cohort: Cohort) -> None:
    """Each group of diagnoses is as frequent as its stays."""
    stays = sum(diagnosis.stays for diagnosis in DIAGNOSES)
    counts = Counter(cohort["diagnosis"])
    for diagnosis in DIAGNOSES:
        codes = {*diagnosis.codes.split(), *diagnosis.codes_of_men.split()}
        count = sum(counts[code] for code in codes)
        assert_share(count, len(cohort["diagnosis"]), diagnosis.stays / stays)


def test_only_women_of_15_to_44_give_birth(cohort: Cohort, ages: NDArray[np.float64]) -> None:
    """No man and no woman of another age has a code of pregnancy or childbirth."""
    births = np.char.startswith(np.array(cohort["diagnosis"]), "O")
    assert births.sum() > 2000
    assert set(np.array(cohort["sex"])[births]) == {"female"}
    assert ages[births].min() > 14.9
    assert ages[births].max() < 45.1


def test_respiratory_stays_peak_in_winter(cohort: Cohort) -> None:
    """Summer has 0.579 of winter's respiratory stays; the others do not follow the season."""
    months = np.array([int(text[5:7]) for text in cohort["admission_date"]])
    respiratory = np.array([code.startswith(RESPIRATORY) for code in cohort["diagnosis"]])
    winter, summer = np.isin(months, [12, 1, 2]), np.isin(months, [6, 7, 8])
    both = int((respiratory & (winter | summer)).sum())
    days = (180, 184 * 0.579)  # of two years
    assert_share(int((respiratory & summer).sum()), both, days[1] / sum(days))
    assert_share(
        int((~respiratory & summer).sum()), int((~respiratory & (winter | summer)).sum()), 0.506
    )


def test_outcomes_are_as_frequent_as_published(cohort: Cohort) -> None:
    """2% die, 15% are transferred, 1% leave against advice, the others go home."""
    known = [outcome for outcome in cohort["outcome"] if outcome]
    shares = {outcome: known.count(outcome) / len(known) for outcome in OUTCOMES}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["died"] == pytest.approx(0.020, abs=0.005)
    assert shares["transferred"] == pytest.approx(0.15, abs=0.015)
    assert shares["left against advice"] == pytest.approx(0.0093, abs=0.003)


def test_death_depends_on_diagnosis_and_age() -> None:
    """Sepsis kills 16%, heart attacks 7.3%, and childbirth 0%; the oldest die most often."""
    cohort = generate(60_000, seed=11)
    died = np.array(cohort["outcome"]) == "died"
    codes = np.array(cohort["diagnosis"])
    for prefix, published in (("A4", 0.16), ("I21", 0.073), ("I50", 0.033)):
        chosen = np.char.startswith(codes, prefix)
        assert_share(int(died[chosen].sum()), int(chosen.sum()), published)
    assert died[np.char.startswith(codes, "O")].sum() == 0
    years = np.array([int(text[:4]) for text in cohort["birth_date"]])
    sepsis = np.char.startswith(codes, "A4")
    old, young = died[sepsis & (years < 1934)].mean(), died[sepsis & (years > 1975)].mean()
    assert old > 3 * young


def test_length_of_stay_depends_on_diagnosis_and_outcome(cohort: Cohort) -> None:
    """4.5 days on average, 2.6 for births, 8.5 for sepsis, 7.9 for those who die; never below 1."""
    days = np.array(cohort["length_of_stay"], dtype=np.int64)
    codes = np.array(cohort["diagnosis"])
    died = np.array(cohort["outcome"]) == "died"
    assert days.min() == 1
    assert days.mean() == pytest.approx(4.5, abs=0.15)
    assert days[np.char.startswith(codes, "O")].mean() == pytest.approx(2.6, abs=0.1)
    assert days[np.char.startswith(codes, "A4")].mean() == pytest.approx(8.5, abs=1.2)
    assert days[died].mean() == pytest.approx(7.9, abs=1.2)


def test_who_is_transferred_stays_longer() -> None:
    """7.0 days if care continues elsewhere, 3.6 if it ends (HCUP Statistical Brief 205).

    This is true in each large chapter of diagnoses, not only because chapters with long stays
    differ. Fault class: independent columns that are correlated in real patients.
    """
    cohort = generate(60_000, seed=11)
    days = np.array(cohort["length_of_stay"], dtype=np.int64)
    moved, home = (np.array(cohort["outcome"]) == end for end in ("transferred", "discharged home"))
    assert days[moved].mean() / days[home].mean() == pytest.approx(7.0 / 3.6, rel=0.05)
    chapters = np.array([code[0] for code in cohort["diagnosis"]])
    for chapter in "AIJMNS":
        here = chapters == chapter
        assert days[here & moved].mean() > 1.3 * days[here & home].mean()


def test_the_outcome_can_be_learned_from_diagnosis_and_stay(cohort: Cohort) -> None:
    """The most frequent outcome by chapter and long stay is right more often than "home".

    Fault class: an example that shows nothing, because there is nothing to learn.
    """
    long = [int(days) >= 6 for days in cohort["length_of_stay"]]
    chapters = [code[0] for code in cohort["diagnosis"]]
    groups = Counter(zip(chapters, long, cohort["outcome"], strict=True))
    best: Counter[tuple[str, bool]] = Counter()
    for (chapter, stayed, _), count in groups.items():
        best[chapter, stayed] = max(best[chapter, stayed], count)
    assert sum(best.values()) - cohort["outcome"].count("discharged home") > 100


def test_most_combinations_are_rare(cohort: Cohort) -> None:
    """By birth year, sex, race, and ZIP, most patients are in groups of fewer than five."""
    groups = Counter(
        (birth[:4], sex, race, code)
        for birth, sex, race, code in zip(
            cohort["birth_date"], cohort["sex"], cohort["race"], cohort["zip"], strict=True
        )
    )
    unique = sum(size == 1 for size in groups.values())
    below_five = sum(size for size in groups.values() if size < 5)
    assert unique > 6000
    assert below_five > 15_000
