"""Private releases for people of real tables, checked by independent counts."""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from small_tables import write_csv

import roadstead as rs
from roadstead.verbs.synthesize.result import SynthesisFinding

pytest.importorskip("opendp")

NOISELESS = 10**5


def shown_by(found: SynthesisFinding) -> Counter[tuple[str, ...]]:
    """Count the records that are released."""
    return Counter(zip(*found.to_arrow().to_pydict().values(), strict=True))


@pytest.fixture(scope="module")
def admissions(data_dir: Path) -> tuple[Path, list[dict[str, str]]]:
    """Read the admissions of diabetics: 101,766 of 71,518 patients."""
    path = data_dir / "diabetes130" / "diabetic_data.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return path, list(csv.DictReader(file))


ASKED: dict[str, Any] = {
    "epsilon": NOISELESS,
    "target": "readmitted",
    "classes": ["NO", "<30", ">30"],
    "values": {"gender": ["Female", "Male", "Unknown/Invalid"]},
    "specializations": 1,
    "score": "max-gain",
    "person": "patient_nbr",
}


@pytest.mark.nightly
def test_at_most_so_many_admissions_of_each_patient(
    admissions: tuple[Path, list[dict[str, str]]],
) -> None:
    """Patients with more lose the others; no count of them is in what is released."""
    path, rows = admissions
    each = Counter(row["patient_nbr"] for row in rows)
    found = rs.synthesize(path, **ASKED, rows_per_person=3)
    used = sum(min(number, 3) for number in each.values())
    assert found.facts.records == pytest.approx(used, abs=2)
    assert found.private.records == used
    assert str(len(rows) - used) not in str({**found.to_dict(), "seconds": 0})


@pytest.mark.nightly
def test_one_record_of_each_patient_has_the_last_admission(
    admissions: tuple[Path, list[dict[str, str]]],
) -> None:
    """By number of the encounter; all but a few patients have one gender."""
    path, rows = admissions
    last: dict[str, dict[str, str]] = {}
    for row in rows:
        before = last.get(row["patient_nbr"])
        if before is None or int(row["encounter_id"]) > int(before["encounter_id"]):
            last[row["patient_nbr"]] = row
    found = rs.synthesize(path, **ASKED, per_person="last:encounter_id")
    expected = Counter((row["gender"], row["readmitted"]) for row in last.values())
    shown = shown_by(found)
    assert found.private.left_out == 0
    for cell, number in expected.items():
        if number > 20:
            assert shown[cell] == pytest.approx(number, abs=3)


def test_diagnoses_of_all_admissions_are_one_set(data_dir: Path, tmp_path: Path) -> None:
    """For each of the demonstration's 100 patients: circulatory, respiratory, or neither."""
    folder = data_dir / "mimic3_demo"
    with (folder / "PATIENTS.csv").open(encoding="utf-8") as file:
        gender = {row["subject_id"]: row["gender"] for row in csv.DictReader(file)}
    with (folder / "ADMISSIONS.csv").open(encoding="utf-8") as file:
        rows = [(row["subject_id"], row["hadm_id"]) for row in csv.DictReader(file)]
    table = [(who, stay, gender[who]) for who, stay in rows]
    write_csv(tmp_path / "stays.csv", ("subject_id", "hadm_id", "gender"), table)
    owner, codes = {stay: who for who, stay in rows}, defaultdict(set)
    with (folder / "DIAGNOSES_ICD.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            codes[owner[row["hadm_id"]]].add(row["icd9_code"])
    listed = ("4019", "4280", "5849")
    spec = {"file": folder / "DIAGNOSES_ICD.csv", "key": "hadm_id", "code": "icd9_code"}
    found = rs.synthesize(
        tmp_path / "stays.csv",
        epsilon=NOISELESS,
        target="gender",
        classes=["F", "M"],
        sets={"dx": spec},
        values={"dx": listed},
        specializations=1,
        score="max-gain",
        person="subject_id",
        per_person="same",
    )
    expected = Counter(
        ("; ".join(code for code in listed if code in codes[who]) or "(none)", gender[who])
        for who in {who for who, _ in rows}
    )
    assert found.private.records == len({who for who, _ in rows}) < len(rows)
    shown = shown_by(found)
    assert shown.total() == pytest.approx(expected.total(), abs=2)
    for cell, number in expected.items():
        if number > 5:
            assert shown[cell] == pytest.approx(number, abs=2)
