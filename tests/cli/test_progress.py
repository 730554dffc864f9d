"""Progress of a search, for people and for logs."""

from __future__ import annotations

import signal
import sys
from io import StringIO

import pytest

from roadstead.cli.carrying_out import watching
from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import Candidate, Progress
from roadstead.verbs.anonymize.request import AnonymizeRequest

describe = AnonymizeRequest.progress_line


def progress(seconds: float, best: Candidate[Levels] | None = None) -> Progress:
    """Make a report of a search."""
    return Progress(evaluated=1234, seconds=seconds, best=best, lower_bound=0.3, open=5)


def test_progress_names_the_best_the_bound_and_the_gap() -> None:
    """Or that there is no policy yet."""
    best = Candidate((1, 2), 0.4, 7)
    assert describe(progress(12.4, best)) == (
        "searching 12 s: best loss 40%, lower bound 30%, gap 25%; 1,234 policies evaluated"
    )
    assert "no policy yet" in describe(progress(1))
    assert "gap 0%" in describe(progress(1, Candidate((0,), 0.0, 0)))


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ten seconds, not ten times a second."""
    log = StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with watching(AnonymizeRequest) as watch:
        for tenths in range(350):
            watch.progress(progress(tenths / 10))
    assert [line.split(":")[0] for line in log.getvalue().splitlines()] == [
        "searching 10 s",
        "searching 20 s",
        "searching 30 s",
    ]


def test_an_interrupt_asks_once_and_then_ends(capsys: pytest.CaptureFixture[str]) -> None:
    """And what it meant before is restored."""
    before = signal.getsignal(signal.SIGINT)
    with watching(AnonymizeRequest) as watch:
        assert not watch.stopped()
        signal.raise_signal(signal.SIGINT)
        assert watch.stopped()
        assert "Ctrl-C again" in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_where_interrupts_are_ignored_they_stay_so() -> None:
    """As in the background of a script, whose Ctrl-C is not meant for it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with watching(AnonymizeRequest) as watch:
            signal.raise_signal(signal.SIGINT)
            assert not watch.stopped()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
