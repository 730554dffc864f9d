"""An OMOP CDM is one table with one row per person, whatever form its tables have."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import ibis
import pyarrow as pa
import pytest
from commands import run, without_charts
from health_tables import Table, by_number, cdm, cdm_of, people_of_cdm, rows_of, written_cdm
from pyarrow import parquet

from roadstead.errors import SettingError, SourceError
from roadstead.tables.health.condition_groups import write_condition_hierarchy
from roadstead.tables.health.omop import read_omop
from roadstead.tables.health.readers import open_health
from roadstead.tables.item_sets import ItemColumn, text_of, with_item_sets
from roadstead.tables.profile import profile
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.verbs.functions import synthesize


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written_cdm(tmp_path_factory.mktemp("made_up") / "clinic", cdm())


@pytest.fixture(scope="module")
def clinic(folder: Path) -> Iterator[Source]:
    with read_omop(folder) as source:
        yield source


def test_each_person_has_the_row_that_a_join_by_hand_gives(clinic: Source) -> None:
    assert rows_of(clinic) == people_of_cdm(cdm())
    assert clinic.name == "omop:clinic"


def test_nothing_that_is_not_used_is_read(clinic: Source) -> None:
    assert clinic.columns == (
        "person_id",
        "year_of_birth",
        "gender",
        "race",
        "ethnicity",
        "zip",
        "state",
        "visits",
        "died",
        "conditions",
    )


def test_names_of_files_may_be_in_any_case_and_files_zipped_or_parquet(tmp_path: Path) -> None:
    tables = {name.lower(): rows for name, rows in cdm().items()}
    people = tables.pop("person")
    other = written_cdm(tmp_path / "cdm", tables, zipped=True)
    numbers = ("PERSON_ID", "YEAR_OF_BIRTH", "GENDER_CONCEPT_ID")
    columns = {
        name.lower(): [int(row[name]) if name in numbers else row[name] or None for row in people]
        for name in people[0]
    }
    parquet.write_table(pa.table(columns), other / "Person.parquet")
    with read_omop(other) as source:
        assert rows_of(source) == people_of_cdm(cdm())


@pytest.mark.quick(1)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_database_with_the_tables_gives_the_same_people(*, wrapped: bool) -> None:
    con = duckdb.connect()
    for name, rows in cdm().items():
        data = pa.Table.from_pylist(rows)
        con.register("data", data)
        con.execute(f'CREATE TABLE "{name.title()}" AS FROM data')
        con.unregister("data")
    before = con.execute("SELECT table_name FROM information_schema.tables").fetchall()
    source = read_omop(ibis.duckdb.from_connection(con) if wrapped else con)
    assert by_number(rows_of(source)) == people_of_cdm(cdm())
    after = con.execute("SELECT table_name FROM information_schema.tables").fetchall()
    assert sorted(before) == sorted(after)


@pytest.mark.quick(1)
@pytest.mark.filterwarnings("ignore")  # of pandas, by which Ibis reads SQLite
@pytest.mark.parametrize("by_address", [False, True])
def test_a_database_without_a_workbench_gives_the_same_people(
    tmp_path: Path, *, by_address: bool
) -> None:
    """Its tables are copied one by one, and joined in one engine."""
    path = tmp_path / "clinic.db"
    with contextlib.closing(sqlite3.connect(path)) as made, made:
        for name, rows in cdm().items():
            made.execute(f"CREATE TABLE {name} ({', '.join(rows[0])})")
            marks = ", ".join("?" * len(rows[0]))
            made.executemany(
                f"INSERT INTO {name} VALUES ({marks})",  # noqa: S608 - ours
                [tuple(row.values()) for row in rows],
            )
    place = f"omop:sqlite://{path}" if by_address else ibis.sqlite.connect(path)
    with read(place) if isinstance(place, str) else read_omop(place) as source:
        assert by_number(rows_of(source)) == people_of_cdm(cdm())


@pytest.mark.parametrize("schema", ["clinic", "elsewhere"])
def test_a_schema_of_a_database_can_be_named(schema: str) -> None:
    con = duckdb.connect()
    con.execute("CREATE SCHEMA clinic")
    con.register("data", pa.Table.from_pylist(cdm()["PERSON"]))
    con.execute("CREATE TABLE clinic.person AS FROM data")
    con.unregister("data")
    if schema == "clinic":
        people = people_of_cdm({"PERSON": cdm()["PERSON"]})
        assert by_number(rows_of(read_omop(con, schema=schema))) == people
    else:
        with pytest.raises(SourceError, match="no table PERSON"):
            read_omop(con, schema=schema)


def test_a_cdm_of_people_alone_will_do(tmp_path: Path) -> None:
    tables = {"PERSON": cdm()["PERSON"]}
    with read_omop(written_cdm(tmp_path / "cdm", tables)) as source:
        assert rows_of(source) == people_of_cdm(tables)


def test_eras_serve_where_there_are_no_occurrences(tmp_path: Path) -> None:
    tables = {name: cdm()[name] for name in ("PERSON", "CONDITION_OCCURRENCE")}
    expected = people_of_cdm(tables)
    tables["CONDITION_ERA"] = [
        {"PERSON_ID": "101", "CONDITION_CONCEPT_ID": "7"},
        {"PERSON_ID": "101", "CONDITION_CONCEPT_ID": "4"},
    ]
    with read_omop(written_cdm(tmp_path / "both", tables)) as source:
        assert rows_of(source) == expected
    del tables["CONDITION_OCCURRENCE"]
    with read_omop(written_cdm(tmp_path / "eras", tables)) as source:
        found = {row["person_id"]: row["conditions"] for row in rows_of(source)}
    assert found.pop("101") == ["4", "7"]
    assert set(map(tuple, found.values())) == {()}


def test_a_table_with_a_header_alone_counts_as_not_there(tmp_path: Path) -> None:
    tables = cdm()
    tables = {name: tables[name] for name in ("PERSON", "CONCEPT")}
    folder = written_cdm(tmp_path / "cdm", tables)
    (folder / "DEATH.csv").write_text("person_id,death_date\n")
    nowhere = pa.table({"location_id": pa.array([], pa.int64())})
    parquet.write_table(nowhere, folder / "location.parquet")
    with read_omop(folder) as source:
        assert rows_of(source) == people_of_cdm(tables)


def _age(row: dict[str, str], day: dt.date) -> str | None:
    born = dt.date(
        int(row["YEAR_OF_BIRTH"]),
        int(row["MONTH_OF_BIRTH"] or 1),
        int(row["DAY_OF_BIRTH"] or 1),
    )
    if born > day:
        return None
    years = day.year - born.year
    return str(years - 1 if (born.month, born.day) > (day.month, day.day) else years)


@pytest.mark.parametrize("day", [dt.date(2020, 6, 15), dt.date(1970, 1, 1), dt.date(1980, 12, 31)])
def test_an_age_stands_in_the_place_of_the_year_of_birth(tmp_path: Path, day: dt.date) -> None:
    """Birthdays later in the year are still to come; who is not born yet has no age."""
    folder = written_cdm(tmp_path / "cdm", {"PERSON": cdm()["PERSON"]})
    expected = {row["PERSON_ID"]: _age(row, day) for row in cdm()["PERSON"]}
    with read_omop(folder, age_at=day) as source:
        assert {row["person_id"]: row["age"] for row in rows_of(source)} == expected
        assert "year_of_birth" not in source.columns


def _without(table: str, column: str) -> Callable[[dict[str, Table]], None]:
    def change(tables: dict[str, Table]) -> None:
        for row in tables[table]:
            del row[column]

    return change


def _twice(table: str, at: int = 0) -> Callable[[dict[str, Table]], None]:
    return lambda tables: tables[table].append(tables[table][at])


def _unnumbered(tables: dict[str, Table]) -> None:
    tables["PERSON"][3]["PERSON_ID"] = ""


def _strangers(tables: dict[str, Table]) -> None:
    for row in tables["VISIT_OCCURRENCE"]:
        row["PERSON_ID"] = "P" + row["PERSON_ID"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tables: tables.pop("PERSON"), "there is no table PERSON.*found: CONCEPT"),
        (_without("PERSON", "YEAR_OF_BIRTH"), "PERSON.csv: .*has no column year_of_birth"),
        (
            _without("CONDITION_OCCURRENCE", "CONDITION_CONCEPT_ID"),
            "CONDITION_OCCURRENCE.csv: .*has no column condition_concept_id",
        ),
        (_twice("PERSON", 2), "table PERSON: person '102' is in 2 rows"),
        (_unnumbered, "table PERSON: 1 of its rows has no person_id"),
        (_twice("LOCATION"), "table LOCATION: location '1' is in 2 rows"),
        (_twice("CONCEPT"), "table CONCEPT: concept '8507' is in 2 rows"),
        (
            _strangers,
            "table VISIT_OCCURRENCE: none of its rows belongs to a person in the table PERSON",
        ),
    ],
)
def test_a_cdm_that_cannot_be_joined_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Table]], None], message: str
) -> None:
    tables = cdm()
    change(tables)
    tables = {n: t for n, t in tables.items() if n == "PERSON" or n in message}
    with pytest.raises(SourceError, match=message):
        read_omop(written_cdm(tmp_path / "cdm", tables))


def test_a_folder_that_is_no_cdm_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no file with the ending"):
        read_omop(tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        read_omop(tmp_path / "elsewhere")
    (tmp_path / "PERSON.csv").write_text("person_id\n")
    with pytest.raises(SourceError, match="is a file, not a folder"):
        read_omop(tmp_path / "PERSON.csv")
    with pytest.raises(SourceError, match="PERSON has no rows"):
        read_omop(tmp_path)
    (tmp_path / "person.tsv").write_text("person_id\n")
    with pytest.raises(SourceError, match="another file of the table PERSON"):
        read_omop(tmp_path)


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    tables = {name: cdm()[name] for name in ("PERSON", "DEATH")}
    folder = written_cdm(tmp_path / "cdm", tables)
    with (folder / "DEATH.csv").open("a") as stream:
        stream.write("101,too,many,cells\n")
    with pytest.raises(SourceError, match=r"DEATH\.csv"):
        read_omop(folder)


def test_only_a_place_of_tables_can_be_read() -> None:
    with pytest.raises(SourceError, match="a value of type int cannot contain OMOP tables"):
        read_omop(3)


def test_conditions_are_the_items_of_a_set(clinic: Source) -> None:
    sets = with_item_sets(clinic, [ItemColumn("conditions", "conditions")])
    texts = {row["person_id"]: row["conditions"] for row in rows_of(sets)}
    assert texts == {p["person_id"]: text_of(p["conditions"]) for p in people_of_cdm(cdm())}


@pytest.mark.nightly
def test_a_private_release_tells_conditions_by_the_groups_of_the_vocabulary(
    clinic: Source, folder: Path, tmp_path: Path
) -> None:
    write_condition_hierarchy(folder, tmp_path / "conditions.csv")
    found = synthesize(
        clinic,
        epsilon="50",
        target="died",
        classes=["yes", "no"],
        sets={"conditions": {}},
        taxonomies={"conditions": str(tmp_path / "conditions.csv")},
        specializations="1",
    )
    assert found.to_dict()["specializations"] == 1
    assert "conditions" in str(found.to_dict()["cut"])


def test_scan_writes_a_project_that_anonymize_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is found from the project file, wherever the command is run."""
    monkeypatch.chdir(folder.parent)
    project = tmp_path / "study.toml"
    scanned = run("scan", "omop:clinic", "--out", project, "--json")
    assert scanned.code == 0, scanned.err
    roles = {column["name"]: column["role"] for column in scanned.json["columns"]}
    assert roles["person_id"] == "identifiers"
    quasi = ["year_of_birth", "gender", "race", "ethnicity", "zip", "state"]
    assert [roles[name] for name in quasi] == ["quasi"] * len(quasi)
    monkeypatch.chdir(tmp_path)
    done = run("anonymize", "--project", project, "--k", "2", "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == len(cdm()["PERSON"])
    assert list(done.json["levels"]) == quasi
    assert str(folder.parent) not in done.out


@pytest.mark.nightly
def test_a_project_is_called_like_its_folder_and_has_the_groups_beside_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows takes no colon in a name. Conditions are sensitive, however different they are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gib").symlink_to(folder)
    scanned = run("scan", "omop:gib", "--json")
    assert scanned.code == 0, scanned.err
    assert {path.name for path in tmp_path.iterdir()} == {"gib", "gib.toml", "gib_conditions.csv"}
    roles = {column["name"]: column["role"] for column in scanned.json["columns"]}
    assert (roles["conditions"], roles["died"]) == ("sensitive", "sensitive")
    assert "conditions" not in {one["column"] for one in scanned.json["safe_harbor"]}
    project = tomllib.loads((tmp_path / "gib.toml").read_text())
    assert project["sets"] == {"conditions": {"column": "conditions"}}
    assert project["domains"] == {"conditions": {"taxonomy": "gib_conditions.csv"}}
    write_condition_hierarchy(folder, tmp_path / "expected.csv")
    groups = tmp_path / "gib_conditions.csv"
    assert groups.read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_a_file_in_the_place_of_the_groups_is_not_replaced(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without force nothing is; with it a hierarchy is, and nothing else."""
    monkeypatch.chdir(tmp_path)
    groups = tmp_path / "clinic_conditions.csv"
    for text, fix in (("a;b\n", "or add --force"), ("", "choose another name")):
        groups.write_text(text)
        ran = run("scan", f"omop:{folder}", *(["--force"] if not text else []))
        assert ran.code != 0
        assert fix in ran.error
        assert groups.read_text() == text
        assert not (tmp_path / "clinic.toml").exists()
    groups.write_text("1;*\n2;*\n")
    assert run("scan", f"omop:{folder}", "--force").code == 0
    assert "disease 1" in groups.read_text()


def test_without_a_vocabulary_a_project_has_no_groups_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tables = {name: rows for name, rows in cdm().items() if name != "CONCEPT_ANCESTOR"}
    written_cdm(tmp_path / "files", tables)
    ran = run("scan", "omop:files")
    assert ran.code == 0, ran.err
    assert "No groups of conditions were written: there is no table CONCEPT_ANCESTOR." in ran.err
    assert "sets" not in tomllib.loads((tmp_path / "files.toml").read_text())
    assert not (tmp_path / "files_conditions.csv").exists()


@pytest.mark.nightly
def test_an_option_of_the_address_is_kept_in_the_project(folder: Path, tmp_path: Path) -> None:
    project = tmp_path / "study.toml"
    asked = f"omop:{folder}?age_at=2020-06-15"
    assert run("scan", asked, "--out", project).code == 0
    assert f'data = "{asked}"' in project.read_text()
    found = run("anonymize", asked, "--quasi", "age,gender", "--k", "2", "--json")
    assert found.code == 0
    assert set(found.json["levels"]) == {"age", "gender"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("omop:", "no folder is named"),
        ("omop:cdm?age=2020-01-01", "there is no option 'age'; did you mean 'age_at'"),
        ("omop:cdm?code_system=snomed", "possible options: age_at"),
        ("omop:cdm?age_at=soon", "'soon' is not a date"),
    ],
)
def test_an_address_that_cannot_be_understood_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        open_health(text)


def test_a_path_that_is_there_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "omop:x.csv").write_text("a,b\n1,2\n")
    assert open_health("omop:x.csv") is None
    assert open_health("plain.csv") is None
    with read("omop:x.csv") as source:
        assert source.columns == ("a", "b")


@pytest.mark.nightly
def test_the_people_of_gibleed_are_those_of_a_join_by_hand(data_dir: Path) -> None:
    folder = data_dir / "eunomia_gibleed"
    with read_omop(folder) as source:
        expected = people_of_cdm(cdm_of(folder))
        assert rows_of(source) == expected
        assert len(expected) == 2694
        assert {one.name: one.missing for one in profile(source)}["race"] == 451


@pytest.mark.nightly
def test_gibleed_is_anonymized_by_one_command(data_dir: Path) -> None:
    folder = data_dir / "eunomia_gibleed"
    done = run("anonymize", f"omop:{folder}", "--quasi", "year_of_birth,gender,race", "--json")
    assert done.code == 0
    assert done.json["records"] == 2694
    assert done.json["optimal"]


@pytest.mark.nightly
def test_gibleed_is_scanned_and_released_by_one_command_each(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposal runs unchanged; numbers of people and days are not in the release."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert run("scan", f"omop:{data_dir / 'eunomia_gibleed'}").code == 0
    done = run("anonymize", "--project", "eunomia_gibleed.toml", "--out", "out", "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == 2694
    assert done.json["optimal"]
    with read(tmp_path / "out" / "release.parquet") as source:
        released = rows_of(source)
    quasi = ("year_of_birth", "gender", "race", "ethnicity")
    assert tuple(released[0]) == (*quasi, "visits", "conditions")
    classes = Counter(tuple(row[name] for name in quasi) for row in released)
    assert min(classes.values()) >= 5
    with read_omop(data_dir / "eunomia_gibleed") as source:
        people = rows_of(source)
    assert Counter(map(tuple, (row["conditions"] for row in released))) == Counter(
        map(tuple, (row["conditions"] for row in people))
    )
    assert len((tmp_path / "eunomia_gibleed_conditions.csv").read_text().splitlines()) == 84
