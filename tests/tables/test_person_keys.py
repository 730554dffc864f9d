"""A person ID column is distinguished from numbers of visits and from categories."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.reports.noticed.placeholder_ids import shared_ids
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.identifiers.person_keys import PersonKey, named_person_keys
from roadstead.tables.identifiers.placeholder_ids import placeholder_ids
from roadstead.tables.reading import read
from roadstead.tables.texts import texts_of

PERSONS = 120


def visits(name: str = "pid", seed: int = 3) -> dict[str, list[Any]]:
    """Give one to three visits of each person, and two diagnoses of each visit."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    table: dict[str, list[Any]] = defaultdict(list)
    for person in range(PERSONS):
        sex, born = chance.choice("FM"), chance.randint(1930, 2000)
        for _ in range(chance.randint(1, 3)):
            visit = len(table["age"])
            for diagnosis in range(2):
                table[name].append(f"P{person * 7919 % 100_003:05d}")
                table["visit_id"].append(500_000 + visit)
                table["sex"].append(sex)
                table["birth_year"].append(born)
                table["age"].append(2020 - born)
                table["room"].append(f"{chance.randint(1, 60) + 100}")
                table["seq_num"].append(diagnosis)
    return dict(table)


def keys(table: dict[str, list[Any]]) -> tuple[PersonKey, ...]:
    """Look at all columns."""
    source = read(pa.table(table))
    return examine(source, source.columns).persons


@pytest.mark.parametrize("name", ["nr", "respondent"])
@pytest.mark.parametrize("lasting", ["ethn", "hisp", "black", "female"])
def test_years_of_the_same_people_in_numbers_alone_are_noticed(name: str, lasting: str) -> None:
    """In panel surveys, short names and the numbers 0 and 1 are common."""
    chance = random.Random(11)  # noqa: S311 - no secret
    whose = [person for person in range(PERSONS) for _ in range(8)]
    always = [chance.randint(0, 1) for _ in range(PERSONS)]
    table = {
        name: [str(person * 7919 % 10_007) for person in whose],
        "year": [str(1980 + at % 8) for at in range(len(whose))],
        lasting: [str(always[person]) for person in whose],
        "union": [str(chance.randint(0, 1)) for _ in whose],
    }
    (found,) = keys(table)
    assert (found.column, found.doubt, found.keys) == (name, "called", PERSONS)
    assert found.why == f"its values repeat; {lasting} is the same for each value"


@pytest.mark.parametrize(
    "name",
    [
        "person_id",
        "PATIENT",
        "patient_nbr",
        "subject_id",
        "pid",
        "MRN",
        "recordNumber",
        "num_utente",
    ],
)
def test_a_key_that_is_called_so_and_repeats_is_clear(name: str) -> None:
    """Whatever the convention of its name; what lasts for life confirms it."""
    (found, *others) = keys(visits(name))
    assert not others
    assert (found.column, found.keys, found.clear) == (name, PERSONS, True)
    assert found.records == len(visits()["age"])
    assert "sex and birth_year are the same for each value" in found.why
    assert found.share == 1.0


@pytest.mark.quick(4)
@pytest.mark.parametrize("values", [["none", "ok"], ["0", "1"], ["1", "2", "9"], ["sent", "lost"]])
@pytest.mark.parametrize("name", ["ssn", "has_ssn", "ssn_status"])
def test_a_column_of_few_words_is_no_key(name: str, values: list[str]) -> None:
    """Fault class: the unread proposal of a scan ended in an error, because two is less than k."""
    table: dict[str, list[str] | list[int]] = {
        "sex": [("f", "m")[at % 2] for at in range(900)],
        "age": [20 + at * 7 % 50 for at in range(900)],
        name: [values[at * at % 7 % len(values)] for at in range(900)],
    }
    proposal = rs.scan(pa.table(table))
    assert proposal.columns[2].role != "person"
    assert rs.anonymize(pa.table(table), roles=proposal).records == len(table["sex"])


def test_a_key_of_any_name_is_noticed_and_stays_in_doubt() -> None:
    """By what lasts for life; a number of visits, in which it is the same too, is not taken."""
    (found,) = keys(visits("zz"))
    assert (found.column, found.keys, found.doubt) == ("zz", PERSONS, "called")


def test_neither_visits_nor_categories_are_persons() -> None:
    """A number of its own in each row, a room, a number of a visit."""
    table = visits()
    del table["pid"]
    table["patient_id"] = list(range(len(table["age"])))
    assert not any(key.found for key in keys(table))


def test_a_key_in_which_sex_differs_as_by_chance_is_in_doubt() -> None:
    """A column with this name may have another meaning."""
    table = visits()
    for name in ("sex", "birth_year"):
        random.Random(1).shuffle(table[name])  # noqa: S311 - no secret
    found = next(key for key in keys(table) if key.column == "pid")
    assert (found.doubt, found.found) == ("differs", False)


def test_a_number_that_hardly_repeats_is_in_doubt() -> None:
    """Two people with one number, in a table with one row per person."""
    table = {"patient_id": [*range(500), 7], "sex": ["F", "M"] * 250 + ["M"]}
    (found,) = keys(table)
    assert (found.doubt, found.keys, found.records) == ("few", 500, 501)


def test_mistakes_in_a_tenth_of_the_sexes_do_not_hide_a_key() -> None:
    """Real records disagree now and then."""
    table = visits("patient_id")
    for at in range(0, len(table["sex"]), 25):
        table["sex"][at] = "F"
    assert keys(table)[0].clear


def test_names_alone_are_read_where_no_role_is_asked_for() -> None:
    """A table of risk is not examined; columns called otherwise are not read."""
    assert [key.column for key in named_person_keys(read(pa.table(visits())))] == ["pid"]
    assert named_person_keys(read(pa.table(visits("zz")))) == ()


def test_no_value_is_told() -> None:
    """Reasons are words and counts."""
    for name in ("pid", "zz"):
        table = visits(name)
        told = repr(keys(table))
        assert not any(value in told for value in table[name])


CELLS = st.sampled_from(["", "a", "b", "c"])


@examples(60)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=14))
def test_what_is_counted_is_what_the_definition_says(rows: list[tuple[str, str, str]]) -> None:
    """Groups of rows, and pairs of rows drawn with replacement, in plain Python."""
    columns = {name: [row[at] for row in rows] for at, name in enumerate("kxy")}
    schema = pa.schema([(name, pa.string()) for name in "kxy"])
    source = read(pa.table(columns, schema=schema))
    groups: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for key, *cells in rows:
        if key:
            groups[key].append(tuple(cells))
    several = [members for members in groups.values() if len(members) > 1]
    expected = {
        "keys": len(groups),
        "records": sum(map(len, groups.values())),
        "several": len(several),
    }
    for at in (1, 2):
        own = [{row[at - 1] for row in members if row[at - 1]} for members in several]
        expected[f"told_{at}"] = sum(bool(values) for values in own)
        expected[f"same_{at}"] = sum(len(values) == 1 for values in own)
    assert texts_of(source, list("kxy")).within_first() == expected
    there = [row[1] for row in rows if row[1]]
    pairs = Counter(one == other for one, other in permutations(there, 2))
    alike = (pairs[True] + len(there)) / len(there) ** 2 if there else 0.0
    assert texts_of(source, ["x"]).alike() == pytest.approx(alike)


@pytest.mark.parametrize(("name", "doubt"), [("person_id", "single"), ("record_id", None)])
def test_a_number_of_its_own_in_each_record_makes_records_persons(
    name: str, doubt: str | None
) -> None:
    """A number of a record may be one of the row, so of that nothing is said."""
    found = keys({name: list(range(60)), "sex": ["F", "M"] * 30})
    assert [key.doubt for key in found] == ([doubt] if doubt else [])
    assert not any(key.found for key in found)


def with_a_placeholder(share: int = 12) -> dict[str, list[Any]]:
    """Give two person IDs; `tax_no` is 999999990 for one in `share` people."""
    table = visits()
    table["member_id"] = [int(value[1:]) + 200_000_000 for value in table["pid"]]
    numbers = {value: at for at, value in enumerate(dict.fromkeys(table["pid"]))}
    table["pid"] = [
        "999999990" if numbers[value] % share == 0 else f"2{numbers[value]:08d}"
        for value in table["pid"]
    ]
    return table


def test_a_person_id_without_a_placeholder_is_preferred() -> None:
    """Although the other column has fewer values; its reason counts the exceptions."""
    first, second = keys(with_a_placeholder())
    assert (first.column, first.placeholders, first.constant) == ("member_id", None, True)
    assert second.column == "pid"
    assert second.keys < first.keys
    assert second.why.endswith(
        "sex and birth_year are the same for nearly all values, but for 1 of these values, sex "
        "differs between records and for 1 of these values, birth_year differs between records"
    )
    found = second.placeholders
    assert found is not None
    assert (found.values, found.of) == (1, "birth_year")


@pytest.mark.parametrize("engine", ["duckdb", "ibis"])
def test_a_value_that_many_people_share_is_reported_without_the_value(
    engine: str, tmp_path: Path
) -> None:
    """Also if a person named the column; the counts come from all records."""
    table = with_a_placeholder()
    births = {b for b, p in zip(table["birth_year"], table["pid"], strict=True) if p[0] == "9"}
    many = table["pid"].count("999999990")
    path = tmp_path / "t.csv"
    pacsv.write_csv(pa.table(table), path)
    with read(path if engine == "duckdb" else pa.table(table)) as source:
        (said,) = shared_ids(source, "pid")
        assert not [*shared_ids(source, "member_id")]
    assert said.startswith(
        f"1 value of pid has {many} records with {len(births)} different values of birth_year. "
    )
    assert "999999990" not in said


def test_a_family_or_a_mistake_is_no_placeholder() -> None:
    """A few births under one number can be a family, and one of many can be a mistake."""
    family: dict[str, list[Any]] = {"pid": ["A"] * 12, "birth_year": [1950, 1952, 1980, 1983] * 3}
    mistake: dict[str, list[Any]] = {"pid": ["B"] * 12, "birth_year": [1944] * 11 + [1954]}
    others = visits()
    table = {name: [*family[name], *mistake[name], *others[name]] for name in family}
    with read(pa.table(table)) as source:
        assert placeholder_ids(source, "pid") is None


def _with_year(at: int, seed: str) -> str:
    chance = random.Random(f"{seed}{at}")  # noqa: S311 - no secret
    month = f"{chance.randrange(1, 13):02}"
    return {
        "serial": f"{2018 + at % 2}{at * 17:09}",
        "pooled": f"{2010 + at % 10}{at * 7:06}",
        "cpsid": f"2019{month}{chance.randrange(10**8):08}",
        "time use": f"2020{month}{chance.randrange(1, 29):02}20{chance.randrange(10**4):04}",
        "counted": f"{20190000 + at}",
        "sampled": f"2019{month}{chance.randrange(100):02}",
        "micro": f"2019{at:012}",
    }[seed]


@pytest.mark.parametrize("repeated", [False, True], ids=["once", "repeated"])
@pytest.mark.parametrize(
    "form", ["serial", "pooled", "cpsid", "time use", "counted", "sampled", "micro"]
)
def test_numbers_that_begin_with_a_year_are_not_dates(form: str, *, repeated: bool) -> None:
    """Fault class: IPUMS serial numbers such as 2019000012345 were proposed as dates."""
    whose = [at // 4 if repeated else at for at in range(1600)]
    sex = [f"{'mf'[one % 3 % 2]}" for one in whose]
    source = read(pa.table({"nr": [_with_year(one, form) for one in whose], "sex": sex}))
    examined = examine(source, source.columns)
    judged = examined.judgments["nr"]
    assert {one.number for one in judged.findings} <= {18}
    assert judged.role == ("identifiers" if not repeated else judged.role) != "quasi"
    assert {one.kind for one in examined.objections.get("nr", ())} <= {"identifier"}
    if repeated and form != "sampled":
        assert [one.column for one in examined.persons] == ["nr"]


@pytest.mark.parametrize("form", ["%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S", "%s", "%s000"])
@pytest.mark.parametrize("unknown", [0, 15])
def test_digits_of_which_nearly_all_are_dates_are_dates(form: str, unknown: int) -> None:
    """Fault class of a wrong mend: a few wrong days turn a column of dates into codes."""
    chance = random.Random(13)  # noqa: S311 - no secret
    first = dt.datetime(2011, 1, 1, tzinfo=dt.UTC)
    days = [first + dt.timedelta(minutes=chance.randrange(5_000_000)) for _ in range(400)]
    written = {one: str(int(one.timestamp())) for one in days}
    texts = [form.replace("%s", written[one]) if "%s" in form else f"{one:{form}}" for one in days]
    if "%s" not in form:
        texts[:unknown] = [f"{text[:4]}00{text[6:]}" for text in texts[:unknown]]
    source = read(pa.table({"nr": texts}))
    examined = examine(source, source.columns)
    assert {one.kind for one in examined.objections["nr"]} == {"date"}
    assert 3 in {one.number for one in examined.judgments["nr"].findings}


@pytest.mark.parametrize("form", ["%Y%m00", "%Y0000", "%Y%m000000", "%Y%m00000000"])
def test_dates_without_a_day_do_not_turn_other_dates_into_codes(form: str) -> None:
    """Fault class: with 20190300 in every fifth record, a column of dates became ID numbers."""
    chance = random.Random(17)  # noqa: S311 - no secret
    days = [dt.date(2011, 1, 1) + dt.timedelta(days=chance.randrange(3_000)) for _ in range(400)]
    end = form.removeprefix("%Y%m00").removeprefix("%Y0000")
    texts = [f"{one:{form if at % 5 == 0 else '%Y%m%d' + end}}" for at, one in enumerate(days)]
    examined = examine(source := read(pa.table({"nr": texts})), source.columns)
    assert {one.kind for one in examined.objections["nr"]} == {"date"}
    assert 3 in {one.number for one in examined.judgments["nr"].findings}
