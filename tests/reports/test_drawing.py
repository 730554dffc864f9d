"""Charts are drawn by another process, which is never in the way and never stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until

from roadstead.reports import draw_svg, drawing
from roadstead.reports.charts import Charts, gather, to_json
from roadstead.reports.content import ReportContent
from roadstead.reports.drawing import Pictures, draw, prepared
from roadstead.reports.page import NOT_DRAWN, render

_SOURCE = str(Path(drawing.__file__).parents[2])
_SLEEPS = "import time; time.sleep(600)"


@pytest.fixture(scope="module")
def charts(content: ReportContent) -> Charts:
    """The charts of one report."""
    return gather(content)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that is started in the test."""
    found: list[subprocess.Popen[bytes]] = []
    start = drawing._start

    def watched() -> subprocess.Popen[bytes] | None:
        process = start()
        assert process is not None
        found.append(process)
        return process

    monkeypatch.setattr(drawing, "_start", watched)
    return found


def test_every_chart_is_drawn_in_both_widths(
    charts: Charts, started: list[subprocess.Popen[bytes]]
) -> None:
    """As elements to be put into a page; the process has ended."""
    pictures = draw(charts)
    for picture in pictures:
        assert picture is not None
        for image in picture:
            assert image.startswith("<svg ")
    assert len({image for picture in pictures if picture for image in picture}) == 6
    assert [process.returncode for process in started] == [0]


def test_a_chart_that_is_not_there_is_not_drawn(charts: Charts) -> None:
    """The others are."""
    pictures = draw(charts._replace(losses=None))
    assert pictures.losses is None
    assert pictures.risks is not None
    assert pictures.class_sizes is not None


def test_a_prepared_process_is_the_one_that_draws(
    charts: Charts, started: list[subprocess.Popen[bytes]]
) -> None:
    """Once: what is drawn after that is drawn by another."""
    with prepared(), prepared():
        assert len(started) == 1
        first = draw(charts)
        assert len(started) == 1
        second = draw(charts)
    assert len(started) == 2
    assert first == second != Pictures()
    assert drawing._ready == []


def test_a_page_is_drawn_by_the_process_that_was_prepared_long_before(
    content: ReportContent, started: list[subprocess.Popen[bytes]]
) -> None:
    """Such as before the table was read: the page starts none of its own."""
    with prepared():
        assert len(started) == 1
        assert NOT_DRAWN not in render(content)
    assert [process.returncode for process in started] == [0]


def test_a_prepared_process_that_was_not_needed_is_ended(
    started: list[subprocess.Popen[bytes]],
) -> None:
    """Also when the work ended with an error."""
    with pytest.raises(KeyError), prepared():
        raise KeyError
    assert [process.poll() is None for process in started] == [False]
    assert drawing._ready == []


def test_a_prepared_process_that_died_is_replaced(
    charts: Charts, started: list[subprocess.Popen[bytes]]
) -> None:
    """Nobody is told: the charts are there."""
    with prepared():
        started[0].kill()
        started[0].wait()
        assert draw(charts).risks is not None
    assert len(started) == 2


def test_without_a_request_the_process_ends(started: list[subprocess.Popen[bytes]]) -> None:
    """When whoever started it is gone, its input ends, and so does it, in silence."""
    drawing._start()
    output, _ = started[0].communicate(timeout=PATIENCE)
    assert output == b""
    assert started[0].returncode == 0


@pytest.mark.parametrize("asked", [True, False])
def test_the_process_answers_what_it_is_asked(
    charts: Charts,
    monkeypatch: pytest.MonkeyPatch,
    asked: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """Charts in, images out, as JSON both; nothing for nothing."""
    request, answer = BytesIO(to_json(charts).encode() if asked else b""), BytesIO()
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(request))
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(answer))
    draw_svg.main()
    expected = json.dumps(draw_svg.draw(charts)).encode() if asked else b""
    assert answer.getvalue() == expected


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit(3)",
        "import os; os.kill(os.getpid(), 9)",
        "print('no JSON')",
        "print('[]')",
        "print('{}')",
        "print('null')",
        """print('{"risks": {"wide": "<svg/>"}}')""",
        """print('{"risks": 1}')""",
        """print('{"else": {"wide": "", "narrow": ""}}')""",
        "import sys; sys.stdin.close(); print('{')",
        _SLEEPS,
    ],
)
def test_whatever_becomes_of_the_process_there_is_an_answer(
    charts: Charts,
    started: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    program: str,
) -> None:
    """It fails, is killed, says nonsense or hangs: then no chart is drawn, and it is ended."""
    monkeypatch.setattr(drawing, "_PROGRAM", program)
    monkeypatch.setattr(drawing, "PATIENCE", 1.0 if program == _SLEEPS else PATIENCE)
    assert draw(charts) == Pictures()
    assert [process.poll() is None for process in started] == [False]


def test_figures_that_cannot_be_sent_are_not_drawn(
    charts: Charts, started: list[subprocess.Popen[bytes]]
) -> None:
    """A number of a kind that JSON does not have is no reason to fail either."""
    assert draw(charts._replace(risks=charts.risks._replace(threshold=1j))) == Pictures()  # type: ignore[arg-type] # on purpose
    assert [process.poll() is None for process in started] == [False]


@pytest.mark.parametrize("executable", ["", "/nowhere/python", None])
def test_without_an_interpreter_nothing_is_drawn(
    charts: Charts, monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    """As where Python is part of another program."""
    monkeypatch.setattr(sys, "executable", executable)
    with prepared():
        assert draw(charts) == Pictures()


def test_an_interruption_ends_the_process(
    charts: Charts, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And goes on to whoever can answer it."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw(charts)
    assert [process.poll() is None for process in started] == [False]


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
def test_an_interruption_from_the_terminal_does_not_reach_the_process(tmp_path: Path) -> None:
    """It is sent to the whole group; only the starting process says something, and none stays."""
    note = tmp_path / "child"
    program = f"""
        import os, time
        open({str(note)!r}, "w").write(f"{{os.getpid()}} {{os.getsid(0)}} .")
        time.sleep(600)
        """
    # Where the tests run in the background, interruptions are ignored, and children inherit it.
    script = _script(
        f"""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        drawing._PROGRAM = {textwrap.dedent(program)!r}
        try:
            drawing.draw(charts)
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    )
    wait_until(lambda: note.exists() and note.read_text().endswith("."), "the other process")
    child, session = (int(number) for number in note.read_text().split()[:2])
    assert session == child
    os.killpg(run.pid, signal.SIGINT)
    assert run.communicate(timeout=PATIENCE)[0] == "interrupted\n"
    wait_until(lambda: not _alive(child), "the end of the other process")


def _script(end: str) -> str:
    """A program that has the same charts as the fixture, without a main guard."""
    return "\n".join(
        [
            "from roadstead.reports import drawing",
            f"drawing.PATIENCE = {PATIENCE}",
            "from roadstead.reports.charts import Charts",
            "from roadstead.reports.charts.class_sizes import ClassSizeChart, SizeBin",
            "from roadstead.reports.charts.risks import RiskBar, RiskChart",
            "sizes = ClassSizeChart((SizeBin(1, 4, 5, 0), SizeBin(5, 9, 4, 9)), 0, 9, 5)",
            "charts = Charts(RiskChart((RiskBar('Risk', 1.0, 0.2),), 0.2), sizes, None)",
            textwrap.dedent(end),
        ]
    )


def _alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.parametrize("how", ["script", "standard input", "path set in the program"])
def test_it_works_from_any_program(tmp_path: Path, how: str) -> None:
    """Without a main guard, without a file, and with a package found by other means.

    The folder that one works in holds files named like modules that are imported: they are not
    found there, as they are not found by the installed command.
    """
    for name in ("altair", "json", "roadstead"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    program = _script("print([picture is not None for picture in drawing.draw(charts)])")
    command = [sys.executable]
    environment = {**os.environ, "PYTHONPATH": _SOURCE}
    if how != "script":
        environment["PYTHONSAFEPATH"] = "1"
    else:
        (tmp_path / "elsewhere").mkdir()
        script = tmp_path / "elsewhere" / "main.py"
        script.write_text(program)
        command.append(str(script))
    if how == "path set in the program":
        del environment["PYTHONPATH"]
        program = f"import sys; sys.path.insert(0, {_SOURCE!r})\n{program}"
    run = subprocess.run(
        command,
        input=None if how == "script" else program,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert (run.stdout, run.stderr) == ("[True, True, False]\n", "")


def test_the_starting_process_imports_nothing_that_draws() -> None:
    """Which is the reason for having another."""
    program = _script(
        "drawing.draw(charts); import sys\n"
        "print([name for name in ('altair', 'vl_convert', 'numpy') if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": _SOURCE}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True, text=True
    )
    assert run.stdout == "[]\n"
