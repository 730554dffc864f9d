"""A table with a codebook, from the scan to a verified release of codes."""

from __future__ import annotations

import csv
import json
import pickle
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyreadstat
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import NoPolicyError, SettingError, SourceError
from roadstead.reports.scan.lines import proposal_lines
from roadstead.verbs.scan.result import Proposal

DICTIONARY = """\
Variable / Field Name,Form Name,Field Type,Field Label,\
"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,Identifier?
record_id,enrolment,text,Record ID,,,
contact,enrolment,text,Contact,,,y
sex,enrolment,radio,Sex,"1, Male | 2, Female",,
q4,enrolment,dropdown,Region of residence,"1, North | 2, South | 3, East | 4, West",,
age,enrolment,text,Age,,integer,
sym,visit,checkbox,Symptoms,"1, Fever | 2, Cough",,
seen,visit,text,Visit,,date_ymd,
"""
SURVEY = """<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="V012"><labl>Age of respondent</labl></var>
<var name="V024"><labl>Region</labl>
 <catgry><catValu>1</catValu><labl>Zentralland</labl></catgry>
 <catgry><catValu>2</catValu><labl>Bergland</labl></catgry>
 <catgry><catValu>3</catValu><labl>Kuestenland</labl></catgry></var>
<var name="V130"><labl>Children</labl><invalrng><item VALUE="99"/></invalrng></var>
<var name="V501"><labl>Smokes</labl>
 <catgry><catValu>0</catValu><labl>no</labl></catgry>
 <catgry><catValu>1</catValu><labl>yes</labl></catgry>
 <catgry missing="Y"><catValu>9</catValu><labl>refused</labl></catgry></var>
<var name="V999"><labl>Not asked here</labl></var>
</dataDscr></codeBook>"""


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Write an export of a project with two instruments, one of them repeating."""
    folder, draw = tmp_path_factory.mktemp("redcap"), random.Random(5)  # noqa: S311 - a table
    head = "record_id redcap_event_name redcap_repeat_instrument redcap_repeat_instance contact "
    head += "sex q4 age enrolment_complete sym___1 sym___2 seen visit_complete"
    rows: list[Sequence[object]] = []
    for person in range(1, 201):
        own = (draw.choice((1, 2)), draw.choice((1, 2, 3, 4)), draw.randint(20, 39), 2)
        rows.append((person, "first_arm_1", "", "", f"x{person}", *own, "", "", "", ""))
        for visit in range(draw.randint(0, 2)):
            marks = (draw.choice((0, 1)), draw.choice((0, 1)), f"2024-05-{draw.randint(10, 28)}", 2)
            rows.append((person, "later_arm_1", "visit", visit + 1, "", "", "", "", "", *marks))
    (folder / "dictionary.csv").write_text(DICTIONARY)
    return write(folder / "export.csv", head.split(), rows), folder / "dictionary.csv"


def roles_of(proposal: Proposal) -> dict[str, str | None]:
    """Name the role of each column."""
    return {one.name: one.role for one in proposal.columns}


def reason(proposal: Proposal, name: str) -> str:
    """Return the reason of a column, with what the user should check."""
    found = next(one for one in proposal.columns if one.name == name)
    return f"{found.reason}; {found.warning}"


def test_a_redcap_project_from_its_dictionary_to_a_verified_release(
    project: tuple[Path, Path], tmp_path: Path
) -> None:
    """Roles come from the dictionary; groups name labels; the release has codes and no label."""
    table, dictionary = project
    proposal = rs.scan(table, codebook=dictionary)
    roles = roles_of(proposal)
    assert roles["record_id"] == "person"
    assert roles["contact"] == "identifiers"
    assert "the codebook marks the column as an identifier" in reason(proposal, "contact")
    assert roles["q4"] == "quasi", "by its description: its name says nothing"
    assert "described in the codebook" in reason(proposal, "q4")
    of_rows = ("redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance")
    own = (*of_rows, "enrolment_complete", "visit_complete")
    assert {roles[name] for name in own} == {"unchanged"}
    assert {reason(proposal, name) for name in of_rows} == {
        "a column that REDCap adds to describe the rows, not the people; "
    }
    assert roles_of(rs.scan(table))["q4"] is None
    groups = {
        "kind": "mapping",
        "groups": {"Coast": ["North", "West"], "Inland": ["South", "East"]},
    }
    out = tmp_path / "release"
    found = rs.anonymize(
        table,
        quasi=["sex", "q4", "age"],
        sensitive=["sym___1"],
        person="record_id",
        codebook=dictionary,
        hierarchies={"q4": groups},
        min_level={"q4": 1},
        max_level={"q4": 1},
        out=out,
    )
    assert rs.verify(out).passed
    released = pd.read_csv(out / "export.csv", dtype=str, keep_default_na=False)
    assert set(released["q4"]) - {"", "*"} == {"Coast", "Inland"}
    assert set(released["sex"]) - {"", "*"} <= {"1", "2"}
    source = pd.read_csv(table, dtype=str, keep_default_na=False)
    coast = source["q4"].isin(["1", "4"]).sum()
    assert 0 < (released["q4"] == "Coast").sum() <= coast
    assert found.policy.attributes[1].rule.label("4") == "Coast", "the policy reads codes"
    for file in out.iterdir():
        held = file.read_bytes()
        assert not [one for one in (b"North", b"Male", b"Female", b"Fever") if one in held], file


@pytest.mark.nightly
def test_rare_numbers_of_rows_are_left_to_a_person(
    project: tuple[Path, Path], tmp_path: Path
) -> None:
    """The ninth visit of one person links this person's rows."""
    table, dictionary = project
    _, *rows = csv.reader(table.open(encoding="utf-8"))
    more = [[*row[:3], "9", *row[4:]] for row in rows if row[:2] == ["7", "later_arm_1"]]
    more = more or [["7", "later_arm_1", "visit", "9", *[""] * (len(rows[0]) - 4)]]
    head = table.read_text("utf-8").splitlines()[0].split(",")
    proposal = rs.scan(
        write(tmp_path / "export.csv", head, [*rows, *more * 6]), codebook=dictionary
    )
    assert roles_of(proposal)["redcap_repeat_instrument"] == "unchanged"
    assert roles_of(proposal)["redcap_repeat_instance"] is None
    said = "but it has 1 value that fewer than 5 people have"
    assert said in reason(proposal, "redcap_repeat_instance")


def test_groups_of_codes_and_of_labels_are_the_same(project: tuple[Path, Path]) -> None:
    """A hierarchy for labels gives the same cells as the same hierarchy for codes."""
    table, dictionary = project
    found = []
    for codebook, order in ((None, "1234"), (dictionary, ("North", "South", "East", "West"))):
        spec = {"kind": "ordered", "order": list(order), "groups": [2]}
        made = rs.anonymize(
            table, quasi=["q4"], person="record_id", codebook=codebook,
            hierarchies={"q4": spec}, min_level={"q4": 1}, max_level={"q4": 1},
        )  # fmt: skip
        found.append(Counter(made.to_arrow()["q4"].to_pylist()))
    assert found[0] == found[1]
    assert "1 .. 2" in found[0]


def test_sql_of_a_policy_with_groups_of_labels_reads_codes(project: tuple[Path, Path]) -> None:
    """The statement makes the rows of the release, from whole numbers as in a database."""
    table, dictionary = project
    rows = pd.read_csv(table).dropna(subset=["q4"]).astype({"q4": int, "sex": int, "age": int})
    groups = {"Coast": ["North", "West"], "Inland": ["South", "East"]}
    made = rs.anonymize(
        rows, quasi=["q4", "sex"], codebook=dictionary, min_level={"q4": 1}, max_level={"q4": 1},
        hierarchies={"q4": {"kind": "mapping", "groups": groups}},
    )  # fmt: skip
    columns = ["q4", "sex"]
    with duckdb.connect() as con:
        con.register("enrolled", rows)
        found = con.sql(rs.as_sql(made.policy, rows[columns], table="enrolled")).df()
    expected = made.to_arrow().to_pandas()[columns].astype(str)
    assert Counter(found.itertuples(index=False)) == Counter(expected.itertuples(index=False))
    assert {*found["q4"]} == {"Coast", "Inland"}
    for dialect in ("postgres", "spark"):
        assert "'1', '4'" in rs.as_sql(made.policy, dialect=dialect, table="enrolled")


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Write a survey with names in small letters, and its codebook."""
    folder, draw = tmp_path_factory.mktemp("dhs"), random.Random(6)  # noqa: S311 - a table
    rows = [
        (
            draw.randint(15, 49),
            f"{draw.randint(1, 3):02d}",
            99 if at % 20 == 0 else draw.randint(0, 4),
            draw.choice((0, 1, 1, 9)),
            at % 3,
        )
        for at in range(300)
    ]
    (folder / "survey.xml").write_text(SURVEY)
    head = ("v012", "v024", "v130", "v501", "weight_class")
    return write(folder / "survey.csv", head, rows), folder / "survey.xml"


def test_a_survey_with_ddi_to_a_verified_release(survey: tuple[Path, Path], tmp_path: Path) -> None:
    """Missing codes are counted and listed; the project file is accepted as it stands."""
    table, codebook = survey
    proposal = rs.scan(table, codebook=codebook)
    frame = pd.read_csv(table)
    wanted = {"v130=99": int((frame.v130 == 99).sum()), "v501=9": int((frame.v501 == 9).sum())}
    assert dict(proposal.codebook_missing) == wanted
    said = "\n".join(proposal_lines(proposal))
    assert "survey.xml: DDI codebook, describes 4 of 5 columns, with labels in 2 columns" in said
    assert "Not described by the codebook (1): weight_class" in said
    assert "Described by the codebook, but not in the table (1): V999" in said
    roles = roles_of(proposal)
    assert (roles["v012"], roles["v024"]) == ("quasi", "quasi")
    path = tmp_path / "survey.toml"
    proposal.write(path)
    assert '"v130=99", # 15 values, according to the codebook' in path.read_text()
    out = tmp_path / "release"
    made = rs.anonymize(table, roles=proposal, codebook=codebook, unchanged=["v130"], out=out,
                        missing=list(wanted))  # fmt: skip
    assert rs.verify(out).passed
    assert "99" not in pd.read_csv(out / "survey.csv", dtype=str)["v130"].to_list()
    assert made.source.made_missing == {
        "v130": {"99": wanted["v130=99"]},
        "v501": {"9": wanted["v501=9"]},
    }
    assert b"Bergland" not in b"".join(one.read_bytes() for one in out.iterdir())


def test_missing_codes_of_a_codebook_are_not_values(survey: tuple[Path, Path]) -> None:
    """Every command removes them and says how many; an empty code keeps those of a column."""
    table, codebook = survey
    settings: dict[str, Any] = {"quasi": ["v024"], "unchanged": ["v130"], "codebook": codebook}
    made = rs.anonymize(table, **settings)
    assert made.to_arrow()["v130"].null_count == 15
    assert made.draft.declared_missing == {"v130": ["99"]}
    kept = rs.anonymize(table, **settings, missing=["v130="])
    assert "99" in [str(one) for one in kept.to_arrow()["v130"].to_pylist()]
    same = rs.apply(made.policy, table, codebook=codebook)
    assert same.to_arrow()["v130"].null_count == 15
    names = ["--quasi", "v024", "--codebook", str(codebook)]
    for verb in ("anonymize", "risk", "frontier"):
        said = run(verb, str(table), *names).err
        assert "survey.xml declares as missing: 15 in v130, " in said, verb
        assert "To keep them as values, use --missing v130=." in said, verb


def test_missing_codes_make_no_group_diverse(tmp_path: Path) -> None:
    """A group with one diagnosis and "not known" is not 2-diverse, by option and by roles."""
    rows = [(at // 50, at % 2, 4 if at < 40 else 99 if at < 50 else at % 3) for at in range(200)]
    table = write(tmp_path / "t.csv", ("region", "sex", "dx"), rows)
    codebook = write(tmp_path / "c.csv", ("name", "missing"), [("dx", "99")])
    model: dict[str, Any] = {"kind": "distinct-l-diversity", "column": "dx", "l": 2}
    roles = rs.scan(table, codebook=codebook).deciding({"dx": "sensitive", "region": "quasi"})
    for given in ({"roles": roles}, {"quasi": ["region", "sex"], "codebook": codebook}):
        made = rs.anonymize(table, sensitive=["dx"], privacy=[model], suppression=0, **given)
        frame = made.to_pandas().astype({"dx": "string"})
        groups = frame[frame.dx.ne("")].groupby(["region", "sex"]).dx.nunique()
        assert groups.min() >= 2, given


@pytest.mark.parametrize("name", ["t.csv", "labels.csv", "t.sav", "t.dta", "t.parquet"])
def test_a_declared_code_matches_each_notation_and_its_label(name: str, tmp_path: Path) -> None:
    """Fault class: 9.0, and the label of 9, counted as a value, and made groups diverse."""
    rows = [(sex, ward, code) for sex in "FM" for ward in "AB" for code in [1.0] * 5 + [9.0] * 3]
    table = pd.DataFrame(rows, columns=["sex", "ward", "smoke"])
    path = tmp_path / name
    labels: dict[int | float, str] = {1: "yes", 9: "not known"}
    match path.suffix:
        case ".sav":
            pyreadstat.write_sav(table, path, variable_value_labels={"smoke": labels})
        case ".dta":
            pyreadstat.write_dta(table, path, variable_value_labels={"smoke": labels})
        case ".parquet":
            table.to_parquet(path)
        case _:
            shown = table.replace({"smoke": labels}) if name == "labels.csv" else table
            shown.to_csv(path, index=False)
    codebook = tmp_path / "codes.csv"
    codebook.write_text("name,missing,values\nsmoke,9,1=yes; 9=not known\nward,7,\n")
    model = {"kind": "distinct-l-diversity", "column": "smoke", "l": 2}
    asked: dict[str, Any] = {"quasi": ["sex", "ward"], "sensitive": ["smoke"], "suppression": 0}
    ways: list[dict[str, Any]] = [{"codebook": codebook}]
    if name != "labels.csv":
        ways.append({"missing": ["smoke=9"]})
    for way in ways:
        with pytest.raises(NoPolicyError):
            rs.anonymize(path, privacy=[model], **asked, **way)
        (counts,) = rs.anonymize(path, **asked, **way).source.made_missing.values()
        assert [*counts.values()] == [12]
    said = run("risk", path, "--quasi", "sex", "--codebook", codebook).err
    assert "Values that codes.csv declares as missing: 12 in smoke." in said
    assert "No value of ward is a code that codes.csv declares as missing." in said


def test_a_pickled_table_has_no_missing_codes_of_its_codebook(survey: tuple[Path, Path]) -> None:
    """Another process reads the same values."""
    source = rs.scan(survey[0], codebook=survey[1]).source
    again = pickle.loads(pickle.dumps(source))  # noqa: S301 - this test wrote it
    assert again.table.v130.isnull().sum().to_pyarrow().as_py() == 15


def test_a_codebook_never_makes_an_identifier_harmless(tmp_path: Path) -> None:
    """Names stay identifiers, also behind labels; labels that name people are found."""
    people = [f"{first} Huber" for first in ("Anna", "Martin", "Maria", "Thomas", "Julia")]
    rows = [
        (people[at % 5], at % 5, f"p{at}@example.org", at % 2, at % 4, at % 40) for at in range(100)
    ]
    table = write(tmp_path / "t.csv", ("who", "doctor", "mail", "calm", "secret", "linked"), rows)
    values = "; ".join(f"{at}={one}" for at, one in enumerate(people))
    hidden = "; ".join(f"{row[2]}=x{at}" for at, row in enumerate(rows))
    codebook = write(
        tmp_path / "c.csv",
        ("name", "role", "values"),
        [
            ("who", "unchanged", ""),
            ("doctor", "unchanged", values),
            ("mail", "sensitive", hidden),
            ("calm", "unchanged", ""),
            ("secret", "identifier", ""),
            ("linked", "identifier", ""),
        ],
    )
    proposal = rs.scan(table, codebook=codebook)
    assert roles_of(proposal) == {
        "who": "identifiers",
        "doctor": "identifiers",
        "mail": "identifiers",
        "calm": "unchanged",
        "secret": "identifiers",
        "linked": "identifiers",
    }
    assert "its labels in the codebook" in reason(proposal, "doctor")
    for name in ("who", "doctor", "mail"):
        assert "but the scan disagrees" in reason(proposal, name)
    assert "the codebook gives the column the role unchanged" in reason(proposal, "calm")


def test_texts_of_a_codebook_cannot_write_lines(tmp_path: Path) -> None:
    """Escapes of a terminal and line breaks in names and labels are shown as escapes."""
    table = write(tmp_path / "t.csv", ("a", "b"), [(at % 2, at % 3) for at in range(60)])
    codebook = write(
        tmp_path / "c.csv", ("name", "label"), [("a", "x"), ("\x1b[31m\nPassed\u202e", "y")]
    )
    proposal = rs.scan(table, codebook=codebook)
    shown = str(proposal) + proposal.to_toml()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert not any(line.startswith("Passed") for line in shown.splitlines())


def test_wrong_codebooks_are_refused(tmp_path: Path) -> None:
    """A group with the name of a code is ambiguous; a missing file and format are named."""
    table = write(tmp_path / "t.csv", ("a", "b"), [(at % 2 + 1, at % 3) for at in range(60)])
    codebook = write(tmp_path / "c.csv", ("name", "values"), [("a", "1=north; 2=south; 3=east")])
    spec = {"kind": "mapping", "groups": {"1": ["north", "south"]}}
    made = rs.anonymize(table, quasi=["a"], codebook=codebook, hierarchies={"a": spec})
    assert made.policy.quasi == ("a",)
    with pytest.raises(SourceError, match="the codebook cannot be read"):
        rs.scan(table, codebook=tmp_path / "none.csv")
    with pytest.raises(SettingError, match="there is no codebook format 'x'"):
        rs.scan(table, codebook=f"{codebook}?format=x")


@pytest.mark.parametrize("named", ["mrn", "member_id", "quelle"])
def test_the_person_id_of_a_codebook_is_the_only_one_that_is_proposed(
    named: str, tmp_path: Path
) -> None:
    """Whichever column the scan alone would prefer; no line names another proposal."""
    people = [f"{at * 7919 % 10_007:05d}" for at in range(150) for _ in range(2)]
    rows = [
        (f"9{one}", f"2{one}", f"5{one}", "mf"[int(one) % 2], 1940 + int(one) % 60)
        for one in people
    ]
    header = ("mrn", "member_id", "quelle", "sex", "birth_year")
    table = write(tmp_path / "t.csv", header, rows)
    codebook = tmp_path / "c.csv"
    codebook.write_text(f"name,label,role\n{named},ID,person\n")
    found = {one.name: one for one in rs.scan(table, codebook=codebook).columns}
    assert [name for name, one in found.items() if one.role == "person"] == [named]
    assert found[named].warning == ""
    for other in {"mrn", "member_id", "quelle"} - {named}:
        assert found[other].role == "identifiers"
        assert found[other].warning == (
            f"it looks like a person ID (150 values in 300 records), but the codebook names {named}"
        )


def test_codes_that_the_codebook_does_not_list_are_counted(tmp_path: Path) -> None:
    """Fault class: the next extract had a new code, and it was released without a word."""
    head = ("record_id", "sex", "q4")
    rows = [(str(at), at % 2 + 1, f"{at // 2 % 4 + 1}.0") for at in range(200)]
    now, out = write(tmp_path / "now.csv", head, rows), tmp_path / "out"
    (tmp_path / "dictionary.csv").write_text(DICTIONARY)
    with_codes = ("--codebook", tmp_path / "dictionary.csv")
    asked = ("--quasi", "sex", "--unchanged", "q4", "--identifiers", "record_id")
    made = run("anonymize", now, *asked, *with_codes, "--out", out)
    assert made.code == 0, made.err
    assert "not among the codes" not in made.out
    later = write(tmp_path / "later.csv", head, [*rows, ("200", "2", "9"), ("201", "Male", "")])
    ran = run("apply", out / "policy.json", later, *with_codes, "--out", tmp_path / "next")
    assert ran.code == 0, ran.err
    assert (
        "1 of 201 values of q4 are not among the codes that dictionary.csv lists (1 different "
        "value)."
    ) in ran.out
    assert "values of sex are not among" not in ran.out
    new = (*asked, *with_codes, "--out", tmp_path / "new", "--json")
    printed = run("anonymize", later, *new).json["noticed"]
    assert [one for one in printed if "1 of 201 values of q4 are not among the codes" in one]
    assert "not among the codes" not in (tmp_path / "new" / "report.html").read_text("utf-8")


def test_an_export_with_labels_fits_the_dictionary(tmp_path: Path) -> None:
    """Fault class: REDCap repeats headers in this export, and its headers are no field names."""
    head = ["Record ID", "Repeat Instrument", "Contact", "Sex", "Region of residence", "Age"]
    head += ["Complete?", "Symptoms (choice=Fever)", "Symptoms (choice=Cough)", "Visit"]
    head += ["Survey Timestamp", "Complete?", "Survey Timestamp"]
    visit = ("Checked", "Unchecked", "2024-05-01", "", "Complete", "")
    rows = [
        (at % 150, "", f"x{at}", "Male", "North", 20 + at % 9, "Complete", *visit)
        for at in range(200)
    ]
    table = write(tmp_path / "labels.csv", head, rows)
    (tmp_path / "dictionary.csv").write_text(DICTIONARY)
    out = ("--out", tmp_path / "labels.toml")
    ran = run("scan", table, "--codebook", tmp_path / "dictionary.csv", *out, "--json")
    assert ran.code == 0, ran.err
    found = {one["name"]: one["role"] for one in json.loads(ran.out)["columns"]}
    assert (found["Contact"], found["Record ID"]) == ("identifiers", "person")
    assert found["Complete?"] == found["Complete? (2)"] == "unchanged"
    said = run("scan", table, "--codebook", tmp_path / "dictionary.csv", *out, "--force").out
    assert "columns with the same name are numbered: Complete? (2), Survey Timestamp (2)" in said
    assert "describes 11 of 13 columns" in said


def test_all_repeated_names_are_in_one_message(tmp_path: Path) -> None:
    """Fault class: each run named one more repeated column."""
    table = write(tmp_path / "t.csv", ("a", "b", "a", "c", "b", "b"), [(1, 2, 3, 4, 5, 6)])
    refused = run("scan", table, "--out", tmp_path / "t.toml").err
    assert "2 columns are named 'a'; 3 columns are named 'b'; rename all but one of each" in refused


def test_a_codebook_with_only_missing_codes_does_not_list_the_values(tmp_path: Path) -> None:
    """Ages are numbers: the codebook explains -9, in a category or in a range."""
    table = write(tmp_path / "t.csv", ("age", "sex"), [(at % 9 + 20, at % 2) for at in range(90)])
    codebook = tmp_path / "ddi.xml"
    label = "<catgry{}><catValu>-9</catValu><labl>refused</labl></catgry>"
    ranged = label.format("") + '<invalrng><range min="-9" max="-8"/></invalrng>'
    for notes in (label.format(' missing="Y"'), ranged):
        codebook.write_text(
            f'<codeBook><dataDscr><var name="age">{notes}</var></dataDscr></codeBook>'
        )
        made = run("anonymize", table, "--quasi", "sex", "--unchanged", "age",
                   "--codebook", codebook, "--release-anyway", "age")  # fmt: skip
        assert "not among the codes" not in made.out + made.err


def test_missing_codes_of_the_table_are_missing_in_its_population(tmp_path: Path) -> None:
    """Records whose region is not known match the people whose region is not known."""
    rows = [(9 if at % 10 == 0 else at % 3, at % 2) for at in range(120)]
    table = write(tmp_path / "t.csv", ("region", "sex"), rows)
    people = write(tmp_path / "people.csv", ("region", "sex"), rows * 3)
    codebook = write(tmp_path / "c.csv", ("name", "missing"), [("region", "9")])
    given: dict[str, Any] = {"quasi": ["region", "sex"], "population": people}
    for codes in ({"codebook": codebook}, {"missing": ["region=9"]}):
        assert rs.risk(table, **given, **codes).before.journalist is not None
        made = rs.anonymize(table, **given, **codes, privacy=[{"kind": "k-map", "k": 9}])
        assert made.to_arrow()["region"].null_count == 12
        assert rs.apply(made.policy, table, population=people, **codes).draft.counts.suppressed == 0
        assert rs.frontier(table, **given, **codes).members
