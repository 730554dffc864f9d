"""Jobs and questions: a limited number, none that replaces a newer one, and none lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import wait_until

from roadstead.errors import SettingError
from roadstead.web.pages import rendered
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.work import jobs, table_processes
from roadstead.web.work.jobs import Desk, JobRecord
from roadstead.web.work.process import Child


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A desk that is cleared at the end."""
    own = Desk()
    yield own
    own.close()


@pytest.fixture
def session(tmp_path: Path) -> WorkSession:
    """A piece of work."""
    return Sessions(tmp_path).new("Untitled")


def begun(desk: Desk, session: WorkSession, then: list[str]) -> JobRecord:
    """Start a job whose process gets no task, so that it does not end on its own."""
    return desk.start(session, "scan", "Reading", {}, lambda one: then.append(one.name))


class Silent(Child):
    """A process that waits for its input to end and says nothing."""

    def ask(self, **words: object) -> None:
        """Send nothing."""


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes hear nothing, so that no job ends by itself."""
    monkeypatch.setattr(jobs, "Child", Silent)


@pytest.mark.usefixtures("silent")
def test_a_job_that_was_dropped_leaves_nothing(desk: Desk, session: WorkSession) -> None:
    """It is asked after in vain, nothing follows from it, and no file says that it was there."""
    then: list[str] = []
    record = begun(desk, session, then)
    desk.drop(session, record.name)
    wait_until(lambda: record.state != "running", "the job to end")
    assert desk.job(session, record.name) is None
    assert not then
    assert [one.name for one in session.folder.iterdir()] == ["session.json"]


@pytest.mark.usefixtures("silent")
def test_work_that_was_removed_does_not_come_back(desk: Desk, session: WorkSession) -> None:
    """A job that ends while its session is removed writes nothing into its place."""
    records = [begun(desk, session, []) for _ in range(3)]
    desk.forget(session)
    session.folder.joinpath("session.json").unlink()
    session.folder.rmdir()
    wait_until(lambda: all(one.state != "running" for one in records), "the jobs to end")
    assert not session.folder.exists()


@pytest.mark.usefixtures("silent")
def test_only_so_many_jobs_are_at_work(desk: Desk, session: WorkSession) -> None:
    """One more is refused in words, and taken when another has ended."""
    records = [begun(desk, session, []) for _ in range(jobs._MOST_AT_WORK)]
    with pytest.raises(SettingError, match="jobs are already running"):
        begun(desk, session, [])
    desk.drop(session, records[0].name)
    assert begun(desk, session, []).state == "running"


@pytest.mark.usefixtures("silent")
def test_a_job_that_is_ended_says_so(desk: Desk, session: WorkSession) -> None:
    """Asked twice to stop it is killed, and its end is not blamed on memory."""
    record = begun(desk, session, [])
    desk.stop(session, record.name)
    desk.stop(session, record.name)
    wait_until(lambda: record.state != "running", "the job to end")
    assert record.state == "stopped"
    assert record.error == {"message": "the job ended before there was a result"}


def test_a_process_that_is_killed_ends_its_job(desk: Desk, session: WorkSession) -> None:
    """The message may be incomplete: half a line is not an answer."""
    record = desk.start(session, "scan", "Reading", {})
    (child,) = (own for one, own in desk._jobs.values() if one is record)
    child.process.kill()
    wait_until(lambda: record.state != "running", "the job to end")
    assert record.state == "failed"
    assert record.error is not None
    assert "memory" in record.error["message"]
    found = desk.job(session, record.name)
    assert found is not None
    assert found.state == "failed"


def test_what_follows_a_job_may_fail_without_its_data(desk: Desk, session: WorkSession) -> None:
    """A fault of the page itself is reported by its kind, because its text may hold a cell."""

    def then(_: JobRecord) -> None:
        raise KeyError("canary")

    child = Child()
    desk._jobs[session.name, "scan-1"] = (record := JobRecord("scan-1", "scan", "Reading"), child)
    desk._ended(session, record, "done", then)
    child.end()
    assert record.state == "failed"
    assert "canary" not in str(record)
    assert "KeyError" in str(record.error)


def test_questions_wait_in_a_short_line(session: WorkSession) -> None:
    """Those that come when it is full are refused, and a process that hangs holds few threads."""
    answers = threading.Event()

    class Slow(Silent):
        def answer(self) -> dict[str, object]:
            answers.wait()
            return {"found": {"rows": 1}}

    answerer = table_processes._Answerer(Slow())
    questions = table_processes.Questions({session.name: answerer})
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(questions.answer(session.name, do="rows")))
        for _ in range(table_processes._MOST_WAITING)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: answerer.waiting == len(threads), "all to wait")
    with pytest.raises(SettingError, match="still busy"):
        questions.answer(session.name, do="rows")
    answers.set()
    for thread in threads:
        thread.join()
    assert found == [{"rows": 1}] * len(threads)
    questions.close()


@pytest.mark.parametrize("kind", ["scan", "risk", "write", "trial", "prepare"])
def test_only_a_search_has_a_best_result_to_keep(kind: str) -> None:
    """While a table is only read, there is none."""
    text = rendered("job.html", job=JobRecord("j", kind, "At work"), base="/w")
    assert ("keep the best result" in text) is (kind in ("trial", "prepare"))
