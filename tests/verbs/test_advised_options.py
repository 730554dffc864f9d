"""A command advises only options that it has, or says which command to run first."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from commands import run

_AGAIN = "run anonymize again, and "


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a table of 60 stays; each has its own charges and its own minute."""
    monkeypatch.chdir(tmp_path)
    first = datetime.fromisoformat("2020-01-01T00:00:00")
    rows = [
        f"P{at // 2:02},{'FM'[at // 2 % 2]},{30 + at % 3},{1000 + at * 7},"
        f"{first + timedelta(at * 5, minutes=at * 13)}"
        for at in range(60)
    ]
    lines = ["patient,sex,age,charges,arrived", *rows]
    Path("t.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")


def advised(verb: str, out: str) -> set[str]:
    """The options in the output of a command that the command does not have."""
    own = set(re.findall(r"--[a-z][a-z-]+", run(verb, "--help-all").out))
    rest = [part for line in out.splitlines() for part in line.split(_AGAIN)[:1]]
    return {name for part in rest for name in re.findall(r"--[a-z][a-z-]+", part)} - own


def test_apply_sends_the_user_to_anonymize() -> None:
    """Fault class: advice copied from another command, with options that this one refuses."""
    columns = ("--quasi", "sex,age", "--sensitive", "charges", "--identifiers", "patient,arrived")
    made = run("anonymize", "t.csv", *columns, "--out", "out")
    assert "charges adds most: add it to --quasi to generalize it" in made.out
    assert not advised("anonymize", made.out)
    applied = run("apply", "out/policy.json", "t.csv", "--out", "again")
    assert f"charges adds most: {_AGAIN}add it to --quasi to generalize it" in applied.out
    assert not advised("apply", applied.out)


def test_a_rounded_column_is_treated_more_coarsely() -> None:
    """Fault class: it was advised to round the column again."""
    columns = ("--quasi", "sex,age", "--sensitive", "charges", "--identifiers", "patient,arrived")
    treat = ("--treat", "rounding:column=charges,base=5")
    made = run("anonymize", "t.csv", *columns, *treat, "--out", "out")
    assert "to withhold it, or treat it more coarsely with --treat." in made.out
    assert "treat it more coarsely." in Path("out/report.html").read_text("utf-8")
    applied = run("apply", "out/policy.json", "t.csv", "--out", "again")
    assert "to withhold it, or treat it more coarsely with --treat." in applied.out


def test_a_removed_date_is_named_with_the_level_that_keeps_the_year() -> None:
    """Fault class: the date of birth was removed, with no word on how to keep the year."""
    rows = [f"{1940 + at % 3}-{1 + at % 12:02}-{1 + at % 28:02},{'FM'[at % 2]}" for at in range(90)]
    Path("b.csv").write_text("\n".join(["birth_date,sex", *rows, ""]), encoding="utf-8")
    asked = ("anonymize", "b.csv", "--quasi", "birth_date,sex", "--out", "out", "--force")
    made = run(*asked, "--k", "40")
    assert "birth_date is removed. To keep a part of a removed column, limit its level" in made.out
    (level,) = re.findall(r"with --max-level birth_date=(\d) \(by year\)", made.out)
    kept = run(*asked, "--k", "20", "--max-level", f"birth_date={level}")
    assert "birth_date  by year" in kept.out
    assert "birth_date is removed" not in kept.out


def test_a_frontier_advises_what_it_can_do() -> None:
    """It has no option that rounds numbers."""
    columns = ("--quasi", "sex,age", "--sensitive", "charges", "--identifiers", "patient,arrived")
    chosen = run("frontier", "t.csv", *columns, "--choose", "0", "--out", "out", "--promise-k", "2")
    assert chosen.code == 0, chosen.err
    assert "charges adds most: add it to --quasi to generalize it, or" in chosen.out
    assert not advised("frontier", chosen.out)


@pytest.mark.nightly
def test_apply_sends_the_user_to_anonymize_for_times_of_day() -> None:
    """The times of day of an old policy are counted again in new data."""
    asked = ("--person", "patient", "--quasi", "sex", "--identifiers", "age,charges")
    dates = ("--date", "arrived=shift-time", "--release-anyway", "arrived", "--link", "pseudonym")
    made = run("anonymize", "t.csv", *asked, *dates, "--shift-days", "30", "--out", "out")
    assert "To release only the day, use --date with arrived=shift." in made.out
    allowed = ("--suppression", "0.5", "--out", "again")
    applied = run("apply", "out/policy.json", "t.csv", *allowed)
    assert f"To release only the day, {_AGAIN}use --date with arrived=shift." in applied.out
    assert not advised("apply", applied.out)


@pytest.mark.nightly
def test_apply_sends_the_user_to_anonymize_for_cells_that_a_spreadsheet_runs() -> None:
    """Columns are withheld by the policy, not by the command that applies it."""
    rows = [f"{'FM'[at % 2]},=1+{at % 3}" for at in range(60)]
    Path("f.csv").write_text("\n".join(["sex,note", *rows, ""]), encoding="utf-8")
    columns = ("--quasi", "sex", "--sensitive", "note")
    made = run("anonymize", "f.csv", *columns, "--out", "out")
    assert "Import every column as text, or withhold the columns with --identifiers" in made.out
    applied = run("apply", "out/policy.json", "f.csv", "--out", "again")
    assert f"as text, or {_AGAIN}withhold the columns with --identifiers note." in applied.out
    assert not advised("apply", applied.out)
