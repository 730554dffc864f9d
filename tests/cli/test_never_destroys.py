"""``--force`` replaces Roadstead's own files, and no other files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import undrawn

import roadstead as rs
from roadstead.cli.run import run

TABLE = "name,zip,sex\n" + "".join(f"p{i},0213{i % 3},{'fm'[i % 2]}\n" for i in range(60))


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table with names in it."""
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def anonymize(table: Path, out: Path, *more: str) -> int:
    """Release the table by ZIP and sex."""
    quasi = ["--quasi", "zip,sex", "--identifiers", "name"]
    return run(["anonymize", str(table), *quasi, "--out", str(out), *more])


def test_the_demonstration_never_replaces_a_table_of_the_same_name(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "patients.csv").write_text(TABLE)
    assert run(["demo", "--out", str(folder), "--patients", "60", "--force"]) == 2
    assert (folder / "patients.csv").read_text() == TABLE


@pytest.mark.nightly
def test_the_demonstration_replaces_itself_until_it_is_touched(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    asked = ["demo", "--out", str(folder), "--patients", "60"]
    assert run(asked) == 0
    assert run([*asked, "--force"]) == 0
    (folder / "patients.csv").write_text(TABLE)
    assert run([*asked, "--force"]) == 2
    assert (folder / "patients.csv").read_text() == TABLE


def test_a_scan_never_replaces_anything_but_a_project_file(table: Path, tmp_path: Path) -> None:
    assert run(["scan", str(table), "--out", str(table), "--force"]) == 2
    assert table.read_text() == TABLE
    project = tmp_path / "people.toml"
    assert run(["scan", str(table), "--out", str(project)]) == 0
    assert run(["scan", str(table), "--out", str(project)]) == 2
    assert run(["scan", str(table), "--out", str(project), "--force"]) == 0


def test_a_release_that_holds_the_original_is_not_replaced(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    assert anonymize(table, out) == 0
    shutil.copy(table, out / "people.csv")
    assert anonymize(out / "people.csv", out, "--force") == 2
    assert (out / "people.csv").read_text() == TABLE


def test_a_release_beside_the_original_does_not_pass(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    assert anonymize(table, out) == 0
    assert run(["verify", str(out)]) == 0
    shutil.copy(table, out / "original.csv")
    assert run(["verify", str(out)]) == 1
    said = capsys.readouterr().out
    assert "no other files: the folder also contains 'original.csv'" in said


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"privacy": [{"kind": "k-anonymity", "k": 50}]}},
        {"settings": {"suppression": 0.0}},
    ],
    ids=["privacy", "suppression"],
)
def test_a_certificate_that_says_more_than_its_policy_does_not_pass(
    table: Path, tmp_path: Path, change: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    assert anonymize(table, out) == 0
    path = out / "certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert run(["verify", str(out)]) == 1
    assert "FAIL  the privacy requirements match the policy" in capsys.readouterr().out


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("asked", "into"),
    [
        (["anonymize", "--quasi", "zip,sex", "--identifiers", "name"], "release"),
        (["anonymize", "--quasi", "zip,sex", "--identifiers", "name"], "year=2099"),
        (["frontier", "--quasi", "zip,sex"], "found"),
        (["risk", "--quasi", "zip,sex"], "deep/risk"),
        (["scan"], "people.toml"),
    ],
)
def test_nothing_is_written_into_the_folder_of_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: list[str], into: str
) -> None:
    """A release there would be read as a part of the table in the next month."""
    data = tmp_path / "people"
    (data / "year=2024").mkdir(parents=True)
    (data / "year=2024" / "a.csv").write_text(TABLE)
    verb, *more = asked
    assert run([verb, str(data), *more, "--out", str(data / into)]) == 2
    assert "the folder of the table" in capsys.readouterr().err
    assert [one.name for one in data.iterdir()] == ["year=2024"]
    assert run([verb, str(data), *more, "--out", str(tmp_path / "out.toml")]) == 0


def test_a_result_is_not_written_into_the_folder_of_its_table(tmp_path: Path) -> None:
    """Also from Python, where a result is written later."""
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "a.csv").write_text(TABLE)
    found = rs.anonymize(tmp_path / "people", quasi=["zip", "sex"], identifiers=["name"])
    with pytest.raises(rs.OutputError, match="inside"):
        found.write(tmp_path / "people" / "release")
