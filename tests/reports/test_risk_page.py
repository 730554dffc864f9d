"""The page of an assessment is self-contained, escapes every value, and has its contents.

The data of its charts are numbers, and are compared with sums over the view itself.
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from read_pages import HOSTILE, PageReader

from roadstead.reports.charts.risks import ATTACKS, RiskBar, RiskChart
from roadstead.reports.charts.share_bars import BarLine, ShareBar
from roadstead.reports.charts.svg import picture
from roadstead.reports.risk.advice import Circumstances, advice_on
from roadstead.reports.risk.facts import RiskFacts
from roadstead.reports.risk.page import gather_risk, risk_page
from roadstead.reports.risk.questions import Answers
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.risk.special_uniques import Combination, Contribution

CREATED = "2026-01-02T03:04:05+00:00"


def prosecutor(shares: tuple[float, float, float], classes: int, uniques: int) -> ProsecutorRisk:
    """Make a risk."""
    return ProsecutorRisk(*shares, 0.2, 20, classes, uniques, 1, 10)


def plain(*, after: bool = False, text: str = "text") -> RiskFacts:
    """Give the facts of a table of 20 records, with a text in all places for text."""
    return RiskFacts(
        source=text,
        records=20,
        quasi=(text, "sex"),
        threshold=0.2,
        population=Population("fraction", text, 200, 0.1),
        before=Assessment(
            prosecutor((1.0, 0.45, 0.7), 9, 4),
            None,
            ((1, 4), (2, 2), (3, 2), (6, 1)),
            0,
            (PopulationUniques("zayatz", 12.4, 0.062),),
            (Contribution(text, 0.9, 0, 0.8, 1), Contribution("sex", 0.4, 0, 0.5, 3)),
            (Combination((text, "sex"), 3, 0.5),),
        ),
        after=Assessment(prosecutor((0.2, 0.1, 0.0), 2, 0), None, ((7, 1), (10, 1)), 3, (), (), ())
        if after
        else None,
        policy=text if after else None,
        notes=(text,),
    )


def page_of(facts: RiskFacts, *, advised: bool = True) -> str:
    """Make the page, with advice in the words of the source."""
    text = facts.source
    known = advice_on("k-anonymity", Answers(True, True, True), Circumstances(0.2), least=5)
    advice = replace(known, statement=(text,), notes=(text,)) if advised else None
    return risk_page(
        facts, created=CREATED, version="1.2.3", expected=(text,), advice=advice, command=text
    )


@pytest.mark.parametrize("after", [False, True])
def test_a_page_is_whole_in_itself_and_says_its_figures(*, after: bool) -> None:
    """Nothing is run or loaded; every figure is in the text."""
    page = page_of(plain(after=after))
    reader = PageReader(page)
    tags = {tag for tag, *_ in reader.skeleton}
    assert not tags & {"script", "img", "link", "iframe", "object"}
    assert not any(name in {"src", "onclick"} for name, _ in reader.attributes)
    assert all(value.startswith("#") for name, value in reader.attributes if name == "href")
    assert "default-src 'none'" in page
    assert page.count("<svg") == 2 * 4
    shown = [*re.findall(r"[\d.,]+%?", reader.text)]
    for figure in ("100%", "45%", "70%", "90%", "6.2%", "12", "20", "9", "4"):
        assert figure in shown, figure
    if after:
        assert "0% of the released" in reader.text
        assert "suppresses 3 records" in reader.text


@pytest.mark.parametrize("after", [False, True])
def test_no_text_becomes_markup(*, after: bool) -> None:
    """A hostile text makes the same skeleton as a harmless one, and is shown unchanged."""
    harmless, hostile = plain(after=after), plain(after=after, text=HOSTILE)
    page = page_of(hostile)
    page.encode("utf-8")
    assert PageReader(page).skeleton == PageReader(page_of(harmless)).skeleton
    assert "alert(1)" in PageReader(page).text
    assert "492803" not in PageReader(page).text.replace(",", "")


def test_a_table_without_more_leaves_sections_out() -> None:
    """No advice, no uniques, no population: no headings for them."""
    facts = plain()
    less = replace(facts.before, contributions=(), combinations=(), population_uniques=())
    page = page_of(replace(facts, before=less), advised=False)
    for heading in (
        "Recommended protection",
        "Columns that make records unique",
        "Unique people in the population",
    ):
        assert heading not in page


@pytest.mark.parametrize("scored", [None, 0.0, 0.9])
@pytest.mark.parametrize("modeled", [False, True])
@pytest.mark.parametrize("advised", [False, True])
def test_a_source_is_listed_where_it_is_cited_and_only_there(
    *, scored: float | None, modeled: bool, advised: bool
) -> None:
    """Sources of scores and models are listed only if the page mentions these."""
    facts = plain()
    changed = replace(
        facts.before,
        contributions=() if scored is None else (Contribution("sex", scored, 0, 0.5, 3),),
        population_uniques=facts.before.population_uniques if modeled else (),
    )
    page = PageReader(page_of(replace(facts, before=changed), advised=advised))
    cited = {v.removeprefix("#") for n, v in page.attributes if n == "href"}
    cited = {name for name in cited if not name.endswith("-head")}  # of the contents
    listed = [v for n, v in page.attributes if n == "id" and v in SOURCES]
    assert cited == {"emam", *(UNIQUES if modeled else ()), *(SCORES if scored else ())}
    assert listed == [name for name in SOURCES if name in cited]


SIZES = st.dictionaries(st.integers(1, 30_000), st.integers(1, 50), min_size=1, max_size=12)


@unhurried
@given(
    before=SIZES,
    after=st.none() | SIZES,
    threshold=st.sampled_from([0.001, 0.05, 0.09, 0.2, 1 / 3, 0.5, 0.9]),
)
def test_bins_part_the_records_at_the_threshold(
    before: dict[int, int], after: dict[int, int] | None, threshold: float
) -> None:
    """Bars add up to all records; those above the line are those at risk."""

    def records_of(sizes: dict[int, int]) -> int:
        return sum(size * number for size, number in sizes.items())

    records, plainly = records_of(before), plain(after=True)
    changed = None
    if after is not None and plainly.after is not None:
        changed = replace(plainly.after, sizes=tuple(sorted(after.items())))
    facts = replace(
        plainly,
        records=records,
        before=replace(plainly.before, sizes=tuple(sorted(before.items()))),
        after=changed,
        threshold=threshold,
    )
    chart = SimpleNamespace(**gather_risk(facts)).sizes
    assert chart.line is not None
    assert sum(bar.before for bar in chart.bars) == pytest.approx(1.0)
    risky = sum(s * number for s, number in before.items() if 1 / s > threshold + 1e-12)
    above = sum(bar.before for bar in chart.bars[: chart.line.above])
    assert above == pytest.approx(risky / records)
    if after is None:
        assert all(bar.after is None for bar in chart.bars)
    else:
        told = sum(bar.after or 0.0 for bar in chart.bars)
        assert told == pytest.approx(records_of(after) / records)


def test_charts_show_what_the_view_has() -> None:
    """Names, shares, the line and the scale."""
    charts = SimpleNamespace(**gather_risk(plain(after=True)))
    assert charts.attacks.bars == (
        RiskBar("Prosecutor, highest", 1.0, 0.2, "upper"),
        RiskBar("Prosecutor, average", 0.45, 0.1),
    )
    assert charts.attacks.paired
    assert charts.sizes.bars[0] == ShareBar("1", 4 / 20, 0.0)
    assert charts.sizes.line == BarLine(3, "", "risk of at most 0.2")
    assert charts.contributions is not None
    assert charts.contributions.bars[0].before == 0.9
    assert charts.uniques is not None
    assert charts.uniques.scale == 0.1


def test_a_scale_of_risks_reaches_down_to_the_lowest() -> None:
    """The scale ends where readers can no longer distinguish risks, whatever the threshold."""
    assert RiskChart((RiskBar("a", 1.0),), 0.2, ATTACKS).decades == 2
    assert RiskChart((RiskBar("a", 1.0, 0.0004),), 0.2, ATTACKS).decades == 4
    assert RiskChart((RiskBar("a", 0.0),), 1e-200, ATTACKS).decades == 12


@pytest.mark.parametrize("after", [False, True])
def test_every_dot_is_drawn(*, after: bool) -> None:
    """A mark for each risk, in the wide and in the narrow picture."""
    chart = gather_risk(plain(after=after))["attacks"]
    assert chart is not None
    for image in picture(chart):
        drawn = re.findall(r"<title>(Prosecutor[^<]*)</title>", image)
        assert len(drawn) == (4 if after else 2)
        assert "NaN" not in image


def test_equal_views_give_equal_pages() -> None:
    """Nothing is taken from the clock or from chance."""
    assert page_of(plain(after=True)) == page_of(plain(after=True))
