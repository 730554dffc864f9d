"""Killed or ended by a signal at any moment: nothing unfinished stands under its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest
import strikes
from commands import run
from patience import PATIENCE
from small_tables import PATIENTS, QUASI, patients, write_csv


def names(folder: Path) -> set[str]:
    """What is in a folder, hidden entries too."""
    return {entry.name for entry in folder.iterdir()}


@dataclass(frozen=True)
class Struck:
    """How often-struck releases ended, and where."""

    work: Path
    scratch: Path
    codes: set[int]
    verified: set[int]
    """Codes of verifying what stood under the final name; -1 where nothing did."""


def struck(folder: Path, number: Signals, moments: int) -> Struck:
    """Release patients again and again, and strike at so many touches of the disk (0: at all)."""
    work, scratch = folder / "work", folder / "scratch"
    work.mkdir()
    scratch.mkdir()
    data = write_csv(work / "patients.csv", PATIENTS, patients(400))
    roles = ("--quasi", QUASI, "--identifying", "name,record")
    command = ("anonymize", data, *roles, "--out", work / "release", "--force")
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
    roles = ("--quasi", QUASI, "--identifying", "name,record")
    data, out = found.work / "patients.csv", found.work / "release"
    assert run("anonymize", data, *roles, "--out", out, "--force").code == 0
    whole = found.work / "whole" / "patients.csv"
    assert whole.read_bytes() == (out / "patients.csv").read_bytes()


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGINT, 130)])
def test_an_end_by_signal_at_any_moment_leaves_nothing_hidden(
    tmp_path: Path, number: Signals, code: int
) -> None:
    """Neither alongside the release nor among the scratch files."""
    found = struck(tmp_path, number, 0)
    assert found.codes <= {0, code}
    assert code in found.codes
    assert found.verified <= {0, -1}
    assert names(found.work) <= {"patients.csv", "whole", "release"}
    assert names(found.scratch) == set()
