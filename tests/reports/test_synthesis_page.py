"""The page of a private release is self-contained, escapes every value, and is honest.

The data of its charts are numbers, and are compared with sums over the view itself.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import exp
from types import SimpleNamespace
from typing import Any

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from read_pages import HOSTILE, PageReader

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.domains import Specialization
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.charts.marginal_bars import COLORS, noise_margin, shortened_distinctly
from roadstead.reports.charts.svg import picture
from roadstead.reports.sources import PRIVATE, SOURCES
from roadstead.reports.synthesis.facts import Label, Marginal
from roadstead.reports.synthesis.page import (
    MOST_LABELS,
    gather_budget,
    gather_marginals,
    rows_of,
    synthesis_page,
)
from roadstead.reports.synthesis.promise import PublicInput, belief
from roadstead.reports.wording import CountedUnit


@dataclass(frozen=True)
class PlainFacts:
    """The fields of `SynthesisFacts` that the page reads, each set separately."""

    source: str
    settings: dict[str, str]
    guarantee: str
    epsilon: Fraction
    unit: PrivacyUnit
    target: str
    classes: tuple[str, ...]
    chosen: bool
    steps: tuple[Specialization, ...]
    groups: int
    all_groups: int
    least: int
    by_class: tuple[int, ...]
    marginals: tuple[Marginal, ...]
    ledger: tuple[Grant, ...]
    counts_epsilon: Fraction
    public: tuple[PublicInput, ...]
    notes: tuple[str, ...]
    counted: CountedUnit = field(default_factory=CountedUnit)

    @property
    def records(self) -> int:
        """How many records are released."""
        return sum(self.by_class)

    @property
    def synthesis(self) -> SimpleNamespace:
        """The answers of the mechanisms."""
        groups = SimpleNamespace(all_groups=self.all_groups, least=self.least)
        return SimpleNamespace(
            epsilon=self.epsilon,
            steps=self.steps,
            ledger=self.ledger,
            counted_for=self.counts_epsilon,
            groups=groups,
        )


def page_of(facts: Any) -> str:  # noqa: ANN401 - as SynthesisFacts
    """Make the page as of one moment."""
    return synthesis_page(facts, "2026-01-02T03:04:05+00:00")


def plain(text: str = "text") -> Any:  # noqa: ANN401 - stands for SynthesisFacts
    """Fill the facts of 90 released records with a text in all places for text."""
    return PlainFacts(
        source=text,
        settings={"score": text},
        guarantee=text,
        epsilon=Fraction(3, 2),
        unit=PrivacyUnit(others=(text,)),
        target=text,
        classes=(text, "yes"),
        chosen=True,
        steps=(Specialization(text, 0, None, text),),
        groups=17,
        all_groups=1234,
        least=7,
        by_class=(60, 30),
        marginals=(
            Marginal(
                text,
                "numeric",
                (Label(text, (40, 20), 63, 4), Label("60 to 90", (20, 10), 29, 3)),
            ),
            Marginal(
                "codes",
                "set",
                (Label(text, (50, 10), 61, 4), Label("(none)", (10, 0), 11, 1)),
            ),
            Marginal(text, "categorical", (Label("*", (60, 30), 92, 7),)),
        ),
        ledger=(
            Grant(BudgetStep("first-split", (text,)), Fraction(1, 7)),
            Grant(BudgetStep("choice", number=1), Fraction(1, 7)),
            Grant(BudgetStep("choice", number=2), Fraction(1, 7)),
            Grant(BudgetStep("stopping"), Fraction(3, 40)),
            Grant(BudgetStep("totals"), Fraction(3, 40)),
            Grant(BudgetStep("values", (text,)), Fraction(1, 10)),
            Grant(BudgetStep("groups"), Fraction(23, 28)),
        ),
        counts_epsilon=Fraction(23, 28),
        public=(PublicInput(text, text, text),),
        notes=(text,),
    )


def test_a_page_is_whole_in_itself_and_says_its_figures() -> None:
    """Nothing is run or loaded; every figure is in the text."""
    page = page_of(plain())
    reader = PageReader(page)
    tags = {tag for tag, *_ in reader.skeleton}
    assert not tags & {"script", "img", "link", "iframe", "object"}
    assert not any(name in {"src", "onclick", "style"} for name, _ in reader.attributes)
    assert all(value.startswith("#") for name, value in reader.attributes if name == "href")
    assert "default-src 'none'" in page
    assert page.count("<svg") == 2 * 3
    names = [value for name, value in reader.attributes if name == "id"]
    assert len(names) == len(set(names))
    shown = {*re.findall(r"[\d.,/]*\d%?", reader.text)}
    total = noise_margin(1, Fraction(3, 40))
    for figure in (
        "1.5",
        "4.49",
        "81.8%",
        "90",
        "17",
        "1,234",
        "7",
        "60",
        "30",
        "63",
        "29",
        "2/7",
        "23/28",
    ):
        assert figure in shown, figure
    for margin in (total, noise_margin(4, Fraction(23, 28)), noise_margin(3, Fraction(23, 28))):
        assert f"± {margin}" in reader.text
    assert "2 steps were made and paid for, and 1 is released" in reader.text


def test_a_value_without_a_listed_count_is_not_an_exact_zero() -> None:
    """Fault class: "0 (noise ±0)" for values whose counts are below the threshold."""
    facts = plain()
    numbers = Marginal(
        "age", "numeric", (Label("<27", (60, 30), 92, 7), Label("27+", (0, 0), 0, 0))
    )
    facts = dataclasses.replace(facts, marginals=(numbers,))
    page = page_of(facts)
    assert "(noise ±0)" not in page
    assert page.count(">not listed<") >= 2
    assert "± 0<" not in page


def test_the_first_screen_has_the_guarantee_and_what_it_means() -> None:
    """Before anything else: the promise, the bound, the unit, the steps."""
    text = PageReader(page_of(plain())).text
    beginning = text[: text.rindex("What this means for one record")]  # after the contents
    for said in (
        "1.5",
        "4.49",
        "81.8%",
        "The unit of privacy is one record of the table and the rows of text",
        "90",
        "in this order",
    ):
        assert said in beginning, said


def test_a_page_about_records_says_what_that_is_to_persons() -> None:
    """Odds of e to the power of 3, 7.5 and 30 for 2, 5 and 20 records; no such line for people."""
    said = PageReader(page_of(plain())).text
    assert "These bounds are for records, not for people." in said
    for sure in ("95.3% sure for a person with 2 records", "with 5 records", "with 20 records"):
        assert sure in said
    assert "What this means for one person" not in said
    of_persons = replace(plain(), unit=PrivacyUnit("persons"))
    said = PageReader(page_of(of_persons)).text
    assert "What this means for one person" in said
    assert "not for people" not in said


def test_no_text_becomes_markup() -> None:
    """A hostile text makes the same skeleton as a harmless one, and is shown unchanged."""
    page = page_of(plain(HOSTILE))
    page.encode("utf-8")
    harmless = page_of(plain())

    def shape(page: str) -> list[tuple[str, ...]]:
        return PageReader(re.sub(r"<svg.*?</svg>", "<svg></svg>", page, flags=re.DOTALL)).skeleton

    assert shape(page) == shape(harmless)
    assert PageReader(page).skeleton == PageReader(harmless).skeleton
    assert "alert(1)" in PageReader(page).text
    assert "492803" not in PageReader(page).text.replace(",", "")


def test_a_release_of_the_classes_alone_says_so() -> None:
    """Without specializations there are no steps, no attributes and no choices."""
    view = plain()
    bare = replace(
        view,
        steps=(),
        chosen=False,
        by_class=(0, 0),
        marginals=view.marginals[2:],
        ledger=(Grant(BudgetStep("groups"), Fraction(3, 2)),),
    )
    page = page_of(bare)
    text = PageReader(page).text
    assert "the release shows only the distribution of the classes" in text
    assert "No detail is released about text" in text
    for said in ("was chosen privately too", "A bracket", "Noise, 95%", "Permute-and-flip"):
        assert said not in text
    assert page.count("<svg") == 2


@pytest.mark.parametrize("choices", [False, True])
def test_a_source_is_listed_where_it_is_cited_and_only_there(*, choices: bool) -> None:
    """Permute-and-flip only where something was chosen by it."""
    view = plain()
    if not choices:
        view = replace(view, ledger=view.synthesis.ledger[-1:])
    page = PageReader(page_of(view))
    cited = {v.removeprefix("#") for n, v in page.attributes if n == "href"}
    cited = {name for name in cited if not name.endswith("-head")}  # of the contents
    listed = [v for n, v in page.attributes if n == "id" and v in PRIVATE]
    of_samples = {"bild", "li2012"}
    assert cited == {*PRIVATE} - of_samples - (set() if choices else {"mckenna"})
    assert listed == [name for name in PRIVATE if name in cited]
    assert not {*PRIVATE} & {*SOURCES}


PERCENT = re.compile(r">?(\d+(?:\.\d+)?)%")


def share(said: str) -> float:
    """Read a share."""
    found = PERCENT.fullmatch(said)
    assert found is not None
    return float(found[1]) / 100


@unhurried
@given(
    epsilon=st.fractions(Fraction(1, 10_000), Fraction(20), max_denominator=10_000),
    prior=st.sampled_from([0.01, 0.1, 0.5, 0.9]),
)
def test_nobody_becomes_surer_than_the_page_says(epsilon: Fraction, prior: float) -> None:
    """Bayes: likelihoods differ by e^epsilon, between two values by its square; never certain."""
    told = belief(epsilon, prior)
    for said, factor in ((told.present, exp(epsilon)), (told.value, exp(2 * epsilon))):
        posterior = prior * factor / (prior * factor + 1 - prior)
        assert said != "100%"
        if said.startswith(">"):
            assert posterior > 0.9999
        else:
            assert posterior - 1e-9 <= share(said) <= posterior + 0.001


def test_beliefs_hold_for_the_largest_epsilon() -> None:
    """Even if e to its power is not a float."""
    assert belief(Fraction(2**20), 0.01) == ("1%", ">99.99%", ">99.99%")
    assert belief(Fraction(1), 0.5) == ("50%", "73.2%", "88.1%")


def test_shares_of_the_budget_add_up() -> None:
    """Each kind of step once, in the order of the ledger."""
    view = plain()
    chart = gather_budget(view, rows_of(view.synthesis.ledger))
    assert sum(bar.before for bar in chart.bars) == pytest.approx(1.0)
    assert [bar.name for bar in chart.bars][:2] == ["First splits", "Choices"]
    assert chart.bars[1].before == pytest.approx(2 / 7 / 1.5)


RECORDS = st.lists(st.integers(0, 30), min_size=2, max_size=40)


@unhurried
@given(
    records=RECORDS,
    kind=st.sampled_from(["numeric", "categorical", "set"]),
    classes=st.integers(2, 5),
)
def test_of_many_labels_the_largest_are_shown(records: list[int], kind: Any, classes: int) -> None:  # noqa: ANN401 - a literal
    """Intervals in their order, others by size; what is not shown is counted."""
    labels = tuple(
        Label(f"l{at}", (number, *[at] * (classes - 1)), 0, at) for at, number in enumerate(records)
    )
    view = replace(
        plain(),
        classes=tuple(f"c{at}" for at in range(classes)),
        by_class=(0,) * classes,
        marginals=(Marginal("x", kind, labels),),
    )
    (chart,) = gather_marginals(view)
    shown = [int(bar.label[1:]) for bar in chart.bars]
    sizes = [one.all_records for one in labels]
    assert len(shown) == min(len(labels), MOST_LABELS)
    assert sorted(sizes[at] for at in shown) == sorted(sizes)[-len(shown) :]
    assert chart.hidden == len(labels) - len(shown)
    if kind == "set":
        assert chart.hidden_records is None
    else:
        assert chart.hidden_records == sum(sizes) - sum(sizes[at] for at in shown)
    if kind == "numeric":
        assert shown == sorted(shown)
    else:
        assert [sizes[at] for at in shown] == sorted((sizes[at] for at in shown), reverse=True)
    parted = classes <= len(COLORS)
    assert chart.classes == (view.classes if parted else ())
    for bar, at in zip(chart.bars, shown, strict=True):
        assert bar == labels[at]
        assert chart.margin(bar) == noise_margin(at, view.synthesis.counted_for)


def test_categories_that_are_bands_stand_in_their_order() -> None:
    """However many have each, and whatever comes first by text."""
    sizes = {"10-14": 50, "90+": 3, "5-9": 4, "0-4": 90}
    labels = tuple(Label(name, (size,), size, 1) for name, size in sizes.items())
    view = replace(
        plain(),
        classes=("a",),
        by_class=(1,),
        marginals=(Marginal("x", "categorical", labels),),
    )
    (chart,) = gather_marginals(view)
    assert [bar.label for bar in chart.bars] == ["0-4", "5-9", "10-14", "90+"]


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_every_part_of_a_bar_is_drawn(classes: int) -> None:
    """A mark for each label and class, in the wide and in the narrow picture, and the numbers."""
    labels = tuple(Label(f"l{at}", (at + 1,) * classes, 9, 2) for at in range(14))
    view = replace(
        plain(),
        classes=tuple(f"c{at}" for at in range(classes)),
        by_class=(1,) * classes,
        marginals=(Marginal("x", "categorical", labels),),
    )
    (chart,) = gather_marginals(view)
    for image in picture(chart):
        drawn = re.findall(r"<title>(l\d+[^<]*)</title>", image)
        assert len(drawn) == MOST_LABELS * (classes if classes <= 3 else 1)
        assert f"{14 * classes} (noise ±{noise_margin(2, view.synthesis.counted_for)})" in image
        assert "NaN" not in image


def test_long_labels_are_told_apart() -> None:
    """By their ends, if they begin the same way; others are cut at the end."""
    alike = [f"diseases of the circulatory system, part {at}" for at in range(3)]
    short = shortened_distinctly([*alike, "a label that is long but like no other", "short"], 26)
    assert len(set(short)) == 5
    assert short[3:] == ["a label that is long but…", "short"]
    assert all(len(one) <= 26 for one in short)


def test_equal_views_give_equal_pages() -> None:
    """Nothing is taken from the clock or from chance."""
    assert page_of(plain()) == page_of(plain())
