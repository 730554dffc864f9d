"""Released cells that a spreadsheet would run are counted by column, and never shown."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from commands import Ran, run, undrawn
from small_tables import write_csv

CELL = "=cmd|A0"
HEADER = ("age", "ward", "result", "shift")
FOUND = {"cells": {"ward": 20, "result": 12}, "names": []}
NAMED = (
    "Warning: a spreadsheet may run cells of the release as formulas: ward (20 cells), "
    "result (12 cells). Import every column as text, or {first}withhold the columns with "
    "--identifiers ward,result."
)
ROLES = ("--quasi", "age,ward", "--sensitive", "result,shift", "--k", "3")


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Sixty stays; a third of the wards and a fifth of the results are formulas."""
    rows = [
        (
            str(20 + i % 2 * 10),
            ("-A1", "B1", "B2")[i % 3],
            (CELL, "-", "+++", "positive", "none")[i % 5],
            ("-5", "+3.5", "-1,000", "7")[i // 4 % 4],
        )
        for i in range(60)
    ]
    return write_csv(tmp_path / "stays.csv", HEADER, rows)


def require_named(*command: str | Path, first: str = "") -> Ran:
    """Run a command, and see that lines and JSON name the columns."""
    ran = run(*command)
    assert ran.code == 0, ran.err
    assert NAMED.format(first=first) in ran.out
    assert CELL not in ran.out + ran.err
    assert run(*command, "--force", "--json").json["spreadsheet_formulas"] == FOUND
    return ran


def test_anonymize_names_them_in_lines_json_and_report(table: Path, tmp_path: Path) -> None:
    """Labels of quasi-identifiers count; plain negative numbers and marks such as +++ do not."""
    out = tmp_path / "out"
    require_named("anonymize", table, *ROLES, "--out", out)
    report = (out / "report.html").read_text(encoding="utf-8")
    assert "a spreadsheet may run cells of the release as formulas: ward (20 cells)" in report


@pytest.mark.nightly
def test_apply_names_them(table: Path, tmp_path: Path) -> None:
    """A policy is applied to other records."""
    assert run("anonymize", table, *ROLES, "--out", tmp_path / "out").code == 0
    policy = tmp_path / "out" / "policy.json"
    again = ("apply", policy, table, "--out", tmp_path / "again")
    require_named(*again, first="run anonymize again, and ")


@pytest.mark.nightly
def test_a_choice_on_the_frontier_names_them(table: Path, tmp_path: Path) -> None:
    """A release under a chosen policy is a release."""
    chosen = ("--order", "ward=-A1,B1,B2", "--search", "steepest", "--choose", "0")
    ran = run("frontier", table, *ROLES[:-2], *chosen, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "a spreadsheet may run cells of the release as formulas: result (12 cells)" in ran.out


@pytest.mark.nightly
def test_a_table_in_a_database_is_counted_by_its_engine(table: Path, tmp_path: Path) -> None:
    """As the file is."""
    with duckdb.connect(str(tmp_path / "c.duckdb")) as con:
        con.sql(f"CREATE TABLE stays AS FROM read_csv('{table}', all_varchar = true)")
    place = f"duckdb://{tmp_path / 'c.duckdb'}?table=stays"
    require_named("anonymize", place, *ROLES, "--out", tmp_path / "out")


def test_a_release_without_them_says_nothing(table: Path, tmp_path: Path) -> None:
    """The columns that have them are withheld."""
    roles = ("--quasi", "age", "--sensitive", "shift", "--identifiers", "ward,result")
    ran = run("anonymize", table, *roles, "--out", tmp_path / "out", "--json")
    assert "spreadsheet_formulas" not in ran.json


def test_the_name_of_a_column_that_would_run_is_named(tmp_path: Path) -> None:
    """A header is a cell of the file as any other."""
    rows = [(str(20 + i % 2), "ab"[i % 2]) for i in range(40)]
    table = write_csv(tmp_path / "t.csv", ("age", "=A1+cmd"), rows)
    ran = run("anonymize", table, "--quasi", "age", "--sensitive", "=A1+cmd", "--k", "3")
    assert ran.code == 0, ran.err
    assert "may run column names in the release as formulas: =A1+cmd. Rename" in ran.out
