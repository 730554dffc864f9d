"""A folder of FHIR resources is one table with a row a patient."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from commands import run
from health_tables import (
    ICD10,
    SNOMED,
    bundle,
    category,
    condition,
    encounter,
    lines,
    patient,
    patients_of_bundles,
    rows_of,
    written_cdm,
)

from roadstead.errors import SourceError
from roadstead.tables.health.fhir import read_fhir
from roadstead.tables.health.readers import open_health
from roadstead.tables.text import as_text

_HOME = {"use": "home", "city": "Ames", "state": "IA", "postalCode": "50010", "line": ["1 Elm St"]}


def written(folder: Path, **files: str | bytes) -> Path:
    """Write files; a double underscore in a name stands for its dot."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        raw = content.encode() if isinstance(content, str) else content
        (folder / name.replace("__", ".")).write_bytes(raw)
    return folder


def rows(folder: Path, code_system: str | None = None) -> list[dict[str, Any]]:
    with read_fhir(folder, code_system=code_system) as source:
        return rows_of(source)


def test_bundles_and_lines_zipped_and_plain_are_read_together(tmp_path: Path) -> None:
    one = bundle(
        ("urn:uuid:7", patient("a", address=[{"use": "old", "city": "Oslo"}, _HOME])),
        ("urn:uuid:8", encounter("e1", "urn:uuid:7")),
        ("urn:uuid:9", condition("urn:uuid:7", (SNOMED, "2"), (SNOMED, "1"))),
        (None, {"resourceType": "Observation", "subject": {"reference": "urn:uuid:7"}}),
    )
    two = lines(
        patient("b", gender="male", deceasedBoolean=True, maritalStatus={"coding": [{"code": "M"}]})
    )
    three = lines(
        encounter("e2", "Patient/b"),
        encounter("e3", "https://fhir.example.org/r4/Patient/b/_history/2"),
        encounter("e4", "Patient/b", "entered-in-error"),
        condition("Patient/b", (SNOMED, "2")),
        condition("Patient/b", (SNOMED, "3"), status="refuted"),
        condition("Patient/nobody", (SNOMED, "4")),
    )
    folder = written(
        tmp_path / "fhir",
        one__json=one,
        two__ndjson=gzip.compress(two.encode()),
        three__jsonl=three,
        readme__txt="not JSON",
        empty__json="",
    )
    assert rows(folder) == [
        {
            "patient_id": "a",
            "birth_date": "1970-05-17",
            "gender": "female",
            "race": None,
            "ethnicity": None,
            "postal_code": "50010",
            "city": "Ames",
            "state": "IA",
            "marital_status": None,
            "died": "no",
            "encounters": 1,
            "conditions": ["1", "2"],
        },
        {
            "patient_id": "b",
            "birth_date": "1970-05-17",
            "gender": "male",
            "race": None,
            "ethnicity": None,
            "postal_code": None,
            "city": None,
            "state": None,
            "marital_status": "M",
            "died": "yes",
            "encounters": 2,
            "conditions": ["2"],
        },
    ]


@pytest.mark.parametrize(
    ("extensions", "race", "ethnicity"),
    [
        ([category("race", "White")], "White", None),
        ([category("race", "White", "Asian", text="Mixed")], "Asian; White", None),
        ([category("race", text="Other")], "Other", None),
        ([category("ethnicity", "Hispanic or Latino"), {"url": "x"}], None, "Hispanic or Latino"),
        ([category("race"), category("ethnicity")], None, None),
    ],
)
def test_race_and_ethnicity_are_those_of_us_core(
    tmp_path: Path, extensions: list[Any], race: str | None, ethnicity: str | None
) -> None:
    folder = written(tmp_path, a__json=json.dumps(patient("a", extension=extensions)))
    (found,) = rows(folder)
    assert (found["race"], found["ethnicity"]) == (race, ethnicity)


@pytest.mark.parametrize(
    ("addresses", "city"),
    [
        ([{"city": "Rome"}, {"use": "home", "city": "Bonn"}], "Bonn"),
        ([{"use": "temp", "city": "Rome"}, {"use": "work", "city": "Bonn"}], "Bonn"),
        ([{"use": "old", "city": "Rome"}], None),
        ([], None),
    ],
)
def test_the_place_is_where_a_patient_lives(
    tmp_path: Path, addresses: list[Any], city: str | None
) -> None:
    (found,) = rows(written(tmp_path, a__json=json.dumps(patient("a", address=addresses))))
    assert found["city"] == city


def test_a_patient_without_birth_date_has_a_missing_value(tmp_path: Path) -> None:
    unborn = patient("b")
    del unborn["birthDate"]
    with read_fhir(written(tmp_path, a__ndjson=lines(patient("a"), unborn))) as source:
        texts = source.table.select(day=as_text(source.table["birth_date"])).to_pyarrow()
    assert texts["day"].to_pylist() == ["1970-05-17", ""]


def test_the_same_encounter_in_two_files_is_one(tmp_path: Path) -> None:
    two = lines(encounter("e1", "Patient/a"), encounter("e2", "Patient/a"))
    folder = written(tmp_path, a__json=lines(patient("a")), b__json=two, c__ndjson=two)
    assert [row["encounters"] for row in rows(folder)] == [2]


@pytest.mark.nightly
def test_a_bundle_longer_than_usual_is_read(tmp_path: Path) -> None:
    padded = patient("a", text={"div": "x" * (17 << 20)})
    whole = bundle((None, padded), (None, encounter("e", "Patient/a")))
    folder = written(tmp_path, a__json=whole, b__json=gzip.compress(lines(patient("b")).encode()))
    assert [(row["patient_id"], row["encounters"]) for row in rows(folder)] == [("a", 1), ("b", 0)]


_MIXED = lines(
    patient("a"),
    condition("Patient/a", (SNOMED, "59621000"), (ICD10, "I10")),
    condition("Patient/a", (ICD10, "E11.9")),
    condition("Patient/a", (SNOMED, "1")),
)


def test_a_mixture_of_code_systems_is_refused_until_one_is_chosen(tmp_path: Path) -> None:
    folder = written(tmp_path, a__ndjson=_MIXED)
    with pytest.raises(
        SourceError,
        match=r"3 conditions have codes from 2 systems, but no system covers all of "
        r"them: .*\(2\).*code_system=",
    ):
        rows(folder)
    assert [row["conditions"] for row in rows(folder, "icd10cm")] == [["E11.9", "I10"]]
    assert [row["conditions"] for row in rows(folder, SNOMED)] == [["1", "59621000"]]
    with pytest.raises(SourceError, match="no condition has a code from the system 'icd9cm'"):
        rows(folder, "icd9cm")
    with open_health(f"fhir:{folder}?code_system=icd10cm") or pytest.fail("not opened") as source:
        assert [row["conditions"] for row in rows_of(source)] == [["E11.9", "I10"]]


def test_codes_are_of_the_system_that_has_all_conditions(tmp_path: Path) -> None:
    both = lines(
        patient("a"),
        condition("Patient/a", (SNOMED, "59621000"), (ICD10, "I10")),
        condition("Patient/a", (ICD10, "E11.9")),
    )
    assert [row["conditions"] for row in rows(written(tmp_path, a__ndjson=both))] == [
        ["E11.9", "I10"]
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"resourceType": "Patient", "id": "Sam',
            r"^bad.json, value \d, byte \d+: the file is not a JSON file",
        ),
        ("name,surname\nSam,Secretive\n", "^bad.json.*: the file is not a JSON file"),
        (b'{"resourceType": "Pat\xe9"}', "^bad.json.*: the file is not a JSON file"),
        ('{"name": "Sam"}', "^bad.json: the file contains a value that is not a FHIR resource"),
        ("[1, 2]", "^bad.json: the file contains a value that is not a FHIR resource"),
        (lines(patient("a")), "patient 'a' is in 2 rows"),
        (json.dumps({"resourceType": "Patient"}), "1 of its rows has no patient_id"),
        (lines(encounter("e", "Patient/x")), "Encounter: none of its rows belongs to a Patient"),
        (lines(condition("Patient/x", (SNOMED, "1"))), "Condition: none of its rows"),
    ],
)
def test_what_cannot_be_read_rightly_is_refused(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    folder = written(tmp_path / "f", good__json=bundle((None, patient("a"))), bad__json=content)
    with pytest.raises(SourceError, match=message) as raised:
        rows(folder)
    assert "Sam" not in raised.value.message


def test_a_broken_zip_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(lines(patient("a"), patient("b")).encode())
    with pytest.raises(SourceError):
        rows(written(tmp_path, a__json=whole[:-20]))


def test_a_folder_without_patients_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no file with the ending"):
        read_fhir(tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        read_fhir(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="the files of the folder contain no Patient resource"):
        read_fhir(written(tmp_path, a__json=bundle((None, {"resourceType": "Organization"}))))
    with pytest.raises(SourceError, match="no file with the ending"):
        read_fhir(written_cdm(tmp_path / "cdm", {"PERSON": [{"PERSON_ID": "1"}]}))


def test_names_and_numbers_of_patients_are_not_read(tmp_path: Path) -> None:
    folder = written(tmp_path, a__json=bundle((None, patient("a", address=[_HOME]))))
    shown = str(rows(folder))
    assert "Ames" in shown
    assert not [one for one in ("Secretive", "Sam", "555", "999", "Elm") if one in shown]


def test_scan_writes_a_project_that_anonymize_runs(tmp_path: Path) -> None:
    people = [
        patient(f"p{at}", gender=("male", "female")[at % 2], birthDate=f"19{40 + at % 5}-01-02")
        for at in range(30)
    ]
    sick = [condition(f"Patient/p{at}", (SNOMED, str(at % 3))) for at in range(30)]
    folder = written(tmp_path / "ward", people__ndjson=lines(*people, *sick))
    project = tmp_path / "ward.toml"
    scanned = run("scan", f"fhir:{folder}", "--out", project, "--json")
    assert scanned.code == 0, scanned.err
    roles = {column["name"]: column["role"] for column in scanned.json["columns"]}
    assert roles["patient_id"] == "identifiers"
    for name in ("birth_date", "gender", "race", "ethnicity", "postal_code", "city", "state"):
        assert roles[name] == "quasi", name
    assert (roles["died"], roles["conditions"]) == ("sensitive", "sensitive")
    done = run("anonymize", "--project", project, "--k", "3", "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == len(people)


def test_the_patients_of_synthea_are_those_of_a_join_by_hand(data_dir: Path) -> None:
    folder = data_dir / "fhir_r4_synthea"
    expected = patients_of_bundles(folder)
    assert rows(folder) == expected
    assert len(expected) == 6
    assert sum(person["encounters"] for person in expected) == 100
