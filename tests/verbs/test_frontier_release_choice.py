"""Choosing a policy of a frontier: the policy, its requirements, and the refusals."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import Counter
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import undrawn
from promises import promise_in
from pyarrow import parquet

import roadstead as rs
from roadstead.errors import OutputError, Refusal, SettingError
from roadstead.tables.reading import read
from roadstead.verbs.frontier.result import FrontierFinding
from roadstead.verbs.functions import frontier

NAMES = ("age", "race")
ORDER = {"race": ["W", "B", "A", "X"]}


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


WHY = "These are made-up people of a test"


def rows(rare: int = 0) -> list[tuple[str, ...]]:
    """Ages and races; the last race has `rare` records, with rare remarks."""
    chance = random.Random(8)  # noqa: S311 - no secret
    found: list[tuple[str, ...]] = [
        (str(chance.randint(30, 49)), chance.choice("WWWBA"), f"remark {i}") for i in range(120)
    ]
    return found + [(str(30 + i), "X", f"more {i}") for i in range(rare)]


def find(rare: int = 0, **more: Any) -> FrontierFinding[Any]:  # noqa: ANN401 - as frontier
    """Find a frontier."""
    columns = map(list, zip(*rows(rare), strict=True))
    table = pa.table(dict(zip((*NAMES, "remark"), columns, strict=True)))
    return frontier(table, quasi=NAMES, search="steepest", **more)


@pytest.mark.nightly
def test_an_index_has_the_risk_of_its_point(tmp_path: Path) -> None:
    """Counted from the release alone: without a population records protect each other."""
    found = find(orders=ORDER)
    points = found.to_dict()["points"]
    original = len(Counter(row[:2] for row in rows()))
    for index in range(0, len(points), 10):
        out = tmp_path / str(index)
        release = found.choose(index, reason=WHY)
        assert release.write(out).passed
        table = parquet.read_table(out / "release.parquet")
        assert table.column_names == list(NAMES)  # remarks single people out, and are withheld
        released = list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))
        sizes = Counter(released)
        risk = fsum(1 / sizes[row] for row in released)
        assert risk / original == pytest.approx(points[index]["risk"], abs=1e-9)
        certificate = json.loads((out / "certificate.json").read_text())
        assert "records that are re-identified is at most" in promise_in(out)
        assert [model["kind"] for model in certificate["settings"]["privacy"]] == [
            "population-risk"
        ]
        told = release.to_dict()["population_risk"][0]
        assert told["sum"] == pytest.approx(risk)
        assert told["mean"] <= told["maximum"] <= told["mean"] * 1.001 + 1e-4
        assert release.to_dict()["suppressed"] == 0
        assert set(release.to_dict()["withheld"]) == {"remark"}


def test_a_risk_chooses_the_policy_that_loses_least() -> None:
    """The promised bound is the requested one."""
    found = find(orders=ORDER)
    points = found.to_dict()["points"]
    for risk in (points[0]["risk"], 0.3, 0.5, 1.0):
        fitting = [p for p in points if p["risk"] <= risk + 1e-12]
        release = found.within(risk, reason=WHY)
        assert release.chosen.loss == min(p["utility_loss"] for p in fitting)
        bound = release.to_dict()["population_risk"][0]["maximum"]
        mean = risk * found.risk.greatest / found.records
        assert bound == pytest.approx(mean, rel=1e-3)
        assert bound >= mean


def test_a_risk_below_the_least_is_answered_with_no() -> None:
    """The least is named."""
    found = find()
    least = found.members[0].risk
    says = re.escape(f"the lowest risk found is {least:.6g}")
    with pytest.raises(Refusal, match=rf"at most 0\.001 of .*{says}"):
        found.within(0.001)


@pytest.mark.parametrize("risk", [-0.1, 1.01, 5.0, float("nan"), float("inf")])
def test_a_risk_that_is_no_share_is_refused(risk: float) -> None:
    """A user who writes 5 for 5% must not get the original data."""
    with pytest.raises(SettingError, match=r"risk: the risk is .*must be between 0 and 1"):
        find().within(risk)


@pytest.mark.parametrize("index", [-1, 10_000])
def test_an_index_that_is_none_is_refused(index: int) -> None:
    """Those that are there are named."""
    found = find()
    with pytest.raises(SettingError, match=f"choose a number from 0 to {len(found.members) - 1}"):
        found.choose(index, reason=WHY)


def test_a_message_names_the_arguments_of_what_is_called(tmp_path: Path) -> None:
    """Those of the methods, if a method is called; those of the function, if it chooses itself."""
    found = find()
    last = len(found.members) - 1
    for choosing in (partial(found.choose, last), partial(found.within, 1.0)):
        with pytest.raises(SettingError, match="give a reason with reason=TEXT,"):
            choosing()
        with pytest.raises(SettingError, match=r"^reason: the reason is too short"):
            choosing(reason="no")
    with pytest.raises(SettingError, match=r"^index: the frontier has no policy"):
        found.choose(last + 1)
    for more in ({"choose": last}, {"risk": 1.0}):
        with pytest.raises(SettingError, match="give a reason with choose_reason=TEXT,"):
            find(**more, out=tmp_path / "out")


def grouped(found: FrontierFinding[Any]) -> int:
    """Index of a policy that merges some races, and not all."""
    return next(
        i
        for i, point in enumerate(found.to_dict()["points"])
        if {"0", "1"} <= set(point["policy"]["race"])
    )


def test_rare_values_are_not_listed_in_a_released_policy() -> None:
    """Only the table shows that they exist; a column cut by numbers lists no values."""
    found = find(rare=2)
    index = grouped(found)
    with pytest.raises(
        SettingError, match=r"values of 'race' that fewer than 5 .*\(1 of 4 values\)"
    ):
        found.choose(index, reason=WHY)
    assert found.choose(0, reason=WHY).to_dict()["suppressed"] == 0
    document = json.dumps(find(rare=5).choose(index, reason=WHY).to_dict())
    assert '"X"' in document


def test_rare_values_are_listed_where_somebody_listed_them() -> None:
    """In an order, or in a population."""
    ordered = find(rare=2, orders=ORDER)
    assert ordered.choose(grouped(ordered), reason=WHY).to_dict()["suppressed"] == 0
    people = pa.table({n: [r[i] for r in rows(2)] for i, n in enumerate(NAMES)})
    known = find(rare=2, population=people)
    assert known.choose(grouped(known), reason=WHY).to_dict()["suppressed"] == 0


def test_where_records_at_risk_are_counted_the_mean_is_promised() -> None:
    """The policy's own value, in the measure that can be verified."""
    found = find(orders=ORDER, risk_measure="at-risk", k=3)
    release = found.choose(len(found.members) // 2, reason=WHY)
    told = release.to_dict()["population_risk"][0]
    assert told["mean"] <= told["maximum"]
    assert release.to_dict()["models"] == [f"population risk {told['maximum']!r}"]


def test_a_frontier_is_written_whole_and_replaces_only_a_former_one(tmp_path: Path) -> None:
    """From Python as on the command line."""
    found = find()
    out = tmp_path / "out"
    found.write(out)
    names = {"frontier.html", "frontier.png", "frontier.json"}
    assert {path.name for path in out.iterdir()} == names
    assert json.loads((out / "frontier.json").read_text())["points"] == found.to_dict()["points"]
    with pytest.raises(OutputError, match="already exists"):
        found.write(out)
    found.write(out, force=True)
    (out / "frontier.html").write_text("mine")
    with pytest.raises(OutputError):
        found.write(out, force=True)
    assert (out / "frontier.html").read_text() == "mine"


def test_frames_and_notebooks_show_the_points() -> None:
    """All in the order of the indices."""
    found = find()
    points = found.to_dict()["points"]
    assert found.to_arrow().column("risk").to_pylist() == [p["risk"] for p in points]
    assert found.to_pandas()["index"].tolist() == list(range(len(points)))
    assert "<pre>" in found._repr_html_()


@pytest.mark.nightly
def test_a_bound_on_the_mean_is_not_told_as_one_on_single_records(tmp_path: Path) -> None:
    """If some records are unique, their number comes first, on the screen and in the report.

    Fault class: a promise described as more than it is.
    """
    found = find(orders=ORDER)
    release = found.choose(len(found.members) - 1, reason=WHY)
    alone = sum(1 for number in Counter(row[:2] for row in rows()).values() if number == 1)
    assert alone
    warned, _, first, promised, *rest = str(release).splitlines()
    assert warned.startswith("Warning: 5-anonymity was declared")
    assert "None are suppressed" in first
    assert "a mean over all records" in promised
    assert "this does not limit the risk of an individual record" in promised
    assert f"100% for {alone} records that are unique" in promised
    assert "at most 100%" not in "\n".join([promised, *rest])
    assert release.warning is not None
    assert f"{alone} records are unique in the quasi-identifiers" in release.warning
    release.write(tmp_path / "release")
    page = (tmp_path / "release/report.html").read_text("utf-8").replace("\xa0", " ")
    assert f"{alone} records of the release differ from every other record" in page
    assert "this does not limit the risk of an individual record" in page
    assert "at most 100%" not in re.sub("<desc.*?</desc>", "", page)  # of what is acceptable


def test_a_bound_on_each_record_is_told_as_one() -> None:
    """With an additional k-anonymity, there is no warning."""
    columns = map(list, zip(*rows(), strict=True))
    table = pa.table(dict(zip((*NAMES, "remark"), columns, strict=True)))
    asked = [{"kind": "k-anonymity", "k": 5}]
    found = frontier(table, quasi=NAMES, orders=ORDER, threshold="models", privacy=asked)
    release = found.choose(0, reason=WHY)
    promised = str(release).splitlines()[2]
    assert "5-anonymity" in promised
    assert "does not limit" not in promised
    assert "per record" in promised
    assert release.warning is None


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", ["steepest", "exact"])
def test_a_frontier_can_be_kept_and_chosen_from_later(search: str, tmp_path: Path) -> None:
    """In another process too: the table is opened again, and a release of it verifies.

    Fault class: a result that holds live objects.
    """
    data = tmp_path / "visits.csv"
    data.write_text("age;race;remark\n" + "".join(f"{a};{b};{c}\n" for a, b, c in rows()))
    with read(data, delimiter=";") as source:
        found = frontier(source, quasi=NAMES, search=search, evaluations=30)
        kept = pickle.dumps((found, found.choose(0, reason=WHY)))
        expected = found.within(0.5, reason=WHY).to_dict()
    again, release = pickle.loads(kept)  # noqa: S301 - our own
    assert again.to_dict() == found.to_dict()
    assert again.within(0.5, reason=WHY).to_dict() == expected
    assert again.choose(1, reason=WHY).write(tmp_path / "chosen").passed
    assert release.write(tmp_path / "first").passed


def test_a_notebook_shows_the_chart_of_a_frontier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below what the terminal says."""
    found = find()
    assert "<pre>" in found._repr_html_()
    monkeypatch.undo()
    shown = found._repr_html_()
    assert shown.index("<pre>120 records") < shown.index("<svg")


def test_a_report_without_a_threshold_calls_no_risk_acceptable(tmp_path: Path) -> None:
    """A policy of a frontier may leave records alone; 100% is then no acceptable risk."""
    rows = [f"{20 + at * 7 % 50},{'fm'[at % 2]}" for at in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex", *rows, ""]))
    chosen = rs.frontier(tmp_path / "t.csv", quasi=["age", "sex"], evaluations=100).within(
        1.0, reason="a look at the original values"
    )
    chosen.write(tmp_path / "release")
    report = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "do not set a threshold" in report
    assert "acceptable:" not in report
    assert "not acceptable" not in report
