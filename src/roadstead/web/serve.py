"""Serve the workbench on this machine only, until Ctrl-C, and leave no raw data behind."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.errors import MissingExtraError, OutputError, SettingError, SourceError
from roadstead.front_end import option
from roadstead.places import Places

_HOST = "127.0.0.1"
_WAITING = 2048
"""The largest number of waiting connections, which is the same as in uvicorn."""


def default_state() -> Path:
    """Return the default folder for work, inside the user's folder for program state."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "roadstead" / "explore"


@dataclass(frozen=True)
class Start:
    """The arguments of the command that starts the workbench."""

    allow: tuple[Path, ...]  # the folders with files that the page may use
    state: Path  # the folder for work
    port: int = 0  # 0 selects a free port
    browser: bool = True  # whether to open the page in a browser
    data: str | None = None  # the first table
    project: Path | None = None  # the first project file


def explore(start: Start, say: Callable[[str], None]) -> None:
    """Serve the workbench until it is stopped.

    Raises
    ------
    InputError
        If a folder or the port cannot be used, or if a library of the page is missing.
    """
    uvicorn = _libraries()
    from roadstead.web.application import application  # noqa: PLC0415 - of an extra
    from roadstead.web.bench import WorkbenchState  # noqa: PLC0415 - as above
    from roadstead.web.security.doors import ENTER, Keys  # noqa: PLC0415 - as above
    from roadstead.web.sessions.raw import raw_copies  # noqa: PLC0415 - as above
    from roadstead.web.sessions.session import Sessions  # noqa: PLC0415 - as above
    from roadstead.web.steps.beginning import begun_with  # noqa: PLC0415 - as above
    from roadstead.web.work.jobs import Desk  # noqa: PLC0415 - as above

    places = Places.of(start.allow)
    if start.data is not None:
        _require_there(start.data, places)
    with _bound(start.port) as listening, _kept(start.state), raw_copies(start.state) as raw:
        desk, own = Desk(), listening.getsockname()[1]
        bench = WorkbenchState(Sessions(start.state), raw, places, desk, say)
        keys = Keys(home=begun_with(bench, start.data, start.project))
        address = f"http://{_HOST}:{own}{ENTER}?token={keys.token}"
        say(f"Open {address} (this address works once; press Ctrl-C to end)")
        if start.browser and _has_screen():
            webbrowser.open(address)
        config = uvicorn.Config(
            application(bench, keys, own),
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            lifespan="on",
            ws="none",
        )
        server = uvicorn.Server(config)
        try:
            with contextlib.suppress(KeyboardInterrupt), _hangup(server):
                server.run(sockets=[listening])
        finally:
            desk.close()  # also if the server never started


def _libraries() -> Any:  # noqa: ANN401 - a module
    """Import the libraries that the page needs.

    If a library is missing, the one-line error names the package to install.
    """
    try:
        import python_multipart  # noqa: F401, PLC0415 - of an extra; forms need it
        import starlette.applications  # noqa: F401, PLC0415 - of an extra
        import uvicorn  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"the workbench needs {error.name}, which is not installed",
            fix="install it with: pip install 'roadstead[web]'",
        ) from None
    from roadstead.web.assets import content  # noqa: PLC0415 - of an extra

    content("htmx.js")
    return uvicorn


def _require_there(data: str, places: Places) -> None:
    """Reject a table that the page is not allowed to use, and a path that does not exist."""
    from roadstead.tables.formats.options import part_of  # noqa: PLC0415 - as below
    from roadstead.web.security.addresses import table_of  # noqa: PLC0415 - heavy

    address = table_of(places, data)
    path = address.partition(":")[2] if address.startswith(("omop:", "fhir:")) else address
    if "://" not in address and not part_of(Path(path))[0].exists():
        raise SourceError("the file or folder does not exist", where=data, fix="check the path")


def _has_screen() -> bool:
    """Return whether a browser would open in its own window, outside the terminal."""
    if sys.platform != "linux":
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextlib.contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
            listening.listen(_WAITING)  # before the address is shown
        except (OSError, OverflowError) as error:
            taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            what = "another program uses this port" if taken else "this port cannot be used"
            fix = "choose another port, or omit the option to get a free port"
            raise SettingError(what, where=f"port {port}", fix=fix) from None
        yield listening


@contextlib.contextmanager
def _kept(state: Path) -> Iterator[None]:
    """Reject a folder for work that cannot be created or is not writable."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=state):
            pass
    except OSError as error:
        raise OutputError(
            f"Roadstead cannot store your work ({error.strerror})",
            where=str(state),
            fix=f"use another folder with {option('state')}",
        ) from None
    yield


@contextlib.contextmanager
def _hangup(server: object) -> Iterator[None]:
    """Stop in the same way as after Ctrl-C if the terminal is closed."""

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - as the system calls it
        server.should_exit = True  # type: ignore[attr-defined] # uvicorn's server

    former = signal.getsignal(signal.SIGHUP)
    if former is signal.SIG_IGN:  # started with nohup
        yield
        return
    signal.signal(signal.SIGHUP, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, former)
