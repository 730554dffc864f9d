"""Eunomia, Synthea's patients, and MIMIC's demonstration as whole databases."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import duckdb
import pytest
from commands import run

SYNTHEA = """
data = "{folder}"

[tables.patients]
data = "patients.csv.gz"
person = "ID"
birth = "BIRTHDATE"
quasi = ["GENDER", "RACE"]

[tables.conditions]
data = "conditions.csv.gz"
person = "PATIENT"
dates = ["START", "STOP"]
code = "CODE"
details = ["DESCRIPTION"]
"""
MIMIC = """
data = "{folder}"

[privacy]
k = 3

[persons]
shift_days = 30

[tables.patients]
data = "PATIENTS.csv"
person = "subject_id"
quasi = ["gender"]

[tables.admissions]
data = "ADMISSIONS.csv"
person = "subject_id"
key = "hadm_id"
dates = ["admittime", "dischtime"]
code = "admission_type"
root = "ANY"

[tables.icustays]
data = "ICUSTAYS.csv"
person = "subject_id"
key = "icustay_id"
keys = {{hadm_id = "admissions"}}
dates = ["intime", "outtime"]

[tables.diagnoses]
data = "DIAGNOSES_ICD.csv"
person = "subject_id"
keys = {{hadm_id = "admissions"}}
code = "icd9_code"
"""


CONCEPT = "BIGINT NOT NULL REFERENCES concept (concept_id)"
PERSON = "BIGINT NOT NULL REFERENCES person (person_id)"
VISIT = "BIGINT REFERENCES visit_occurrence (visit_occurrence_id)"
DAY, KEY = "DATE NOT NULL", "BIGINT PRIMARY KEY"
CDM = {
    "concept": {"concept_id": KEY, "concept_name": "VARCHAR NOT NULL"},
    "person": {
        "person_id": KEY,
        "gender_concept_id": CONCEPT,
        "year_of_birth": "INTEGER NOT NULL",
        "race_concept_id": CONCEPT,
        "ethnicity_concept_id": CONCEPT,
    },
    "observation_period": {
        "observation_period_id": KEY,
        "person_id": PERSON,
        "observation_period_start_date": DAY,
        "observation_period_end_date": DAY,
        "period_type_concept_id": CONCEPT,
    },
    "visit_occurrence": {
        "visit_occurrence_id": KEY,
        "person_id": PERSON,
        "visit_concept_id": CONCEPT,
        "visit_start_date": DAY,
        "visit_end_date": DAY,
        "visit_type_concept_id": CONCEPT,
        "preceding_visit_occurrence_id": "BIGINT",
    },
    "procedure_occurrence": {
        "procedure_occurrence_id": KEY,
        "person_id": PERSON,
        "procedure_concept_id": CONCEPT,
        "procedure_date": DAY,
        "procedure_type_concept_id": CONCEPT,
        "visit_occurrence_id": VISIT,
    },
    "observation": {
        "observation_id": KEY,
        "person_id": PERSON,
        "observation_concept_id": CONCEPT,
        "observation_date": DAY,
        "observation_type_concept_id": CONCEPT,
        "visit_occurrence_id": VISIT,
    },
    "condition_era": {
        "condition_era_id": KEY,
        "person_id": PERSON,
        "condition_concept_id": CONCEPT,
        "condition_era_start_date": DAY,
        "condition_era_end_date": DAY,
    },
    "drug_era": {
        "drug_era_id": KEY,
        "person_id": PERSON,
        "drug_concept_id": CONCEPT,
        "drug_era_start_date": DAY,
        "drug_era_end_date": DAY,
    },
}
"""What the CDM's definition demands of the tables that Eunomia has: source, OHDSI, CDM v5.3."""


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table, zipped or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def text_of(path: Path) -> str:
    """Read a file, zipped or not."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


@pytest.mark.nightly  # other sets of tables leave in the quick tests
def test_eunomia_leaves_as_a_cdm(data_dir: Path, tmp_path: Path) -> None:
    """Nearly all people, every table except those about its making, and no source value."""
    out = tmp_path / "out"
    cdm = data_dir / "eunomia_gibleed"
    made = run("anonymize", f"omop:{cdm}", "--tables", "all", "--out", out)
    assert made.code == 0, made.err
    assert "  tables: cdm_source" in made.out
    # In Eunomia, this column contains the days from 1970 to the end of the era.
    assert "  drug_era.gap_days: the values of 'gap_days' follow from the dates" in made.out
    assert not any(row["GAP_DAYS"] for row in rows(out / "DRUG_ERA.csv.gz"))
    before, after = rows(cdm / "PERSON.csv.gz"), rows(out / "PERSON.csv.gz")
    assert len(before) * 0.95 <= len(after) < len(before)
    assert list(before[0]) == list(after[0])
    values = {row["PERSON_SOURCE_VALUE"] for row in before}
    for file in out.glob("*"):
        text = text_of(file)
        assert not any(value in text for value in values), file.name
    persons = {row["PERSON_ID"] for row in after}
    eras = rows(out / "CONDITION_ERA.csv.gz")
    assert len(eras) > 40_000
    assert {row["PERSON_ID"] for row in eras} <= persons
    assert run("verify", out).code == 0
    assert accepted(out)["condition_era"] == len(eras)


def accepted(release: Path) -> dict[str, int]:
    """Load a release into tables with the CDM's keys, which refuse what does not fit; count."""
    found = {}
    with duckdb.connect() as con:
        for name, columns in CDM.items():
            spec = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            con.execute(f"CREATE TABLE {name} ({spec})")
            (file,) = release.glob(f"{name.upper()}.csv*")
            cells = f"FROM read_csv('{file}', all_varchar = true)"
            con.execute(f"INSERT INTO {name} SELECT {', '.join(columns)} {cells}")
            ((found[name],),) = con.table(name).count("*").fetchall()
    return found


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "project", "table", "removed"),
    [
        ("synthea", SYNTHEA, "patients.csv.gz", ("SSN", "ADDRESS", "PASSPORT")),
        ("mimic3_demo", MIMIC, "PATIENTS.csv", ("dob", "dod")),
    ],
)
def test_sets_of_tables_leave_by_a_project_file(
    data_dir: Path, tmp_path: Path, name: str, project: str, table: str, removed: tuple[str, ...]
) -> None:
    """Names and addresses are not there, not even as columns."""
    (tmp_path / "study.toml").write_text(project.format(folder=data_dir / name), encoding="utf-8")
    out = tmp_path / "out"
    made = run("anonymize", "--project", tmp_path / "study.toml", "--out", out)
    assert made.code == 0, made.err
    before, after = rows(data_dir / name / table), rows(out / table)
    assert len(after) > 0.8 * len(before)
    assert not set(removed) & set(after[0])
    values = {row[column] for row in before for column in removed if len(row[column]) > 8}
    for file in out.glob("*"):
        text = text_of(file)
        assert not any(value in text for value in values), file.name
    assert run("verify", out).code == 0
