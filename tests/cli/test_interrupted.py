"""A command interrupted or ended during its search keeps the best so far or ends cleanly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from signal import SIG_IGN, SIGALRM, SIGHUP, SIGINT, SIGTERM, Signals, raise_signal, signal

import numpy as np
import pytest
from commands import Running, run, start
from patience import wait_until
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead.errors import RoadsteadError
from roadstead.policies.classes import refine

WIDE = tuple(f"q{i}" for i in range(30))
TELLING = """
import roadstead.cli.carrying_out
roadstead.cli.carrying_out._SECONDS_BETWEEN_LINES = 0.0
roadstead.cli.main()
"""
"""The command, which reports its search whenever it can, not every ten seconds."""
FOUND = "best loss"
"""Its message as soon as the search has a policy to keep."""


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
    """A command in the middle of a long search, which has found a policy.

    Its scratch files go to a folder of their own.
    """
    (tmp_path / "scratch").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "wide.csv").write_bytes(wide_table)
    running = start(
        *("anonymize", "wide.csv", "--quasi", ",".join(WIDE), "--out", "release", "--json"),
        folder=tmp_path / "work",
        environment={"TMPDIR": str(tmp_path / "scratch")},
        program=("-c", TELLING),
    )
    running.wait_for(FOUND)
    return running


def names(folder: Path) -> set[str]:
    """The contents of a folder, with hidden entries."""
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


@pytest.mark.nightly
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


@pytest.mark.quick(2)
@pytest.mark.parametrize("error", [SystemError, RoadsteadError])
@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (SIGTERM, 143, []),
        (SIGALRM, 143, []),
        (SIGINT, 130, ["roadstead: interrupted"]),
    ],
)
def test_a_signal_that_arrives_as_another_error_is_a_signal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception],
    number: Signals,
    code: int,
    told: list[str],
) -> None:
    """Compiled code and engines report signals in their own words, like failures."""

    def struck(*_: object) -> None:
        try:
            raise_signal(number)
        except BaseException as end:
            raise error("the column cannot be read") from end

    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients(200))
    monkeypatch.setattr("roadstead.search.evaluation.refine", struck)
    roles = ("--quasi", QUASI, "--identifiers", "name,record")
    ran = run("anonymize", data, *roles, "--out", tmp_path / "release")
    assert (ran.code, ran.out) == (code, "")
    assert [line.split(";")[0] for line in ran.err.splitlines()[1:]] == told
    assert names(tmp_path) == {"patients.csv"}


class Struck:
    """An object that a signal strikes while it is taken down, where what it raises is dropped."""

    def __init__(self, number: Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        raise_signal(self.number)


def while_taken_down(number: Signals, finished: list[bool]) -> None:
    """Strike where what is raised is dropped."""
    struck = Struck(number)
    del struck
    finished.append(True)


def while_compiling(number: Signals, finished: list[bool]) -> None:
    """Strike a compiler, which is to finish what it is at."""
    inside = {"__name__": "numba.core", "raise_signal": raise_signal, "finished": finished}
    written = "def strike(number):\n    raise_signal(number)\n    finished.append(True)"
    exec(written, inside)  # noqa: S102 - a function of such a module
    strike: Callable[[Signals], None] = inside["strike"]  # type: ignore[assignment] # defined there
    strike(number)


@pytest.mark.parametrize("strike", [while_taken_down, while_compiling])
@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGINT, 130)])
def test_a_signal_that_could_not_be_heeded_at_once_is_sent_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    strike: Callable[[Signals, list[bool]], None],
    number: Signals,
    code: int,
) -> None:
    """Otherwise, the command would continue despite the signal."""
    finished: list[bool] = []

    def struck(*given: object) -> None:  # noqa: ARG001 - in place of a kernel
        strike(number, finished)
        wait_until(lambda: False, "the end of the command")

    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients(200))
    monkeypatch.setattr("roadstead.search.evaluation.refine", struck)
    roles = ("--quasi", QUASI, "--identifiers", "name,record")
    ran = run("anonymize", data, *roles, "--out", tmp_path / "release")
    assert finished
    assert (ran.code, ran.out) == (code, "")
    assert "Traceback" not in ran.err
    assert names(tmp_path) == {"patients.csv"}


@pytest.mark.parametrize("number", [SIGHUP, SIGINT])
def test_a_signal_that_is_ignored_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: Signals
) -> None:
    """A hangup behind nohup, an interrupt in the background of a script."""
    monkeypatch.setattr("roadstead.search.evaluation.refine", striking(refine, number))
    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients(200))
    roles = ("--quasi", QUASI, "--identifiers", "name,record")
    before = signal(number, SIG_IGN)
    try:
        ran = run("anonymize", data, *roles, "--out", tmp_path / "release", "--json")
    finally:
        signal(number, before)
    assert ran.code == 0, ran.err
    assert ran.json["optimal"]


def striking(kernel: Callable[..., object], number: Signals) -> Callable[..., object]:
    """Send a signal whenever a kernel is called."""

    def struck(*given: object) -> object:
        raise_signal(number)
        return kernel(*given)

    return struck


WHILE_IMPORTING = """
import os, signal, sys

class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["STRUCK"]:
            signal.raise_signal(int(os.environ["NUMBER"]))

sys.meta_path.insert(0, Strike())
import runpy
sys.argv[0] = "roadstead"
runpy.run_module("roadstead", run_name="__main__", alter_sys=True)
"""
"""The command as `python -m` runs it, which a signal strikes when it imports a module."""


@pytest.mark.quick(4)
@pytest.mark.parametrize("struck", ["roadstead.cli.run", "typer", "duckdb", "roadstead.web.serve"])
@pytest.mark.parametrize(("number", "code"), [(SIGTERM, 143), (SIGHUP, 143), (SIGINT, 130)])
def test_a_signal_in_the_first_second_ends_the_command_without_a_traceback(
    tmp_path: Path, struck: str, number: Signals, code: int
) -> None:
    """During its imports, before and after it reads its options."""
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(20))
    explores = struck.startswith("roadstead.web")
    asked = ("explore", "--no-browser") if explores else ("scan", "patients.csv", "--json")
    ran = start(
        *asked,
        folder=tmp_path,
        environment={"STRUCK": struck, "NUMBER": str(int(number))},
        program=("-c", WHILE_IMPORTING),
    ).finish()
    assert (ran.code, ran.out) == (code, "")
    said = ["roadstead: interrupted; no unfinished files remain"]
    assert [line for line in ran.err.splitlines() if "separated" not in line] == (
        said if number == SIGINT else []
    )
    assert names(tmp_path) == {"patients.csv"}
