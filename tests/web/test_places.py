"""Paths and addresses of tables never lead outside the allowed folders, in any notation."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import duckdb
import pytest

from roadstead.errors import RoadsteadError
from roadstead.places import Places
from roadstead.tables.addresses import locate
from roadstead.tables.health import locations as health
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation
from roadstead.web.security.addresses import table_of

INSIDE = "allowed folder"


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the allowed one, and next to it everything that it also has."""
    tmp_path = tmp_path_factory.mktemp("places")
    for folder in (tmp_path / INSIDE, tmp_path / "secret"):
        folder.mkdir()
        (folder / "t.csv").write_text("a\n1\n")
        (folder / "cdm").mkdir()
        (folder / "cdm" / "person.csv").write_text("person_id\n1\n")
        with duckdb.connect(str(folder / "t.duckdb")) as base:
            base.execute("create table t as select 1 as a")
        line = sqlite3.connect(folder / "t.sqlite")
        line.execute("create table t (a)")
        line.close()
    (tmp_path / f"{INSIDE} too").mkdir()
    (tmp_path / f"{INSIDE} too" / "t.csv").write_text("a\n1\n")
    inside = tmp_path / INSIDE
    (inside / "link.csv").symlink_to(tmp_path / "secret" / "t.csv")
    (inside / "out").symlink_to(tmp_path / "secret")
    (inside / "loop.csv").symlink_to(inside / "loop.csv")
    (inside / "omop:").mkdir()
    (inside / "holds a link").mkdir()
    (inside / "holds a link" / "t.csv").symlink_to(tmp_path / "secret" / "t.csv")
    os.mkfifo(inside / "pipe.csv")
    return tmp_path


@pytest.fixture
def places(top: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Change into the allowed folder."""
    monkeypatch.setenv("HOME", str(top / "secret"))
    monkeypatch.chdir(top / INSIDE)
    return Places.of((top / INSIDE,))


OUTSIDE = (
    "/etc/passwd",
    "/dev/zero",
    "/",
    "..",
    "../secret/t.csv",
    "./../secret/t.csv",
    "cdm/../../secret/t.csv",
    "{top}/secret/t.csv",
    "{in}/../secret/t.csv",
    "{in} too/t.csv",
    "~/t.csv",
    "~",
    "~root/t.csv",
    "~nobody-of-this-name/t.csv",
    "link.csv",
    "out/t.csv",
    "out",
    "loop.csv",
    "holds a link",
    "t.csv\0",
    "\0",
    "a" * 5000,
    "file://{top}/secret/t.csv",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file://{in}/%2e%2e/secret/t.csv",
    "omop:{top}/secret/cdm",
    "omop:../secret/cdm",
    "omop:..",
    "omop:..?age_at=2024-01-01",
    "omop:{in}/..?age_at=2024-01-01",
    "omop:out/cdm",
    "omop:~",
    "fhir:{top}/secret",
    "fhir:..?code_system=x",
    "{in}/omop:{top}/secret/cdm",
    "{in}/omop:..",
    "{in}/omop:../secret/cdm",
    "{in}/cdm/omop:/../../secret/cdm",
    "{in}/cdm/fhir:/etc",
    "omop:/etc/cdm",
    "duckdb://{top}/secret/t.duckdb?table=t",
    "duckdb://../secret/t.duckdb?table=t",
    "duckdb://{in}/../secret/t.duckdb?table=t",
    "duckdb://{in}/%2e%2e/secret/t.duckdb?table=t",
    "duckdb://{in}/cdm/..%2f..%2fsecret/t.duckdb?table=t",
    "duckdb://{in}/out/t.duckdb?table=t",
    "DuckDB://{top}/secret/t.duckdb?table=t",
    "DUCKDB://{top}/secret/t.duckdb?table=t",
    "duckdb://%2fetc/passwd?table=t",
    "duckdb://:memory:/../../secret/t.duckdb?table=t",
    "omop:duckdb://{top}/secret/t.duckdb?schema=main",
    "omop:DuckDB://{top}/secret/t.duckdb",
    "omop:duckdb://{in}/%2e%2e/secret/t.duckdb",
    "sqlite://{top}/secret/t.sqlite?table=t",
    "SQLite://{top}/secret/t.sqlite?table=t",
    "sqlite://{in}/../secret/t.sqlite?table=t",
    "sqlite://u@{top}/secret/t.sqlite?table=t",
    "omop:sqlite://{top}/secret/t.sqlite",
    "polars://{top}/secret/t.csv?table=t",
    "datafusion://{top}/secret?table=t",
    'spark://local?table=parquet."{top}/secret"',
    'spark://?table=parquet."/etc"',
    'spark://local?table=text."/etc/passwd"',
    'sc://127.0.0.1:15002?table=delta."{top}/secret"',
    'pyspark://x/y?table="/etc/passwd"',
    "flink://x?table=t",
    "no-such-kind://{top}/secret/t.csv?table=t",
)


@pytest.mark.parametrize("text", OUTSIDE)
def test_nothing_outside_can_be_named(places: Places, top: Path, text: str) -> None:
    """It is refused, and the refusal does not reveal whether the file exists."""
    written = text.replace("{in}", str(top / INSIDE)).replace("{top}", str(top))
    with pytest.raises(RoadsteadError) as refused:
        table_of(places, written)
    assert "no such" not in refused.value.message


INSIDES = (
    ("t.csv", "t.csv"),
    ("{in}/t.csv", "t.csv"),
    ("cdm/../t.csv", "t.csv"),
    ("not yet there.csv", "not yet there.csv"),
    ("file://{in}/t.csv", "t.csv"),
    ("cdm", "cdm"),
    ("omop:cdm", "cdm"),
    ("omop:{in}/cdm?age_at=2024-01-01", "cdm"),
    ("{in}/omop:cdm", "cdm"),
    ("fhir:cdm?code_system=x", "cdm"),
    ("duckdb://t.duckdb?table=t", "t.duckdb"),
    ("DuckDB://{in}/t.duckdb?table=t", "t.duckdb"),
    ("omop:duckdb://{in}/t.duckdb?schema=main", "t.duckdb"),
    ("sqlite://{in}/t.sqlite?table=t", "t.sqlite"),
    ("SQLITE://t.sqlite?table=t", "t.sqlite"),
)


@pytest.mark.parametrize(("text", "place"), INSIDES)
def test_what_lies_inside_is_named_by_its_real_path(
    places: Places, top: Path, monkeypatch: pytest.MonkeyPatch, text: str, place: str
) -> None:
    """The resulting text means the same in every working folder of a process."""
    written = table_of(places, text.replace("{in}", str(top / INSIDE)))
    monkeypatch.chdir("/")
    assert place_of(written) == top / INSIDE / place
    assert table_of(places, written) == written


def place_of(text: str) -> Path:
    """Say which file or folder the package opens for a text."""
    location = locate(text)
    if isinstance(location, FileLocation):
        parsed = None if location.path.exists() else health.parse(location.path)
        return location.path if parsed is None else parsed.folder
    database = location.person if isinstance(location, CdmLocation) else location
    assert isinstance(database, DatabaseLocation)
    return database.file or Path(str(getattr(database, "place", "")))


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me@db.example.org:5432/clinic?table=care.visits",
        "omop:postgresql://db.example.org/clinic?schema=cdm",
        "mysql://db.example.org/clinic?table=visits",
        "sc://spark.example.org:15002?table=care.visits",
    ],
)
def test_a_server_is_named_as_it_was(places: Places, text: str) -> None:
    """Who may read there is its own matter."""
    assert table_of(places, text) == text


def test_only_what_can_be_opened_is_listed(places: Places, top: Path) -> None:
    """No links that lead out, no pipe, no name that is not text, and nothing hidden."""
    inside = top / INSIDE
    (inside / ".hidden.csv").write_text("a\n1\n")
    os.close(os.open(os.fsencode(inside) + b"/\xff.csv", os.O_CREAT))
    (inside / "\u202egnp.csv").write_text("a\n1\n")
    (inside / "picture.png").write_bytes(b"")
    (inside / "SURVEY.DAT").write_text("1\n")
    listed = [one.name for one in places.tables(inside)]
    files = ["SURVEY.DAT", "t.csv", "t.sqlite"]
    assert listed == ["cdm", "holds a link", "omop:", *files]
