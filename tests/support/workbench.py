"""A workbench in a process of its own, and a client that uses it as a browser does.

::

    with served(state, allow=[folder]) as bench:
        piece = bench.begin()                       # /piece/NAME
        bench.post(f"{piece}/data/open", kind="path", value=str(table))
        bench.wait(piece)                           # until all its work has ended
        assert "k = 5" in bench.get(f"{piece}/columns").text
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from urllib.parse import urlencode

from patience import PATIENCE, wait_until
from warm_start import working

PYTHON = sys.executable
"""What starts a workbench. Tests of pages set a program here that starts fast."""


@dataclass(frozen=True)
class Answer:
    """An answer of the workbench."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8")

    @property
    def location(self) -> str:
        """Where it sends the browser; empty for nowhere."""
        return self.headers.get("location") or self.headers.get("hx-redirect") or ""


@dataclass
class Bench:
    """A workbench that was started, and a browser that was let in."""

    process: subprocess.Popen[str]
    address: str  # http://127.0.0.1:PORT
    entrance: str  # the address that the terminal shows, with the token
    state: Path
    cookies: dict[str, str] = field(default_factory=dict)
    home: str = "/"  # the page that is shown first
    seen: set[Path] = field(default_factory=set)  # jobs whose end was waited for

    @property
    def number(self) -> int:
        """The number of its process."""
        return working(PYTHON, self.process.pid)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.address.rpartition(":")[2])

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Send a request as a page of the workbench does; a header that is None is left out."""
        every: dict[str, str | None] = {"Origin": self.address, "Sec-Fetch-Site": "same-origin"}
        if self.cookies:
            every["Cookie"] = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        every |= headers or {}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            sent = {key: value for key, value in every.items() if value is not None}
            connection.request(method, path, body, sent)
            found = connection.getresponse()
            answer = Answer(found.status, found.headers, found.read())
        for one in answer.headers.get_all("set-cookie") or ():
            key, _, value = one.partition(";")[0].partition("=")
            self.cookies[key] = value
        return answer

    def enter(self) -> Answer:
        """Be let in, for the token."""
        return self.request("GET", self.entrance.removeprefix(self.address))

    def get(self, path: str, **headers: str) -> Answer:
        """Get a page."""
        return self.request("GET", path, headers=headers)

    def post(self, path: str, **form: str | Sequence[str]) -> Answer:
        """Send a form."""
        return self.request(
            "POST",
            path,
            urlencode(form, doseq=True).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )

    def begin(self) -> str:
        """Begin a piece of work; give its address."""
        return self.post("/piece").location.removesuffix("/data")

    def folder(self, piece: str) -> Path:
        """Give the folder that a piece of work is kept in."""
        return self.state / piece.rpartition("/")[2]

    def wait(self, piece: str, kind: str = "") -> Mapping[str, object]:
        """Wait until one more job of a kind has ended, with all that follows; give its record."""
        folder = self.folder(piece) / "facts" / "jobs"

        def ended() -> list[Path]:
            found = sorted(folder.glob(f"{kind}*.json"), key=lambda one: one.stat().st_mtime)
            return [one for one in found if one not in self.seen]

        wait_until(ended, f"the end of {kind or 'a job'}")
        first = ended()[0]
        self.seen.add(first)
        record: dict[str, object] = json.loads(first.read_text("utf-8"))
        return record

    def open(self, piece: str, data: str) -> None:
        """Take a table by its path or address, and wait until it was looked at."""
        answer = self.post(f"{piece}/data/open", kind="path", value=data)
        assert answer.status == 303, answer.text
        assert self.wait(piece, "scan")["state"] == "done"

    def choose(self, piece: str, project: str) -> None:
        """Write the project file of a piece of work, as all steps together would."""
        (self.folder(piece) / "project.toml").write_text(project, encoding="utf-8")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; wait for the end and give the code."""
        os.kill(self.number, number)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def served(
    state: Path,
    allow: Sequence[Path] = (),
    *arguments: str,
    folder: Path | None = None,
    enter: bool = True,
) -> Iterator[Bench]:
    """Start ``roadstead explore`` with a state folder and allowed folders.

    A browser is let in, unless `enter` says that the test does so.

    `arguments` are further ones; `folder` is the working folder.
    """
    allowed = [part for one in allow for part in ("--allow", str(one))]
    with subprocess.Popen(
        [
            *(PYTHON, "-m", "roadstead", "explore", "--no-browser"),
            *("--state", str(state), *allowed, *arguments),
        ],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            found = re.search(r"(http://[\d.]+:\d+)(/\S+)", said)
            assert found is not None, said + process.stderr.read()
            bench = Bench(process, found[1], found[1] + found[2], state)
            if enter:
                entered = bench.enter()
                assert entered.status == 303
                bench.home = entered.location
            yield bench
        finally:
            if process.poll() is None:
                process.terminate()
