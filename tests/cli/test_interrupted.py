"""Interrupted, terminated or killed at any moment: nothing unfinished stands under its name."""

from __future__ import annotations

import time
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import numpy as np
import pytest
from commands import Running, listing, run, run_apart, start
from small_tables import PATIENTS, QUASI, patients, write_csv

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


RELEASE = ("anonymize", "patients.csv", "--quasi", QUASI, "--identifying", "name,record")


class Strikes:
    """A release that is struck by a signal at moments spread over its work."""

    def __init__(self, folder: Path) -> None:
        self.work, self.scratch = folder / "work", folder / "scratch"
        self.work.mkdir()
        self.scratch.mkdir()
        write_csv(self.work / "patients.csv", PATIENTS, patients(20_000))
        running = self.begin("--out", "whole")
        began = time.monotonic()
        assert running.finish().code == 0
        self.seconds = time.monotonic() - began
        self.before = names(self.work)

    def begin(self, *more: str) -> Running:
        """Start and wait until the table is read: what comes before is Python's own start."""
        environment = {"TMPDIR": str(self.scratch)}
        running = start(*RELEASE, *more, folder=self.work, environment=environment)
        running.wait_for(READ)
        return running

    def strike(self, number: Signals, share: float) -> int:
        """Send a signal after a share of the time; return the code, the release being sound."""
        running = self.begin("--out", "release", "--force")
        time.sleep(share * self.seconds)
        running.send(number)
        ran = running.finish()
        assert "Traceback" not in ran.err
        if (self.work / "release").exists():
            verified = run("verify", self.work / "release")
            assert verified.code == 0, verified
        else:
            assert ran.code != 0
        return ran.code


def test_a_kill_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    """Fifteen of them; each starts where the one before was struck down."""
    strikes = Strikes(tmp_path)
    codes = [strikes.strike(SIGKILL, (moment + 0.5) / 15) for moment in range(15)]
    assert set(codes) <= {0, -SIGKILL}
    assert -SIGKILL in codes
    last = run_apart(*RELEASE, "--out", "release", "--force", folder=strikes.work)
    assert last.code == 0, last
    assert run("verify", strikes.work / "release").code == 0
    table = "patients.csv"
    whole, again = strikes.work / "whole" / table, strikes.work / "release" / table
    assert whole.read_bytes() == again.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGINT, 130)])
def test_an_end_by_signal_at_any_moment_leaves_nothing_hidden(
    tmp_path: Path, number: Signals, code: int
) -> None:
    """Neither beside the release nor among the scratch files."""
    strikes = Strikes(tmp_path)
    codes = [strikes.strike(number, (moment + 0.5) / 20) for moment in range(20)]
    # Python itself may be struck when all is done and it cleans up.
    assert set(codes) <= {0, code, -number}
    assert code in codes
    assert names(strikes.work) <= strikes.before | {"release"}
    assert names(strikes.scratch) == set()
    assert listing(strikes.work / "whole")
