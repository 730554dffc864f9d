"""Candidates of other kinds are released unchanged: private ones, policies of a frontier."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from commands import run
from workbench import Bench, served

from roadstead.web.sessions.candidate_requests import choose, drop, try_out
from roadstead.web.sessions.session import WorkSession

_PROJECT = """data = {data}

[roles]
quasi = ["age", "sex"]
sensitive = ["outcome"]
identifiers = ["name"]

[privacy]
k = 5

[search]
{search}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench, and a table in the folder that it may use."""
    folder = tmp_path_factory.mktemp("candidates")
    (folder / "allowed").mkdir()
    lines = [
        f"Ann {i},{20 + i * 7 % 60},{'fm'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(600)
    ]
    table = folder / "allowed" / "patients.csv"
    table.write_text("\n".join(["name,age,sex,outcome", *lines, ""]))
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


def _released(
    bench: Bench, verb: str, given: dict[str, Any], out: Path, search: str = ""
) -> tuple[str, list[str]]:
    """Try a candidate, choose it, prepare and write it; give the page and the command."""
    piece = bench.begin()
    table = out.parent / "patients.csv"
    bench.open(piece, str(table))
    bench.choose(piece, _PROJECT.format(data=json.dumps(str(table)), search=search))
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    choose(session, try_out(session, "As tried", verb, given).name)
    assert bench.post(f"{piece}/release/prepare").status == 303
    record = bench.wait(piece, "prepare")
    assert record["state"] == "done", record["error"]
    assert bench.get(f"{piece}/release/rows").status == 200
    told = bench.get(f"{piece}/release/columns")
    assert told.status == 200
    assert bench.post(f"{piece}/release/write", out=str(out)).status == 303
    record = bench.wait(piece, "write")
    assert record["state"] == "done", record["error"]
    page = bench.get(f"{piece}/release").text
    found = re.search(r'id="again-command"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    return page + told.text, shlex.split(html.unescape(found[1]))


def _run(command: list[str]) -> None:
    program, *arguments = command
    assert program == "roadstead"
    with chdir("/"):  # the paths of a shown command do not depend on the working folder
        done = run(*arguments)
    assert done.code == 0, done.err


@pytest.mark.nightly
def test_a_private_release_is_written_as_it_was_drawn(bench: Bench) -> None:
    out = bench.state.parent / "allowed" / "private"
    given = {
        "target": "outcome",
        "classes": ["no", "yes"],
        "quasi": ["age", "sex"],
        "ranges": {"age": "20..80"},
        "values": {"sex": ["f", "m"]},
        "epsilon": "2",
        "specializations": 2,
    }
    page, command = _released(bench, "synthesize", given, out)
    assert "The noise is random" in page
    tried = next(bench.state.glob("*/releases/synthesize-*"))
    assert {one.name: one.read_bytes() for one in out.iterdir()} == {
        one.name: one.read_bytes() for one in tried.iterdir()
    }
    _run(command)
    again = json.loads((out.with_name("private-again") / "certificate.json").read_text())
    assert again["settings"] == json.loads((out / "certificate.json").read_text())["settings"]


def test_a_pick_of_a_frontier_is_a_release_like_any_other(bench: Bench) -> None:
    out = bench.state.parent / "allowed" / "picked"
    given = {"choose": 0, "risk_measure": "at-risk", "k": 5}
    page, command = _released(bench, "frontier", given, out)
    assert "writes the whole frontier" in page
    _run(command)
    again = out.with_name("picked-again") / "release"
    for name in ("patients.csv", "policy.json"):
        assert (out / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.nightly
def test_a_search_that_ended_early_is_repeated_by_its_policy(bench: Bench) -> None:
    out = bench.state.parent / "allowed" / "early"
    page, command = _released(bench, "anonymize", {}, out, search="time_limit = 0.000001")
    assert "The search ended early" in page
    assert command[:2] == ["roadstead", "apply"]
    _run(command)
    again = out.with_name("early-again")
    for name in ("patients.csv", "policy.json"):
        assert (out / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.nightly
def test_a_recoding_says_that_classes_differ(bench: Bench) -> None:
    """A description of its first level would promise too much."""
    out = bench.state.parent / "allowed" / "local"
    given = {"recoding": "intervals", "k": 15}
    page, command = _released(bench, "anonymize", given, out)
    assert "for each group of records" in page
    _run(command)
    assert (out / "patients.csv").read_bytes() == (
        out.with_name("local-again") / "patients.csv"
    ).read_bytes()


def test_a_quasi_identifier_that_shows_names_needs_a_reason(bench: Bench) -> None:
    """It stays a quasi-identifier, and the certificate records the decision."""
    names = ("Maria Garcia", "James Smith", "Olga Johnson")
    rows = [f"{names[at * 7 % 3]},{'fm'[at % 5 % 2]},{at % 11 % 4}" for at in range(240)]
    piece = bench.begin()
    table = bench.state.parent / "allowed" / "wards.csv"
    table.write_text("\n".join(["pt,sex,outcome", *rows, ""]))
    bench.open(piece, str(table))
    project = _PROJECT.format(data=json.dumps(str(table)), search="").replace('"age"', '"pt"')
    bench.choose(piece, project.replace('identifiers = ["name"]\n', ""))
    bench.post(f"{piece}/release/prepare")
    record: Any = bench.wait(piece, "prepare")
    assert [*record["error"]["refused"]] == ["pt"]
    bench.post(
        f"{piece}/columns/refused",
        job=record["name"],
        column="pt",
        does="release",
        reason="these are the names of wards",
    )
    bench.post(f"{piece}/release/prepare")
    record = bench.wait(piece, "prepare")
    assert record["state"] == "done", record["error"]
    found = json.loads(next(bench.folder(piece).rglob("certificate.json")).read_text())
    assert [one["forced"] for one in found["identifiers"]] == [True]
    assert found["policy"]["columns"]["forced_quasi"] == ["pt"]
    assert "released anyway, although" in bench.get(f"{piece}/release").text


def test_candidates_with_the_same_title_are_numbered(bench: Bench) -> None:
    """Also if one of them is tried again or dropped. Fault class: a list of equal names."""
    piece = bench.begin()
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    bench.open(piece, str(bench.state.parent / "allowed" / "patients.csv"))
    made = [try_out(session, title, "anonymize", {}) for title in ("Own, k = 5",) * 3]
    assert [one.title for one in made] == ["Own, k = 5", "Own, k = 5 (2)", "Own, k = 5 (3)"]
    drop(session, made[1].name)
    assert try_out(session, made[2].title, "anonymize", {}).title == made[1].title
    assert try_out(session, "Own, k = 9", "anonymize", {}).title == "Own, k = 9"
