"""In a notebook, a line shows the progress, and an interrupt ends the work with the best so far."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from notebooks import Listening, execute, made_of, shown_by
from patience import PATIENCE, wait_until

from roadstead.errors import SettingError
from roadstead.jobs import SILENT, Job, Observer
from roadstead.requests import notebooks
from roadstead.requests.notebooks import watched


class Working:
    """A kind of work that can be stopped."""

    verb: ClassVar = "work"
    stopping: ClassVar = ("", "")

    @staticmethod
    def progress_line(progress: int) -> str:
        """Say how far it is."""
        return f"{progress} done"


class Plain:
    """A kind of work that says nothing of how far it is."""

    verb: ClassVar = "plain"


@dataclass
class Page:
    """The output of a notebook: one text per display."""

    texts: list[str] = field(default_factory=list)
    every: list[str] = field(default_factory=list)

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Any:  # noqa: ANN401
        """Show a text at the end."""
        assert raw
        assert display_id
        self.texts.append("")
        at = len(self.texts) - 1

        def update(data: dict[str, str], *, raw: bool) -> None:
            assert raw
            self.texts[at] = data["text/plain"]
            self.every.append(data["text/plain"])

        update(data, raw=True)
        return SimpleNamespace(update=update)

    def wait_for(self, text: str) -> None:
        """Wait until a text was shown."""
        wait_until(lambda: any(text in one for one in self.every), text)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A notebook in which a cell waits; lines are written at once."""
    shown = Page()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=shown.display))
    monkeypatch.setattr(notebooks, "SECONDS_UNSEEN", 0.0)
    monkeypatch.setattr(notebooks, "SECONDS_BETWEEN", 0.0)
    return shown


def test_the_line_says_how_far_and_is_gone_in_the_end(page: Page) -> None:
    """First that it is at work, then how far; and again only that, once the search is over."""
    with watched(Working) as watch:
        page.wait_for("work: working for 0 s")
        watch.progress(7)
        page.wait_for("7 done  (interrupt to stop with the best result so far)")
        del page.every[:]
        watch.finished()
        page.wait_for("work: working for")
    assert page.texts == [""]


def test_work_that_cannot_be_stopped_says_so_of_no_interrupt(page: Page) -> None:
    """And an interrupt ends it, as Python does; nothing is left."""

    def interrupted() -> None:
        with watched(Plain):
            page.wait_for("plain: working for")
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert page.texts == [""]
    assert not any("interrupt" in one for one in page.every)


def test_an_interrupt_is_the_wish_to_stop_and_the_page_says_so(page: Page) -> None:
    """The output below the line is not the requested result."""
    with watched(Working) as watch:
        assert not watch.stopped()
        signal.raise_signal(signal.SIGINT)
        assert watch.stopped()
        page.wait_for("interrupt again to stop without")
    (left,) = page.texts
    assert left.startswith("work: interrupted after")
    assert left.endswith("this is the best result so far")


def test_a_second_interrupt_ends_it_without_a_result(page: Page) -> None:
    """Nothing is left of the line, and an interrupt means again what it meant before."""
    before = signal.getsignal(signal.SIGINT)

    def interrupted() -> None:
        with watched(Working) as watch:
            watch.stopped()
            signal.raise_signal(signal.SIGINT)
            page.wait_for("interrupt again")
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert page.texts == [""]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_goes_its_way_and_leaves_no_line(page: Page) -> None:
    """The notebook shows the error alone."""

    def refused() -> None:
        with watched(Working):
            page.wait_for("working for")
            raise SettingError("no", fix="do not ask")

    with pytest.raises(SettingError):
        refused()
    assert page.texts == [""]


def test_elsewhere_work_is_silent(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another thread of a notebook, in a terminal of IPython, and in plain Python."""
    seen: list[Observer] = []

    @dataclass
    class Apart:
        def run(self, observer: Observer = SILENT) -> None:
            del observer
            with watched(Working) as watch:
                seen.append(watch)

    assert Job(Apart()).start().wait(PATIENCE)
    terminal = SimpleNamespace(get_ipython=SimpleNamespace)
    for module in (terminal, SimpleNamespace(get_ipython=lambda: None), None):
        monkeypatch.setitem(sys.modules, "IPython", module)
        Apart().run()
    monkeypatch.delitem(sys.modules, "IPython")
    Apart().run()
    assert seen == [SILENT] * 5
    assert page.every == []


ENDLESS = """
import roadstead as rs
from roadstead.cohort import generate
from roadstead.requests import notebooks

notebooks.SECONDS_UNSEEN = 0.0
patients = generate(2_000)
"""
SEARCH = """
found = rs.frontier(
    patients, quasi=["sex", "race", "zip"], search="sublattice-heuristic", time_limit=100_000
)
print(found.search.ending)
"""


def interrupting(wanted: str, seen: list[tuple[str, str]]) -> Callable[..., None]:
    """Keep what a kernel shows, and interrupt it once, at a text."""
    waiting = [True]

    def heard(client: Listening, message: dict[str, Any]) -> None:
        text = message["content"].get("data", {}).get("text/plain", "")
        if "display" in message["msg_type"]:
            seen.append((message["msg_type"], text))
        if wanted in text and waiting and waiting.pop():
            client.interrupt()

    return heard


def test_a_kernel_shows_the_line_and_an_interrupt_keeps_the_frontier(tmp_path: Path) -> None:
    """A search that would go on for a day ends with what it has, in a real notebook."""
    notebook, seen = made_of(ENDLESS, SEARCH), list[tuple[str, str]]()
    execute(notebook, tmp_path, interrupting("on the frontier", seen))
    assert seen[0][0] == "display_data"
    assert {kind for kind, _ in seen[1:]} == {"update_display_data"}
    assert any("interrupt to stop with the best result so far" in text for _, text in seen)
    line, printed = shown_by(notebook.cells[1]).strip().split("\n", 1)
    assert line.startswith("frontier: interrupted after some s; this is the best result so far")
    assert printed.strip() == "interrupted"
