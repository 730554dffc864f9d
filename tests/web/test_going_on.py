"""A stopped search is repeated, and the earlier result is not lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench import Bench, served

from roadstead.web.sessions.candidate_requests import facts_of, tried_of, try_out
from roadstead.web.sessions.candidates import keep
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.work.jobs import JobRecord

_ON = re.compile(r'action="(\S+/on)"')


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workbench, and a table in the folder that it may use."""
    (tmp_path / "allowed").mkdir()
    lines = [f"{20 + i * 7 % 60},{'fm'[i % 2]},{i * i % 37}" for i in range(900)]
    (tmp_path / "allowed" / "wards.csv").write_text("\n".join(["age,sex,ward", *lines, ""]))
    with served(tmp_path / "state", [tmp_path / "allowed"]) as bench:
        yield bench


@pytest.fixture
def piece(bench: Bench) -> str:
    """A piece of work with decided columns."""
    table, piece = bench.state.parent / "allowed" / "wards.csv", bench.begin()
    bench.open(piece, str(table))
    bench.choose(piece, f"data = {json.dumps(str(table))}\n[roles]\nquasi = ['age', 'sex', 'ward']")
    return piece


def candidates(bench: Bench, piece: str) -> list[dict[str, Any]]:
    """Give what was found of each candidate, in the order in which they were tried."""
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    return [session.facts(facts_of(one)) for one in tried_of(session)]


def gone_on(bench: Bench, piece: str) -> str:
    """Go on with the one candidate that can; give what the page says then."""
    found = _ON.findall(bench.get(f"{piece}/explore").text)
    assert len(found) == 1
    assert bench.post(found[0]).status == 303
    assert bench.wait(piece, "trial")["state"] == "done"
    return bench.get(f"{piece}/explore").text


def test_a_stopped_search_goes_on_to_its_end(bench: Bench, piece: str) -> None:
    """The earlier result stays in the list; the time limit is gone, also from the title."""
    bench.post(f"{piece}/explore/try", kind="global", sizes="5", time_limit="0.000001")
    assert bench.wait(piece, "trial")["state"] == "done"
    (before,) = candidates(bench, piece)
    assert before["ending"] == "time limit"
    page = gone_on(bench, piece)
    kept, after = candidates(bench, piece)
    assert kept == before
    assert after["ending"] == "complete"
    assert after["loss"] < before["loss"]
    assert "searched again from the start" in page
    assert page.count("One level per column, k = 5, at most") > 0
    assert "One level per column, k = 5<" in page
    assert _ON.search(page) is None


@pytest.mark.parametrize(
    ("found", "stays"),
    [
        ({"ending": "interrupted", "loss": 0.3}, False),
        ({"ending": "interrupted", "loss": 0.2}, False),
        ({"ending": "interrupted", "loss": 0.1}, True),
        ({"ending": "complete", "loss": 0.2}, True),  # the same, and proven now
    ],
)
def test_a_search_that_is_stopped_sooner_takes_nothing_away(
    tmp_path: Path, found: dict[str, Any], *, stays: bool
) -> None:
    """Fault class: continuing and stopping at once leaves the user with less than before."""
    session = Sessions(tmp_path).new("Untitled")
    first = try_out(session, "first", "anonymize", {"k": 5})
    session.find(facts_of(first), {"ending": "interrupted", "loss": 0.2})
    second = try_out(session, "first", "anonymize", {"k": 5}, after=first.name)
    keep(session, second, JobRecord("trial-1", "trial", "first", found=found))
    names = [one.name for one in tried_of(session)]
    assert names == ([first.name, second.name] if stays else [first.name])
    assert session.facts(facts_of(first))["loss"] == 0.2
    assert ("searched_again" in session.facts(facts_of(first))) is not stays


@pytest.mark.nightly
def test_a_frontier_that_came_less_far_does_not_replace_another(bench: Bench, piece: str) -> None:
    """The choices are the same; the page offers to continue, and explains it."""
    bench.post(f"{piece}/explore/frontier", policies="levels", time_limit="0.000001")
    bench.wait(piece, "frontier")
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    first = session.facts("frontier")
    assert first["ending"] != "complete"
    assert "Search without a time limit" in bench.get(f"{piece}/explore").text
    session.find("frontier", {**first, "evaluated": first["evaluated"] + 1})
    bench.post(f"{piece}/explore/frontier", policies="levels", time_limit="0.000001")
    bench.wait(piece, "frontier")
    assert session.facts("frontier")["evaluated"] == first["evaluated"] + 1
    assert "made less progress than this one" in bench.get(f"{piece}/explore").text
    bench.post(f"{piece}/explore/frontier", policies="levels")
    bench.wait(piece, "frontier")
    assert session.facts("frontier")["ending"] == "complete"
    assert "Search without a time limit" not in bench.get(f"{piece}/explore").text
