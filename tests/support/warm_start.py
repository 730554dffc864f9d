"""Processes of the workbench that start at once, as forks of a process with the libraries loaded.

A server and each process that works for it import libraries for three seconds of CPU. Tests of
pages start hundreds. `warmed` starts one process that imports the libraries, and gives a program to
start instead of Python. In a fork, ``sys.executable`` is this program too. Tests about processes
start Python itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import warm_asking
from patience import PATIENCE, wait_until

_USUAL = (
    "ibis.backends.duckdb",
    "ibis.formats.pandas",
    "pandas.testing",
    "roadstead.cli.run",
    "roadstead.cli.carrying_out",
    "roadstead.search.exact",
    "roadstead.tables.stores.duckdb.store",
    "roadstead.reports.release.anonymization",
    "roadstead.verbs.risk.run",
    "roadstead.web.application",
    "uvicorn.protocols.http.h11_impl",
)
"""Imported besides what a process imports before its first task."""
_MOST_OPEN = 1 << 10


@contextmanager
def warmed(folder: Path) -> Iterator[Path]:
    """Start a warm process, and give the program that asks it; both are in a folder."""
    program = folder / "python"
    source = Path(warm_asking.__file__).read_text("utf-8")
    program.write_text(f"#!{sys.executable} -IS\n{source}", "utf-8")
    program.chmod(stat.S_IRWXU)
    arguments = [sys.executable, __file__, str(program)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE) as process:
        try:
            wait_until(
                lambda: (folder / "warm").exists() or process.poll() is not None, "a warm process"
            )
            assert process.poll() is None
            yield program
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(PATIENCE)


def working(program: str, number: int) -> int:
    """Give the number of the process that works: of the fork, if `program` asked for one."""
    fork = Path(program).with_name(str(number))
    return int(fork.read_text("utf-8")) if fork.is_file() else number


@dataclass
class Warm:
    """The warm process; its forks, with a file for each, by the connection of who asked."""

    program: Path
    listening: socket.socket
    forks: dict[socket.socket, tuple[int, Path]] = field(default_factory=dict)
    events: selectors.DefaultSelector = field(default_factory=selectors.DefaultSelector)

    def serve(self) -> None:
        """Fork when asked to, until the process ends that started this."""
        self.events.register(sys.stdin, selectors.EVENT_READ)
        self.events.register(self.listening, selectors.EVENT_READ)
        while True:
            for key, _ in self.events.select():
                if key.fileobj is self.listening:
                    self._fork(self.listening.accept()[0])
                elif isinstance(key.fileobj, socket.socket):
                    self._hear(key.fileobj)
                elif isinstance(key.data, socket.socket):
                    self._tell(key.fd, key.data)
                else:
                    self._end()

    def _fork(self, asking: socket.socket) -> None:
        streams: list[int] = []
        try:
            size, streams, _, _ = socket.recv_fds(asking, warm_asking.STATUS, 3)
            with asking.makefile("rb") as words:
                asked = json.loads(words.read(int.from_bytes(size, "big")))
        except (OSError, ValueError):  # who asked was killed before all was sent
            for stream in streams:
                os.close(stream)
            asking.close()
            return
        number = os.fork()
        if number == 0:
            _become(self.program, asked, streams)
        for stream in streams:
            os.close(stream)
        note = self.program.with_name(str(asked["asking"]))
        note.write_text(str(number), "utf-8")
        self.forks[asking] = number, note
        self.events.register(asking, selectors.EVENT_READ)
        self.events.register(os.pidfd_open(number), selectors.EVENT_READ, asking)

    def _hear(self, asking: socket.socket) -> None:
        """Send a fork the signals that came for it; kill it if nobody waits for its end."""
        if asking not in self.forks:  # the fork ended, which was heard first
            return
        try:
            heard = asking.recv(1)
        except OSError:  # who asked was killed, and had not read what was sent
            heard = b""
        if not heard:
            self.events.unregister(asking)
        with suppress(ProcessLookupError):
            os.kill(self.forks[asking][0], heard[0] if heard else signal.SIGKILL)

    def _tell(self, handle: int, asking: socket.socket) -> None:
        """Say how a fork ended."""
        self.events.unregister(handle)
        os.close(handle)
        number, note = self.forks.pop(asking)
        note.unlink(missing_ok=True)
        _, status = os.waitpid(number, 0)
        with suppress(OSError):
            asking.sendall(status.to_bytes(warm_asking.STATUS, "big", signed=True))
        with suppress(KeyError):
            self.events.unregister(asking)
        asking.close()

    def _end(self) -> None:
        for number, _ in self.forks.values():
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        os._exit(0)


def _become(program: Path, asked: dict[str, Any], streams: list[int]) -> None:
    """Be the process that was asked for, in a fork, and end."""
    code = 1
    try:
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(len(streams), _MOST_OPEN)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        for number in warm_asking.FORWARDED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.executable = str(program)
        _, module, *words = asked["words"]
        sys.argv = [module, *words]
        for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
            setattr(sys, name, os.fdopen(number, mode, 1, encoding="utf-8", closefd=False))
        sys.modules.pop(module, None)
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - told as Python tells it
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main(program: Path) -> None:
    """Import the libraries, and fork from then on."""
    for number in warm_asking.FORWARDED:  # such as Ctrl-C: it ends with the tests, after its forks
        signal.signal(number, signal.SIG_IGN)
    importlib.import_module("roadstead.web.work.child").warmed()
    for module in _USUAL:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    address = program.with_name("warm")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address.with_suffix(".new")))
        listening.listen(64)
        address.with_suffix(".new").rename(address)
        Warm(program, listening).serve()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
