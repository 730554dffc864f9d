"""Codes that a file declares as missing: kept where all values have labels, and named elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import run

pyreadstat = pytest.importorskip("pyreadstat")
pandas = pytest.importorskip("pandas")

QUASI = ("--quasi", "sex", "--sensitive", "income,hiv,status", "--unchanged", "score")
INCOME = (
    "income: the declared missing codes -9 to -8 become plain missing values, because not all "
    "values of the column have labels."
)
STATUS = "status: the declared missing code 8 becomes a plain missing value, because not all"


def survey(path: Path) -> Path:
    """Write respondents with missing codes that have labels, have none, or do not occur."""
    frame = pandas.DataFrame(
        {
            "sex": [1.0 + at % 2 for at in range(200)],
            "income": [[-9.0, -8.0, 1.0, 2.0, 3.0][at % 5] for at in range(200)],
            "hiv": [[-9.0, 0.0, 1.0][at % 3] for at in range(200)],
            "status": [[1.0, 2.0, 8.0][at % 3] for at in range(200)],
            "score": [float(at % 7) for at in range(200)],
        }
    )
    labels: dict[str, dict[Any, str]] = {
        "sex": {1: "male", 2: "female"},
        "income": {-9: "refused", -8: "don't know"},
        "hiv": {-9: "refused", 0: "negative", 1: "positive"},
        "status": {1: "alive", 2: "dead"},
        "score": {-9: "refused"},
    }
    missing: dict[str, list[Any]] = {
        "income": [{"lo": -9, "hi": -8}],
        "hiv": [-9],
        "status": [8],
        "score": [-9],
    }
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, missing_ranges=missing)
    return path


def test_a_line_names_the_missing_codes_that_a_release_does_not_keep(tmp_path: Path) -> None:
    """Fault class: refused and don't know left as empty cells, and nothing said so."""
    source, out = survey(tmp_path / "s.sav"), tmp_path / "out"
    ran = run("anonymize", source, *QUASI, "--out", out)
    assert ran.code == 0, ran.error
    assert INCOME in ran.out
    assert STATUS in ran.out
    assert "hiv: the declared" not in ran.out
    assert "score: the declared" not in ran.out
    report = (out / "report.html").read_text("utf-8")
    assert "income: the declared missing codes -9 to -8 become plain missing values" in report
    applied = run("apply", out / "policy.json", source, "--out", tmp_path / "next")
    assert INCOME in applied.out
    frame, notes = pyreadstat.read_sav(str(out / "s.sav"), user_missing=True)
    assert notes.missing_ranges["hiv"] == [{"lo": -9.0, "hi": -9.0}]
    assert "income" not in notes.missing_ranges
    assert (frame["hiv"] == -9).sum() == 67
    assert frame["income"].isna().sum() == 80


def test_a_scan_names_them_before_the_roles_are_decided(tmp_path: Path) -> None:
    """Also in the project file that it writes."""
    ran = run("scan", survey(tmp_path / "s.sav"), "--out", tmp_path / "s.toml")
    assert INCOME in ran.out, ran.err
    assert INCOME in (tmp_path / "s.toml").read_text("utf-8")


def test_letters_of_stata_are_named_one_by_one(tmp_path: Path) -> None:
    """All letters can mean missing, but only those that occur are named."""
    dose = [["a", 1, 2, "c", 3][at % 5] for at in range(200)]
    frame = pandas.DataFrame({"sex": [1 + at % 2 for at in range(200)], "dose": dose})
    pyreadstat.write_dta(frame, str(tmp_path / "s.dta"), missing_user_values={"dose": ["a", "c"]})
    ran = run("anonymize", tmp_path / "s.dta", "--quasi", "sex", "--unchanged", "dose")
    assert "dose: the declared missing codes .a and .c become plain missing values" in ran.out
