"""Evidence for a column's role: findings first, then names and values, or nothing at all."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st

from roadstead.tables.identifiers.findings import REMOVE, IdentifierFinding, checklist, identifiers
from roadstead.tables.identifiers.judgment import Judgment, examine
from roadstead.tables.reading import read

CHANCE = random.Random(11)  # noqa: S311 - made-up values keep no secret
RECORDS = 400


def judged(records: int = RECORDS, **columns: Callable[[int], Any]) -> dict[str, Judgment]:
    """Judge columns given by their value in each record."""
    table = {name: [str(of(i)) for i in range(records)] for name, of in columns.items()}
    with read(table) as source:
        return dict(examine(source, source.columns).judgments)


def roles(records: int = RECORDS, **columns: Callable[[int], Any]) -> dict[str, str | None]:
    """Give the roles alone."""
    return {name: judgment.role for name, judgment in judged(records, **columns).items()}


def digits(count: int) -> Callable[[int], str]:
    """Numbers of so many digits, of which nearly each record has its own."""
    return lambda i: str(10 ** (count - 1) + 7919 * i % (9 * 10 ** (count - 1)))


@pytest.mark.quick(9)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIRST", lambda i: f"Zyx{i % 90}"),
        ("MAIDEN", lambda i: f"Qu{i % 40}" if i % 4 == 0 else ""),
        ("PREFIX", lambda i: ("Mr.", "Mrs.", "")[i % 3]),
        ("SUFFIX", lambda i: "MD" if i % 90 == 0 else ("PhD" if i % 91 == 0 else "")),
        ("ssn", lambda i: f"{100 + i}-45-{1000 + i}" if i % 5 == 0 else ""),
        ("ssn", lambda i: digits(9)(i % 20)),
        ("next_of_kin_phone", lambda i: f"(615) 555-{i:04d}" if i % 5 == 0 else ""),
        ("patient_nbr", lambda i: digits(7)(i // 2)),
        ("patient_id", lambda i: i % 20),
        ("ID", lambda i: i % 25),
        ("encounter_id", digits(7)),
        ("hadm_id", lambda i: digits(6)(i % 25)),
        ("record", lambda i: f"R{i:05d}"),
        ("column_7", lambda i: f"somebody{i}@example.org"),
        ("column_7", lambda i: f"X{i}Y"),
        ("address", lambda i: f"{i} Maple Street"),
        ("SERIALNO", lambda i: f"2018GQ{i:07d}"),
    ],
)
def test_what_safe_harbor_removes_is_identifying(name: str, value: Callable[[int], Any]) -> None:
    """Mostly blank or not, and if few people have many records. Fault class: a name goes out."""
    (judgment,) = judged(RECORDS, **{name: value}).values()
    assert judgment.role == "identifiers"
    assert judgment.identifier
    assert any(finding.remedy == REMOVE for finding in judgment.findings)


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [
        ("Nome", "Zyx", 1),
        ("Nome do paciente", "Zyx", 1),
        ("Apellidos", "Zyx", 1),
        ("Prénom", "Zyx", 1),
        ("Nachname", "Zyx", 1),
        ("Cognome", "Zyx", 1),
        ("achternaam", "Zyx", 1),
        ("Telemóvel", "91234567", 4),
        ("Straße", "Zyx", 2),
        ("morada", "Zyx", 2),
        ("NIF", "21234567", 18),
        ("Número de utente", "91234567", 18),
        ("Steuernummer", "91234567", 18),
        ("codice_fiscale", "RSSMRA8", 18),
        ("Versichertennummer", "A91234567", 9),
        ("Patientennummer", "91234567", 8),
        ("NHC", "91234567", 8),
        ("Pasaporte", "X91234567", 11),
    ],
)
def test_identifiers_are_known_in_other_languages(name: str, value: str, number: int) -> None:
    """Though each is there many times. Fault class: a forgotten column called in another tongue."""
    (judgment,) = judged(RECORDS, **{name: lambda i: f"{value}{i % 9}"}).values()
    assert judgment.identifier
    assert number in [finding.number for finding in judgment.findings]


@pytest.mark.quick(13)
@pytest.mark.parametrize(
    ("name", "role"),
    [
        *((name, "quasi") for name in ("PLZ", "Código Postal", "Wohnort", "concelho", "Ville")),
        *(
            (name, "quasi")
            for name in ("Geschlecht", "Sexo", "Idade", "edad", "Beruf", "Profissão")
        ),
        *((name, "quasi") for name in ("Estado Civil", "Familienstand", "médico", "doctor")),
        *((name, "quasi") for name in ("Geburtsjahr", "Ano de Nascimento", "Profissão")),
        *((name, "sensitive") for name in ("Erkrankung", "enfermedad", "Einkommen", "Diagnóstico")),
        *((name, None) for name in ("dosage", "percentage", "nome_comercial", "via")),
    ],
)
def test_what_others_know_is_known_in_other_languages(name: str, role: str | None) -> None:
    """Private columns are also recognized. Fault class: a forgotten column in another language."""
    (judgment,) = judged(RECORDS, **{name: lambda i: f"{1930 + i % 9}"}).values()
    assert judgment.role == role


def test_a_list_of_diagnoses_in_one_text_is_sensitive() -> None:
    """For example, one in a flattened table. Fault class: a forgotten column."""
    codes = ("E11.9", "I10", "C50.911")
    found = judged(x7=lambda i: ";".join(codes[: 1 + i % 3]), x8=lambda i: f'{{"a": {i % 9}}}')
    assert found["x7"].role == "sensitive"
    assert found["x8"].reason.startswith("JSON texts")


def test_a_number_of_a_household_is_found_though_many_share_it() -> None:
    """Also in a table of visits. Fault class: a key whose values repeat passes as common."""
    (judgment,) = judged(2_000, x7=lambda i: digits(9)(i % 100)).values()
    assert judgment.role == "identifiers"
    assert (
        roles(2_000, x7=lambda i: digits(9)(i % 8), drug_concept_id=lambda i: digits(8)(i % 90))[
            "x7"
        ]
        is None
    )


@pytest.mark.parametrize(
    ("late", "number"),
    [("ask a.b@example.org", 6), ("call 615-555-0101 back", 4), ("SSN 078-05-1120", 7)],
)
def test_an_identifier_far_down_in_the_table_is_found(late: str, number: int) -> None:
    """Behind thousands of records with other notes. Fault class: what a sample does not reach."""
    notes = [f"note {i % 400}" for i in range(9_000)]
    notes[8_500] = late
    (judgment,) = judged(9_000, comment=notes.__getitem__).values()
    assert [finding.number for finding in judgment.findings] == [number]


@pytest.mark.parametrize("name", ["visitage", "AgeAtVisit", "idade", "Edad", "Alter"])
def test_ages_over_89_are_found_under_other_names(name: str) -> None:
    """Ages that Safe Harbor puts into one category. Fault class: a forgotten column."""
    (judgment,) = judged(RECORDS, **{name: lambda i: 85 + i % 9}).values()
    assert [finding.number for finding in judgment.findings] == [3]


def day(form: str, *, step: int = 3) -> Callable[[int], str]:
    """Days, of which nearly each record has its own."""
    return lambda i: (datetime(1931, 5, 7) + timedelta(days=step * i)).strftime(form)  # noqa: DTZ001 - no zone


@pytest.mark.quick(20)
@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S+01:00"),
        *("%d%b%Y", "%d%b%Y:%H:%M:%S", "%Y%m%d", "%m/%d/%Y", "%m/%d/%Y %I:%M %p", "%d-%b-%y"),
        *("%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%Y/%m/%d", "%Y%m%dT%H%M%S"),
    ],
)
@pytest.mark.parametrize("name", ["admittime", "column_3", "start"])
def test_a_date_is_never_lost_for_being_a_date(name: str, form: str) -> None:
    """Others may know it, though nearly all differ. Fault class: a date lost for being a date."""
    (judgment,) = judged(RECORDS, **{name: day(form)}).values()
    assert (judgment.role, judgment.identifier) == ("quasi", False)
    assert [finding.number for finding in judgment.findings] == [3]


def test_codes_of_few_values_are_no_numbers_of_people() -> None:
    """Values of many records identify no one. Fault class: a code is called identifying."""
    found = roles(
        8_000,
        discharge_disposition_id=lambda i: i % 26,
        admission_type_id=lambda i: i % 8,
        CONDITION_CONCEPT_ID=lambda i: 4_000_000 + i % 80,
        some_kind_id=lambda i: 700 + i % 26,
        first_wardid=lambda i: i % 9,
    )
    assert "identifiers" not in found.values()
    assert found["CONDITION_CONCEPT_ID"] == "sensitive"


def test_nothing_is_harmless_because_nothing_is_known_of_it() -> None:
    """There is no role without a reason. Fault class: a forgotten column."""
    found = judged(
        length=lambda i: i % 30,
        flag=lambda i: i % 2,
        x17=lambda i: f"{0.5 + i / 97:.4f}",
        note=lambda i: f"{'he said that it was much better than before ' * 2}{i % 9}",
        empty=lambda _: "",
        same=lambda _: "P",
    )
    assert {judgment.role for judgment in found.values()} == {None}
    assert found["length"].reason == "nothing suggests a role"
    assert "rare" in found["x17"].reason
    assert "long texts" in found["note"].reason
    assert "no value" in found["empty"].reason


def test_a_sensitive_column_of_rare_values_is_not_quietly_sensitive() -> None:
    """Rare diagnoses single people out. Fault class: a rare value goes out as sensitive."""
    found = judged(diagnosis=lambda i: f"condition {i % 300} of the heart", outcome=lambda i: i % 4)
    assert found["diagnosis"].role is None
    assert "most of them in few records" in found["diagnosis"].reason
    assert found["outcome"].role == "sensitive"


def test_values_behind_many_others_are_seen_too() -> None:
    """A number in every fifth record of the last tenth. Fault class: a forgotten column."""
    late = judged(
        20_000,
        contact=lambda i: f"(615) 555-{i % 10_000:04d}" if i > 18_000 and i % 5 == 0 else "",
        other=lambda i: f"a{i}@b.org" if i > 19_000 else "none",
        most=lambda i: "x" if i % 9 else "",
    )
    assert [late[name].role for name in ("contact", "other")] == ["identifiers"] * 2
    assert late["most"].role is None


def test_columns_that_are_not_named_are_not_read() -> None:
    """The answer has a judgment for each of those that are, in their order."""
    with read({"a": ["1", "2"], "ssn": ["1", "2"], "sex": ["F", "M"]}) as source:
        assert list(examine(source, ["sex", "a"]).judgments) == ["sex", "a"]
        assert examine(source, []).judgments == {}


ACS = {
    "SERIALNO": ("identifiers", lambda i: f"2018GQ{i:07d}"),
    "SPORDER": (None, lambda i: 1 + i % 4),
    "AGEP": ("quasi", lambda i: i % 95),
    "SEX": ("quasi", lambda i: 1 + i % 2),
    "PUMA": ("quasi", lambda i: 100 * (1 + i % 60)),
    "ST": ("quasi", lambda i: 1 + i % 51),
    "RAC1P": ("quasi", lambda i: 1 + i % 9),
    "HISP": ("quasi", lambda i: 1 + i % 24),
    "SCHL": ("quasi", lambda i: 1 + i % 24),
    "OCCP": ("quasi", lambda i: 10 + 37 * (i % 250)),
    "MAR": ("quasi", lambda i: 1 + i % 5),
    "NATIVITY": ("quasi", lambda i: 1 + i % 2),
    "POBP": ("quasi", lambda i: 1 + i % 160),
    "CIT": ("quasi", lambda i: 1 + i % 5),
    "MIL": ("quasi", lambda i: 1 + i % 4),
    "DIS": ("quasi", lambda i: 1 + i % 2),
    "COW": ("quasi", lambda i: 1 + i % 8),
    "WKHP": ("quasi", lambda i: i % 99),
    "PINCP": ("sensitive", lambda i: 500 * (i % 40)),
    "PWGTP": (None, lambda i: i % 120),
    "XYZ1": (None, lambda i: i % 7),
}


def test_short_names_of_the_census_are_known() -> None:
    """And what is not known is undecided. Fault class: a forgotten column."""
    found = roles(1_000, **{name: of for name, (_, of) in ACS.items()})
    assert found == {name: role for name, (role, _) in ACS.items()}


def frames(columns: dict[str, list[Any]], folder: Path) -> list[Any]:
    """Give one table as CSV, pandas, Polars, Arrow, and Parquet; missing values are None."""
    arrow = pa.table(columns)
    frame = pl.DataFrame(arrow)
    frame.write_parquet(folder / "t.parquet")
    frame.write_csv(folder / "t.csv")
    return [folder / "t.csv", arrow.to_pandas(), frame, arrow, folder / "t.parquet"]


def seen(data: Any) -> dict[str, str | None]:  # noqa: ANN401 - a table of any library
    """Roles of all columns."""
    with read(data) as source:
        return {name: j.role for name, j in examine(source, source.columns).judgments.items()}


START = date(1930, 1, 1)
KINDS: dict[str, Callable[[random.Random], Any]] = {
    "number": lambda chance: chance.randint(-5, 90),
    "code": lambda chance: chance.randint(100_000, 999_999),
    "whole": lambda chance: chance.choice([1.0, 2.0, 3.0, None]),
    "measure": lambda chance: chance.choice([36.5, 37.25, chance.random(), None]),
    "flag": lambda chance: chance.choice([True, False, None]),
    "day": lambda chance: START + timedelta(days=chance.randint(0, 30_000)),
    "time": lambda chance: datetime(1980, 1, chance.randint(1, 28), 9, 30),  # noqa: DTZ001 - no zone
    "sex": lambda chance: chance.choice(["F", "M", None]),
    "name": lambda chance: chance.choice(["Karen Johnson", "John Smith", "somebody else"]),
}
NAMES = ["x", "zip", "age", "patient_id", "ssn", "date", "score", "unit_id", "income", "flag"]


@sparing
@given(
    kinds=st.dictionaries(
        st.sampled_from(NAMES), st.sampled_from(sorted(KINDS)), min_size=1, max_size=4
    ),
    seed=st.integers(0, 10_000),
)
def test_a_column_has_the_same_role_from_every_kind_of_table(
    kinds: dict[str, str], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Typed or not. Fault class: the same column, another role."""
    chance = random.Random(seed)  # noqa: S311 - made-up values keep no secret
    columns = {name: [KINDS[kind](chance) for _ in range(60)] for name, kind in kinds.items()}
    folder = tmp_path_factory.mktemp("kinds")
    first, *others = (seen(made) for made in frames({"all": ["x"] * 60, **columns}, folder))
    assert others == [first] * len(others)


REAL = [
    "adult/adult.csv",
    "mimic3_demo/PATIENTS.csv",
    "eunomia_gibleed/PERSON.csv.gz",
]
REAL_AND_LARGE = [
    "cup/cup.csv.gz",
    "fars/fars.csv.gz",
    "icd/vermont_dx.csv",
    "diabetes130/diabetic_data.csv.gz",
    "mimic3_demo/ADMISSIONS.csv",
    "mimic3_demo/ICUSTAYS.csv",
    "synthea/patients.csv.gz",
    "synthea/conditions.csv.gz",
    "eunomia_gibleed/CONDITION_ERA.csv.gz",
    "eunomia_gibleed/VISIT_OCCURRENCE.csv",
]
NIGHTLY = [pytest.param(file, marks=pytest.mark.nightly) for file in REAL_AND_LARGE]


@pytest.mark.quick(1)
@pytest.mark.parametrize("file", [*REAL, *NIGHTLY])
def test_a_real_column_has_the_same_role_from_every_kind_of_table(
    data_dir: Path, file: str, tmp_path: Path
) -> None:
    """The first 3,000 records, as pandas and Polars guess their types."""
    path = data_dir / file
    mark = ";" if file.startswith(("adult/", "cup/", "fars/")) else ","
    texts = pd.read_csv(path, sep=mark, nrows=3_000, dtype=str, keep_default_na=False)
    texts.to_csv(tmp_path / "t.csv", index=False)
    guessed = pd.read_csv(tmp_path / "t.csv")
    typed = pl.read_csv(tmp_path / "t.csv", try_parse_dates=True, infer_schema_length=None)
    typed.write_parquet(tmp_path / "t.parquet")
    ours = seen(tmp_path / "t.csv")
    for other in (guessed, typed, tmp_path / "t.parquet"):
        assert seen(other) == ours


IDENTIFYING: dict[str, set[str]] = {
    "adult/adult.csv": set(),
    "cup/cup.csv.gz": set(),
    "fars/fars.csv.gz": set(),
    "icd/vermont_dx.csv": {"visit_id"},
    "diabetes130/diabetic_data.csv.gz": {"encounter_id", "patient_nbr"},
    "mimic3_demo/PATIENTS.csv": {"row_id", "subject_id"},
    "mimic3_demo/ADMISSIONS.csv": {"row_id", "subject_id", "hadm_id"},
    "mimic3_demo/ICUSTAYS.csv": {"row_id", "subject_id", "hadm_id", "icustay_id"},
    "mimic3_demo/DIAGNOSES_ICD.csv": {"row_id", "subject_id", "hadm_id"},
    "synthea/patients.csv.gz": {
        *("ID", "SSN", "DRIVERS", "PASSPORT", "PREFIX", "FIRST", "LAST", "SUFFIX", "MAIDEN"),
        "ADDRESS",
    },
    "synthea/conditions.csv.gz": {"PATIENT", "ENCOUNTER"},
    "eunomia_gibleed/PERSON.csv.gz": {"PERSON_ID", "PERSON_SOURCE_VALUE"},
    "eunomia_gibleed/CONDITION_ERA.csv.gz": {"CONDITION_ERA_ID", "PERSON_ID"},
}
KNOWN: dict[str, Sequence[str]] = {
    "cup/cup.csv.gz": ("ZIP", "AGE", "GENDER", "STATE"),
    "fars/fars.csv.gz": ("iage", "irace", "isex", "ihispanic", "istatenum", "ideathmon"),
    "diabetes130/diabetic_data.csv.gz": ("race", "gender", "age", "discharge_disposition_id"),
    "mimic3_demo/PATIENTS.csv": ("gender", "dob", "dod", "dod_hosp", "dod_ssn"),
    "mimic3_demo/ADMISSIONS.csv": (
        *("admittime", "dischtime", "deathtime", "edregtime", "edouttime", "insurance"),
        *("marital_status", "ethnicity", "religion", "language", "admission_location"),
    ),
    "mimic3_demo/ICUSTAYS.csv": ("intime", "outtime", "first_careunit", "last_wardid"),
    "synthea/patients.csv.gz": (
        *("BIRTHDATE", "DEATHDATE", "MARITAL", "RACE", "ETHNICITY", "GENDER", "BIRTHPLACE"),
        *("CITY", "STATE", "ZIP"),
    ),
    "synthea/conditions.csv.gz": ("START", "STOP"),
    "eunomia_gibleed/PERSON.csv.gz": ("YEAR_OF_BIRTH", "BIRTH_DATETIME", "RACE_CONCEPT_ID"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("file", IDENTIFYING)
def test_real_columns_are_judged_as_a_privacy_officer_would(data_dir: Path, file: str) -> None:
    """No identifier is anything else, no date is lost, and nothing is harmless without a reason."""
    with read(data_dir / file) as source:
        found = examine(source, source.columns).judgments
    assert {name for name, j in found.items() if j.role == "identifiers"} == IDENTIFYING[file]
    assert {found[name].role for name in KNOWN.get(file, ())} <= {"quasi"}
    assert "unchanged" not in {judgment.role for judgment in found.values()}
    for judgment in found.values():
        assert judgment.identifier == (judgment.role == "identifiers")


def test_the_checklist_answers_for_each_of_the_eighteen() -> None:
    """Found, not found, or not assessed: what was not looked at is never said not to be there."""
    lines = checklist(
        [IdentifierFinding("mail", 6, "so", REMOVE, called=False)], free_text=["note"]
    )
    assert [line.number for line in lines] == list(identifiers())
    answers = {line.number: line.answer for line in lines}
    assert (answers[6], lines[5].columns) == ("found", ("mail",))
    assert {answers[number] for number in (1, 16, 17)} == {"not assessed"}
    assert answers[15] == "not found"
    assert checklist([])[0].answer == "not found"
    assert lines[0].to_dict()["note"] == "not assessed in the long texts of note"


def test_weights_of_a_survey_are_not_what_an_attacker_knows() -> None:
    """But the weight of a body is. Fault class: IPUMS household weights were quasi-identifiers."""
    names = ("household_weight", "HHWT", "fnlwgt", "sampling weight", "PWGTP12", "weight")
    found = judged(RECORDS, **{name: lambda i: f"{50 + i % 40}.5" for name in names})
    body = found.pop("weight")
    assert body.role == "quasi"
    assert {one.role for one in found.values()} == {None}
    assert all(one.reason.startswith("a sampling weight") for one in found.values())
    assert roles(household_weight=lambda i: f"band {i % 4}") == {"household_weight": "quasi"}
