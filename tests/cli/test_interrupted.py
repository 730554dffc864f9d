"""Interrupted or terminated during its search, a command keeps the best so far or ends cleanly."""

from __future__ import annotations

import time
from pathlib import Path
from signal import SIGINT, SIGTERM

import numpy as np
import pytest
from commands import Running, run, start
from small_tables import write_csv

WIDE = tuple(f"q{i}" for i in range(30))
READ = "columns"
"""The line that says how the table was read ends with it; the search begins after it."""


@pytest.fixture(scope="module")
def wide_table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A table whose search takes minutes."""
    chance = np.random.default_rng(5)
    noise = chance.normal(0, 0.15, (1000, len(WIDE)))
    cells = np.clip(100 * (chance.random((1000, 1)) + noise), 0, 99).astype(int)
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    return write_csv(path, WIDE, [tuple(map(str, row)) for row in cells.tolist()]).read_bytes()


@pytest.fixture
def searching(tmp_path: Path, wide_table: bytes) -> Running:
    """A command in the middle of a long search; its scratch files go to a folder of their own."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "wide.csv").write_bytes(wide_table)
    running = start(
        *("anonymize", "wide.csv", "--quasi", ",".join(WIDE), "--out", "release", "--json"),
        folder=tmp_path / "work",
        environment={"TMPDIR": str(tmp_path / "scratch")},
    )
    running.wait_for(READ)
    time.sleep(1.5)
    assert running.process.poll() is None
    return running


def names(folder: Path) -> set[str]:
    """What is in a folder, hidden entries too."""
    return {entry.name for entry in folder.iterdir()}


def test_the_first_interrupt_keeps_the_best_policy_so_far(
    tmp_path: Path, searching: Running
) -> None:
    """It is released and verified, and said not to be proven optimal."""
    searching.send(SIGINT)
    ran = searching.finish()
    assert ran.code == 0, ran
    assert "stopping the search" in ran.err
    assert (ran.json["optimal"], ran.json["ending"]) == (False, "interrupted")
    assert ran.json["lower_bound"] < ran.json["loss"]
    assert 0 < ran.json["gap"] <= 1
    assert run("verify", tmp_path / "work" / "release").code == 0
    assert names(tmp_path / "work") == {"wide.csv", "release"}
    assert names(tmp_path / "scratch") == set()


def test_a_second_interrupt_ends_the_command(tmp_path: Path, searching: Running) -> None:
    """With the code of an interrupt and one line; nothing is left, not even hidden."""
    searching.send(SIGINT)
    searching.wait_for("stopping the search")
    searching.send(SIGINT)
    ran = searching.finish()
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.splitlines()[-1].startswith("roadstead: interrupted")
    assert "Traceback" not in ran.err
    assert names(tmp_path / "work") == {"wide.csv"}
    assert names(tmp_path / "scratch") == set()


def test_a_termination_ends_the_command_and_cleans_up(tmp_path: Path, searching: Running) -> None:
    """With the code that a shell gives to it."""
    searching.send(SIGTERM)
    ran = searching.finish()
    assert (ran.code, ran.out) == (143, "")
    assert "Traceback" not in ran.err
    assert names(tmp_path / "work") == {"wide.csv"}
    assert names(tmp_path / "scratch") == set()
