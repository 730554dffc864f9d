"""The server: on this machine alone, until Ctrl-C, with nothing raw left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

from roadstead.errors import MissingExtraError, OutputError, SettingError
from roadstead.web.security.doors import ENTER, Keys
from roadstead.web.security.places import Places

_HOST = "127.0.0.1"
_WAITING = 2048
"""Most connections that wait to be taken, as uvicorn has it."""


def default_state() -> Path:
    """Say where work is kept if nobody says: the user's folder for the state of programs."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "roadstead" / "explore"


def explore(
    allow: tuple[Path, ...],
    state: Path,
    port: int,
    say: Callable[[str], None],
    *,
    browser: bool,
) -> None:
    """Serve the workbench until it is stopped.

    Raises
    ------
    InputError
        When a folder or the port cannot be used, or the libraries of the page are missing.
    """
    try:
        import uvicorn  # noqa: PLC0415 - of an extra

        from roadstead.web.application import application  # noqa: PLC0415 - of an extra
        from roadstead.web.assets import content  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{error.name} is not installed, which the page needs",
            fix="install it with: pip install 'roadstead[web]'",
        ) from None
    from roadstead.web.bench import Workbench  # noqa: PLC0415 - as above
    from roadstead.web.sessions.raw import raw_copies  # noqa: PLC0415 - as above
    from roadstead.web.sessions.session import Sessions  # noqa: PLC0415 - as above
    from roadstead.web.work.jobs import Desk  # noqa: PLC0415 - as above

    content("htmx.js")
    places = Places.of(allow)
    with _bound(port) as listening, _kept(state), raw_copies(state) as raw:
        keys = Keys()
        own = listening.getsockname()[1]
        bench = Workbench(Sessions(state), raw, places, Desk())
        address = f"http://{_HOST}:{own}{ENTER}?token={keys.token}"
        say(f"Open {address} (it works once; Ctrl-C ends)")
        if browser:
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
        with contextlib.suppress(KeyboardInterrupt), _hangup(server):
            server.run(sockets=[listening])


@contextlib.contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """Listen on the loopback interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
            listening.listen(_WAITING)  # before anybody hears the address
        except (OSError, OverflowError):
            raise SettingError(
                "cannot be listened on", where=f"port {port}", fix="choose another, or none"
            ) from None
        yield listening


@contextlib.contextmanager
def _kept(state: Path) -> Iterator[None]:
    """Refuse a folder for the work that cannot be made or written to."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot be made ({error.strerror})", where=str(state), fix="choose another --state"
        ) from None
    yield


@contextlib.contextmanager
def _hangup(server: object) -> Iterator[None]:
    """End as for Ctrl-C when the terminal is closed."""

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - as the system calls it
        server.should_exit = True  # type: ignore[attr-defined] # uvicorn's server

    former = signal.signal(signal.SIGHUP, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, former)
