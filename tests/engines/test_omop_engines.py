"""An OMOP CDM gives the same people, project and release from files and from databases."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

import pytest
from commands import run, without_charts
from health_tables import by_number, cdm, cdm_of, people_of_cdm, rows_of, written_cdm
from stores import Duckdb, Postgres

from roadstead.errors import SettingError, SourceError
from roadstead.tables.addresses import locate
from roadstead.tables.health.condition_groups import write_condition_hierarchy
from roadstead.tables.health.omop import read_omop
from roadstead.tables.locations import CdmLocation
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from health_tables import Table
    from postgres_server import Server
    from stores import Store

pytestmark = pytest.mark.nightly


_NUMBERS = ("PERSON_ID", "CONCEPT_ID", "LEVELS_OF_SEPARATION", "LOCATION_ID")


def loaded(store: Store, tables: Mapping[str, Table], *, capitals: bool = False) -> str:
    """Put a CDM in a database, numbers as numbers; return what names it to Roadstead."""
    address = ""
    for name, rows in tables.items():
        called = name if capitals else name.lower()
        strangers = any("nobody" in row.values() for row in rows)
        columns = [
            f"{column if capitals else column.lower()}::"
            + ("bigint" if column.endswith(_NUMBERS) and not strangers else "text")
            for column in rows[0]
        ]
        cells = [tuple(cell or None for cell in row.values()) for row in rows]
        address = store.load(called, columns, cells)
    place, _, table = address.partition("?table=")
    return f"omop:{place}?schema={table.rpartition('.')[0]}"


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each engine; one more is one more line here."""
    makers: dict[str, Callable[[], Store]] = {
        "DuckDB": lambda: Duckdb(tmp_path / "clinic.duckdb", "cdm"),
        "PostgreSQL": lambda: Postgres(request.getfixturevalue("postgres"), "cdm"),
    }
    return makers[request.param]()


@pytest.fixture(autouse=True)
def _emptied(store: Store) -> None:
    """Leave no table of another test in the schema."""
    if isinstance(store, Postgres):
        store.server.run('DROP SCHEMA IF EXISTS "cdm" CASCADE')


@pytest.mark.parametrize("capitals", [False, True])
def test_the_people_are_those_of_a_join_by_hand(store: Store, *, capitals: bool) -> None:
    """Person by person, in plain Python; names of tables and columns in either case."""
    with read(loaded(store, cdm(), capitals=capitals)) as source:
        assert by_number(rows_of(source)) == people_of_cdm(cdm())
        assert source.name == "omop:cdm"
        kind = str(source.table.schema()["conditions"])
        assert kind.startswith("array")


def test_an_age_stands_in_the_place_of_the_year_of_birth(store: Store, tmp_path: Path) -> None:
    address = loaded(store, cdm())
    folder = written_cdm(tmp_path / "files", cdm())
    with (
        read(f"{address}&age_at=2020-06-15") as source,
        read_omop(folder, age_at=dt.date(2020, 6, 15)) as expected,
    ):
        assert by_number(rows_of(source)) == rows_of(expected)
    with pytest.raises(SettingError, match="'soon' is not a date"):
        read(f"{address}&age_at=soon")


def test_scan_and_anonymize_are_one_command_each(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Project, groups of conditions and every released row are those of the files."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PGUSER", "reader")  # a project file names no user
    folder = written_cdm(tmp_path / "files", cdm())
    projects, released = [], []
    for at, place in enumerate((f"omop:{folder}", loaded(store, cdm()))):
        scanned = run("scan", place, "--out", f"study{at}.toml")
        assert scanned.code == 0, scanned.err
        done = run("anonymize", "--project", f"study{at}.toml", "--k", "2", "--out", f"out{at}")
        assert done.code == 0, done.err
        kept = next(one for one in done.out.splitlines() if one.startswith("Released unchanged"))
        assert sorted(re.findall(r"\w+", kept.partition(":")[2])) == [
            "conditions",
            "died",
            "visits",
        ]
        assert "Direct identifiers, not released: person_id." in done.out
        text = (tmp_path / f"study{at}.toml").read_text()
        projects.append(text.replace(f"study{at}", "study").split("\n", 3)[3])
        with read(tmp_path / f"out{at}" / "release.parquet") as source:
            assert "person_id" not in source.columns
            released.append(sorted(map(str, rows_of(source))))
        assert "reader" not in text
    assert projects[0] == projects[1]
    assert released[0] == released[1]
    groups = [(tmp_path / f"study{at}_conditions.csv").read_bytes() for at in (0, 1)]
    assert groups[0] == groups[1]
    assert len(groups[0].splitlines()) == 8


@pytest.mark.nightly
def test_a_release_becomes_a_table_with_a_list_of_conditions(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the CDM or from files: the rows are those of a release in a file."""
    without_charts(monkeypatch)
    there = loaded(store, cdm()).replace("reader@", "owner@")
    folder = f"omop:{written_cdm(tmp_path / 'files', cdm())}"
    target = there.removeprefix("omop:").replace("?schema=cdm", "?table=cdm.released")
    roles = ("--quasi", "gender,state,died", "--k", "2", "--sensitive", "conditions")
    found = []
    for at, (place, more) in enumerate(
        [(folder, ()), (there, ("--into", target)), (folder, ("--into", target, "--force"))]
    ):
        out = tmp_path / f"out{at}"
        done = run("anonymize", place, *roles, "--unchanged", "visits", "--out", out, *more)
        assert done.code == 0, done.err
        with read(target if more else out / "release.parquet") as source:
            assert str(source.table.schema()["conditions"]).startswith("array")
            found.append(sorted(map(str, rows_of(source))))
    assert found[0] == found[1] == found[2]


@pytest.mark.nightly
def test_a_private_release_is_made_of_the_project(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conditions are a set, and their groups its taxonomy."""
    monkeypatch.setenv("PGUSER", "reader")
    project = tmp_path / "study.toml"
    assert run("scan", loaded(store, cdm()), "--out", project).code == 0
    ran = run(
        *("synthesize", "--project", project, "--epsilon", "50", "--specializations", "1"),
        *("--target", "died", "--classes", "yes,no", "--json"),
    )
    assert ran.code == 0, ran.err
    assert list(ran.json["settings"]["domains"]) == ["conditions"]
    assert ran.json["settings"]["domains"]["conditions"].startswith("study_conditions.csv")


def test_the_groups_of_conditions_are_found_in_the_database(store: Store, tmp_path: Path) -> None:
    location = locate(loaded(store, cdm()))
    assert isinstance(location, CdmLocation)
    assert write_condition_hierarchy(location, tmp_path / "theirs.csv") == 8
    write_condition_hierarchy(written_cdm(tmp_path / "files", cdm()), tmp_path / "ours.csv")
    assert (tmp_path / "theirs.csv").read_bytes() == (tmp_path / "ours.csv").read_bytes()


def test_a_schema_without_a_cdm_is_refused(store: Store) -> None:
    address = loaded(store, cdm())
    with pytest.raises(SourceError, match="no such table"):
        read(address.replace("schema=cdm", "schema=csm"))
    with pytest.raises(SourceError, match="names a table"):
        read(address.replace("schema=cdm", "table=cdm.person"))
    twice = {"PERSON": [*cdm()["PERSON"], cdm()["PERSON"][0]]}
    with pytest.raises(SourceError, match="person '100' is in 2 rows"):
        read(loaded(store, twice))


def test_a_reader_of_the_tables_can_write_nothing(postgres: Server) -> None:
    """Nor does the run need to: not even temporary tables are made."""
    with read(loaded(Postgres(postgres, "cdm"), cdm())) as source:
        connection = source.table.get_backend().con
        with pytest.raises(Exception, match="read-only"), connection.transaction():
            connection.execute("DELETE FROM cdm.death")
        postgres.run("DELETE FROM cdm.death")
        assert [row["person_id"] for row in rows_of(source) if row["died"] == "yes"] != []


def test_the_people_of_gibleed_are_the_same_from_each(store: Store, data_dir: Path) -> None:
    """2,694 people with 65,719 eras of conditions."""
    folder = data_dir / "eunomia_gibleed"
    needed = ("PERSON", "CONDITION_ERA", "VISIT_OCCURRENCE", "CONCEPT")
    tables = {name: rows for name, rows in cdm_of(folder).items() if name in needed}
    with read(loaded(store, tables)) as source, read(f"omop:{folder}") as expected:
        assert by_number(rows_of(source)) == rows_of(expected)
