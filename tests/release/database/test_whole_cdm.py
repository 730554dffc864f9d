"""A whole CDM release, compared with the expectation in plain Python, with the custodian's key."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from whole_cdm import (
    ANCESTORS,
    FIRST,
    LAST,
    LOCAL_CONCEPT,
    PRIVATE,
    Custodian,
    Rows,
    tables_of,
    write_cdm,
    write_rows,
)

import roadstead as rs
from roadstead.errors import SettingError, SourceError
from roadstead.release.persons.pseudonyms import write_key

DAYS, K = 60, 5
CODES = {
    "visit_occurrence": ("visit", "visit_concept_id"),
    "condition_occurrence": ("condition", "condition_concept_id"),
    "condition_era": ("condition", "condition_concept_id"),
    "measurement": ("measurement", "measurement_concept_id"),
    "death": ("death", "cause_concept_id"),
}
DATES = {
    "visit_occurrence": ("visit_start_date", "visit_end_date"),
    "condition_occurrence": ("condition_start_date", "condition_end_date"),
    "condition_era": ("condition_era_start_date", "condition_era_end_date"),
    "measurement": ("measurement_date",),
    "death": ("death_date",),
}


@dataclass(frozen=True, repr=False)
class Released:
    """A source, its release, and the owner of the key."""

    source: dict[str, Rows]
    folder: Path
    tables: dict[str, Rows]
    custodian: Custodian
    knows: int

    @cached_property
    def persons(self) -> dict[str, str]:
        """The source's number of each released person, by its new one."""
        new = {row["person_id"] for row in self.tables["person"]}
        old = [row["person_id"] for row in self.source["person"]]
        found = {self.custodian.number(one, "person"): one for one in old}
        return {number: one for number, one in found.items() if number in new}

    @cached_property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """Possible knowledge of others about each released person."""
        quasi = ("year_of_birth", "gender_concept_id", "race_concept_id", "ethnicity_concept_id")
        return {row["person_id"]: tuple(row[x] for x in quasi) for row in self.tables["person"]}


@pytest.fixture(scope="module", params=["1", pytest.param("2", marks=pytest.mark.nightly)])
def released(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Released:
    """Release the CDM once, for one known code and for two."""
    folder = tmp_path_factory.mktemp("whole")
    write_cdm(folder / "cdm")
    write_key(folder / "key")
    rs.anonymize(
        f"omop:{folder / 'cdm'}",
        tables=["all"],
        k=K,
        knows=request.param,
        shift_days=DAYS,
        key=folder / "key",
        out=folder / "out",
    )
    return Released(
        tables_of(folder / "cdm"),
        folder / "out",
        tables_of(folder / "out"),
        Custodian(folder / "key", DAYS),
        int(request.param),
    )


def rows_of(found: Released) -> Iterator[tuple[str, dict[str, str]]]:
    """Give every released row of a person, with its table."""
    for table in CODES:
        for row in found.tables[table]:
            yield table, row


def test_nothing_leaves_that_must_not(released: Released) -> None:
    """No name, note, source value, provider, time of day or concept of the site is in any file."""
    for file in released.folder.iterdir():
        content = file.read_text(encoding="utf-8")
        assert PRIVATE not in content, file.name
        assert str(LOCAL_CONCEPT) not in content, file.name
        assert "13:37" not in re.sub('"created": ".*"', "", content), file.name  # of the release
    assert not {"note", "provider"} & released.tables.keys()
    assert "site_notes" not in released.tables["person"][0]
    assert not any(row["month_of_birth"] or row["provider_id"] for row in released.tables["person"])


def test_every_key_refers_to_a_row_of_the_same_person(released: Released) -> None:
    """People, visits, and concepts are all there."""
    visits = {v["visit_occurrence_id"]: v["person_id"] for v in released.tables["visit_occurrence"]}
    concepts = {row["concept_id"] for row in released.tables["concept"]}
    linked = 0
    for table, row in rows_of(released):
        assert row["person_id"] in released.classes
        for column in ("visit_occurrence_id", "preceding_visit_occurrence_id"):
            if row.get(column):
                assert visits[row[column]] == row["person_id"], table
                linked += 1
        for column, cell in row.items():
            if column.endswith("_concept_id") and cell:
                assert cell in concepts, (table, column)
    assert linked > len(visits)


def test_keys_are_unique_and_not_in_the_order_of_the_source(released: Released) -> None:
    """Neither numbers nor the order of rows reveal those of the source."""
    for table in CODES:
        key = f"{table}_id"
        if all(key in row for row in released.tables[table]):
            keys = [row[key] for row in released.tables[table]]
            assert len(set(keys)) == len(keys)
    numbers = released.persons
    in_file = [int(numbers[row["person_id"]]) for row in released.tables["person"]]
    rising = sum(a < b for a, b in pairwise(in_file))
    assert 0.3 < rising / len(in_file) < 0.7
    assert not {row["visit_occurrence_id"] for row in released.source["visit_occurrence"]} & {
        row["visit_occurrence_id"] for row in released.tables["visit_occurrence"]
    }


def test_k_persons_are_alike_and_share_what_may_be_known(released: Released) -> None:
    """Counted by the definition: demographics, each code, and each pair if two are known."""
    classes = released.classes
    assert min(Counter(classes.values()).values()) >= K
    held: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for table, row in rows_of(released):
        domain, column = CODES[table]
        held[row["person_id"]].add((domain, row[column]))
    shared: Counter[object] = Counter()
    for person, codes in held.items():
        for known in combinations(sorted(codes), released.knows):
            shared[classes[person], known] += 1
        for code in codes:
            shared[classes[person], (code,)] += released.knows == 2
    assert len(shared) > 20
    assert min(shared.values()) >= K


def test_whoever_is_known_by_a_code_of_the_source_is_among_k(released: Released) -> None:
    """The released form of each source code is held by k people of the class."""
    classes, persons = released.classes, released.persons
    held: dict[tuple[object, str], set[str]] = defaultdict(set)
    for table in ("condition_occurrence", "condition_era"):
        for row in released.tables[table]:
            own = row["person_id"]
            held[classes[own], row["condition_concept_id"]].add(own)
    of_source: dict[str, set[str]] = defaultdict(set)
    for row in released.source["condition_occurrence"]:
        of_source[row["person_id"]].add(row["condition_concept_id"])
    generalized = 0
    for (_, code), holders in held.items():
        below = {code, *(str(c) for c, above in ANCESTORS.items() if int(code) in above)}
        generalized += len(below) > 1
        assert len(holders) >= K
        assert all(of_source[persons[one]] & below for one in holders)
    if released.knows == 1:
        assert generalized


def test_intervals_are_exact_to_the_day(released: Released) -> None:
    """Every released row is one of the source, all dates off by the same days of its person."""
    checked = 0
    for table, columns in DATES.items():
        before = Counter(
            (row["person_id"], *(row[column] for column in columns))
            for row in released.source[table]
        )
        for row in released.tables[table]:
            checked += 1
            person = released.persons[row["person_id"]]
            moved = released.custodian.moved(person)
            days = (str(date.fromisoformat(row[column]) - moved) for column in columns)
            before[person, *days] -= 1
        assert min(before.values()) >= 0, table
    assert checked > 500


def test_no_end_tells_by_how_many_days_a_person_was_moved(released: Released) -> None:
    """Of every released date, each number of days is possible: it was within the extract."""
    ends = []
    for table, columns in DATES.items():
        for row in released.tables[table]:
            ends += [date.fromisoformat(row[column]) for column in columns]
    for row in released.tables["observation_period"]:
        ends.append(date.fromisoformat(row["observation_period_start_date"]))
        ends.append(date.fromisoformat(row["observation_period_end_date"]))
    assert min(ends) - timedelta(DAYS) >= FIRST
    assert max(ends) + timedelta(DAYS) <= LAST
    # All were observed from end to end, and still are: to the same days.
    periods = released.tables["observation_period"]
    assert len({row["observation_period_end_date"] for row in periods}) == 1


@pytest.mark.nightly
def test_appointments_after_the_last_day_do_not_let_that_day_through(tmp_path: Path) -> None:
    """All observations end on one day, which would reveal the shift in days."""
    write_cdm(tmp_path / "cdm")
    path, made = tmp_path / "cdm" / "MEASUREMENT.csv", tables_of(tmp_path / "cdm")["measurement"]
    for row in made:
        if int(row["person_id"]) <= K:
            row["measurement_date"] = str(LAST + timedelta(365))
        elif int(row["person_id"]) <= 2 * K:
            row["measurement_date"] = str(FIRST - timedelta(365))
    write_rows(path, made)
    tables = ["observation_period", "measurement"]
    rs.anonymize(
        f"omop:{tmp_path / 'cdm'}", tables=tables, k=K, shift_days=DAYS, out=tmp_path / "out"
    )
    periods = tables_of(tmp_path / "out")["observation_period"]
    ends = {
        (row["observation_period_start_date"], row["observation_period_end_date"])
        for row in periods
    }
    assert ends == {(str(FIRST + timedelta(DAYS)), str(LAST - timedelta(DAYS)))}


@pytest.mark.nightly
def test_words_where_the_model_has_a_number_do_not_leave(tmp_path: Path) -> None:
    """Results are released unchanged, if they are numbers."""
    write_cdm(tmp_path / "cdm")
    made = tables_of(tmp_path / "cdm")["measurement"]
    for at, row in enumerate(made):
        row["value_as_number"] = "12.5" if at % 2 else f"seen by {PRIVATE}"
        row["unit_concept_id"] = PRIVATE
    write_rows(tmp_path / "cdm" / "MEASUREMENT.csv", made)
    rs.anonymize(
        f"omop:{tmp_path / 'cdm'}", tables=["measurement"], k=K, shift_days=DAYS, out=tmp_path / "o"
    )
    assert PRIVATE not in (tmp_path / "o" / "MEASUREMENT.csv").read_text(encoding="utf-8")
    values = {row["value_as_number"] for row in tables_of(tmp_path / "o")["measurement"]}
    assert values == {"", "12.5"}


def test_weeks_of_which_none_fits_are_refused(tmp_path: Path) -> None:
    """Dates would be released unchanged."""
    write_cdm(tmp_path / "cdm", persons=20)
    with pytest.raises(SettingError, match="up to 5 days does not include a whole week"):
        rs.anonymize(
            f"omop:{tmp_path / 'cdm'}",
            tables=["measurement"],
            shift_days=5,
            shift_weeks=True,
            out=tmp_path / "o",
        )


def test_a_person_that_is_no_whole_number_is_refused(tmp_path: Path) -> None:
    """Rounded, the row would become another person's."""
    write_cdm(tmp_path / "cdm")
    made = tables_of(tmp_path / "cdm")["measurement"]
    made[0]["person_id"] = "7.5"
    write_rows(tmp_path / "cdm" / "MEASUREMENT.csv", made)
    with pytest.raises(SourceError, match=r"value '7\.5' is not a whole number"):
        rs.anonymize(f"omop:{tmp_path / 'cdm'}", tables=["measurement"], k=K, out=tmp_path / "o")


def test_a_visit_that_is_left_out_takes_its_rows_along(released: Released) -> None:
    """No row is released of which the source's visit is there and the release's is not."""
    custodian = released.custodian
    known = {row["visit_occurrence_id"] for row in released.source["visit_occurrence"]}
    there = {row["visit_occurrence_id"] for row in released.tables["visit_occurrence"]}
    stays = {one for one in known if custodian.number(one, "visit_occurrence") in there}
    gone: Counter[tuple[str, str]] = Counter()
    for row in released.source["condition_occurrence"]:
        person, moved = row["person_id"], custodian.moved(row["person_id"])
        day = str(date.fromisoformat(row["condition_start_date"]) + moved)
        gone[person, day] += row["visit_occurrence_id"] not in stays
    assert known - stays
    for row in released.tables["condition_occurrence"]:
        assert row["visit_occurrence_id"] in there
    # Where a reference led nowhere from the start, it is emptied, and the row stays.
    assert any(not row["visit_occurrence_id"] for row in released.tables["measurement"])


def test_nobody_is_shown_at_ninety(released: Released) -> None:
    """Those born in 1915 are among the oldest, and have no row at an age of 90 or more."""
    born = {row["person_id"]: int(row["year_of_birth"]) for row in released.source["person"]}
    oldest = [new for new, old in released.persons.items() if born[old] == 1915]
    assert oldest
    years = {row["person_id"]: int(row["year_of_birth"]) for row in released.tables["person"]}
    assert {years[one] for one in oldest} <= {
        year for year in years.values() if year <= LAST.year - 90 + 1
    }
    for table, columns in DATES.items():
        for row in released.tables[table]:
            year = years[row["person_id"]]
            if year > LAST.year - 90 + 1:
                assert all(int(row[column][:4]) - year < 90 for column in columns)
