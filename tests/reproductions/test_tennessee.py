"""Tennessee's people match the census's counts; Adult's records are some of them, none twice."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError, SourceError
from roadstead.tables.frequency import FrequencyTable
from roadstead_reproductions import census, tennessee
from roadstead_reproductions import tennessee_records as records_of
from roadstead_reproductions.tennessee import LABEL, tennessee_population
from roadstead_reproductions.tennessee_records import Study

Rows = Counter[tuple[str, ...]]


@pytest.fixture(scope="module")
def people(data_dir: Path) -> FrequencyTable:
    """The population, made once."""
    assert (data_dir / "census").is_dir()
    return tennessee_population(1)


@pytest.fixture(scope="module")
def adult(people: FrequencyTable) -> Study:
    """Adult with ZIP codes."""
    return records_of.adult_in_tennessee(1, people)


def by(table: FrequencyTable, *attributes: str) -> dict[tuple[str, ...], int]:
    """Count people by some attributes."""
    part = table.project(attributes)
    values = [np.array(d)[c].tolist() for d, c in zip(part.domains, part.codes, strict=True)]
    return dict(zip(zip(*values, strict=True), part.counts.tolist(), strict=True))


def records_by(study: Study, *attributes: str) -> Rows:
    """Count records by some attributes, cell for cell."""
    places = [study.cells.domains.attributes.index(name) for name in attributes]
    found: Rows = Counter()
    for cell in np.flatnonzero(study.cells.records).tolist():
        key = tuple(study.values[at][int(study.cells.codes[at, cell])] for at in places)
        found[key] += int(study.cells.records[cell])
    return found


def adult_data(data_dir: Path) -> list[list[str]]:
    """Read the original records."""
    text = (data_dir / "adult_uci" / "adult.data").read_text(encoding="utf-8")
    return [line.split(", ") for line in text.splitlines() if line]


def census_rows(data_dir: Path, name: str) -> list[dict[str, str]]:
    """Read an original census file."""
    with gzip.open(data_dir / "census" / name, "rt", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.nightly
def test_the_people_are_those_of_the_census(people: FrequencyTable) -> None:
    """Totals of the state, sexes and races as the Census of 2000 published them."""
    assert people.attributes == ("age", "sex", "race", "zip")
    assert people.records == 5_689_283
    assert by(people, "sex") == {("Female",): 2_919_008, ("Male",): 2_770_275}
    races = 4_563_310, 932_809, 15_152, 56_662, 2_205, 56_036, 63_109
    assert by(people, "race") == {
        (race,): count for race, count in zip(census.RACES, races, strict=True)
    }
    assert (people.counts > 0).all()


@pytest.mark.nightly
def test_ages_are_those_of_the_estimates_base(people: FrequencyTable, data_dir: Path) -> None:
    """Scaled by a few in a hundred thousand; and people of 85 and over are as many."""
    found = by(people, "age", "sex")
    old: Counter[str] = Counter()
    for row in census_rows(data_dir, "st-est00int-agesex.csv.gz"):
        if row["STATE"] == "47" and row["SEX"] != "0" and int(row["AGE"]) < 85:
            sex = {"1": "Male", "2": "Female"}[row["SEX"]]
            assert abs(found[row["AGE"], sex] - int(row["ESTIMATESBASE2000"])) <= 3
    for (age, sex), count in found.items():
        old[sex] += count * (int(age) >= 85)
    assert abs(old["Male"] - 21_844) <= 3
    assert abs(old["Female"] - 59_619) <= 3


def test_the_oldest_grow_fewer_and_reach_120(people: FrequencyTable) -> None:
    """No age of either sex is empty, and none has more people than the one before."""
    found = by(people, "age", "sex")
    for sex in census.SEXES:
        counts = [found[str(age), sex] for age in range(85, 121)]
        assert counts == sorted(counts, reverse=True)
        assert counts[-1] >= 1
    assert len({age for age, _ in found}) == 121


def test_zip_codes_have_their_share_of_the_people(people: FrequencyTable, data_dir: Path) -> None:
    """Of 2010, Tennessee's part, scaled to the total of 2000 and rounded up or down."""
    living: Counter[str] = Counter()
    for row in census_rows(data_dir, "zcta_county_rel_2010.csv.gz"):
        if row["state"] == "47":
            living[row["zcta5"]] += int(float(row["poppt"]))
    assert living.total() == 6_346_105
    found = by(people, "zip")
    assert len(found) == 628
    for code, count in living.items():
        assert abs(found.get((code,), 0) - count * 5_689_283 / 6_346_105) < 1


def test_races_by_zip_code_are_those_of_its_adults(people: FrequencyTable, data_dir: Path) -> None:
    """Iterative fitting in plain Python of what the files say; whole people stay near to it."""
    state = census.state_counts()
    found, zips = by(people, "race", "zip"), by(people, "zip")
    islanders = 1_810 / (56_077 + 1_810)
    hispanic = dict(zip(census.RACES, (57_380, 4_605, 1_332, 585, 395, 51_256, 8_285), strict=True))
    assert state.hispanic.tolist() == list(hispanic.values())
    fit: dict[tuple[str, str], float] = {}
    for row in census_rows(data_dir, "zcta_race_18plus_2010.csv.gz"):
        if (row["ZCTA5"],) in zips:
            api = float(row["NH_API_alone"])
            wanted = ("NH_White_alone", "NH_Black_alone", "NH_AIAN_alone")
            alone = [float(row[name]) for name in wanted]
            alone += [api * (1 - islanders), api * islanders]
            alone += [float(row["NH_Other_alone"]), float(row["NH_Mult_Total"])]
            for i, race in enumerate(census.RACES):
                share = hispanic[race] / 123_838 * float(row["Hispanic_Total"])
                fit[race, row["ZCTA5"]] = alone[i] + share + int(state.races[i]) / 5_689_283
    for _ in range(30):
        for at, counts in ((0, by(people, "race")), (1, zips)):
            now: Counter[str] = Counter()
            for key, value in fit.items():
                now[key[at]] += value  # type: ignore[assignment] # a count
            fit = {key: v * counts[(key[at],)] / now[key[at]] for key, v in fit.items()}
    off = [found.get(key, 0) - value for key, value in fit.items()]
    assert min(off) > -1.001
    assert sum(abs(one) for one in off) / len(off) < 0.8
    assert max(off) < 12  # who is left over is matched at random


def test_age_and_sex_are_independent_of_race_and_zip_code(people: FrequencyTable) -> None:
    """Unknown dependence is not assumed: chi squared has about its degrees of freedom."""
    one = people.codes[0].astype(np.int64) * 2 + people.codes[1]
    other = people.codes[2].astype(np.int64) * len(people.domains[3]) + people.codes[3]
    shape = 121 * 2, 7 * len(people.domains[3])
    both = np.zeros(shape)
    both[one, other] = people.counts
    expected = np.outer(both.sum(axis=1), both.sum(axis=0)) / people.records
    large = expected > 20
    chi = float((((both - expected) ** 2)[large] / expected[large]).sum())
    assert large.sum() > 10_000
    assert chi / large.sum() == pytest.approx(1, abs=0.03)


@pytest.mark.nightly
def test_a_seed_always_gives_the_same_people(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And another seed others, with the same margins; of a state with fewer in every tract."""
    assert (data_dir / "census").is_dir()
    state = census.state_counts()
    races, not_hispanic = state.races // 20, state.not_hispanic // 20
    men = int(state.sexes[0]) // 20
    few = census.State(np.array([men, races.sum() - men]), races, not_hispanic)
    monkeypatch.setattr(tennessee, "state_counts", lambda: few)
    people, again, other = (tennessee_population(seed) for seed in (1, 1, 2))
    assert people.records == races.sum()
    assert np.array_equal(again.counts, people.counts)
    assert all(map(np.array_equal, again.codes, people.codes))
    assert other.distinct != people.distinct
    assert by(other, "age", "sex") == by(people, "age", "sex")
    assert by(other, "zip") == by(people, "zip")


def test_adult_lives_in_tennessee(adult: Study, data_dir: Path) -> None:
    """Every record has the age, sex and race that Adult says, and a person for it."""
    cells = adult.cells
    assert cells.total == 32_561
    assert cells.domains.attributes == ("age", "sex", "race", "zip")
    assert cells.domains.sizes == (121, 2, 7, 628)
    assert adult.values[0] == tuple(str(age) for age in range(121))
    assert adult.values[2] == census.RACES
    assert list(adult.values[3]) == sorted(adult.values[3])
    merged = dict(zip(census.RACES, ("W", "B", "A", "P", "P", "O", "O"), strict=True))
    found: Rows = Counter()
    for (age, sex, race), count in records_by(adult, "age", "sex", "race").items():
        found[str(min(int(age), 90)), sex, merged[race]] += count
    letter = {"White": "W", "Black": "B", "Amer-Indian-Eskimo": "A", "Asian-Pac-Islander": "P"}
    expected = Counter((r[0], r[9], letter.get(r[8], "O")) for r in adult_data(data_dir))
    assert found == expected
    assert (cells.people >= cells.records).all()
    assert int(cells.people.sum()) == 5_689_283


def test_what_is_drawn_has_the_proportions_of_the_people(adult: Study) -> None:
    """ZIP codes, ages of 90 and over, and the races that Adult does not distinguish."""
    cells = adult.cells
    sizes = np.bincount(cells.codes[3], weights=cells.people)
    drawn = np.bincount(cells.codes[3], weights=cells.records)
    assert np.corrcoef(sizes, drawn)[0, 1] > 0.97
    races = records_by(adult, "race")
    # Among Asians and islanders 3.7 of 100 are islanders; of others and several races 47 are other.
    islanders = races["Native Hawaiian and Other Pacific Islander",]
    assert 20 <= islanders <= 65
    assert islanders + races["Asian",] == 1_039
    assert 90 <= races["Some other race",] <= 165
    ages = Counter(
        {int(age): count for (age,), count in records_by(adult, "age").items() if int(age) >= 90}
    )
    assert ages.total() == 43
    assert 91.0 <= sum(age * count for age, count in ages.items()) / 43 <= 94.0


def test_a_study_is_a_table_with_its_population(adult: Study, people: FrequencyTable) -> None:
    """The same counts, the people those of the estimate; in the order of a frequency table."""
    table = adult.table()
    assert table.domains == people.domains
    assert all(map(np.array_equal, table.codes, people.codes))
    assert table.population is not None
    assert np.array_equal(table.population, people.counts)
    assert table.records == 32_561
    assert by(table, "zip", "sex") == {
        **dict.fromkeys(by(people, "zip", "sex"), 0),
        **records_by(adult, "zip", "sex"),
    }


def test_adults_demographics_have_five_races(people: FrequencyTable, data_dir: Path) -> None:
    """For records and people; only ages of 90 and over are drawn."""
    study = records_of.adult_demographics(1, people)
    assert study.cells.domains.sizes == (121, 2, 5)
    assert study.values[2] == records_of.ADULT_RACES
    found: Rows = Counter()
    for (age, sex, race), count in records_by(study, "age", "sex", "race").items():
        found[str(min(int(age), 90)), sex, race] += count
    assert found == Counter((row[0], row[9], row[8]) for row in adult_data(data_dir))
    merged = np.bincount(study.cells.codes[2], weights=study.cells.people).astype(int)
    assert merged.tolist() == [4_563_310, 932_809, 15_152, 56_662 + 2_205, 56_036 + 63_109]
    assert study.notes == (LABEL, records_of.DRAWN_AGES)


def test_the_made_up_patients_are_as_many_as_the_papers(people: FrequencyTable) -> None:
    """2,984 adults, 12 of them 90 and over, older than the people; and said to be made up."""
    study = records_of.made_up_patients(1, people)
    cells = study.cells
    assert cells.domains.sizes == (121, 2, 7)
    assert cells.total == 2_984
    age = cells.codes[0].astype(int)
    assert cells.records[age >= 90].sum() == 12
    assert cells.records[age < 18].sum() == 0
    grown = age >= 18
    mean_age = float(np.average(age[grown], weights=cells.people[grown]))
    assert np.average(age, weights=cells.records) > mean_age + 8
    assert study.notes == (LABEL, records_of.MADE_UP)
    assert "made up" in records_of.MADE_UP


def test_every_sample_has_the_same_chance() -> None:
    """Floyd's draw of 2 of 4: each pair of choices is one sample, each sample twice."""
    found = Counter(
        frozenset(records_of._sample(4, [(i + 0.5) / 3, (j + 0.5) / 4]))
        for i, j in product(range(3), range(4))
    )
    assert found == {
        frozenset(pair): 2 for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    }


@unhurried
@given(st.data(), st.integers(0, 2**32))
def test_people_are_drawn_from_their_groups_and_nobody_twice(
    data: st.DataObject, seed: int
) -> None:
    """As many from each group as wanted, from no cell more than it has."""
    cells = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1))
    groups, people = (np.array(column, dtype=np.int64) for column in zip(*cells, strict=True))
    living = [int(people[groups == group].sum()) for group in range(4)]
    wanted = np.array([data.draw(st.integers(0, number)) for number in living], dtype=np.int64)
    drawn = records_of.draw_people(people, groups, wanted, np.random.default_rng(seed))
    assert (drawn <= people).all()
    assert [int(drawn[groups == group].sum()) for group in range(4)] == wanted.tolist()
    everybody = records_of.draw_people(
        people, groups, np.array(living, dtype=np.int64), np.random.default_rng(seed)
    )
    assert everybody.tolist() == people.tolist()


def test_more_records_than_people_are_refused() -> None:
    """A population that cannot contain the table."""
    people, groups = np.array([2, 1]), np.array([0, 1])
    with pytest.raises(SettingError, match="2 records need a group of 1 people"):
        records_of.draw_people(people, groups, np.array([0, 2]), np.random.default_rng(1))


@unhurried
@given(st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any), st.integers(0, 200))
def test_people_are_divided_by_largest_remainders(shares: list[int], total: int) -> None:
    """Each share rounded down or up; those rounded up have the larger fractions."""
    found = census.largest_remainders(np.array(shares), total)
    assert found.sum() == total
    up: list[int] = []
    down: list[int] = []
    for one, share in zip(found.tolist(), shares, strict=True):
        whole, rest = divmod(share * total, sum(shares))
        assert one - whole in (0, 1)
        (up if one > whole else down).append(rest)
    assert not up or not down or min(up) >= max(down)


def test_without_the_files_it_is_said_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No folder named, or one that lacks a file."""
    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    with pytest.raises(SourceError, match=r"^census: its public copies are .*set ROADSTEAD_DATA"):
        tennessee_population(1)
    (tmp_path / "census").mkdir()
    monkeypatch.setenv("ROADSTEAD_DATA", str(tmp_path))
    with pytest.raises(
        SourceError, match=r"^census/tn_tract_sf1_2000\.csv\.gz: the file does not exist"
    ):
        tennessee_population(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("males,females\n1,2\n", "it does not have the column 'white'"),
        ("{header}\n1,2\n", "line 2: this record has 2 cells, the header has 16"),
    ],
)
def test_a_census_file_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    """With the column or the line."""
    folder = tmp_path / "census"
    folder.mkdir()
    columns = ["males", "females", *census._TRACT_RACES, "not.hispanic.t"]
    header = ",".join([*columns, *census._TRACT_NOT_HISPANICS])
    content = text.format(header=header).encode()
    (folder / "tn_tract_sf1_2000.csv.gz").write_bytes(gzip.compress(content))
    monkeypatch.setenv("ROADSTEAD_DATA", str(tmp_path))
    with pytest.raises(SourceError, match=message):
        census.state_counts()


@pytest.mark.parametrize("column", [None, 0, 8, 9])
def test_a_line_that_is_no_record_of_adult_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: int | None
) -> None:
    """A column too few, an age over 90, an unknown race or sex."""
    (tmp_path / "adult_uci").mkdir()
    row = ["39", *["?"] * 7, "White", "Male", *["?"] * 5]
    bad = row[:-1] if column is None else [*row[:column], "91", *row[column + 1 :]]
    text = "\n".join(", ".join(one) for one in (row, bad)) + "\n\n"
    (tmp_path / "adult_uci" / "adult.data").write_text(text)
    monkeypatch.setenv("ROADSTEAD_DATA", str(tmp_path))
    with pytest.raises(SourceError, match=r"adult_uci/adult\.data, line 2: it is not a record of"):
        records_of._adult((91, 2, 5))
