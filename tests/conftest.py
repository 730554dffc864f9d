"""Fixtures that every room's tests share, and what a run leaves out."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from datetime import datetime, tzinfo
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import effort  # noqa: F401 - which sets how hard Hypothesis tries, always and first
import pytest
from browsing import chromium
from quick_part import set_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from postgres_server import Server

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is where tests are started in the background, and commands heed that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # so it is under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A server of Spark Connect is spoken to with gRPC, which breaks children that this process forks.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")

_SET_ASIDE = ("slow", "nightly")
_LONG = (
    "engines",
    "web/browser",
    "test_docs.py",
    "search/recoding",
    "kernels/recoding",
    "tables/test_judgment.py",
    "test_registry.py",
    "cli",
)
"""Files that take long, the longest first; a worker that gets one last would let others wait."""


@pytest.hookimpl(tryfirst=True)  # ahead of the option -m, which selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes long come first."""
    set_aside(items)
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        name = item.path.relative_to(here).as_posix()
        places = (at for at, long in enumerate(_LONG) if f"{name}/".startswith(f"{long}/"))
        return next(places, len(_LONG))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401 - no types
    """Let one worker run all tests of a file, and of folders that share a server or a browser."""
    from spreading import ByFile  # noqa: PLC0415 - a plugin that other runs do not need

    return ByFile(config, log)


def pytest_collection_finish() -> None:
    """Spare the collector of garbage what all tests share: thousands of tests, and libraries."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


_left_out: Counter[str] = Counter()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what is marked to be run at another time."""
    for item in items:
        _left_out.update([next((m for m in _SET_ASIDE if item.get_closest_marker(m)), "")])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Inform the process that distributes the tests, if there is one."""
    answer = getattr(session.config, "workeroutput", None)
    if answer is not None:
        answer["left out"] = dict(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - of a plugin that has no types
    """Hear it there; every worker has seen all tests."""
    _left_out.update(Counter(getattr(node, "workeroutput", {}).get("left out", {})) - _left_out)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line what was not run, and how it is."""
    left = {mark: _left_out[mark] for mark in _SET_ASIDE if _left_out[mark]}
    if left and not hasattr(config, "workerinput"):
        told = " and ".join(f"{left[mark]} marked {mark} (make {mark})" for mark in left)
        config.get_terminal_writer().line(f"Tests not run: {told}.")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a process: a second one could not be started next to it."""
    with chromium() as started:
        yield started


class _In2026(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> _In2026:
        return cls(2026, 5, 6, tzinfo=tz)


@pytest.fixture(scope="session", autouse=True)
def year_of_births() -> Iterator[None]:
    """Compare births without other dates with 2026, in every year in which tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roadstead.release.persons.early_births.datetime", _In2026)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real data sets; tests that need it skip when it is not there."""
    folder = os.environ.get("ROADSTEAD_DATA")
    if not folder:
        pytest.skip("set ROADSTEAD_DATA to the folder of the real data sets to run this test")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"ROADSTEAD_DATA is not a folder: {folder}")
    return path


@pytest.fixture(scope="session")
def postgres_place() -> Iterator[Server]:
    """A server that lives as long as the tests do."""
    if find_spec("psycopg") is None:
        pytest.skip("install roadstead[postgres] to run this test")
    import postgres_server  # noqa: PLC0415 - seldom used

    folder = postgres_server.programs()
    if folder is None:
        pytest.skip("install PostgreSQL (initdb and pg_ctl) to run this test")
    with postgres_server.running(folder) as server:
        yield server


@pytest.fixture(scope="module")
def postgres(postgres_place: Server) -> Server:
    """A server with an empty database, for the tests of one file."""
    postgres_place.renew()
    return postgres_place
