"""Synthetic people as an OMOP CDM and as FHIR, and their joins in plain Python.

The joins do not use an engine: they read files with ``csv`` and ``json``, and look up values in
dictionaries, person by person.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from roadstead.tables.source import Source

Table: TypeAlias = "list[dict[str, str]]"
Person: TypeAlias = dict[str, Any]

_NAMES = {
    "8507": "MALE",
    "8532": "FEMALE",
    "8515": "Asian",
    "8516": "Black or African American",
    "8527": "White",
    "38003563": "Hispanic or Latino",
    "38003564": "Not Hispanic or Latino",
}
_US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"
SNOMED = "http://snomed.info/sct"
ICD10 = "http://hl7.org/fhir/sid/icd-10-cm"


def cdm() -> dict[str, Table]:
    """Give a made-up CDM of forty people, with all tables that are used."""
    person = [
        {
            "PERSON_ID": str(100 + at),
            "GENDER_CONCEPT_ID": ("8507", "8532", "0")[at % 3 if at % 10 == 0 else at % 2],
            "YEAR_OF_BIRTH": str(1940 + (at * 7) % 20 * 2),
            "MONTH_OF_BIRTH": str(1 + at % 12) if at % 5 else "",
            "DAY_OF_BIRTH": str(1 + at % 28) if at % 4 else "",
            "RACE_CONCEPT_ID": ("8515", "8516", "8527", "4711", "")[at % 5],
            "ETHNICITY_CONCEPT_ID": ("38003563", "38003564")[at % 2],
            "LOCATION_ID": str(1 + at % 3) if at % 7 else "",
            "PERSON_SOURCE_VALUE": f"secret {at}",
        }
        for at in range(40)
    ]
    visits = [
        {"VISIT_OCCURRENCE_ID": str(at), "PERSON_ID": str(100 + (at * at) % 37)} for at in range(90)
    ]
    conditions = [
        {"PERSON_ID": str(100 + (at * 3) % 39), "CONDITION_CONCEPT_ID": str((at * at) % 8)}
        for at in range(120)
    ]
    concepts = [
        ("8507", "MALE", "Gender", "S"),
        ("8532", "FEMALE", "Gender", "S"),
        ("4711", "Martian, of the north", "Race", "S"),
        *((str(number), f"disease {number}", "Condition", "S") for number in range(1, 8)),
        ("50", "diseases of the west", "Condition", "S"),
        ("60", "a class of MedDRA", "Condition", "C"),
    ]
    steps = [
        *((str(number), str(number), "0") for number in (*range(1, 8), 50)),
        *(("50", str(number), "1") for number in (1, 2, 3)),
        *(("60", str(number), "1") for number in range(1, 8)),
    ]
    return {
        "PERSON": person,
        "VISIT_OCCURRENCE": [*visits, {"VISIT_OCCURRENCE_ID": "x", "PERSON_ID": "nobody"}],
        "CONDITION_OCCURRENCE": conditions,
        "DEATH": [{"PERSON_ID": "103"}, {"PERSON_ID": "103"}, {"PERSON_ID": "120"}],
        "LOCATION": [
            {"LOCATION_ID": "1", "ZIP": "02139", "STATE": "MA"},
            {"LOCATION_ID": "2", "ZIP": "", "STATE": "NH"},
            {"LOCATION_ID": "3", "ZIP": "05001", "STATE": "VT"},
        ],
        "CONCEPT": [
            dict(
                zip(
                    ("CONCEPT_ID", "CONCEPT_NAME", "DOMAIN_ID", "STANDARD_CONCEPT"),
                    one,
                    strict=True,
                )
            )
            for one in concepts
        ],
        "CONCEPT_ANCESTOR": [
            {
                "ANCESTOR_CONCEPT_ID": above,
                "DESCENDANT_CONCEPT_ID": below,
                "MIN_LEVELS_OF_SEPARATION": levels,
            }
            for above, below, levels in steps
        ],
    }


def written_cdm(folder: Path, tables: Mapping[str, Table], *, zipped: bool = False) -> Path:
    """Write tables as CSV files into a new folder."""
    folder.mkdir(parents=True)
    for name, rows in tables.items():
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        if zipped:
            (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))
        else:
            (folder / f"{name}.csv").write_text(text.getvalue(), encoding="utf-8")
    return folder


def cdm_of(folder: Path) -> dict[str, Table]:
    """Read the CSV files of a folder."""
    tables = {}
    for path in folder.iterdir():
        name, _, kind = path.name.partition(".")
        if kind in ("csv", "csv.gz"):
            raw = path.read_bytes()
            text = (gzip.decompress(raw) if kind == "csv.gz" else raw).decode()
            rows = csv.DictReader(io.StringIO(text, newline=""))
            tables[name.upper()] = [{k.upper(): v for k, v in row.items()} for row in rows]
    return tables


def people_of_cdm(tables: Mapping[str, Table]) -> list[Person]:
    """Join a CDM by hand, person by person, in the order of their numbers as text."""
    names = _NAMES | {c["CONCEPT_ID"]: c["CONCEPT_NAME"] for c in tables.get("CONCEPT", [])}
    places = {one["LOCATION_ID"]: one for one in tables.get("LOCATION", [])}
    visits = Counter(row["PERSON_ID"] for row in tables.get("VISIT_OCCURRENCE", []))
    dead = {row["PERSON_ID"] for row in tables.get("DEATH", [])}
    codes: dict[str, set[str]] = defaultdict(set)
    source = tables.get("CONDITION_OCCURRENCE", tables.get("CONDITION_ERA"))
    for row in source or []:
        if row["CONDITION_CONCEPT_ID"] not in ("", "0"):
            codes[row["PERSON_ID"]].add(row["CONDITION_CONCEPT_ID"])
    people = []
    for row in sorted(tables["PERSON"], key=lambda row: row["PERSON_ID"]):
        key = row["PERSON_ID"]
        person: Person = {"person_id": key, "year_of_birth": row["YEAR_OF_BIRTH"] or None}
        for column in ("gender", "race", "ethnicity"):
            concept = row[f"{column.upper()}_CONCEPT_ID"]
            person[column] = None if concept in ("", "0") else names.get(concept, concept)
        if places:
            place = places.get(row["LOCATION_ID"], {})
            person |= {"zip": place.get("ZIP") or None, "state": place.get("STATE") or None}
        if "VISIT_OCCURRENCE" in tables:
            person["visits"] = visits[key]
        if "DEATH" in tables:
            person["died"] = "yes" if key in dead else "no"
        if source is not None:
            person["conditions"] = sorted(codes[key])
        people.append(person)
    return people


def patient(number: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Give a made-up Patient, with much that must not be read."""
    return {
        "resourceType": "Patient",
        "id": number,
        "name": [{"family": "Secretive", "given": ["Sam"]}],
        "telecom": [{"system": "phone", "value": "555-0100"}],
        "identifier": [{"system": "http://hl7.org/fhir/sid/us-ssn", "value": "999-00-0000"}],
        "gender": "female",
        "birthDate": "1970-05-17",
        **more,
    }


def category(kind: str, *displays: str, text: str | None = None) -> dict[str, Any]:
    """Give an extension of US Core: ``race`` or ``ethnicity``."""
    coded = [{"url": "ombCategory", "valueCoding": {"display": one}} for one in displays]
    said = [] if text is None else [{"url": "text", "valueString": text}]
    return {"url": f"{_US_CORE}{kind}", "extension": [*coded, *said]}


def condition(subject: str, *codings: tuple[str, str], status: str = "confirmed") -> dict[str, Any]:
    """Give a Condition with codings of a system and a code."""
    return {
        "resourceType": "Condition",
        "subject": {"reference": subject},
        "verificationStatus": {"coding": [{"code": status}]},
        "code": {"coding": [{"system": system, "code": code} for system, code in codings]},
    }


def encounter(number: str, subject: str, status: str = "finished") -> dict[str, Any]:
    """Give an Encounter."""
    return {
        "resourceType": "Encounter",
        "id": number,
        "status": status,
        "subject": {"reference": subject},
    }


def bundle(*entries: tuple[str | None, dict[str, Any]]) -> str:
    """Write a Bundle of resources, each with its address."""
    return json.dumps(
        {
            "resourceType": "Bundle",
            "type": "transaction",
            "entry": [
                {**({} if url is None else {"fullUrl": url}), "resource": resource}
                for url, resource in entries
            ],
        },
        indent=2,
    )


def lines(*resources: Mapping[str, Any]) -> str:
    """Write a resource a line."""
    return "".join(json.dumps(resource) + "\n" for resource in resources)


def patients_of_bundles(folder: Path) -> list[Person]:
    """Join zipped Bundles by hand that refer by address and are coded in one system."""
    bundles = [json.loads(gzip.decompress(path.read_bytes())) for path in folder.glob("*.json.gz")]
    entries = [entry for one in bundles for entry in one["entry"]]
    kinds: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for entry in entries:
        kinds[entry["resource"]["resourceType"]].append((entry["fullUrl"], entry["resource"]))
    visits = Counter(one["subject"]["reference"] for _, one in kinds["Encounter"])
    codes: dict[str, set[str]] = defaultdict(set)
    for _, one in kinds["Condition"]:
        codes[one["subject"]["reference"]] |= {c["code"] for c in one["code"]["coding"]}
    people = []
    for url, one in kinds["Patient"]:
        place = one["address"][0]
        people.append(
            {
                "patient_id": one["id"],
                "birth_date": one["birthDate"],
                "gender": one["gender"],
                "race": _of_us_core(one, "race"),
                "ethnicity": _of_us_core(one, "ethnicity"),
                "postal_code": place["postalCode"],
                "city": place["city"],
                "state": place["state"],
                "marital_status": one["maritalStatus"]["coding"][0]["code"],
                "died": "yes" if "deceasedDateTime" in one else "no",
                "encounters": visits[url],
                "conditions": sorted(codes[url]),
            }
        )
    return sorted(people, key=lambda person: str(person["patient_id"]))


def _of_us_core(one: Mapping[str, Any], kind: str) -> str:
    (found,) = [e for e in one["extension"] if e["url"] == f"{_US_CORE}{kind}"]
    parts: Sequence[Mapping[str, Any]] = found["extension"]
    return "; ".join(
        sorted(p["valueCoding"]["display"] for p in parts if p["url"] == "ombCategory")
    )


def rows_of(source: Source) -> list[Person]:
    """Give the rows of a source as they come."""
    rows: list[Person] = source.table.to_pyarrow().to_pylist()
    return rows


def by_number(rows: Iterable[Person], key: str = "person_id") -> list[Person]:
    """Order people by their numbers as text."""
    return sorted(rows, key=lambda row: str(row[key]))
