"""A command killed or ended by a signal at any moment leaves no unfinished file under its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest
import strikes
from commands import run, run_apart
from patience import PATIENCE
from small_tables import PATIENTS, QUASI, patients, write_csv


def names(folder: Path) -> set[str]:
    """The contents of a folder, with hidden entries."""
    return {entry.name for entry in folder.iterdir()}


def of_file(work: Path) -> tuple[str | Path, ...]:
    """Release a file."""
    data = write_csv(work / "patients.csv", PATIENTS, patients(400))
    return ("anonymize", data, "--quasi", QUASI, "--identifiers", "name,record")


def into_duckdb(work: Path) -> tuple[str | Path, ...]:
    """Release a file into a DuckDB file."""
    return (*of_file(work), "--into", f"duckdb://{work / 'lake.duckdb'}?table=released")


def private(work: Path) -> tuple[str | Path, ...]:
    """Make a differentially private release."""
    rows = [(str(20 + i % 40), "fm"[i % 2], ("flu", "cold")[i % 3 % 2]) for i in range(400)]
    data = write_csv(work / "patients.csv", ("age", "sex", "illness"), rows)
    domains = ("--range", "age=20..59", "--values", "sex=f,m", "--classes", "flu,cold")
    asked = ("--target", "illness", "--epsilon", "1", *domains)
    return ("synthesize", data, *asked, "--specializations", "2")


def whole_database(work: Path) -> tuple[str | Path, ...]:
    """Release two tables of the same people."""
    people = [(f"p{i}", str(1950 + i % 3 * 10), "fm"[i % 2]) for i in range(60)]
    write_csv(work / "patients.csv", ("pid", "born", "sex"), people)
    stays = [(f"p{i % 60}", f"201{i // 60}-03-1{i % 10}", f"w{i // 7 % 3}") for i in range(240)]
    write_csv(work / "stays.csv", ("pid", "came", "ward"), stays)
    (work / "set.toml").write_text(
        f"""data = "{work}"

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
    )
    return ("anonymize", "--project", work / "set.toml", "--shift-days", "20")


@dataclass(frozen=True)
class Struck:
    """How often-struck releases ended, and where."""

    work: Path
    scratch: Path
    codes: set[int]
    verified: set[int]
    """Exit codes of verifying the final folder; -1 if there was none."""


def struck(
    folder: Path,
    number: Signals,
    moments: int,
    made: Callable[[Path], tuple[str | Path, ...]] = of_file,
) -> Struck:
    """Release patients again and again, and strike at so many touches of the disk (0: at all).

    `made` writes what is released into a folder, and gives the command.
    """
    work, scratch = folder / "work", folder / "scratch"
    work.mkdir()
    scratch.mkdir()
    command = (*made(work), "--out", work / "release", "--force")
    ran = subprocess.run(
        [sys.executable, strikes.__file__, number.name, str(moments), work / "release", *command],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    return Struck(work, scratch, {code for code, _ in found}, {code for _, code in found})


@pytest.mark.nightly
@pytest.mark.parametrize("kills", [5, 0])
def test_a_kill_leaves_a_whole_release_or_none(tmp_path: Path, kills: int) -> None:
    """So many of them, or one before each touch of the disk.

    Each starts where the one before was struck down.
    """
    found = struck(tmp_path, SIGKILL, kills)
    assert found.codes <= {0, -SIGKILL}
    assert -SIGKILL in found.codes
    assert found.verified <= {0, -1}
    roles = ("--quasi", QUASI, "--identifiers", "name,record")
    data, out = found.work / "patients.csv", found.work / "release"
    assert run("anonymize", data, *roles, "--out", out, "--force").code == 0
    whole = found.work / "whole" / "patients.csv"
    assert whole.read_bytes() == (out / "patients.csv").read_bytes()


def require_tidied(found: Struck, made: Callable[[Path], tuple[str | Path, ...]]) -> None:
    """See that each kill left a whole release or none, and that the next run tidies up."""
    assert found.codes <= {0, -SIGKILL}
    assert -SIGKILL in found.codes
    inputs = {"patients.csv", "stays.csv", "set.toml", "lake.duckdb", "whole", "release"}
    command = (*made(found.work), "--out", found.work / "release", "--force")
    done = run_apart(*command, folder=found.work, environment={"TMPDIR": str(found.scratch)})
    assert done.code == 0, done.err
    assert names(found.work) <= inputs
    assert names(found.scratch) == set()


@pytest.mark.nightly
def test_the_run_after_kills_finds_nothing_of_them(tmp_path: Path) -> None:
    """Neither hidden folders next to the release nor what the engine spilled."""
    found = struck(tmp_path, SIGKILL, 4)
    assert found.verified <= {0, -1}
    require_tidied(found, of_file)


@pytest.mark.nightly
@pytest.mark.parametrize("made", [of_file, into_duckdb, private, whole_database])
def test_the_run_after_a_kill_at_any_stage_finds_nothing_of_it(
    tmp_path: Path, made: Callable[[Path], tuple[str | Path, ...]]
) -> None:
    """For a file, a table in a database, a private release, and a whole database."""
    found = struck(tmp_path, SIGKILL, 40, made)
    if made is not into_duckdb:  # whose table is not in the folder
        assert found.verified <= {0, -1}
    require_tidied(found, made)


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGINT, 130)])
def test_an_end_by_signal_at_any_moment_leaves_nothing_hidden(
    tmp_path: Path, number: Signals, code: int
) -> None:
    """Neither next to the release nor among the scratch files."""
    found = struck(tmp_path, number, 0)
    assert found.codes <= {0, code}
    assert code in found.codes
    assert found.verified <= {0, -1}
    assert names(found.work) <= {"patients.csv", "whole", "release"}
    assert names(found.scratch) == set()
