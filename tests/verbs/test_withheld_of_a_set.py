"""A whole database releases the columns that its rules name, and ends with all others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from commands import run

from roadstead.errors import SourceError

_PROJECT = """data = "extract"

[privacy]
k = 3

[tables.patients]
data = "patients.csv"
person = "pid"
birth = "born"
quasi = ["sex"]

[tables.stays]
data = "stays.csv"
person = "pid"
dates = ["came"]
kept = ["ward"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write patients with names, and stays with remarks and modes, which no rule names."""
    chance = random.Random(5)  # noqa: S311 - no secret
    folder = tmp_path / "extract"
    folder.mkdir()
    patients = [f"p{i},{1950 + i % 3 * 10},{'FM'[i % 2]},Name {i}" for i in range(60)]
    (folder / "patients.csv").write_text("\n".join(["pid,born,sex,name", *patients, ""]))
    stays = [
        f"p{i % 60},20{10 + at}-0{chance.randint(1, 9)}-1{chance.randint(0, 9)},"
        f"w{(i + at) % 3},note {i},{chance.choice('uv')}"
        for at in range(4)
        for i in range(60)
    ]
    (folder / "stays.csv").write_text("\n".join(["pid,came,ward,remark,mode", *stays, ""]))
    path = tmp_path / "set.toml"
    path.write_text(_PROJECT)
    return path


def test_a_set_ends_with_the_columns_that_no_rule_names(project: Path) -> None:
    """With the line to paste, and in JSON.

    Fault class: a forgotten column, and a line to paste that Roadstead then refuses.
    """
    asked = ("anonymize", "--project", project, "--shift-days", "20")
    done = run(*asked, "--out", project.parent / "out")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    at = lines.index("Withheld: 3 columns that no rule releases.")
    assert lines[at + 1 :] == [
        "  patients: name",
        "  stays: remark, mode",
        "To generalize and release columns that an attacker may know about people:",
        '  below [tables.patients]: quasi = ["sex", "name"]',
        "To release columns unchanged, if no attacker knows them:",
        '  below [tables.stays]: kept = ["ward", "mode"]',
        "These columns may identify people or reveal their dates, so Roadstead would refuse to "
        "release them unchanged:",
        "  patients: name",
        "  stays: remark",
    ]
    told = run(*asked, "--out", project.parent / "json", "--json").json
    assert told["columns_withheld"] == {"patients": ["name"], "stays": ["remark", "mode"]}
    checked = run("verify", project.parent / "out")
    assert checked.code == 0, checked.out
    assert "ok    a decision is recorded for every released column: 6 columns" in checked.out
    assert "name" not in (project.parent / "out" / "patients.csv").read_text("utf-8")


@pytest.mark.nightly
def test_an_error_about_withheld_columns_comes_before_the_release(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: the command failed, although the release was written."""

    def fail(*_: object) -> None:
        raise SourceError("a column cannot be examined", where="stays")

    monkeypatch.setattr("roadstead.verbs.database.run.refused_if_kept", fail)
    out = project.parent / "out"
    done = run("anonymize", "--project", project, "--shift-days", "20", "--out", out)
    assert done.code != 0
    assert "a column cannot be examined" in done.err
    assert not out.exists()


def test_a_set_names_the_columns_that_no_group_counts(project: Path) -> None:
    """Fault class: silence about a column that is released unchanged."""
    out = project.parent / "out"
    done = run("anonymize", "--project", project, "--shift-days", "20", "--out", out)
    said = "Warning: stays.ward is released unchanged."
    assert said in done.out
    assert said in (out / "report.html").read_text("utf-8")
    project.write_text(_PROJECT.replace('kept = ["ward"]\n', ""))
    done = run("anonymize", "--project", project, "--shift-days", "20", "--out", out, "--force")
    assert "released unchanged" not in done.out


def test_names_as_attributes_of_people_are_refused(project: Path) -> None:
    """Enough people share each name, so the search would release the names."""
    patients = project.parent / "extract" / "patients.csv"
    head, *rows = patients.read_text().splitlines()
    names = ("Maria Garcia", "James Smith")
    shared = [f"{row.rpartition(',')[0]},{names[at % 2]}" for at, row in enumerate(rows)]
    patients.write_text("\n".join([head, *shared, ""]))
    named = _PROJECT.replace('quasi = ["sex"]', 'quasi = ["sex", "name"]')
    project.write_text(named)
    asked = ("anonymize", "--project", project, "--shift-days", "20", "--out")
    done = run(*asked, project.parent / "out")
    assert done.code == 2
    assert "tables.patients: the release would show values" in done.err
    assert 'remove it from quasi, or release it anyway with release_anyway = ["name"]' in done.err
    assert not (project.parent / "out").exists()
    project.write_text(named.replace('"name"]', '"name"]\nrelease_anyway = ["name"]'))
    done = run(*asked, project.parent / "out")
    assert done.code == 0, done.err
    assert "patients.name is released although it looks like an identifier or a date" in done.out
