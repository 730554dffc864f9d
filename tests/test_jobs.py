"""Work in a separate thread: it reports its progress, can be stopped, and gives its result."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest
from patience import PATIENCE

from roadstead.errors import SettingError
from roadstead.jobs import SILENT, Job, Observer


@dataclass
class Counting:
    """Counts until it is stopped, and keeps what it has."""

    begun: threading.Event

    def run(self, observer: Observer = SILENT) -> int:
        """Count; report each number."""
        observer.note("counting")
        number = 0
        while not observer.stopped():
            number += 1
            observer.progress(number)
            self.begun.set()
        return number


@dataclass
class Refusing:
    """Fails at once."""

    def run(self, observer: Observer = SILENT) -> int:  # noqa: ARG002 - as a request has it
        """Refuse."""
        raise SettingError("no", fix="do not ask")


def test_a_job_that_is_stopped_keeps_the_best_so_far() -> None:
    """It says how far it is meanwhile, and ends of itself when it hears of the stop."""
    request = Counting(threading.Event())
    job = Job(request)
    states = [job.state]
    assert job.start() is job
    assert request.begun.wait(PATIENCE)
    states.append(job.state)
    assert job.notes == ["counting"]
    job.stop()
    assert job.wait(PATIENCE)
    assert [*states, job.state] == ["waiting", "running", "done"]
    assert job.result() == job.progress >= 1


def test_a_job_that_fails_says_so_when_it_is_asked() -> None:
    """With the error that the work ended with."""
    job = Job(Refusing()).start()
    assert job.wait(PATIENCE)
    assert job.state == "failed"
    with pytest.raises(SettingError, match="do not ask"):
        job.result()
