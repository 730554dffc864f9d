"""The page is self-contained, escapes every value, and has all its contents."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from prosecutors import prosecutor
from read_pages import PageReader

from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.reports import environment
from roadstead.reports.content import (
    Attribute,
    Guarantee,
    RecordCounts,
    ReleasedIdentifier,
    ReportContent,
    ReportedColumns,
    ReportedLoss,
)
from roadstead.reports.page import render, render_summary
from roadstead.reports.sources import SCORES, SEARCHES, SOURCES, UNIQUES
from roadstead.reports.wording import legible

Rewrite: TypeAlias = Callable[[ReportContent, Callable[[str], str]], ReportContent]
Make: TypeAlias = Callable[[ReportContent], str]

_BLOCKS = {"dt", "dd", "th", "td", "li", "p", "small", "div"}
_NAMES = {*PRIVACY_MODELS, *SEARCHES, *QUALITY_MODELS, "geometric", "arithmetic", "complete"}
"""Words that the page knows something of."""
_HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;{{ 701*703 }}</title></style>"
)


def _read(page: str) -> PageReader:
    return PageReader(page, apart=_BLOCKS)


def _extremes(content: ReportContent) -> dict[str, ReportContent]:
    many = tuple(
        Attribute(f"Größe 身長 العمر {i}", i % 5, 5, "in bands", i / 24, float(i))
        for i in range(25)
    )
    one = ((10_000_000, 10_000_000),)
    return {
        "usual": content,
        "nothing suppressed": replace(content, counts=RecordCounts(1000, 0, 0)),
        "everything suppressed": replace(
            content,
            counts=RecordCounts(1000, 0, 1000),
            classes_after=(),
            risk_after=prosecutor(0.0, 0.0, 0.0, 0),
            loss=ReportedLoss("arithmetic", 1.0, 1.0, optimal=True),
        ),
        "25 attributes": replace(content, attributes=many),
        "one class of 10 million": replace(
            content,
            counts=RecordCounts(10_000_000, 0, 0),
            classes_before=one,
            classes_after=one,
            risk_before=prosecutor(1e-7, 1e-7, 0.0, 0),
            risk_after=prosecutor(1e-7, 1e-7, 0.0, 0),
            loss=ReportedLoss("geometric", 0.0, 0.0, optimal=True),
        ),
        "one record": replace(content, counts=RecordCounts(1, 0, 0), classes_before=((1, 1),)),
        "a given policy": replace(
            content,
            loss=None,
            search=None,
            attributes=tuple(replace(a, loss=None) for a in content.attributes),
        ),
        "nothing to list": replace(
            content, columns=ReportedColumns(), guarantees=(), settings=(), notes=(), assumptions=()
        ),
        "no record": replace(
            content,
            counts=RecordCounts(0, 0, 0),
            classes_before=(),
            classes_after=(),
        ),
    }


_CASES = (
    "usual",
    "nothing suppressed",
    "everything suppressed",
    "25 attributes",
    "one class of 10 million",
    "one record",
    "a given policy",
    "nothing to list",
    "no record",
)


def test_the_cases_are_all_there(content: ReportContent) -> None:
    """No extreme is forgotten in the list that the tests run over."""
    assert tuple(_extremes(content)) == _CASES


@pytest.mark.parametrize("case", _CASES)
def test_the_page_is_well_formed_and_has_all_sections(content: ReportContent, case: str) -> None:
    """Whatever the figures, every tag is closed, ids are unique and links lead somewhere."""
    page = _read(render(_extremes(content)[case]))
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value for name, value in page.attributes if name == "href"}
    assert targets <= {f"#{name}" for name in ids}
    sections = ["done", "removed", "attributes", "risk", "added", "not-covered"]
    sections += ["groups", "lost", "method", "check", "sources"]
    assert [name for name in ids if name in sections] == sections
    labels = {value for name, value in page.attributes if name == "aria-labelledby"}
    assert labels <= set(ids)


@pytest.mark.parametrize("case", _CASES)
def test_nothing_is_fetched_and_nothing_runs(content: ReportContent, case: str) -> None:
    """No scripts, no addresses, no elements that load; and a policy that forbids them."""
    markup = render(_extremes(content)[case])
    page = _read(markup)
    tags = {entry[0] for entry in page.skeleton}
    loading = {"script", "link", "img", "image", "iframe", "object", "embed", "use", "base"}
    assert not tags & loading
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert "http:" not in markup
    assert "https:" not in markup
    assert "url(" not in markup
    assert "@import" not in markup
    assert any("default-src 'none'" in value for _, value in page.attributes)


@pytest.fixture(scope="module")
def plain(content: ReportContent, rewrite: Rewrite) -> Mapping[Make, list[tuple[str, ...]]]:
    """Tags of pages with plain text in every field."""
    told = rewrite(content, lambda _: "plain")
    return {make: _read(make(told)).skeleton for make in (render, render_summary)}


@examples(12)
@given(st.text(st.characters(), min_size=1, max_size=40).filter(lambda text: text not in _NAMES))
def test_no_text_becomes_markup(
    content: ReportContent, rewrite: Rewrite, plain: Mapping[Make, list[tuple[str, ...]]], text: str
) -> None:
    """With any text in every field, the page has the tags it has with plain text, and shows it."""
    for make in (render, render_summary):
        told = _read(make(rewrite(content, lambda _: text)))
        assert told.skeleton == plain[make]
        assert legible(text) in told.text


def test_every_field_is_shown_and_escaped(content: ReportContent, rewrite: Rewrite) -> None:
    """Each text is given a mark of its own, and each mark is found as text."""
    given: list[str] = []

    def hostile(_: str) -> str:
        given.append(f"{_HOSTILE}#{len(given)}#")
        return given[-1]

    markup = render(rewrite(content, hostile))
    page = _read(markup)
    assert [text for text in given if text not in page.text] == []
    assert "<script" not in markup
    assert "<img" not in markup
    assert "{{ 701*703 }}" in page.text
    assert str(701 * 703) not in page.text


def test_equal_contents_give_equal_pages(content: ReportContent) -> None:
    """No clock, no chance."""
    assert render(content) == render(replace(content))


@pytest.mark.parametrize(
    ("numbers", "said"), [((3,), "may reveal"), ((2, 3), "may reveal"), ((3, 8), "name or number")]
)
def test_a_released_date_does_not_name_people(
    content: ReportContent, numbers: tuple[int, ...], said: str
) -> None:
    """Fault class: "These columns name or number people" for a column of shifted dates."""
    released = tuple(
        ReleasedIdentifier(f"c{number}", number, None, "it", "why", "remove", forced=True)
        for number in numbers
    )
    page = " ".join(_read(render(replace(content, identifiers=released))).text.split())
    assert f"These columns {said} people." in page


def test_the_figures_are_on_the_page(content: ReportContent) -> None:
    """Counts, shares, the promise, the search and its bound."""
    page = " ".join(_read(render(content)).text.split())
    for said in (
        "Stays of 2024",
        "4 March 2025, 05:06 UTC",
        "Every released record shares its quasi-identifiers with 4 others.",
        "Records released 990 of 1,000 records",
        "50 of 1,000 records: 40 kept with * in every quasi-identifier, 10 left out",
        "50 of 1,000 records; limit 5%; 2 columns not released",
        "Detail lost about 50% at most 5% of it could be avoided; rounded from a loss between 35% "
        "and 65%, because an exact loss could reveal the range of the values",
        "age Quasi-identifier in bands of 10",
        "diagnosis Sensitive original values",
        "ward Released unchanged original values",
        "name Direct identifier nothing",
        "remarks Withheld nothing",
        "in bands of 10",
        "2 of 0\N{EN DASH}4",
        "After: the 950 records released with generalized quasi-identifiers",
        "The shares refer to all 1,000 records of the source",
        "remarks (free text)",
        "exact: the best, proven",
        "Policies in the lattice 12,960",
        "time limit, after 1.5 s",
        "Proven lower bound, rounded 20%",
        "roadstead verify FOLDER",
        "Hierarchies were proposed from the columns alone.",
        "Each record is about another person.",
        "The limit is 5% of the records (50)",
    ):
        assert said in page


def test_one_record_is_told_as_one(content: ReportContent) -> None:
    """In captions too."""
    page = " ".join(_read(render(_extremes(content)["one record"])).text.split())
    for said in ("After: the 1 record released", "The shares refer to all 1 record of the source"):
        assert said in page
    assert "1 records" not in page


@pytest.mark.parametrize(
    "measure",
    [
        "Highest risk 1 / smallest group",
        "Average risk groups / records",
        "Records above the threshold share with 1/f > 1/k",
        "Unique records records with f = 1",
        "Mean group size records / groups",
        "(n \N{MINUS SIGN} 1) / (|D| \N{MINUS SIGN} 1)",
        "Gap 1 \N{MINUS SIGN} bound / loss",
    ],
)
def test_every_measure_has_its_formula(content: ReportContent, measure: str) -> None:
    """Name and formula are side by side."""
    assert measure in " ".join(_read(render(content)).text.split())


@pytest.mark.parametrize(
    "source",
    ["iyengar", "prasser", "emam", "samarati", "machanavajjhala"],
)
def test_every_source_is_cited_and_listed(content: ReportContent, source: str) -> None:
    """A citation leads to the full reference."""
    markup = render(content)
    assert f'href="#{source}"' in markup
    assert f'id="{source}"' in markup


@pytest.mark.parametrize(
    ("aggregate", "weights", "said"),
    [
        ("geometric", (1.0, 1.0, 1.0), "is the geometric mean of"),
        ("geometric", (1.0, 2.0, 1.0), "is the weighted geometric mean of"),
        ("arithmetic", (1.0, 1.0, 1.0), "is the mean of"),
        ("arithmetic", (1.0, 2.0, 1.0), "is the weighted mean of"),
        (
            "maximum",
            (1.0, 1.0, 1.0),
            "losses into one number: maximum.",
        ),
    ],
)
def test_the_aggregate_is_explained(
    content: ReportContent, aggregate: str, weights: tuple[float, ...], said: str
) -> None:
    """The formula is that of the aggregate used, with weights where there are any."""
    attributes = tuple(
        replace(a, weight=w) for a, w in zip(content.attributes, weights, strict=True)
    )
    changed = replace(content, attributes=attributes, loss=ReportedLoss(aggregate, 0.4, 0.39))
    assert said in " ".join(_read(render(changed)).text.split())


def text_of(content: ReportContent) -> str:
    """The page's text, with single spaces."""
    return " ".join(_read(render(content)).text.split())


def _measured_by(content: ReportContent, kind: str, aggregate: str | None = None) -> ReportContent:
    return replace(content, loss=ReportedLoss(aggregate, 0.25, 0.2, kind=kind, target="ward"))


@pytest.mark.parametrize(
    ("kind", "aggregate", "figure", "formula", "source"),
    [
        (
            "precision",
            "geometric",
            "Precision lost about 20%",
            "l / (h \N{MINUS SIGN} 1)",
            "Sweeney 2002",
        ),
        (
            "entropy",
            "arithmetic",
            "Entropy lost about 20%",
            "H(value | label)",
            "Gionis and Tassa 2009",
        ),
        ("discernibility", None, "Not discernible about 20%", "(∑ f2 + N · s) / N2", "Bayardo"),
        ("class-size", None, "Average group about 20%", "1 / (c + 1)", "LeFevre et al. 2006"),
        (
            "divergence",
            None,
            "Divergence about 20%",
            "∑ P ln(P/Q) / ∑ P ln(P/R)",
            "Kifer and Gehrke 2006",
        ),
        (
            "classification",
            None,
            "Misclassified about 20%",
            "(minorities + s) / N",
            "Iyengar 2002",
        ),
    ],
)
def test_each_measure_has_its_formula_its_range_and_its_source(
    content: ReportContent, kind: str, aggregate: str | None, figure: str, formula: str, source: str
) -> None:
    """And none that it has not: losses by attribute are said to be another measure's."""
    text = text_of(_measured_by(content, kind, aggregate))
    for said in (figure, formula, f"({source}", "means that", "Losses are rounded"):
        assert said in text
    assert ("which was not minimized" in text) == (aggregate is None)
    assert ("The total is" in text) == (aggregate is not None)
    assert ("most frequent value of ward" in text) == (kind == "classification")


def test_a_source_is_listed_where_it_is_cited_and_only_there(content: ReportContent) -> None:
    """Whatever the measure, the search and the models."""
    kinds = [
        (kind, None if kind not in {"loss", "entropy"} else "geometric") for kind in QUALITY_MODELS
    ]
    assert content.search is not None
    listed = set()
    for search in ("exact", *SEARCHES):
        for kind, aggregate in kinds if search == "exact" else kinds[:1]:
            changed = _measured_by(content, kind, aggregate)
            changed = replace(changed, search=replace(content.search, name=search))
            page = _read(render(changed))
            cited = {v.removeprefix("#") for n, v in page.attributes if n == "href"} - {
                "models",
                "added",
            }
            cited = {name for name in cited if not name.endswith("-head")}  # of the contents
            assert cited == {v for n, v in page.attributes if n == "id" and v in SOURCES}
            listed |= cited
    of_persons = {"multirelational", "terrovitis", "montjoye"}
    of_models = {"cao", "nergiz", "benitez", "brickell", "grassberger", "stammler"}
    assert listed == {*SOURCES} - of_models - {*UNIQUES, *SCORES} - of_persons


def test_further_models_are_told_with_what_was_measured(content: ReportContent) -> None:
    """Name, promise, source, column, figure and bound."""
    text = text_of(content)
    assert (
        "0.2-closeness of diagnosis In every class the diagnoses are much as in the whole table. "
        "t-closeness (Li et al. 2007), on diagnosis 0.191 largest distance at most 0.2"
    ) in text
    assert "The models below limit what a group reveals about diagnosis" in text
    assert "Attackers can learn sensitive values" not in text


def test_without_further_models_nothing_is_said_of_them(content: ReportContent) -> None:
    """k-anonymity alone."""
    text = text_of(replace(content, guarantees=()))
    assert "Further privacy requirements" not in text
    assert "The requirement is 5-anonymity." in text
    assert "What is not covered k-anonymity limits specific risks." in text
    assert "Attackers can learn sensitive values." in text


def test_hidden_membership_is_not_denied_where_it_is_promised(content: ReportContent) -> None:
    """delta-presence is the model for it."""
    presence = Guarantee("delta-presence", "(0, 0.1)-presence", "Nobody knows who is in it.")
    assert "Attackers can learn who is in the data" in text_of(content)
    assert "Attackers can learn who is in the data" not in text_of(
        replace(content, guarantees=(presence,))
    )


def test_without_a_bound_on_records_no_k_is_claimed(content: ReportContent) -> None:
    """A policy whose models bound an average only."""
    free = replace(content, promise=replace(content.promise, k=1, models=("average risk 0.1",)))
    text = text_of(free)
    assert "at least k" not in text
    assert "The privacy requirement allows none" not in text


def test_a_search_that_ends_without_a_proof_is_not_said_to_prove(content: ReportContent) -> None:
    """Its guarantee, its source, and what it leaves open; and what others prune is a figure."""
    assert content.search is not None
    search = replace(content.search, name="datafly", guarantee="quick", ending="complete")
    text = text_of(replace(content, search=search, loss=ReportedLoss("geometric", 0.4, 0.0)))
    assert "datafly (Sweeney 1997): quick" in text
    assert "The search that was used here does not prove that a policy is optimal." in text
    assert "not proven to be the minimum" in text
    assert "It is not known how much better it is" in text
    assert "Policies discarded" not in text
    pruned = replace(content, search=replace(content.search, pruned=12_883))
    assert "Policies discarded proven not to be better 12,883" in text_of(pruned)


def test_weights_are_a_column_only_where_they_differ(content: ReportContent) -> None:
    """Equal weights say nothing."""
    equal = replace(content, attributes=tuple(replace(a, weight=3.0) for a in content.attributes))
    assert ">Weight</th>" in render(content)
    assert ">Weight</th>" not in render(equal)


def test_an_optimum_is_told_as_proven(content: ReportContent) -> None:
    """And a policy that is not proven is not."""
    optimal = replace(content, loss=ReportedLoss("geometric", 0.4, 0.4, optimal=True))
    assert "proven minimum of all policies of the lattice" in render(optimal)
    assert "The policy is optimal" in render(optimal)
    assert "The policy is optimal" not in render(content)


def test_what_becomes_of_suppressed_records_is_told_as_it_was(content: ReportContent) -> None:
    """Masked, dropped, both, or none."""
    said = {
        RecordCounts(100, 5, 0): "suppressed: their quasi-identifiers are replaced with *.",
        RecordCounts(100, 0, 5): "suppressed: they are left out.",
        RecordCounts(
            100, 1, 4
        ): "suppressed: either their quasi-identifiers are replaced with *, or the records",
        RecordCounts(100, 0, 0): "suppressed. In this release, no record was suppressed.",
    }
    for counts, words in said.items():
        assert words in _read(render(replace(content, counts=counts))).text


def test_the_summary_is_a_table_with_one_chart(content: ReportContent) -> None:
    """Small enough for a notebook, with the attributes and what is proven."""
    markup = render_summary(content)
    page = _read(markup)
    assert markup.count("<svg") == 1
    for said in ("990 of 1,000", "50 (5%)", "20% (1 in 5), before 100%", "40%", "(loss 25%)"):
        assert said in page.text
    assert "at most 2.5% of the loss" in page.text
    assert len(markup) < 12_000


def test_each_chart_is_there_for_wide_and_for_narrow_windows(content: ReportContent) -> None:
    """Three charts in two widths, of which the style shows one; the figures are folded away."""
    markup = render(content)
    assert markup.count('<div class="chart wide"><svg ') == 3
    assert markup.count('<div class="chart narrow"><svg ') == 3
    assert markup.count("<details>") == 3


def test_the_tables_hold_the_figures_of_the_charts(content: ReportContent) -> None:
    """The picture of class sizes shows shares, its table the numbers behind them."""
    text = " ".join(_read(render(content)).text.split())
    assert "100\N{EN DASH}999 0 800 suppressed \N{EN DASH} 50" in text
    assert "zip removed 100% age in bands of 10 20% sex kept as it is 5%" in text
    assert "Highest risk 100% 20% (1 in 5) Average risk 43%" in text


def test_a_loss_that_was_not_measured_has_no_chart(content: ReportContent) -> None:
    """Nor a heading for one."""
    markup = render(_extremes(content)["a given policy"])
    assert markup.count('<div class="chart wide">') == 2
    assert "Where detail was lost" not in markup


def test_the_page_is_small(content: ReportContent) -> None:
    """It can be sent by mail, also with 25 attributes."""
    assert len(render(_extremes(content)["25 attributes"]).encode()) < 100_000


def test_importing_the_page_is_light() -> None:
    """Neither the template engine nor any table library is imported before a report is made."""
    code = (
        "import sys, roadstead.reports.page\n"
        "heavy = ('jinja2', 'ibis', 'pyarrow', 'altair', 'vl_convert', 'numpy')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_page_needs_no_cache_of_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk does not end the work of hours, and what is kept is of this version alone."""

    def full(_self: object, _bucket: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jinja2.FileSystemBytecodeCache.dump_bytecode", full)
    monkeypatch.setattr("jinja2.FileSystemBytecodeCache.load_bytecode", lambda *_: None)
    environment._environment.cache_clear()
    try:
        assert environment.template("cite.html").render() is not None
    finally:
        environment._environment.cache_clear()
