"""The commands on real data: 30,162 records of the census, hierarchies from files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from commands import run
from small_tables import read_csv

QUASI = ("sex", "age", "race", "marital-status", "education")


@pytest.fixture
def adult(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the table and its hierarchies; the working directory is another."""
    monkeypatch.chdir(tmp_path)
    return data_dir / "adult"


def test_a_table_is_found_to_be_unsafe_by_as_many_records_as_other_tools_find(adult: Path) -> None:
    """Two that share no code agree on 425."""
    ran = run("verify", adult / "adult.csv", "--quasi", "sex,age,race", "--k", "5")
    assert ran.code == 1
    assert "425 records" in ran.out


@pytest.mark.nightly
def test_release_verify_and_apply_on_real_data(adult: Path) -> None:
    """The table comes out semicolon-separated as it went in; applied again, byte for byte."""
    table, levels = adult / "adult.csv", adult / "hierarchies"
    roles = ("--quasi", ",".join(QUASI), "--unchanged", "*", "--hierarchies", levels)
    ran = run("anonymize", table, *roles, "--out", "release", "--json")
    assert ran.code == 0, ran
    assert (ran.json["optimal"], ran.json["records"]) == (True, 30_162)
    assert 0 < ran.json["suppressed"] <= 0.05 * 30_162
    assert run("verify", "release").code == 0
    head, *rows = read_csv(Path("release/adult.csv"), delimiter=";")
    assert head == read_csv(table, delimiter=";")[0]
    places = [head.index(name) for name in QUASI]
    assert min(Counter(tuple(row[at] for at in places) for row in rows).values()) >= 5
    assert run("apply", "release/policy.json", table, "--out", "again").code == 0
    assert Path("again/adult.csv").read_bytes() == Path("release/adult.csv").read_bytes()
