"""A set of tables in a project file is released together, or refused with the reason."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run

import roadstead as rs
from roadstead.determination.figures import measured

PROJECT = """
data = "extract"

[privacy]
k = 3

[persons]
shift_days = 30

[tables.patients]
data = "patients.csv"
person = "ID"
birth = "DOB"
quasi = ["SEX"]

[tables.admissions]
data = "admissions.csv"
person = "PATIENT"
key = "ADMISSION"
dates = ["IN", "OUT"]
code = "KIND"
root = "other"

[tables.diagnoses]
data = "diagnoses.csv"
person = "PATIENT"
keys = {ADMISSION = "admissions"}
code = "ICD"
details = ["TEXT"]
"""


@pytest.fixture
def extract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write three tables and the project file, and go there."""
    chance = random.Random(3)  # noqa: S311 - made-up people
    folder = tmp_path / "extract"
    folder.mkdir()
    patients, admissions, diagnoses = [], [], []
    for number in range(120):
        who = f"p{number:03}"
        born = date(chance.choice((1960, 1980)), chance.randrange(1, 13), 3)
        patients.append((who, f"Name {number}", str(born), chance.choice("FM")))
        for at in range(chance.randrange(1, 4)):
            came = date(2010, 1, 1) + timedelta(chance.randrange(1500))
            kind = "rare" if number == 7 else chance.choice(("planned", "urgent"))
            admission = f"{who}-{at}"
            left = came + timedelta(chance.randrange(9))
            admissions.append(
                (admission, who, f"{came} 10:11:12", f"{left} 08:00:00", kind, "Dr X")
            )
            for code in chance.sample(("I10", "E11", "J45", "Q99"), 2):
                text = "Dr X saw it" if code == "Q99" and number % 40 else f"text of {code}"
                diagnoses.append((who, admission, code, text))
    for name, head, rows in (
        ("patients", ("ID", "NAME", "DOB", "SEX"), patients),
        ("admissions", ("ADMISSION", "PATIENT", "IN", "OUT", "KIND", "DOCTOR"), admissions),
        ("diagnoses", ("PATIENT", "ADMISSION", "ICD", "TEXT"), diagnoses),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([head, *rows])
    (tmp_path / "study.toml").write_text(PROJECT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.nightly
def test_three_tables_leave_together(extract: Path) -> None:
    """Tables without a description are missing; keys match, and three people share each code."""
    made = run("anonymize", "--project", "study.toml", "--out", "out")
    assert made.code == 0, made.err
    assert "kept = " not in made.out
    assert made.out.endswith("  patients: NAME\n  admissions: DOCTOR\n")
    out = extract / "out"
    patients = {row["ID"]: (row["DOB"], row["SEX"]) for row in rows(out / "patients.csv")}
    assert all("NAME" not in row for row in rows(out / "patients.csv"))
    assert not any(len(born) == 10 for born, _ in patients.values())
    assert not any(who.startswith("p0") for who in patients)
    assert min(Counter(patients.values()).values()) >= 3
    admissions = {row["ADMISSION"]: row for row in rows(out / "admissions.csv")}
    assert all(len(row["IN"]) == 10 for row in admissions.values())
    shared: dict[object, set[str]] = defaultdict(set)
    for row in admissions.values():
        shared[patients[row["PATIENT"]], row["KIND"]].add(row["PATIENT"])
    for row in rows(out / "diagnoses.csv"):
        assert admissions[row["ADMISSION"]]["PATIENT"] == row["PATIENT"]
        shared[patients[row["PATIENT"]], row["ICD"]].add(row["PATIENT"])
    assert min(map(len, shared.values())) >= 3
    verified = run("verify", "out")
    assert verified.code == 0
    last = verified.out.splitlines()[-1]
    assert last.startswith("Passed: 3-anonymity of people by DOB, SEX, any 2 codes (")
    assert "and verified: " in made.out


@pytest.mark.nightly
def test_a_determination_says_what_was_done_to_each_column(extract: Path) -> None:
    """Keys, dates, and codes are not released unchanged; rows counted are those of people."""
    assert run("anonymize", "--project", "study.toml", "--out", "out").code == 0
    folder = extract / "out"
    of = measured(folder, rs.verify(folder)).figures
    shown = {name: one.value for name, one in of.items()}
    does = {name: (role, done) for name, role, done in shown["variables"]}
    assert does["patients.ID"][0] == does["admissions.PATIENT"][0] == "pseudonym"
    assert does["patients.DOB"][0] == "quasi-identifier"
    assert does["admissions.ADMISSION"] == ("key", "a new key")
    assert does["admissions.IN"][1].startswith("shifted by")
    assert does["diagnoses.ICD"][1].startswith("replaced with a more general code")
    assert all(done for _, done in does.values())
    sources = sum(len(rows(path)) for path in (extract / "extract").iterdir())
    left = sum(len(rows(path)) for path in (extract / "out").glob("*.csv"))
    assert (shown["records"]["records"], shown["records"]["released"]) == (sources, left)


def test_names_of_columns_may_contain_words_of_sql(extract: Path) -> None:
    """Fault class: a join was inserted into the middle of a column's name."""
    for path in (extract / "study.toml", *(extract / "extract").iterdir()):
        text = path.read_text("utf-8").replace("{ADMISSION =", '{"ADMISSION WHERE KEY" =')
        for old, new in (("PATIENT", "ID WHERE KNOWN"), ("ADMISSION", "ADMISSION WHERE KEY")):
            for mark in ('"', ","):
                text = text.replace(f"{old}{mark}", f"{new}{mark}")
        path.write_text(text, encoding="utf-8")
    made = run("anonymize", "--project", "study.toml", "--out", "out")
    assert made.code == 0, made.err
    assert "ADMISSION WHERE KEY" in (extract / "out" / "diagnoses.csv").read_text("utf-8")


def test_a_release_is_replaced_only_by_force_and_only_as_it_was(extract: Path) -> None:
    """Files that a user added belong to the user."""
    assert run("anonymize", "--project", "study.toml", "--out", "out").code == 0
    assert "already exists" in run("anonymize", "--project", "study.toml", "--out", "out").err
    again = run("anonymize", "--project", "study.toml", "--out", "out", "--force")
    assert again.code == 0
    (extract / "out" / "mine.txt").write_text("mine")
    refused = run("anonymize", "--project", "study.toml", "--out", "out", "--force")
    assert "not part of an earlier release" in refused.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('quasi = ["SEX"]', 'quasi = ["GENDER"]', "no column 'GENDER'"),
        ('code = "ICD"', 'codes = "ICD"', "tables.diagnoses: codes: this key is not known"),
        ('ADMISSION = "admissions"', 'ADMISSION = "stays"', "is not a table of this set"),
        ('key = "ADMISSION"\n', "", "has no key column"),
        ('data = "diagnoses.csv"\n', "", "no file is named"),
        ('birth = "DOB"\nquasi = ["SEX"]\n', "", "0 tables have quasi or birth"),
        ('dates = ["IN", "OUT"]', 'dates = ["DOCTOR"]', "is not a date"),
        ('person = "ID"', 'person = "SEX"', "a missing or repeated key"),
        ("shift_days = 30", "shift_days = 900", "must have more than"),
        ("shift_days = 30", 'knows = "all"', "cannot protect against"),
        ("shift_days = 30", 'link = "none"', "linked by their keys"),
        ('data = "extract"', 'data = "nothing"', "is not given"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    extract: Path, old: str, new: str, said: str
) -> None:
    """In one line, before anything is written."""
    assert old in PROJECT
    (extract / "study.toml").write_text(PROJECT.replace(old, new), encoding="utf-8")
    refused = run("anonymize", "--project", "study.toml", "--out", "out")
    assert refused.code != 0
    assert said in refused.err
    assert not (extract / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--sensitive", "ICD"), "--sensitive: this setting is for a single table"),
        (("--into", "duckdb://x.duckdb?table=a"), "for a single table"),
        (("--k", "1"), "protects no one"),
        (("--average-over", "persons"), "--average-over: this setting is for a single table"),
        (("--suppressed", "mask"), "left out of every table"),
    ],
)
def test_options_of_single_tables_are_refused(
    extract: Path, given: tuple[str, ...], said: str
) -> None:
    """They would not be heeded."""
    refused = run("anonymize", "--project", "study.toml", "--out", "out", *given)
    assert refused.code != 0
    assert said in refused.err
    assert not (extract / "out").exists()


def test_without_a_folder_nothing_is_done(extract: Path) -> None:
    """There is no table to show."""
    assert extract.is_dir()
    said = run("anonymize", "--project", "study.toml").err
    assert "--out: the release of a whole database requires an output folder" in said
