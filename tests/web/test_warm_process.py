"""The process whose forks stand in for workbenches outlives everybody who asks it for a fork."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL

import pytest
from patience import PATIENCE
from warm_asking import STATUS
from warm_start import warmed

import roadstead as rs


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A program that asks a warm process of its own."""
    with warmed(tmp_path_factory.mktemp("own")) as started:
        yield started


def answers(program: Path) -> bool:
    """Whether the warm process makes a fork that works."""
    asked = [str(program), "-m", "roadstead", "--version"]
    ran = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return ran.stdout.strip() == f"roadstead {rs.__version__}"


def test_who_asks_may_go_at_any_time(program: Path) -> None:
    """Fault class: one test that killed its process too early let all later tests fail."""
    assert answers(program)
    length = (1_000).to_bytes(STATUS, "big")
    for sent in ((), (length,), (length, b"{"), (STATUS.to_bytes(STATUS, "big"), b"not JSON")):
        with socket.socket(socket.AF_UNIX) as asking, suppress(BrokenPipeError):
            asking.connect(str(program.with_name("warm")))
            for at, words in enumerate(sent):
                if at:
                    asking.sendall(words)
                else:
                    socket.send_fds(asking, [words], [0, 1, 2])
    assert answers(program)


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_who_asks_may_be_killed_while_its_fork_ends(program: Path, number: int) -> None:
    """Its end and the end of its fork may be heard at once, in either order."""
    asked = [str(program), "-m", "roadstead", "--version"]
    for _ in range(20):
        with subprocess.Popen(asked, stdout=DEVNULL, stderr=DEVNULL) as asking:
            asking.send_signal(number)
    assert answers(program)
