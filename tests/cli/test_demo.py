"""The demonstration: the main job on synthetic patients, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import listing, run, without_charts


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def demo(*more: str) -> tuple[int, str]:
    """Run it on few patients; give the code and the last line of standard error."""
    ran = run("demo", "--patients", "400", "--out", "demo", *more)
    return ran.code, ran.err.splitlines()[-1]


def test_the_demo_leaves_a_table_a_project_and_a_verified_release(place: Path) -> None:
    """And says so in four steps."""
    ran = run("demo", "--patients", "400", "--out", "demo")
    assert ran.code == 0, ran
    assert [line[:2] for line in ran.err.splitlines()] == ["1.", "2.", "3.", "4."]
    assert "Read the report: demo/release/report.html" in ran.out
    assert {path.name for path in place.iterdir()} == {"demo"}
    assert {path.name for path in (place / "demo").iterdir()} >= {
        "patients.csv",
        "patients.toml",
        "release",
    }
    assert run("verify", "demo/release").code == 0
    assert run("anonymize", "--project", "demo/patients.toml", "--json").json["optimal"] is True


@pytest.mark.nightly
def test_the_demo_is_the_same_for_the_same_seed(place: Path) -> None:
    """And another for another."""
    tables = []
    for seed in ("1", "1", "2"):
        assert demo("--seed", seed, "--force")[0] == 0
        tables.append((place / "demo" / "release" / "patients.csv").read_bytes())
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]


@pytest.mark.nightly
def test_a_former_demo_is_replaced_by_force_and_nothing_else_is(place: Path) -> None:
    """A file more, at the top or in the release, and all stays."""
    assert demo()[0] == 0
    assert demo() == (2, "roadstead: demo: already exists; choose another name, or give --force")
    assert demo("--force")[0] == 0
    for foreign in ("notes.txt", "release/notes.txt"):
        (place / "demo" / foreign).write_text("mine")
        before = listing(place)
        code, message = demo("--force")
        assert code == 2
        assert "not part of an earlier" in message
        assert listing(place) == before
        (place / "demo" / foreign).unlink()


@pytest.mark.parametrize("patients", ["0", "-1", "1", "4"])
def test_a_demo_of_too_few_patients_leaves_nothing(place: Path, patients: str) -> None:
    """They could not hide among each other."""
    ran = run("demo", "--patients", patients, "--out", "demo")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].startswith("roadstead: ")
    assert listing(place) == {}


def test_the_demo_runs_on_very_few_patients() -> None:
    """Nothing suggests a role of a column then, and it is judged."""
    ran = run("demo", "--patients", "10", "--out", "demo")
    assert ran.code == 0, ran
