"""The statements that ``apply`` prints, as a user requests them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from commands import run
from small_tables import read_csv, write_csv

ROWS = [[str(age), sex, "x"] for age in range(20, 60) for sex in ("f", "m")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, next-month.csv, and a release of it, made."""
    place = tmp_path_factory.mktemp("sql")
    table = write_csv(place / "next-month.csv", ["age", "sex", "note"], ROWS)
    ran = run("anonymize", table, "--quasi", "age,sex", "--k", "5", "--out", place / "made")
    assert ran.code == 0, ran
    return place


@pytest.fixture
def policy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The way to the policy from the working directory, which is that of the table."""
    monkeypatch.chdir(folder)
    return "made/policy.json"


def test_the_statement_printed_makes_the_release(policy: str) -> None:
    """It is named after the file, and writes nothing itself."""
    before = sorted(Path().rglob("*"))
    ran = run("apply", policy, "next-month.csv", "--sql")
    assert (ran.code, ran.err) == (0, "")
    assert sorted(Path().rglob("*")) == before
    with duckdb.connect() as engine:
        engine.execute(
            "CREATE TABLE \"next-month\" AS FROM read_csv('next-month.csv', all_varchar=true)"
        )
        rows = engine.execute(ran.out).fetchall()
        checked = run("apply", policy, "next-month.csv", "--sql-check")
        counts = engine.execute(checked.out).fetchone()
    _, *wanted = read_csv(Path("made/next-month.csv"))
    assert Counter(rows) == Counter(map(tuple, wanted))
    assert counts is not None
    assert (counts[0], counts[-1]) == (80, "released")


def test_the_policy_alone_is_enough(policy: str) -> None:
    """As JSON it is the same statement."""
    plain = run("apply", policy, "--sql", "--dialect", "snowflake", "--table", "CLINIC.STAYS")
    assert plain.code == 0
    assert 'FROM "CLINIC"."STAYS"' in plain.out
    asked = ("--sql", "--dialect", "snowflake", "--table", "CLINIC.STAYS", "--json")
    assert run("apply", policy, *asked).json == {
        "dialect": "snowflake",
        "sql": plain.out.removesuffix(";\n") + "\n",
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "DATA"),
        (["--sql"], "--table NAME"),
        (["--sql", "--table", "a..b"], "--table"),
        (["--sql", "--table", "t", "--dialect", "mysql"], "bigquery"),
        (["next-month.csv", "--table", "t"], "--table"),
        (["next-month.csv", "--dialect", "spark"], "--dialect"),
        (["next-month.csv", "--sql", "--sql-check"], "--sql-check"),
        (["next-month.csv", "--sql", "--out", "new"], "--out"),
        (["next-month.csv", "--sql", "--population", "next-month.csv"], "--population"),
        (["next-month.csv", "--sql", "--unseen", "ask"], "--unseen"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(
    policy: str, arguments: list[str], says: str
) -> None:
    """With the option that it is about."""
    ran = run("apply", policy, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_model_that_sql_cannot_say_is_refused(policy: str, tmp_path: Path) -> None:
    """By its name."""
    document = json.loads(Path(policy).read_text())
    document["privacy"].append({"kind": "t-closeness", "column": "note", "t": 0.5})
    document["columns"] = {"sensitive": ["note"], "undecided": []}
    (tmp_path / "policy.json").write_text(json.dumps(document))
    ran = run("apply", tmp_path / "policy.json", "--sql", "--table", "t")
    assert ran.code == 2
    assert "closeness" in ran.err


@pytest.mark.quick(2)
@pytest.mark.parametrize("address", ["duckdb://clinic.duckdb?table={}", "clinic.duckdb?table={}"])
@pytest.mark.parametrize("name", ["stays", "ward.stays"])
def test_a_table_in_a_database_keeps_its_name(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, name: str
) -> None:
    policy = str(Path(policy).resolve())
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as engine:
        engine.execute("CREATE SCHEMA ward")
        engine.execute(f"CREATE TABLE {name} (age VARCHAR, sex VARCHAR, note VARCHAR)")
        engine.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", ROWS)  # noqa: S608 - own names
    ran = run("apply", policy, address.format(name), "--sql")
    assert ran.code == 0, ran
    with duckdb.connect("clinic.duckdb") as engine:
        assert len(engine.execute(ran.out).fetchall()) == len(ROWS)


def test_a_table_of_a_sqlite_file_keeps_its_name(policy: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "clinic.sqlite")) as file:
        file.execute("CREATE TABLE stays (age TEXT, sex TEXT, note TEXT)")
        file.executemany("INSERT INTO stays VALUES (?, ?, ?)", ROWS)
        file.commit()
    ran = run("apply", policy, f"{tmp_path / 'clinic.sqlite'}?table=stays", "--sql")
    assert 'FROM "stays"' in ran.out, ran
