"""The page of a frontier is self-contained, escapes every value, and has its contents.

These tests do not try the pointer, because that requires a browser. They check that the page's
scripts may run and find their elements.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log10
from typing import Any

import numpy as np
import pytest
import vl_convert
from read_pages import HOSTILE, PageReader

from roadstead.reports.charts import frontier as charts
from roadstead.reports.charts.frontier import chart_data, gather_frontier, letter, specification
from roadstead.reports.charts.svg import (
    AFTER,
    NARROW,
    SUPPRESSED,
    WIDE,
    Canvas,
    ChartLabel,
    Dot,
    Rule,
    image,
)
from roadstead.reports.environment import unbroken
from roadstead.reports.frontier import page as page_of
from roadstead.reports.frontier.facts import (
    Basis,
    FrontierAxis,
    FrontierFacts,
    FrontierSearchFacts,
    PolicyGroup,
    PopulationFacts,
    Reference,
)
from roadstead.reports.frontier.page import NOT_LIVE, frontier_page, frontier_png
from roadstead.reports.numbers import percent
from roadstead.search.frontiers.frontier import Member, Point

_ATTRIBUTES = ("age", "sex")


class _Reader(PageReader):
    """Reads the data of its script, too."""

    @property
    def told(self) -> dict[str, Any]:
        """The data of the script."""
        (text,) = [text for kind, text in self.scripts if kind == "application/json"]
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def programs(self) -> list[str]:
        """The scripts that run."""
        return [text for kind, text in self.scripts if kind is None]


COMMAND, CREATED = "roadstead frontier stays.csv", "2025-03-04T05:06:07Z"


@dataclass(frozen=True)
class _Words:
    """Policies that are numbers, from 0."""

    say: Callable[[str], str]
    clusters: tuple[PolicyGroup, ...] = ()
    boundaries: int | None = 738
    number: int = 1 << 738
    size: str = "many policies"

    def words(self, policy: int) -> tuple[str, ...]:
        if policy < 0:
            return (self.say("single years"), self.say("kept as it is"))
        return (
            self.say(f"{policy + 1} bands"),
            self.say("merged" if policy % 2 else "kept as it is"),
        )

    def difference(self, policy: int, reference: int) -> tuple[str, ...]:
        assert reference == -1 < policy
        return (self.say("merges M and F"),)

    def document(self, policy: int) -> dict[str, Any]:
        return {"bands": policy}

    def domains(self) -> dict[str, Any]:
        return {}

    def groups(self, members: list[Member[int]]) -> list[PolicyGroup]:
        return list(self.clusters) if members else []


def _facts(
    count: int = 40, *, harbor: bool = True, say: Callable[[str], str] = str
) -> FrontierFacts[int]:
    """Make a frontier of so many policies on the curve loss = (1 - risk) ** 3."""
    risks = [(place + 1) / count for place in range(count)]
    common = (say("2 to 4 groups"), say("merged"))
    clusters = (PolicyGroup(0, (0, 1, 2), common), PolicyGroup(3, (3,), common))
    return FrontierFacts(
        table=say("stays.csv"),
        records=32_561,
        attributes=tuple(map(say, _ATTRIBUTES)),
        members=tuple(Member(risk, (1 - risk) ** 3, i) for i, risk in enumerate(risks)),
        policies=_Words(say, clusters if harbor and count > 12 else ()),
        risk=FrontierAxis(say("population"), say("expected number found"), {}, 200.0),
        loss=FrontierAxis(say("divergence"), say("divergence"), {}, 4.2),
        population=PopulationFacts("file", say("Census of 2000"), 5_689_283),
        search=FrontierSearchFacts(
            say("steepest"), say("one chain"), 828, 0, 5.1, say("complete"), 17, None
        ),
        safe_harbor=Reference(-1, Point(0.5, 0.4), ()) if harbor else None,
        notes=(say("ZIP codes were made up."),),
    )


def _chart(facts: FrontierFacts[int]) -> charts.FrontierChart:
    return gather_frontier(facts, range(len(facts.members)))


def _page(facts: FrontierFacts[int], command: str = COMMAND) -> str:
    return frontier_page(facts, command, CREATED)


@pytest.fixture(scope="module")
def page() -> str:
    """An unchanged page."""
    return _page(_facts())


@pytest.fixture(autouse=True)
def _bundled_anew() -> Iterator[None]:
    """Vega is put together once in a process; each of these tests does it for itself."""
    page_of._vega.cache_clear()
    yield
    page_of._vega.cache_clear()


@pytest.fixture
def _no_vega(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundling Vega takes a second; these tests are not about it."""
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda _: "window.vegaEmbed = null;")


def test_the_page_fetches_nothing_and_runs_only_its_own_scripts(page: str) -> None:
    """Its policy allows two scripts by hash, and these are the scripts in the page."""
    read = _Reader(page)
    assert read.open == []
    (policy,) = [value for _, value in read.attributes if value.startswith("default-src")]
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    assert len(read.programs) == 2
    for script in read.programs:
        told = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert told in allowed
    assert policy.replace("; ", ";").split(";")[0] == "default-src 'none'"
    assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]
    names = {name for name, _ in read.attributes}
    assert not names & {"src", "srcset", "action", "style", "srcdoc", "data", "poster"}
    assert not [name for name in names if name.startswith("on")]
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, *_ in read.skeleton}
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert len(page.encode()) < 2_000_000


def test_scripts_load_no_other(page: str) -> None:
    """No import, and no address but names of formats and pages of documentation."""
    vega, own = _Reader(page).programs
    assert not re.search(r"\bimport\s*\(|\bimportScripts\b|^\s*import\s", vega + own, re.MULTILINE)
    assert "http" not in own
    addresses = set(re.findall(r"https?://([\w.]+)", vega))
    assert addresses <= {"www.w3.org", "github.com", "vega.github.io"}
    told = json.dumps(_Reader(page).told)
    assert "url" not in told
    assert set(re.findall(r"https?://([\w.]+)", told)) <= {"vega.github.io"}


def test_the_script_finds_what_it_looks_for(page: str) -> None:
    """Its elements exist once, and its margins are those of the drawing."""
    read = _Reader(page)
    own = read.programs[1]
    present = [value for name, value in read.attributes if name == "id"]
    assert len(present) == len(set(present))
    wanted = set(re.findall(r'byId\("([\w-]+)"\)', own))
    assert len(wanted) > 10
    assert wanted <= set(present)
    assert f"LEFT = {charts._LEFT}, RIGHT = {charts._RIGHT}," in own
    told = read.told
    buttons = {value for name, value in read.attributes if name == "data-policy"}
    assert buttons == {str(policy[0]) for policy in told["policies"]}
    assert [value for name, value in read.attributes if name == "value"] == list(told["views"])


def test_the_script_is_told_every_policy(page: str) -> None:
    """Its number, where it lies, what it does, and whether it dominates Safe Harbor."""
    facts, told = _facts(), _Reader(page).told
    assert len(told["policies"]) == 40
    for place, entry in enumerate(told["policies"]):
        index, risk, loss, share, amount, lost, better, words, difference = entry
        member = facts.members[place]
        assert index == place
        assert (risk, loss) == pytest.approx(member[:2], rel=1e-6)
        assert (share, lost) == (percent(member.risk), percent(member.loss))
        assert float(amount) == pytest.approx(200 * risk, rel=0.01)
        assert bool(better) == (risk <= 0.5 and loss <= 0.4)
        assert tuple(told["phrases"][w] for w in words) == facts.policies.words(place)
        assert [told["phrases"][w] for w in difference] == ["merges M and F"]
    assert len(told["policies"]) == len(facts.members)
    assert len(set(told["phrases"])) == len(told["phrases"])
    assert told["first"] == facts.clusters[0].medoid


def test_the_page_says_what_was_found(page: str) -> None:
    """Measures, population, search, Safe Harbor, groups, and how to release one."""
    text = " ".join(_Reader(page).text.split())
    for said in (
        "Risk and loss",
        "stays.csv, 32,561 records",
        "The population, from a file, 5,689,283 people Census of 2000 Risks refer to "
        "the people in this file.",
        "On the frontier 40 policies",
        "Dominate Safe Harbor 10",
        "Evaluated 828 of about 1.4 ",
        "10 policies dominate Safe Harbor",
        "and its loss is 40% of the largest loss. Expected number found: 100. As a policy",
        "age single years sex kept as it is",
        "A: policy 10 represents 3 policies",
        "Compared with Safe Harbor, it merges M and F.",
        "age 11 bands 2 to 4 groups",
        "roadstead frontier stays.csv --choose INDEX",
        "40 policies, from the least risk to the least loss",
        "Seed of random choices 17",
        f"Area under the frontier between 0 and 1; smaller is better {_facts().area:.6f}",
        "steepest: one chain",
        "ZIP codes were made up.",
        "Xia, R. Heatherly",
        "Benitez",
    ):
        assert said in text


@pytest.mark.usefixtures("_no_vega")
def test_without_safe_harbor_nothing_is_compared_with_it() -> None:
    """No view around it, no column, and no group."""
    read = _Reader(_page(_facts(harbor=False)))
    text = " ".join(read.text.split())
    assert "not compared with Safe Harbor" in text
    assert list(read.told["views"]) == ["log", "whole"]
    assert "picked-difference" not in {value for name, value in read.attributes if name == "id"}
    assert "Policies to choose from" not in text
    assert read.told["datasets"]["harbor"] == []


@pytest.mark.usefixtures("_no_vega")
def test_the_basis_of_the_population_is_prominent() -> None:
    """A file, an estimate, or the sample's own counts; the latter two are marked."""
    bases: tuple[tuple[Basis, str], ...] = (
        ("file", "The population, from a file"),
        ("estimate", "The population, estimated from the sample"),
        ("sample", "No population: the sample\N{RIGHT SINGLE QUOTATION MARK}s own counts"),
    )
    for basis, said in bases:
        facts = replace(_facts(5, harbor=False), population=PopulationFacts(basis, "ChartLabel"))
        read = _Reader(_page(facts))
        assert f"{said} ChartLabel {facts.population.meaning}" in " ".join(read.text.split())
        marked = ("class", "population uncertain") in read.attributes
        assert marked == (basis != "file")


@pytest.mark.usefixtures("_no_vega")
def test_no_value_becomes_markup() -> None:
    """A page of hostile texts has the skeleton of a harmless one, and can be written."""
    kind = _Reader(_page(_facts()))
    hostile_page = _page(_facts(say=lambda text: f"{HOSTILE}{text}"))
    hostile = _Reader(hostile_page)
    assert hostile.skeleton == kind.skeleton
    hostile_page.encode("utf-8")
    legible = HOSTILE.replace("\ud800", r"\ud800")
    assert hostile.told["attributes"] == [f"{legible}{name}" for name in _ATTRIBUTES]
    assert hostile.programs == kind.programs
    assert "{{ 701*703 }}" in hostile.text


def test_a_machine_without_vega_shows_the_still_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so, and needs no script."""

    def broken(*_: object, **__: object) -> str:
        raise ValueError("no renderer")

    monkeypatch.setattr(vl_convert, "javascript_bundle", broken)
    read = _Reader(_page(_facts()))
    assert NOT_LIVE in " ".join(read.text.split())
    assert read.scripts == []
    assert [tag for tag, *_ in read.skeleton].count("svg") == 2
    assert "script-src" not in dict(read.attributes)["content"] + str(read.attributes)


@pytest.mark.parametrize("bundle", ["a</SCRIPT>b", "a<!--b"])
def test_a_program_that_would_end_its_element_is_left_out(
    monkeypatch: pytest.MonkeyPatch, bundle: str
) -> None:
    """The still picture remains."""
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda _: bundle)
    read = _Reader(_page(_facts(5, harbor=False)))
    assert read.scripts == []
    assert [tag for tag, *_ in read.skeleton].count("svg") == 2


@pytest.mark.usefixtures("_no_vega")
def test_equal_views_give_equal_pages() -> None:
    """There is no time and no chance in it."""
    assert _page(_facts(12)) == _page(_facts(12))


@pytest.mark.quick(1)
@pytest.mark.usefixtures("_no_vega")
@pytest.mark.parametrize(
    "spot", [Point(0.0, 1.0), Point(1.0, 0.0), Point(0.0, 0.0), Point(1e-9, 0.5)]
)
def test_extreme_frontiers_are_drawn(spot: Point) -> None:
    """One policy anywhere, no risk at all, and Safe Harbor at the same place."""
    facts = replace(
        _facts(5, harbor=False),
        members=(Member(*spot, 0),),
        safe_harbor=Reference(-1, spot, ()),
    )
    assert NOT_LIVE not in _page(facts)
    chart = _chart(facts)
    for name in chart.views:
        drawn = {**specification(chart, WIDE, name), "datasets": chart_data(chart)}
        assert "NaN" not in vl_convert.vegalite_to_svg(drawn)
    for canvas in (WIDE, NARROW):
        assert "nan" not in image(chart.draw(canvas), "a", "b", "c")


def test_dominating_means_no_worse_in_both_and_better_in_one() -> None:
    """Counted by hand; a policy at the very place of Safe Harbor does not dominate it."""
    spots = [Point(0.1, 0.9), Point(0.2, 0.5), Point(0.3, 0.4), Point(0.6, 0.1)]
    members = tuple(Member(*spot, i) for i, spot in enumerate(spots))
    facts = replace(_facts(5, harbor=False), members=members)
    assert facts.dominating == ()
    for spot, expected in (
        (Point(0.3, 0.5), (1, 2)),
        (Point(0.3, 0.4), ()),
        (Point(0.3 + 1e-15, 0.4), ()),
        (Point(1.0, 1.0), (0, 1, 2, 3)),
        (Point(0.15, 0.2), ()),
    ):
        assert replace(facts, safe_harbor=Reference(-1, spot, ())).dominating == expected


def test_the_staircase_holds_all_and_a_still_picture_thins_its_points() -> None:
    """Of thousands it draws those that dominate, and some of the others."""
    facts = _facts(3000)
    chart = _chart(facts)
    live = chart_data(chart)
    stairs = np.array([(row["risk"], row["loss"]) for row in live["stairs"]])
    assert stairs == pytest.approx(np.array([member[:2] for member in facts.members]), rel=1e-6)
    assert len(live["dominating"]) == len(facts.dominating)
    assert len(live["points"]) + len(live["dominating"]) == 3000
    colors = [one.color for one in chart.draw(WIDE).shapes if isinstance(one, Dot)]
    assert colors.count(SUPPRESSED) == len(facts.dominating)
    assert colors.count(AFTER) == charts._MOST_STILL
    assert [row["said"] for row in live["medoids"]] == ["A", "B"]
    assert [letter(place) for place in (0, 25, 26)] == ["A", "Z", "A1"]


def test_a_still_picture_has_every_policy_of_few_where_it_lies() -> None:
    """Its steps, its letters and Safe Harbor too."""
    facts = _facts()
    drawing = _chart(facts).draw(NARROW)
    dots = {(round(s.x, 6), round(s.y, 6)) for s in drawing.shapes if isinstance(s, Dot)}
    width, height = NARROW.width - charts._LEFT - charts._RIGHT, drawing.height
    assert dots == {
        (
            round(charts._LEFT + width * (1 + log10(one.risk) / 2), 6),
            round(height * (1 - one.loss), 6),
        )
        for one in facts.members
    }
    steps = [one for one in drawing.shapes if isinstance(one, Rule) and one.color == AFTER]
    assert len(steps) == 2 * (len(facts.members) - 1)
    texts = [one.said for one in drawing.shapes if isinstance(one, ChartLabel)]
    assert {"A", "B", "Safe Harbor", "20%"} <= set(texts)
    assert {"1%", "10%", "100%"} <= set(texts)


@pytest.mark.usefixtures("_no_vega")
def test_the_first_view_is_in_steps_of_ten_and_even_steps_are_a_switch_away() -> None:
    """With what a risk of 0 becomes, where one occurs and only there."""
    facts = _facts()
    none = replace(facts, members=(Member(0.0, 1.0, 40), *facts.members))
    for own, occurs in ((facts, False), (none, True)):
        page = _page(own)
        views = re.findall(r'value="(\w+)"( checked)?>([^<]*)<', page)
        assert views[0] == ("log", " checked", "Risk, on a scale with factors of ten")
        assert ("whole", "", "Risk, on a linear scale") in views
        assert ("a risk of 0 is on the dashed line" in page) == occurs


def test_no_risk_at_all_stands_apart_from_the_least_there_is() -> None:
    """Half a step before it, on a dashed line called 0, in the still chart and in the live one."""
    facts = _facts()
    members = (Member(0.0, 1.0, -1), Member(0.001, 0.99, -2), *facts.members)
    chart = _chart(replace(facts, members=members))
    shapes = chart.draw(WIDE).shapes
    (dashed,) = [one for one in shapes if isinstance(one, Rule) and one.dashed]
    (label,) = [one for one in shapes if isinstance(one, ChartLabel) and one.said == "0"]
    dots = sorted(one.x for one in shapes if isinstance(one, Dot))
    assert dashed.x == label.x == dots[0] == charts._LEFT
    assert dots[1] - dots[0] > 50
    axis = specification(chart, WIDE, "log")["layer"][0]["encoding"]["x"]
    assert axis["scale"]["domain"] == pytest.approx([10**-3.5, 1])
    assert axis["axis"]["values"] == pytest.approx([10**-3.5, 0.001, 0.01, 0.1, 1])


@pytest.mark.parametrize("canvas", [WIDE, NARROW])
def test_names_in_the_chart_hide_no_other(canvas: Canvas) -> None:
    """Letters of policies next to each other, next to Safe Harbor, in every view."""
    facts = _facts()
    chart = _chart(facts)._replace(medoids=(10, 11, 12, 13), safe_harbor=Point(0.33, 0.31))
    for view in chart.views:
        boxes = [box for _, _, box in charts._named(chart, canvas, view)]
        assert len(boxes) == 5
        assert not any(a.meets(b) for at, a in enumerate(boxes) for b in boxes[:at])


def test_a_command_is_not_parted_within_an_option() -> None:
    """The typed command is the same."""
    made = unbroken("roadstead frontier a.csv --quasi sex,<b> --seed 1")
    assert made == (
        'roadstead frontier a.csv <span class="unbroken">--quasi</span> sex,&lt;b&gt; '
        '<span class="unbroken">--seed</span> 1'
    )


def test_the_last_step_reaches_the_edge() -> None:
    """Where the frontier does not end at the original data."""
    chart = _chart(replace(_facts(5, harbor=False), members=_facts(5).members[:3]))
    assert chart_data(chart)["stairs"][-1] == {"risk": 1.0, "loss": 0.064}


def test_a_live_chart_names_its_data() -> None:
    """So that the page holds them once for all views."""
    chart = _chart(_facts())
    for canvas in (WIDE, NARROW):
        for name in chart.views:
            drawn = specification(chart, canvas, name)
            assert "datasets" not in drawn
            assert {layer["data"]["name"] for layer in drawn["layer"]} <= set(chart_data(chart))


def test_the_view_around_safe_harbor_shows_what_dominates_it() -> None:
    """With room on all sides."""
    chart = _chart(_facts())
    drawn = specification(chart, WIDE, "near")
    x, y = (drawn["layer"][0]["encoding"][axis]["scale"]["domain"] for axis in "xy")
    assert chart.safe_harbor is not None
    for point in (*(p for p in chart.points if p.dominating),):
        assert x[0] < point.risk < x[1]
        assert y[0] < point.loss < y[1]
    assert x[0] < chart.safe_harbor.risk < x[1] <= 1
    assert y[0] < chart.safe_harbor.loss < y[1] <= 1


def test_a_png_is_one() -> None:
    """Twice the size of the drawing, on white."""
    png = frontier_png(_facts(5))
    assert png is not None
    assert png.startswith(b"\x89PNG")
    width = int.from_bytes(png[16:20])
    assert width == 2 * WIDE.width


def test_a_share_is_told_in_the_units_of_its_measure_too() -> None:
    """With three digits."""
    assert FrontierAxis("", "", {}, 1240.31).amount(0.0369) == "45.8"
