"""A CDM's values are examined like the columns that a user names, and the results of each code.

Fault class: values of people in a release, because the model has a column for numbers.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from commands import run
from whole_cdm import tables_of, write_cdm, write_rows

AGE = "3022304"


@pytest.fixture(scope="module")
def cdm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a CDM whose measurements of the age are among those of blood pressure."""
    folder = tmp_path_factory.mktemp("revealing") / "cdm"
    write_cdm(folder)
    tables = tables_of(folder)
    births = {row["person_id"]: int(row["year_of_birth"]) for row in tables["person"]}
    for at, row in enumerate(tables["measurement"]):
        row["unit_concept_id"] = row["person_id"]
        if at % 3 == 0:
            row["measurement_concept_id"] = AGE
            age = int(row["measurement_date"][:4]) - births[row["person_id"]]
            row["value_as_number"] = str(age)
    write_rows(folder / "MEASUREMENT.csv", tables["measurement"])
    named = {"concept_id": AGE, "concept_name": "Age", "domain_id": "Measurement"}
    write_rows(folder / "CONCEPT.csv", [*tables["concept"], named])
    return folder


def test_person_ids_and_ages_stay_empty(cdm: Path, tmp_path: Path) -> None:
    """The column of person IDs is empty, and so are the ages; other results are released."""
    out = tmp_path / "out"
    asked = ("anonymize", f"omop:{cdm}", "--tables", "measurement", "--knows", "1")
    done = run(*asked, "--shift-days", "60", "--out", out)
    assert done.code == 0, done.err
    assert (
        "  measurement.unit_concept_id: its name looks like the name of a key, so it may contain "
        "person IDs"
    ) in done.out
    assert "  measurement.value_as_number of code 3022304: 'Age': named like ages" in done.out
    rows = tables_of(out)["measurement"]
    assert not any(row["unit_concept_id"] for row in rows)
    results = [(row["measurement_concept_id"] == AGE, row["value_as_number"]) for row in rows]
    assert {bool(value) for is_age, value in results if is_age} == {False}
    assert {bool(value) for is_age, value in results if not is_age} == {True}
    checked = run("verify", out)
    assert checked.code == 0, checked.out
    assert "empty in the rows with one code" in (out / "report.html").read_text("utf-8")


def test_verify_finds_a_result_that_must_be_empty(cdm: Path, tmp_path: Path) -> None:
    """The certificate names the codes whose results are empty."""
    out = tmp_path / "out"
    asked = ("anonymize", f"omop:{cdm}", "--tables", "measurement", "--knows", "1")
    assert run(*asked, "--shift-days", "60", "--out", out).code == 0
    path = out / "MEASUREMENT.csv"
    rows = tables_of(out)["measurement"]
    next(row for row in rows if row["measurement_concept_id"] == AGE)["value_as_number"] = "44"
    head = path.read_text("utf-8").splitlines()[0]
    lines = [head, *(",".join(row.values()) for row in rows), ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    certificate = out / "certificate.json"
    document = json.loads(certificate.read_text("utf-8"))
    content = path.read_bytes()
    print_of = {"sha256": sha256(content).hexdigest(), "bytes": len(content)}
    document["tables"]["measurement"]["file"] |= print_of
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    certificate.write_text(text, encoding="utf-8")
    said = run("verify", out).out
    assert "column value_as_number of measurement has values in cells that must be empty" in said


def test_a_column_can_be_released_anyway(cdm: Path, tmp_path: Path) -> None:
    """With TABLE.COLUMN, and the output says so."""
    asked = ("anonymize", f"omop:{cdm}", "--tables", "measurement", "--knows", "1")
    out = tmp_path / "out"
    forced = ("--release-anyway", "measurement.value_as_number")
    done = run(*asked, "--shift-days", "60", "--out", out, *forced)
    assert done.code == 0, done.err
    assert "Warning: measurement.value_as_number is released although it looks like" in done.out
    assert all(row["value_as_number"] for row in tables_of(out)["measurement"])
    assert run("verify", out).code == 0
    wrong = run(*asked, "--out", tmp_path / "no", "--release-anyway", "measurement.value")
    assert "'measurement.value' is not among the CDM columns that can be" in wrong.err


def test_a_described_set_refuses_the_results_of_a_code(cdm: Path, tmp_path: Path) -> None:
    """The user named the column, so the set is refused, with the setting that empties cells."""
    tables = tables_of(cdm)
    for row in tables["measurement"]:
        row["unit_concept_id"] = "mmHg"
        if row["measurement_concept_id"] == AGE:
            row["measurement_concept_id"] = "age"
    folder = tmp_path / "extract"
    folder.mkdir()
    for name in ("person", "measurement"):
        write_rows(folder / f"{name}.csv", tables[name])
    text = """data = "extract"
[privacy]
k = 5
[persons]
knows = "1"
shift_days = 60
[tables.person]
data = "person.csv"
person = "person_id"
birth = "year_of_birth"
quasi = ["gender_concept_id"]
[tables.measurement]
data = "measurement.csv"
person = "person_id"
dates = ["measurement_date"]
code = "measurement_concept_id"
details = ["value_as_number"]
"""
    project, out = tmp_path / "set.toml", tmp_path / "out"
    project.write_text(text, encoding="utf-8")
    refused = run("anonymize", "--project", project, "--out", out)
    assert "'value_as_number', in rows with the code 'age': " in refused.err
    setting = 'left_empty = {value_as_number = ["age"]}'
    assert setting in refused.err
    project.write_text(f"{text}{setting}\n", encoding="utf-8")
    done = run("anonymize", "--project", project, "--out", out)
    assert done.code == 0, done.err
    rows = tables_of(out)["measurement"]
    assert {bool(r["value_as_number"]) for r in rows if r["measurement_concept_id"] == "age"} == {
        False
    }
    assert any(row["value_as_number"] for row in rows)
