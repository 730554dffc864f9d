"""Descriptions of columns, in the file or in a codebook, reach everything that judges columns."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import run

from roadstead.tables.codebooks.reading import read_codebook
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.identifiers.judgment import NEUTRAL
from roadstead.tables.reading import read

pyreadstat = pytest.importorskip("pyreadstat")

LABELS = {
    "hhid": "Household identification",
    "v003": "Line number",
    "v005": "Sample weight (6 decimals)",
    "v024": "District",
    "v130": "Religion",
    "hv104": "Sex of household member",
    "hv105": "Age of household member",
    "v008": "Date of interview (CMC)",
    "v011": "Date of birth (CMC)",
    "hw1": "Age in months of child",
}


def survey() -> dict[str, list[Any]]:
    """Return the rows of 300 households. The households of a member have one weight."""
    rows = [(home, line) for home in range(300) for line in range(1, 2 + home % 4)]
    ages = [(7 * home + 13 * line) % 97 for home, line in rows]
    return {
        "hhid": [f"{home // 15 + 1:4d}{home % 15 + 1:4d}" for home, _ in rows],
        "v003": [line for _, line in rows],
        "v005": [400_000 + 7_919 * (home % 290) for home, _ in rows],
        "v024": [1 + home // 15 % 8 for home, _ in rows],
        "v130": [1 + home // 3 % 6 for home, _ in rows],
        "hv104": [1 + (home + line) % 2 for home, line in rows],
        "hv105": ages,
        "v008": [1_478 + home % 3 for home, _ in rows],
        "v011": [1_478 - 12 * age - age % 12 for age in ages],
        "hw1": [12 * age + age % 12 if age < 5 else None for age in ages],
    }


def written(folder: Path, kind: str, labels: dict[str, str] = LABELS) -> tuple[str | Path, ...]:
    """Write the survey as an SPSS file, or as a CSV file with a codebook; return the arguments."""
    table = pd.DataFrame(survey())
    if kind == "sav":
        path = folder / "s.sav"
        labeled = [labels.get(name) for name in table.columns]
        pyreadstat.write_sav(table, str(path), column_labels=labeled)
        return (path,)
    path, codebook = folder / "s.csv", folder / "book.csv"
    table.to_csv(path, index=False)
    with codebook.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "label"), *labels.items()])
    return (path, "--codebook", codebook)


def found_in(text: str) -> dict[int, str]:
    """Return the columns that a checklist names, by the number of the identifier."""
    lines = re.findall(r"^\s*(\d+) \D.*?(?<!not )found in ([\w, ]+)", text, re.MULTILINE)
    return {int(number): columns.strip() for number, columns in lines}


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["sav", "csv"])
def test_a_scan_and_a_release_judge_columns_by_the_same_descriptions(
    kind: str, tmp_path: Path
) -> None:
    """Fault class: the scan found District and Age, but the report said "not found"."""
    args, out = written(tmp_path, kind), tmp_path / "out"
    scan = run("scan", *args, "--out", tmp_path / "s.toml")
    places = {2: "v024", 3: "hv105, v008, v011, hw1", 18: "hhid"}
    assert found_in(scan.out) == places
    options = ("--quasi", "hv104", "--undecided", "release")
    ran = run("anonymize", *args, *options, "--out", out)
    assert ran.code == 0, ran.err
    assert "v024: places smaller than a state (identifier 2; described in the" in ran.out
    assert "hv105: dates finer than a year, and ages over 89 (identifier 3" in ran.out
    unnamed = [line for line in ran.out.splitlines() if "--unchanged" in line]
    assert not re.search("v024|hv105|v008|v011|hw1|hhid", " ".join(unnamed))
    released = run("scan", out / f"s.{kind}", "--out", tmp_path / "r.toml").out
    assert not re.search(r"^  (v024|hv105|v011|hhid) ", released, re.MULTILINE)
    report = (out / "report.html").read_text(encoding="utf-8")
    assert re.search(r"places smaller than a state.{0,200}?v024", report, re.DOTALL)


def test_a_project_file_keeps_the_descriptions_of_a_codebook(tmp_path: Path) -> None:
    """Fault class: the codebook in the project file told the release nothing about columns."""
    path, _, codebook = written(tmp_path, "csv")
    project = tmp_path / "p.toml"
    project.write_text(
        f'data = "{path}"\n[reading]\ncodebook = "{codebook}"\n[roles]\nquasi = ["hv104"]\n',
        encoding="utf-8",
    )
    ran = run("anonymize", "--project", project, "--undecided", "release", "--out", tmp_path / "o")
    assert "v024: places smaller than a state (identifier 2; described in the" in ran.out


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["v005", "wt", "weight"])
def test_a_sampling_weight_is_never_a_person_id(name: str, tmp_path: Path) -> None:
    """Fault class: with a label on the household ID, the weight of the household was proposed."""
    table = pd.DataFrame(survey()).rename(columns={"v005": name})
    labels = {**LABELS, name: "Sampling weight"} if name != "weight" else LABELS
    source = tmp_path / "s.sav"
    labeled = [labels.get(one) for one in table.columns]
    pyreadstat.write_sav(table, str(source), column_labels=labeled)
    scan = run("scan", source, "--out", tmp_path / "s.toml")
    assert "People: hhid may be the person ID" in scan.out
    ran = run("anonymize", source, "--quasi", "hv104", "--out", tmp_path / "out")
    assert f"column {name} looks like a person ID" not in ran.out


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["sav", "csv"])
def test_ages_by_description_have_one_band_above_89(kind: str, tmp_path: Path) -> None:
    """Fault class: the column q7, "Age of household member", got plain intervals."""
    args, project = written(tmp_path, kind), tmp_path / "s.toml"
    run("scan", *args, "--out", project)
    (line,) = re.findall(r"^hv105 = .*", project.read_text(encoding="utf-8"), re.MULTILINE)
    assert "top = 90" in line
    assert "bands_only = true" in line
    months = re.findall(r"^hw1 = .*", project.read_text(encoding="utf-8"), re.MULTILINE)
    assert "top" not in months[0]
    options = ("--quasi", "hv105", "--max-level", "hv105=1", "--suppression", "0.5")
    ran = run("anonymize", *args, *options, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    policy = json.loads((tmp_path / "out" / "policy.json").read_text(encoding="utf-8"))
    assert str(policy["attributes"][0]["rule"]["top"]) == "90"


def test_exact_coordinates_in_a_release_are_reported(tmp_path: Path) -> None:
    """Fault class: all people of a village are one group, so the place of the village went out."""
    rows = [(f"{1.123456 + at % 9}", f"{30.5 + at % 9 / 7:.5f}", "fm"[at % 2]) for at in range(180)]
    table = pd.DataFrame(rows, columns=["y", "x", "sex"])
    table.to_csv(tmp_path / "t.csv", index=False)
    book = tmp_path / "book.csv"
    book.write_text("name,label\ny,Cluster latitude (GPS)\nx,Longitude\n", encoding="utf-8")
    args = (tmp_path / "t.csv", "--codebook", book, "--quasi", "y,x,sex")
    ran = run("anonymize", *args, "--out", tmp_path / "out")
    said = "The release contains exact coordinates in y and x."
    assert said in ran.out
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert said in report
    assert "require a higher level with --min-level" in ran.out
    assert "require a higher level" not in report  # advice for the custodian
    asked = (*args, "--search", "exact", "--risk", "1", "--choose-reason", "A made-up table")
    chosen = run("frontier", *asked, "--out", tmp_path / "frontier", "--json")
    assert said in " ".join(chosen.json["release"]["noticed"])
    pages = (tmp_path / "frontier" / "release" / "report.html").read_text(encoding="utf-8")
    assert said in pages
    applied = run("apply", tmp_path / "out" / "policy.json", *args[:3], "--out", tmp_path / "next")
    assert said in applied.out
    levels = ("--min-level", "y=2", "--min-level", "x=2")
    assert said not in run("anonymize", *args, *levels, "--out", tmp_path / "wide").out


def test_a_frontier_compares_described_columns_with_safe_harbor(tmp_path: Path) -> None:
    """Fault class: Safe Harbor kept the districts, because the column is called v024."""
    args = written(tmp_path, "sav")
    said = run("frontier", *args, "--quasi", "v024,hv105", "--evaluations", "200").out
    assert "Safe Harbor:" in said
    document = run("frontier", *args, "--quasi", "v024,hv105", "--evaluations", "200", "--json")
    says = " ".join(document.json["safe_harbor"]["says"])
    assert "v024: a place that is smaller than a state" in says
    assert re.search(r"hv105: .*90", says)


def test_the_word_of_a_codebook_is_a_judgment(tmp_path: Path) -> None:
    """A flagged identifier is one for Safe Harbor too; a type of long texts is only a reason."""
    table, codebook = tmp_path / "t.csv", tmp_path / "book.csv"
    table.write_text("\n".join(["a,b,c", *(f"{i % 4},{i % 3},{i % 2}" for i in range(60)), ""]))
    codebook.write_text("name,type,role\na,,identifier\nb,long text,\nc,integer,\n")
    source = replace(read(table), codebook=read_codebook(codebook, ("a", "b", "c")))
    judged = examine_described(source, ("a", "b", "c")).examined.judgments
    assert (judged["a"].role, judged["a"].identifier) == ("identifiers", True)
    assert (judged["b"].role, judged["b"].identifier) == (None, False)
    assert "the codebook" in judged["b"].reason
    assert judged["c"].reason == NEUTRAL
