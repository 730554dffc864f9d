"""Shifted dates have no time of day unless it is named, and then the output counts the times."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from commands import run
from second_opinion import verdict

import roadstead as rs
from roadstead.determination.figures import measured

HEADER = ("patient", "sex", "arrived", "left")
ASKED = (
    *("--person", "patient", "--quasi", "sex", "--k", "5", "--link", "pseudonym"),
    *("--release-anyway", "arrived,left", "--shift-days", "60"),
)


def stays() -> list[tuple[str, str, datetime, datetime]]:
    """Three stays in an emergency department of each of 80 people.

    All people arrive at the same five times, except that P05 has times of its own. All leave at
    another second.
    """
    rows = []
    for at in range(240):
        person = at // 3
        arrived = datetime.fromisoformat("2020-01-01T08:15:00") + timedelta(at * 29 % 900)
        arrived += timedelta(minutes=7 if person == 5 else 60 * (at % 5))
        left = arrived.replace(hour=20, minute=at // 60, second=at % 60)
        rows.append((f"P{person:02}", "FM"[person % 2], arrived, left))
    return rows


def write_stays(path: Path) -> Path:
    """Write the stays as text or as Parquet."""
    rows = stays()
    if path.suffix == ".parquet":
        columns = zip(*rows, strict=True)
        pyarrow.parquet.write_table(pa.table(dict(zip(HEADER, columns, strict=True))), path)
        return path
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([HEADER, *rows])
    return path


def released(path: Path, column: str) -> list[str]:
    """Read a column of a release as text."""
    if path.suffix == ".parquet":
        return [str(one) for one in pyarrow.parquet.read_table(path)[column].to_pylist()]
    with path.open(encoding="utf-8", newline="") as stream:
        return [row[column] for row in csv.DictReader(stream)]


def forms(arrived: str, left: str) -> tuple[str, ...]:
    return (*ASKED, "--date", f"arrived={arrived}", "--date", f"left={left}")


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_shift_releases_the_day_alone(kind: str, tmp_path: Path) -> None:
    """Fault class: exact times singled out nearly every record of a release with shifted dates."""
    path = write_stays(tmp_path / f"stays.{kind}")
    ended = run("anonymize", path, *forms("shift", "shift"), "--out", tmp_path / "out", "--json")
    assert ended.code == 0, ended.err
    assert "times_of_day" not in ended.json["dates"]
    for column in ("arrived", "left"):
        days = released(tmp_path / "out" / path.name, column)
        assert len(days) > 100
        assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) for day in days)
    again = rs.apply(tmp_path / "out" / "policy.json", path, suppression=0.5)
    again.write(tmp_path / "again")
    assert all(len(day) == 10 for day in released(tmp_path / "again" / path.name, "left"))
    assert "arrived: the day, shifted, without a time of day." in str(again)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_times_that_are_named_stay_and_are_counted(kind: str, tmp_path: Path) -> None:
    """Of the times of arrival, only those of P05 belong to one person; of the others, all do."""
    path = write_stays(tmp_path / f"stays.{kind}")
    out = tmp_path / "out"
    ended = run("anonymize", path, *forms("shift-time", "shift-time"), "--out", out, "--json")
    assert ended.code == 0, ended.err
    arrived, left = (released(out / path.name, column) for column in ("arrived", "left"))
    own = Counter(one[11:16] for one in arrived)["08:22"]
    counted = ended.json["dates"]["times_of_day"]
    assert len(arrived) == ended.json["released"] == ended.json["records"]
    assert counted == {
        "arrived": {"records": len(arrived), "of_one_person": own},
        "left": {"records": len(left), "of_one_person": len(left)},
    }
    assert own == 3
    minutes = {(row[2].time(), row[3].time()) for row in stays()}
    pairs = zip(
        map(datetime.fromisoformat, arrived), map(datetime.fromisoformat, left), strict=True
    )
    assert {(one.time(), other.time()) for one, other in pairs} <= minutes


def test_everyone_who_reads_the_release_is_warned(tmp_path: Path) -> None:
    """On the terminal, in the report, in the determination, and when the policy is used again."""
    path = write_stays(tmp_path / "stays.csv")
    out = tmp_path / "out"
    ended = run("anonymize", path, *forms("shift", "shift-time"), "--out", out)
    assert ended.code == 0, ended.err
    (line,) = (one for one in ended.out.splitlines() if "times of day in" in one)
    number, total = re.findall(r"\d+", line)[:2]
    assert number == total == str(len(released(out / "stays.csv", "left")))
    assert line.startswith("Warning: ")
    assert "--date with left=shift" in line
    report = (out / "report.html").read_text()
    assert "Warning: some times of day in left each belong to only one person" in report
    assert "times of day in left" in str(rs.apply(out / "policy.json", path, suppression=0.5))
    verified = rs.verify(out)
    assert verified.passed
    assert verdict(out, signed=False) == "verified"
    assert measured(out, verified).figures["dates"].value["times_of_day"] == ["left"]


@pytest.mark.nightly
def test_a_project_file_and_python_say_the_same(tmp_path: Path) -> None:
    """All lead to the policy that the command line makes."""
    path = write_stays(tmp_path / "stays.csv")
    ended = run("anonymize", path, *forms("shift", "shift-time"), "--out", tmp_path / "typed")
    assert ended.code == 0, ended.err
    project = tmp_path / "project.toml"
    project.write_text(
        'data = "stays.csv"\n[roles]\nperson = "patient"\nquasi = ["sex"]\n'
        'release_anyway = ["arrived", "left"]\n[privacy]\nk = 5\n'
        '[persons]\nlink = "pseudonym"\nshift_days = 60\n'
        '[persons.dates]\narrived = "shift"\nleft = "shift-time"\n'
    )
    ended = run("anonymize", "--project", project, "--out", tmp_path / "project")
    assert ended.code == 0, ended.err
    made = rs.anonymize(
        path,
        person="patient",
        quasi=["sex"],
        k=5,
        link="pseudonym",
        release_anyway=["arrived", "left"],
        shift_days=60,
        dates={"arrived": "shift", "left": "shift-time"},
    )
    made.write(tmp_path / "python")
    typed, projected, python = (
        json.loads((tmp_path / name / "policy.json").read_text())
        for name in ("typed", "project", "python")
    )
    assert typed == projected == python
    assert [one["form"] for one in typed["persons"]["dates"]] == ["shift", "shift-time"]
