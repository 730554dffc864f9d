"""Run a process that works for the server, and exchange messages with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from roadstead.errors import RoadsteadError

_NO_DATA = {"PYTHONFAULTHANDLER": "0"}
_GONE = {
    "error": {
        "message": "the job ended early, perhaps because the computer ran out of memory",
        "gone": True,
    }
}


class WorkError(RoadsteadError):
    """Raised if work that a page requested failed. `said` is the message from the process."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said
        super().__init__(
            str(said.get("what") or said["message"]), where=said.get("where"), fix=said.get("fix")
        )
        self.field = said.get("field")


class Child:
    """A running process that exchanges messages with the server."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "roadstead.web.work.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("ROADSTEAD_DEBUG") else subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C in the terminal is meant for the server.
            env={**os.environ, **_NO_DATA},
        )

    def ask(self, **words: Any) -> None:  # noqa: ANN401 - as JSON holds it
        """Send a message to the process. If the process has ended, the message is dropped."""
        assert self.process.stdin is not None  # noqa: S101 - a pipe
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(json.dumps(words, default=str) + "\n")
            self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for the next message."""
        assert self.process.stdout is not None  # noqa: S101 - a pipe
        line = self.process.stdout.readline()
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:  # the end of the output, or half a line from a killed process
            return _GONE
        return said

    @property
    def is_gone(self) -> bool:
        """Indicates whether the process has ended."""
        return self.process.poll() is not None

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr] # both are pipes
