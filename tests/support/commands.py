"""The command line from a user's view: arguments in; exit code, output, and errors out.

`run` calls it in this process, which is fast; `start` and `run_apart` start the real command. Both
work in a folder of their own, and the listing of the folder shows the written files.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from document_schemas import require_fit
from markupsafe import Markup
from patience import PATIENCE, wait_until

from roadstead.cli.run import run as command
from roadstead.reports.charts.svg import Picture

OURS = "roadstead: "
_LONGEST = 1 << 24


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def error(self) -> str:
        """The one line of error; what precedes it is information on the source alone."""
        *before, last = self.err.splitlines()
        # On a busy machine, a slow search also prints its progress.
        before = [line for line in before if not line.startswith("searching ")]
        assert last.startswith(OURS), self.err
        assert len(before) <= 1, self.err
        assert not any(line.startswith(OURS) for line in before), self.err
        return last.removeprefix(OURS)


def run(*arguments: str | Path) -> Ran:
    """Run the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command([str(argument) for argument in arguments])
    ran = Ran(code, out.getvalue(), err.getvalue())
    if "--json" in arguments and ran.out:
        require_fit(str(arguments[0]), ran.json)
    return ran


@dataclass(frozen=True)
class Running:
    """The real command at work; what it writes goes to files, which can be looked into."""

    process: subprocess.Popen[bytes]
    streams: tuple[IO[bytes], IO[bytes]]

    def _read(self, which: int) -> str:
        return os.pread(self.streams[which].fileno(), _LONGEST, 0).decode()

    def wait_for(self, message: str) -> None:
        """Wait until a message appears on standard error."""

        def stands() -> bool:
            said = self._read(1)
            assert message in said or self.process.poll() is None, said
            return message in said

        wait_until(stands, f"{message!r} on standard error")

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def finish(self) -> Ran:
        """Wait for the end."""
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
        ran = Ran(code, self._read(0), self._read(1))
        for stream in self.streams:
            stream.close()
        return ran


def start(
    *arguments: str | Path,
    folder: Path,
    before: Callable[[], object] | None = None,
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = ("-m", "roadstead"),
) -> Running:
    """Start the real command in a folder; `before` runs in the new process ahead of it.

    `program` is the full list of arguments for Python, if it is more than the command.
    """
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end
    process = subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        preexec_fn=before,  # noqa: PLW1509 - nothing else runs in the tests' process
    )
    return Running(process, (out, err))


def run_apart(*arguments: str | Path, folder: Path, **how: Any) -> Ran:  # noqa: ANN401 - as start
    """Run the real command in a process of its own."""
    return start(*arguments, folder=folder, **how).finish()


def listing(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its content, hidden ones too; None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let reports be of one word: their charts take longer to draw than all else together."""
    undrawn(monkeypatch)
    monkeypatch.setattr("roadstead.reports.page.render", lambda _: "<p>report</p>\n")


def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make whole frontier pages except for their charts, because Vega takes long to draw them."""
    page = "roadstead.reports.frontier.page"
    monkeypatch.setattr(f"{page}.picture", lambda _: Picture(Markup(), Markup()))
    monkeypatch.setattr(f"{page}._scripts", lambda: ())
    monkeypatch.setattr(f"{page}.frontier_png", lambda _: b"picture")
