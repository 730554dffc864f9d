"""A figure of a release is the same in every place, or rounded with the reason next to it.

Each release is read from its certificate, the terminal, JSON, the report, the page, `verify`, and
`evaluate`, as a person reads them: from the text.
"""

from __future__ import annotations

import html
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import run
from markupsafe import Markup
from small_tables import write_csv

from roadstead.jobs import SILENT
from roadstead.quality.for_sharing import coarse, rounded_from
from roadstead.quality.words import words_of
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import range_in_words
from roadstead.web.pages import rendered
from roadstead.web.sessions.candidate_requests import Tried
from roadstead.web.sessions.choices import Choices
from roadstead.web.sessions.prepared import Prepared
from roadstead.web.steps.explore.drawn import of_people
from roadstead.web.work.deliver import deliver
from roadstead.web.work.trials.trial import trial

QUASI = ("age", "sex", "zip")
WHY = "could reveal the range of the values"


def _table(path: Path) -> Path:
    """Make up patients; one in nine has no diagnosis, and one in four occurs twice."""
    chance = random.Random(11)  # noqa: S311 - made-up patients keep no secret
    rows: list[tuple[str, ...]] = []
    for at in range(300):
        age, zip_code = chance.randint(20, 79), f"02{chance.choice((130, 131, 139, 140))}"
        for _ in range(1 + (at % 4 == 0)):
            dx = "" if chance.random() < 1 / 9 else chance.choice(("asthma", "gout", "flu"))
            row = (f"p{at}", str(age), "FM"[at % 2], zip_code, dx, f"{chance.gauss(9, 2):.2f}")
            rows.append(row)
    return write_csv(path, ("pid", *QUASI, "dx", "stay"), rows)


def _asked(**more: object) -> dict[str, object]:
    alone = {} if "person" in more else {"identifiers": ["pid"], "count_records": True}
    asked = {"quasi": list(QUASI), "sensitive": ["dx"], "unchanged": ["stay"], **alone, "k": 4}
    return {**asked, **more}


ENTROPY = {"kind": "entropy-l-diversity", "column": "dx", "l": 1.5}
K_MAP = {"kind": "k-map", "k": 6}
ROUNDING = {"kind": "rounding", "column": "stay", "base": 1}
KINDS: dict[str, dict[str, object]] = {
    "global": _asked(),
    "records left out": _asked(suppressed_records="drop"),
    "arithmetic mean": _asked(aggregate="arithmetic", k=8),
    "partition": _asked(
        search="k-optimize",
        quality="discernibility",
        quasi=["age", "sex"],
        identifiers=["pid", "zip"],
    ),
    "cells": _asked(recoding="cells"),
    "local": _asked(recoding="local"),
    "intervals": _asked(recoding="intervals"),
    "people linked": _asked(person="pid", link="pseudonym", k=3),
    "people not linked": _asked(person="pid", k=3),
    "k-map": _asked(privacy=[K_MAP], population="POPULATION", k=None),
    "l-diversity": _asked(privacy=[ENTROPY]),
    "treated": _asked(treat=[ROUNDING]),
    "frontier": _asked(search="exact", choose=3, k=None),
    "nothing left": _asked(k=40, suppression=1.0, max_level=dict.fromkeys(QUASI, 0)),
}
QUICK = ("global", "people linked", "nothing left")


@dataclass(frozen=True)
class Read:
    """One release, as each place shows it."""

    certificate: dict[str, Any]
    document: dict[str, Any]  # JSON
    terminal: str
    report: str
    page: str
    verify: str
    evaluated: dict[str, Any]
    evaluation: str
    tried: dict[str, Any]
    candidates: str


def _words(page: str) -> str:
    """Give the text of a page."""
    page = re.sub(
        r"<style.*?</style>|<script.*?</script>|<svg.*?</svg>", " ", page, flags=re.DOTALL
    )
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def _prepared(release: Path, certificate: dict[str, Any]) -> str:
    """Give what the step Release says of a release that was prepared."""
    choices = Choices("Patients", None, (), {}, frozenset(), {})
    own = Prepared(Tried("one", "One"), release, certificate, choices, current=True, said={})
    shown = rendered(
        "prepared.html",
        prepared=own,
        choices=choices,
        base="",
        places=[],
        suggested="",
        current=False,
    )
    return _words(shown)


def _candidate(facts: dict[str, Any]) -> str:
    """Give the list of what was tried."""
    tried = SimpleNamespace(title="One", after=None, verb="anonymize")
    state = {"number": 1, "name": "one", "kind": "global", "state": "done", "error": None}
    names = ("chosen", "earlier", "pinned", "prepared", "stopped", "goes_on")
    flags = dict.fromkeys(names, False) | {
        "missing": (),
        "removed": (),
    }
    one = SimpleNamespace(**state, **flags, placed=True, facts=facts, tried=tried)
    own = rendered("explore/candidate.html", one=one, base="", of_people=of_people)
    row = Markup(own)  # noqa: S704 - a template's
    rows = {one.name: row}
    return _words(rendered("explore/candidates.html", candidates=[one], rows=rows, base=""))


def _read(folder: Path, kind: str) -> Read:
    table, out = folder / "people.csv", folder / kind.replace(" ", "-")
    project = folder / "project.toml"
    project.write_text(f"data = {json.dumps(str(table))}\n")
    verb = "frontier" if kind == "frontier" else "anonymize"
    fields = {key: value for key, value in KINDS[kind].items() if value is not None}
    if "population" in fields:
        fields["population"] = str(folder / "all.csv")
    given = {"verb": verb, "project": str(project), "given": {**fields, "out": str(out)}}
    delivery = deliver(given, SILENT)
    document = delivery["document"]
    release = out / "release" if kind == "frontier" else out
    certificate = json.loads((release / "certificate.json").read_text())
    evaluation = run("evaluate", release, "--original", table)
    assert evaluation.code == 0, evaluation.err
    evaluated = run("evaluate", release, "--original", table, "--json").json
    tried = {**given, "given": {**fields, "out": str(folder / f"tried-{out.name}")}}
    facts = trial({**tried, "known": fields["quasi"], "covered": []}, SILENT)
    return Read(
        certificate,
        document["release"] if kind == "frontier" else document,
        "\n".join(delivery["lines"]),
        _words((release / "report.html").read_text()),
        _prepared(release, certificate),
        run("verify", release).out,
        evaluated["releases"][0],
        evaluation.out,
        facts,
        _candidate(facts),
    )


def _check(read: Read) -> None:
    """Hold each figure of the certificate against every place that shows it."""
    _records(read)
    _risk(read)
    if read.certificate.get("persons") is None:
        _classes(read)
    _detail_lost(read)
    _added(read)


def _records(read: Read) -> None:
    """Records and people in and out."""
    counts, document = read.certificate["counts"], read.document
    persons = read.certificate.get("persons")
    for key in ("records", "released", "suppressed"):
        assert document[key] == counts[key], key
    assert read.evaluated["records"] == counts["released"] == read.tried["released"]
    assert read.evaluated["masked"] == counts["masked"]
    assert read.evaluated["left_out"] == counts["dropped"]
    assert read.tried["suppressed"] == counts["suppressed"]
    released = f"Records released {counts['released']:,} of {counts['records']:,}"
    assert released in read.report
    assert released in read.page
    apart = f"{counts['masked']:,} of them suppressed, with * in every quasi-identifier"
    assert (apart in read.page) == (counts["masked"] > 0)
    kept = f"{counts['masked']:,} kept with * in every quasi-identifier"
    fate = f": {kept}, {counts['dropped']:,} left out"
    assert (fate in read.report) == (counts["suppressed"] > 0)
    share = percent(counts["suppressed"] / counts["records"])
    assert f"({share}" in read.page
    if persons is None:
        assert f"Records suppressed {share}" in read.report
        if "None are suppressed" not in read.terminal:
            assert f"Suppressed: {share} ({counts['suppressed']:,} of " in read.terminal
    else:
        assert read.tried["persons"]["released"] == persons["released"]
        assert f"{persons['released']:,} of {persons['persons']:,} are in the release" in read.page
        assert f"{persons['left_out']:,}" in read.terminal


def _risk(read: Read) -> None:
    """The highest risk and the average."""
    counts, risk, document = read.certificate["counts"], read.certificate["risk"], read.document
    highest, average = percent(risk["maximum"], bound="upper"), percent(risk["average"])
    assert document["risk"]["maximum"] == risk["maximum"]
    assert document["risk"]["average"] == risk["average"]
    assert document["risk"]["maximum_of_masked"] == risk.get("maximum_of_masked")
    assert risk.get("maximum_of_masked", 0.0) == (counts["masked"] and 1 / counts["masked"])
    assert (read.tried["largest"], read.tried["risk"]) == (_highest(risk), risk["average"])
    if counts["released"] > counts["masked"]:
        unit = "record" if read.certificate.get("persons") is None else "person"
        assert f"Highest risk of a {unit} {highest}" in read.report
        assert highest in read.terminal
        assert average in read.terminal
        assert average in read.report
        assert average in read.candidates
        assert percent(_highest(risk), bound="upper") in read.candidates


def _highest(risk: dict[str, Any]) -> float:
    """The higher risk of the records with values and of the masked records."""
    return float(max(risk["maximum"], risk.get("maximum_of_masked", 0.0)))


def _classes(read: Read) -> None:
    """The classes of records that are released; the suppressed ones are apart."""
    counts, risk = read.certificate["counts"], read.certificate["risk"]
    assert read.evaluated["risk"] == {"largest": _highest(risk), "mean": risk["average"]}
    if risk["classes"]:
        assert f": {_counted(risk['classes'], 'group')}" in read.verify
    assert f" {risk['classes']:,} Smallest group" in read.report
    judged = f"{_counted(counts['masked'], 'suppressed record')} form one more group"
    assert (judged in read.verify) == (counts["masked"] > 0)


def _detail_lost(read: Read) -> None:
    """Exact to the people who make the release, in steps where it is shared, and why."""
    document, loss = read.document, read.certificate["loss"]
    exact, rounded = document["loss"], loss["loss"]
    assert rounded == coarse(exact) == read.evaluated["loss"]
    assert read.tried["loss"] == exact
    assert percent(exact) in read.candidates
    assert percent(read.evaluated["left_open"]) in read.candidates
    assert read.tried["left_open"] == read.evaluated["left_open"]
    about = f"{'about ' if 0 < rounded < 1 else ''}{percent(rounded)}"
    assert percent(exact) in read.terminal
    assert about in read.report
    assert f"{words_of(loss['kind']).figure} {about}" in read.page
    assert about in read.evaluation
    if exact != rounded:
        means = f"{percent(rounded)} (which means {range_in_words(exact)})"
        assert f"round this loss to {means}: an exact loss {WHY}" in read.terminal
    if 0 < rounded < 1:
        for text in (read.report, read.page, read.evaluation, read.candidates):
            assert WHY in text or "could reveal the smallest and largest" in text
        assert range_in_words(exact) in read.evaluation  # releases with the same step differ
        low, high = map(percent, rounded_from(exact))
        for text in (read.page, read.report):
            assert f"rounded from a loss between {low} and {high}" in text
        assert f"Loss of the policy, rounded {about}" in read.report
        assert "Losses are rounded to 1, 2, 5, 10, 20, 50, 80, or 90%" in read.report
    for name, own in document["loss_by_attribute"].items():
        assert loss["by_attribute"][name] == coarse(own)
        assert f"loss {percent(own)})" in read.terminal


def _added(read: Read) -> None:
    """The risk that the released columns add, and the text that a model treats as a value."""
    added = read.certificate["added"]
    found = read.document["released_columns_add"]["together"]
    assert added["together"].items() <= found.items()
    for text in (read.terminal, read.report, read.page):
        assert f"{added['together']['unique']:,}" in text
    if any(one["kind"].endswith("l-diversity") for one in read.certificate["policy"]["privacy"]):
        for text in (read.terminal, read.report, read.page, read.verify):
            assert "Empty cells in dx do not count as a value" in text


def _counted(number: int, noun: str = "record") -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, and the people whom it was drawn from."""
    own = tmp_path_factory.mktemp("figures")
    header, *rows = _table(own / "people.csv").read_text().splitlines()
    (own / "all.csv").write_text("\n".join([header, *rows * 3, ""]))
    return own


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", QUICK)
def test_every_place_shows_the_same_figures(kind: str, folder: Path) -> None:
    """Of three kinds of release; the others at night."""
    read = _read(folder, kind)
    _check(read)
    if kind == "nothing left":
        for text in (read.terminal, read.report, read.verify):
            assert "no value is left" in text
        assert {one["words"].partition(" (")[0] for one in read.tried["attributes"]} == {
            "no value is left"
        }


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [one for one in KINDS if one not in QUICK])
def test_every_kind_of_release_has_one_set_of_figures(kind: str, folder: Path) -> None:
    """Recodings, people, populations, models, treatments, frontiers."""
    _check(_read(folder, kind))
