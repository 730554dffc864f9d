"""Contents of the charts, tested without looking: the figures, and the marks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prosecutors import prosecutor

from roadstead.reports.charts.risks import RiskBar, RiskChart, gather_risks
from roadstead.reports.charts.share_bars import (
    LossBar,
    LossChart,
    SizeBin,
    gather_class_sizes,
    gather_losses,
)
from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    NARROW,
    SUPPRESSED,
    TRACK,
    WIDE,
    Block,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
)
from roadstead.reports.content import (
    Attribute,
    RecordCounts,
    ReportContent,
)
from roadstead.reports.page import gather

_CANVASES = pytest.mark.parametrize("canvas", [WIDE, NARROW], ids=lambda canvas: canvas.name)
T = TypeVar("T")
_SHARE = st.floats(0.0, 1.0)
_HISTOGRAM = st.dictionaries(st.integers(1, 200_000), st.integers(1, 50), max_size=20).map(
    lambda numbers: tuple((size, size * number) for size, number in sorted(numbers.items()))
)


def test_records_are_sorted_into_bins_by_class_size(content: ReportContent) -> None:
    """Edges belong to the bin they open, and bins beyond the largest class are left out."""
    chart = gather_class_sizes(content)
    assert chart.bins == (
        SizeBin(1, 1, 300, 0),
        SizeBin(2, 4, 200, 0),
        SizeBin(5, 9, 100, 140),
        SizeBin(10, 19, 0, 10),
        SizeBin(20, 49, 400, 0),
        SizeBin(50, 99, 0, 0),
        SizeBin(100, 999, 0, 800),
    )
    assert (chart.suppressed, chart.records, chart.k) == (50, 1000, 5)
    assert chart.scale == 0.8


@pytest.mark.parametrize("k", [2, 3, 5, 7, 11, 50, 1000, 123_456])
def test_k_is_always_the_edge_of_a_bin(content: ReportContent, k: int) -> None:
    """Records that may be released never share a bar with others."""
    chart = gather_class_sizes(replace(content, promise=replace(content.promise, k=k)))
    assert k in [b.smallest for b in chart.bins]
    assert all(b.largest is None or not b.smallest < k <= b.largest for b in chart.bins)


@given(before=_HISTOGRAM, after=_HISTOGRAM, k=st.integers(2, 300))
def test_every_record_is_in_one_bin(
    content: ReportContent,
    before: tuple[tuple[int, int], ...],
    after: tuple[tuple[int, int], ...],
    k: int,
) -> None:
    """Bins follow on each other without gap, and their records add up."""
    chart = gather_class_sizes(
        replace(
            content,
            classes_before=before,
            classes_after=after,
            promise=replace(content.promise, k=k),
        )
    )
    assert sum(b.before for b in chart.bins) == sum(records for _, records in before)
    assert sum(b.after for b in chart.bins) == sum(records for _, records in after)
    for lower, upper in zip(chart.bins, chart.bins[1:], strict=False):
        assert lower.largest is not None
        assert lower.largest + 1 == upper.smallest


def test_the_scale_fits_the_longest_bar(content: ReportContent) -> None:
    """Also where all records are suppressed, and where there are none."""
    everything = replace(content, counts=RecordCounts(1000, 0, 1000), classes_after=())
    assert gather_class_sizes(everything).scale == 1.0
    nothing = replace(everything, counts=RecordCounts(0, 0, 0), classes_before=())
    assert gather_class_sizes(nothing).scale == 0.1


def test_losses_are_in_order_and_ties_stay_as_they_were(content: ReportContent) -> None:
    """The largest first; an attribute that was not measured is not drawn."""
    attributes = (
        Attribute("a", 0, 2, "kept", 0.0),
        Attribute("b", 1, 2, "removed", 1.0),
        Attribute("c", 0, 2, "kept", 0.0),
        Attribute("d", 0, 2, "kept", None),
    )
    chart = gather_losses(replace(content, attributes=attributes))
    assert chart.bars == (
        LossBar("b", "removed", 1.0),
        LossBar("a", "kept", 0.0),
        LossBar("c", "kept", 0.0),
    )


def test_risks_are_paired(content: ReportContent) -> None:
    """Highest and average, before and after, with the acceptable one."""
    chart = gather_risks(content)
    assert chart.bars == (
        RiskBar("Highest risk", 1.0, 0.2, "upper"),
        RiskBar("Average risk", 0.43, 29 / 950),
    )
    assert chart.threshold == 0.2


def test_losses_are_not_shown_where_none_was_measured(content: ReportContent) -> None:
    """A policy that was applied without hierarchies has no such chart."""
    unknown = tuple(replace(a, loss=None) for a in content.attributes)
    assert gather(content)["losses"] == gather_losses(content)
    assert gather(replace(content, attributes=unknown))["losses"] is None


def _shapes(drawing: Drawing, kind: type[T]) -> list[T]:
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def _texts(drawing: Drawing) -> list[str]:
    return [label.said for label in _shapes(drawing, ChartLabel)]


def _of(drawing: Drawing, color: str) -> list[Block]:
    """The bars of a color, from top to bottom."""
    return [block for block in _shapes(drawing, Block) if block.color == color]


@_CANVASES
def test_bars_of_class_sizes_are_shares_on_one_scale(
    content: ReportContent, canvas: Canvas
) -> None:
    """Pairs of before and after, from zero to the next tenth above the largest."""
    drawing = gather_class_sizes(content).draw(canvas)
    longest = max(block.width for block in _shapes(drawing, Block))

    def shares(color: str) -> list[float]:
        return [0.8 * block.width / longest for block in _of(drawing, color)]

    assert shares(BEFORE) == pytest.approx([0.3, 0.2, 0.1, 0.0, 0.4, 0.0, 0.0])
    assert shares(AFTER) == pytest.approx([0.0, 0.0, 0.14, 0.01, 0.0, 0.0, 0.8])
    assert shares(SUPPRESSED) == pytest.approx([0.05])
    assert len({block.x for block in _shapes(drawing, Block)}) == 1
    assert longest < canvas.width


@pytest.mark.parametrize("k", [2, 5, 7, 1000, 123_456])
def test_the_line_of_k_stands_between_what_may_be_released_and_what_may_not(
    content: ReportContent, k: int
) -> None:
    """It has a row of its own, below all smaller bins and above all others."""
    promise = replace(content.promise, k=k)
    chart = gather_class_sizes(replace(content, promise=promise))
    drawing = chart.draw(WIDE)
    (line,) = [rule for rule in _shapes(drawing, Rule) if rule.dashed]
    assert f"k = {k}" in [label.said for label in _shapes(drawing, ChartLabel) if label.y == line.y]
    for size, block in zip(chart.bins, _of(drawing, BEFORE), strict=True):
        assert (block.y > line.y) == (size.smallest >= k)
        assert not block.y <= line.y <= block.y + 2 * block.height


def test_the_first_pair_of_bars_says_which_is_which(content: ReportContent) -> None:
    """So that no key is needed; the other bars say their share alone."""
    texts = _texts(gather_class_sizes(content).draw(WIDE))
    assert [text for text in texts if "before" in text] == ["30% before"]
    assert [text for text in texts if "after" in text] == ["0% after"]
    assert {"80%", "1%", "k = 5", "100\N{EN DASH}999", "suppressed"} <= set(texts)


def test_nothing_suppressed_has_no_row(content: ReportContent) -> None:
    """Neither a bar nor a label."""
    chart = gather_class_sizes(replace(content, counts=RecordCounts(1000, 0, 0)))
    drawing = chart.draw(WIDE)
    assert "suppressed" not in _texts(drawing)
    assert drawing.height < gather_class_sizes(content).draw(WIDE).height


@pytest.mark.parametrize(
    ("size", "label"),
    [
        (SizeBin(1, 1, 0, 0), "1"),
        (SizeBin(2, 4, 0, 0), "2\N{EN DASH}4"),
        (SizeBin(1_000, 9_999, 0, 0), "1,000\N{EN DASH}9,999"),
        (SizeBin(10_000, None, 0, 0), "10,000 or more"),
    ],
)
def test_a_bin_is_called_by_its_sizes(size: SizeBin, label: str) -> None:
    """One size, a range, or what is beyond."""
    assert size.label == label


@_CANVASES
def test_bars_of_loss_are_on_a_scale_to_everything_lost(
    content: ReportContent, canvas: Canvas
) -> None:
    """In the order of the chart, each with its name, what was done, and its loss."""
    drawing = gather_losses(content).draw(canvas)
    tracks, bars = _of(drawing, TRACK), _of(drawing, AFTER)
    assert [bar.width / track.width for bar, track in zip(bars, tracks, strict=True)] == [
        pytest.approx(loss) for loss in (1.0, 0.25, 0.05)
    ]
    assert [bar.y for bar in bars] == sorted(bar.y for bar in bars)
    assert _texts(drawing) == [
        *("zip", "removed", "100%"),
        *("age", "in bands of 10", "25%"),
        *("sex", "kept as it is", "5%"),
    ]


def test_long_names_are_cut_in_the_picture_and_whole_when_pointed_at() -> None:
    """There is only so much room next to the bars."""
    name = "a name that is much longer than what fits next to its bar"
    drawing = LossChart((LossBar(name, "kept", 0.5),)).draw(WIDE)
    shown = _texts(drawing)[0]
    assert shown.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert len(shown) < 30
    assert {block.said for block in _shapes(drawing, Block)} == {f"{name}, kept: 50%"}


@_CANVASES
def test_risks_are_steps_from_before_to_after(content: ReportContent, canvas: Canvas) -> None:
    """On powers of ten from certainty down, with the acceptable risk marked."""
    drawing = gather_risks(content).draw(canvas)
    dots = _shapes(drawing, Dot)
    (shade,) = _of(drawing, TRACK)
    certain = dots[0].x
    least = min(rule.x for rule in _shapes(drawing, Rule) if rule.color == LINE) - 0.5

    def risk(x: float) -> float:
        return float(100 ** ((x - certain) / (certain - least)))

    assert [risk(dot.x) for dot in dots] == pytest.approx([1.0, 0.2, 0.43, 29 / 950])
    assert [dot.said for dot in dots[:2]] == ["before 100%", "after 20% (1 in 5)"]
    assert [dot.color for dot in dots] == [BEFORE, AFTER] * 2
    assert [risk(shade.x), risk(shade.x + shade.width)] == pytest.approx([0.2, 1.0])
    steps = [rule for rule in _shapes(drawing, Rule) if rule.color == BEFORE]
    ends = [end for step in steps for end in (step.x, step.x + step.right)]
    assert ends == pytest.approx([dot.x for dot in dots])
    assert {"before 100%", "after 20% (1 in 5)", "acceptable: 20% (1 in 5)"} <= set(_texts(drawing))


@given(st.lists(_SHARE, min_size=2, max_size=2), st.integers(2, 10**6))
def test_the_scale_of_risks_holds_every_risk(risks: list[float], k: int) -> None:
    """It ends at a power of ten at or below the smallest, whatever rounding makes of it."""
    chart = RiskChart((RiskBar("", risks[0], risks[1]),), 1 / k)
    lowest = 10.0**-chart.decades
    assert all(risk >= lowest * (1 - 1e-6) for risk in (*risks, 1 / k) if risk > 0)
    assert chart.decades >= 2


def test_no_risk_is_said_and_not_drawn(content: ReportContent) -> None:
    """It has no place on a scale of powers of ten; the smallest one that there is, has."""
    none = gather_risks(replace(content, risk_after=prosecutor(0.0, 0.0, 0.0, 0)))
    drawing = none.draw(WIDE)
    assert [dot.color for dot in _shapes(drawing, Dot)] == [BEFORE, BEFORE]
    assert not [rule for rule in _shapes(drawing, Rule) if rule.color == BEFORE]
    assert _texts(drawing).count("after 0%") == 2
    some = gather_risks(replace(content, risk_after=prosecutor(1e-9, 1e-9, 0.0, 0)))
    assert len(_shapes(some.draw(WIDE), Dot)) == 4


@pytest.mark.parametrize("decades", [2, 3, 5, 9, 14])
@_CANVASES
def test_the_ladder_has_room_for_its_labels(canvas: Canvas, decades: int) -> None:
    """However long it is, few steps are labeled; certainty always is."""
    chart = RiskChart((RiskBar("", 1.0, 10.0**-decades),), 0.2)
    drawing = chart.draw(canvas)
    steps = [label for label in _shapes(drawing, ChartLabel) if label.align == "center"]
    assert steps[0].said == "certain"
    assert 2 <= len(steps) <= (4 if canvas.narrow else 7)


@pytest.mark.parametrize("name", ["risks", "class_sizes", "losses"])
@_CANVASES
def test_the_room_of_a_chart_does_not_depend_on_fonts(
    content: ReportContent, canvas: Canvas, name: str
) -> None:
    """Its size is given, and every label hangs within it."""
    drawing = (gather(content)[name] or LossChart(())).draw(canvas)
    assert drawing.width == canvas.width
    for label in _shapes(drawing, ChartLabel):
        assert 0 <= label.x <= canvas.width
        assert -drawing.head <= label.y <= drawing.height + drawing.foot


def test_each_chart_says_what_there_is_to_see(content: ReportContent) -> None:
    """In a title and a sentence of figures, for those who do not see it."""
    risks, sizes, losses, _ = gather(content).values()
    assert risks is not None
    assert sizes is not None
    assert losses is not None
    assert "Highest risk: before 100%, after 20% (1 in 5)" in risks.description
    assert "Up to 20% (1 in 5) is acceptable" in risks.description
    assert "smaller than k = 5 is 50% before and 0% after" in sizes.description
    assert "5% of the records are suppressed" in sizes.description
    assert losses.description.startswith("The losses are between 100% (zip) and 5% (sex).")
    assert all("chart" in chart.title.lower() for chart in (risks, sizes, losses))
