"""A scan proposes roles, hierarchies, and warnings, as a project file for review."""

from __future__ import annotations

import json
import os
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from commands import listing, run, without_charts
from small_tables import PATIENTS, patients, write_csv

from roadstead import scan
from roadstead.requests.project import read_project
from roadstead.tables.locations import FileLocation
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.scan.project_file import path_for

ODD = ('na"me', "a.b", "line\nbreak", "größe", "[x]", "a = b", "#", " padded ", "x,y", "\\t")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of patients."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients())
    return tmp_path


def test_a_proposal_can_be_run_as_it_stands(place: Path) -> None:
    """From the table to a verified release in three commands."""
    ran = run("scan", "patients.csv")
    assert ran.code == 0
    assert "roadstead anonymize --project patients.toml" in ran.err
    project = read_project(place / "patients.toml", REQUESTS)
    assert project.get("roles.identifiers") == ("name", "record")
    assert project.get("roles.quasi") == ("age", "sex", "zip")
    assert project.get("roles.sensitive") == ("diagnosis",)
    assert set(project.get("hierarchies")) == {"age", "sex", "zip"}
    assert run("anonymize", "--project", "patients.toml", "--out", "release").code == 0
    assert run("verify", "release").code == 0


def test_a_decimal_comma_is_warned_of_where_there_is_one(place: Path) -> None:
    """Not of one number alone, nor of a column without a value."""
    rows = [("70,5" if at % 2 else "82", "3", "") for at in range(20)]
    write_csv(place / "odd.csv", ("weight", "age", "birth_year"), rows)
    found = {one["name"]: one for one in run("scan", "odd.csv", "--json").json["columns"]}
    warned = {name for name, one in found.items() if "decimal comma" in json.dumps(one)}
    assert warned == {"weight"}


def test_a_proposal_lies_where_it_is_asked_for_and_finds_the_table(place: Path) -> None:
    """From anywhere."""
    (place / "plans").mkdir()
    assert run("scan", "patients.csv", "--out", "plans/study.toml").code == 0
    os.chdir(place / "plans")
    assert run("anonymize", "--project", "study.toml", "--json").json["records"] == 200


def test_a_proposal_tells_every_column_and_why() -> None:
    """To people and, the same, as JSON."""
    lines = run("scan", "patients.csv").out.splitlines()
    found = run("scan", "patients.csv", "--out", "again.toml", "--json").json
    assert (found["records"], found["project"]) == (200, "again.toml")
    assert [column["name"] for column in found["columns"]] == list(PATIENTS)
    for line, column in zip(lines[1 : 1 + len(PATIENTS)], found["columns"], strict=True):
        for word in ("name", "role", "reason"):
            assert column[word] in line


def test_a_proposal_holds_names_of_any_kind(place: Path) -> None:
    """As TOML that reads back the same."""
    write_csv(place / "odd.csv", ODD, [tuple("abcdefghij")] * 6)
    proposal = scan(place / "odd.csv")
    document = tomllib.loads(proposal.to_toml())
    named = [name for role in document["roles"].values() for name in role]
    assert sorted(named) == sorted(ODD)
    proposal.write(place / "odd.toml")
    assert read_project(place / "odd.toml", REQUESTS).get("data") == "odd.csv"


def test_a_proposal_remembers_how_the_table_had_to_be_read(place: Path) -> None:
    """So that the project file is enough."""
    rows = [(str(20 + i % 10), "ä", f"{i}") for i in range(60)]
    write_csv(place / "odd.txt", None, rows, delimiter=";", encoding="latin-1")
    how = ("--delimiter", ";", "--encoding", "latin-1", "--no-header")
    assert run("scan", "odd.txt", *how, "--out", "odd.toml").code == 0
    roles = ("--quasi", "column_1", "--unchanged", "column_2", "--identifiers", "column_3")
    ran = run("anonymize", "--project", "odd.toml", *roles, "--json")
    assert ran.code == 0, ran
    assert ran.json["records"] == 60


def test_a_project_file_is_written_whole_or_not_at_all(place: Path) -> None:
    """One that exists stays, unless it is to be replaced."""
    before = listing(place)
    for out, says in (
        ("nowhere/project.toml", "nowhere/project.toml"),
        ("patients.csv/project.toml", "patients.csv/project.toml"),
        ("patients.csv", "already exists"),
        (".", "already exists"),
    ):
        ran = run("scan", "patients.csv", "--out", out)
        assert (ran.code, ran.out) == (2, ""), ran
        assert says in ran.error
        assert listing(place) == before
    assert run("scan", "patients.csv", "--out", "project.toml").code == 0
    assert run("scan", "patients.csv", "--out", "project.toml", "--force").code == 0
    assert listing(place).keys() == {"patients.csv", "project.toml"}


@pytest.mark.parametrize(
    ("table", "project"),
    [
        ("visits.2026.01.csv", "visits.2026.01.toml"),
        ("visits.2026.02.csv", "visits.2026.02.toml"),
        ("visits.csv.gz", "visits.toml"),
        (".visits.csv", "visits.toml"),
        ("ward.xlsx?sheet=May&cells=A3", "ward.toml"),
        ("visits", "visits.toml"),
    ],
)
def test_a_project_file_has_the_name_of_its_table(table: str, project: str) -> None:
    """So that tables of two months do not share a project file."""
    assert path_for(FileLocation(Path(table))) == Path(project)


IDENTIFIERS = [("name", 1), ("record", 8), ("zip", 2)]
"""The patients' columns on the Safe Harbor list, with their numbers."""


def test_a_proposal_says_which_columns_safe_harbor_names(place: Path) -> None:
    """In the terminal, as JSON, and next to the roles, without a value."""
    lines = run("scan", "patients.csv").out.splitlines()[2 + len(PATIENTS) :]
    found = run("scan", "patients.csv", "--out", "again.toml", "--json").json["safe_harbor"]
    assert lines[0] == "HIPAA Safe Harbor: 3 columns look like one of its 18 identifiers"
    assert [(finding["column"], finding["number"]) for finding in found] == IDENTIFIERS
    for line, finding in zip(lines[1 : 1 + len(found)], found, strict=True):
        for part in ("column", "number", "identifier", "why", "remedy"):
            assert str(finding[part]) in line
    project = (place / "patients.toml").read_text("utf-8")
    assert '"zip", # the column name fits, and 100% of the distinct values sampled look ' in project
    assert project.count("Safe Harbor") == len(IDENTIFIERS)
    told = " ".join([*lines, project])
    assert not any(cell in told for row in patients() for cell in (row[0], row[1], row[4]))


def test_a_table_without_identifiers_is_said_to_have_none(place: Path) -> None:
    """And its project file does not speak of them."""
    write_csv(place / "few.csv", ("sex", "race"), [("F", "white"), ("M", "black")] * 9)
    lines = run("scan", "few.csv").out.splitlines()
    assert lines[3] == "HIPAA Safe Harbor: no column looks like one of its 18 identifiers"
    assert "Safe Harbor" not in (place / "few.toml").read_text("utf-8")


def test_ages_over_89_are_found_in_the_last_record(place: Path) -> None:
    """Of many."""
    rows = [("F", str(20 + i % 60)) for i in range(9_000)]
    write_csv(place / "ages.csv", ("sex", "age"), rows)
    assert scan(place / "ages.csv").safe_harbor == ()
    write_csv(place / "ages.csv", ("sex", "age"), [*rows, ("M", "97")])
    (finding,) = scan(place / "ages.csv").safe_harbor
    assert (finding.column, finding.number) == ("age", 3)


def test_a_marker_is_told_and_read_as_missing_where_it_is_said(place: Path) -> None:
    """On the command line and in the project file. Fault class: "?" is a value."""
    rows = [(("white", "black", "?")[i % 3], ("F", "M")[i % 2]) for i in range(60)]
    write_csv(place / "marked.csv", ("race", "sex"), rows)
    told = run("scan", "marked.csv", "--out", "first.toml").out
    assert "20 values of race are ?: if ? means missing, use --missing 'race=?'" in told
    ran = run("scan", "marked.csv", "--missing", "?", "--out", "again.toml")
    assert "20 missing" in ran.out
    assert "means missing" not in ran.out
    assert "may mean a missing value" not in told + ran.out
    assert read_project(place / "again.toml", REQUESTS).get("reading.missing") == ("?",)
    assert run("anonymize", "--project", "again.toml", "--out", "release").code == 0
    assert "?" not in (place / "release" / "marked.csv").read_text("utf-8")


FORMS = [
    *("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%d%b%Y", "%d%b%Y:%H:%M:%S", "%Y%m%d"),
    *("%m/%d/%Y", "%m/%d/%Y %I:%M %p", "%d-%b-%Y", "%d.%m.%Y %H:%M"),
]


def test_dates_of_every_form_are_released_coarser(place: Path) -> None:
    """As scan proposes them, in one run each. Fault class: a date lost for being a date."""
    start = datetime(2018, 1, 1, 8, 45, tzinfo=UTC)
    days = [start + timedelta(days=i, minutes=i) for i in range(360)]
    names = [f"moment_{at}" for at in range(len(FORMS))]
    rows = [[day.strftime(form).upper() for form in FORMS] for day in days]
    write_csv(place / "dates.csv", names, rows)
    assert run("scan", "dates.csv").code == 0
    project = read_project(place / "dates.toml", REQUESTS)
    assert project.get("roles.quasi") == tuple(names)
    assert {spec["kind"] for spec in project.get("hierarchies").values()} == {"dates"}
    levels = [f"--min-level={name}=2" for name in names]
    ran = run("anonymize", "--project", "dates.toml", *levels, "--out", "release")
    assert ran.code == 0, ran
    _, *released = (place / "release" / "dates.csv").read_text("utf-8").splitlines()
    assert set(released) == {",".join([f"2018-Q{q}"] * len(names)) for q in (1, 2, 3, 4)}


def test_one_output_never_says_two_things_of_a_column(place: Path) -> None:
    """A Safe Harbor column is also a direct identifier. Fault class: a name is released."""
    rows = [
        (f"Zyx{i % 40}", str(7_000_000 + 37 * i), ("F", "M")[i % 2], str(i % 14), f"{i % 9}")
        for i in range(300)
    ]
    write_csv(place / "people.csv", ("FIRST", "patient_nbr", "sex", "stay", "x"), rows)
    ran = run("scan", "people.csv", "--json").json
    removed = {f["column"] for f in ran["safe_harbor"] if f["remedy"] == "remove"}
    identifiers = {c["name"] for c in ran["columns"] if c["role"] == "identifiers"}
    assert removed == identifiers == {"FIRST", "patient_nbr"}
    assert ran["undecided"] == ["stay", "x"]
    assert [line["number"] for line in ran["checklist"]] == list(range(1, 19))
    assert {"found", "not found", "not assessed"} == {line["answer"] for line in ran["checklist"]}


def test_what_is_undecided_has_its_own_heading(place: Path) -> None:
    """Counted, with what to do, and listed in the project file. Fault class: a forgotten column."""
    rows = [(("F", "M")[i % 2], str(i % 14), f"{i % 9}") for i in range(300)]
    write_csv(place / "people.csv", ("sex", "stay", "x"), rows)
    lines = run("scan", "people.csv").out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Undecided: 2 columns"))
    assert lines[at].endswith("Columns without a role are withheld.")
    assert "give it a role in the project file" in lines[at + 1]
    assert [line.split()[0] for line in lines[at + 2 : at + 4]] == ["stay", "x"]
    document = tomllib.loads((place / "people.toml").read_text("utf-8"))
    assert document["roles"]["undecided"] == ["stay", "x"]
    assert document["roles"]["unchanged"] == []
    assert run("scan", "people.csv", "--force").code == 0


@pytest.mark.parametrize("roles", ["", 'quasi = ["x"]\n'])
def test_a_strangers_settings_with_roles_are_never_replaced(place: Path, roles: str) -> None:
    """A table of that name is not enough. Fault class: a file of another program is lost."""
    theirs = f'[roles]\n{roles}\n[servers]\nweb = "a"\n'
    (place / "theirs.toml").write_text(theirs, encoding="utf-8")
    ran = run("scan", "patients.csv", "--out", "theirs.toml", "--force")
    assert ran.code == 2
    assert "is not a project file" in ran.error
    assert (place / "theirs.toml").read_text(encoding="utf-8") == theirs
