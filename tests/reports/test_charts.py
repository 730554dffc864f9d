"""What the charts draw, tested without looking, and that the drawing holds it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports import charts
from roadstead.reports.charts import LossBar, RiskBar, SizeBin
from roadstead.reports.content import Attribute, ClassSizes, Counts, ReportContent, Risk

_HISTOGRAM = st.dictionaries(st.integers(1, 200_000), st.integers(1, 50), max_size=20).map(
    lambda numbers: tuple((size, size * number) for size, number in sorted(numbers.items()))
)


def test_records_are_sorted_into_bins_by_class_size(content: ReportContent) -> None:
    """Edges belong to the bin they open, and bins beyond the largest class are left out."""
    chart = charts.gather_class_sizes(content)
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
    """What may be released and what may not never share a bar."""
    chart = charts.gather_class_sizes(replace(content, promise=replace(content.promise, k=k)))
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
    classes = ClassSizes(before), ClassSizes(after)
    chart = charts.gather_class_sizes(
        replace(
            content,
            classes_before=classes[0],
            classes_after=classes[1],
            promise=replace(content.promise, k=k),
        )
    )
    assert sum(b.before for b in chart.bins) == classes[0].records
    assert sum(b.after for b in chart.bins) == classes[1].records
    for lower, upper in zip(chart.bins, chart.bins[1:], strict=False):
        assert lower.largest is not None
        assert lower.largest + 1 == upper.smallest


def test_the_scale_fits_the_longest_bar(content: ReportContent) -> None:
    """Also where all records are suppressed, and where there are none."""
    everything = replace(content, counts=Counts(1000, 0, 1000), classes_after=ClassSizes(()))
    assert charts.gather_class_sizes(everything).scale == 1.0
    nothing = replace(everything, counts=Counts(0, 0, 0), classes_before=ClassSizes(()))
    assert charts.gather_class_sizes(nothing).scale == 0.1


def test_losses_are_in_order_and_ties_stay_as_they_were(content: ReportContent) -> None:
    """The largest first; an attribute that was not measured is not drawn."""
    attributes = (
        Attribute("a", 0, 2, "kept", 0.0),
        Attribute("b", 1, 2, "removed", 1.0),
        Attribute("c", 0, 2, "kept", 0.0),
        Attribute("d", 0, 2, "kept", None),
    )
    chart = charts.gather_losses(replace(content, attributes=attributes))
    assert chart.bars == (
        LossBar("b", "removed", 1.0),
        LossBar("a", "kept", 0.0),
        LossBar("c", "kept", 0.0),
    )


def test_risks_are_paired(content: ReportContent) -> None:
    """Highest and average, before and after, with the acceptable one."""
    chart = charts.gather_risks(content)
    assert chart.bars == (
        RiskBar("Highest risk", 1.0, 0.2),
        RiskBar("Average risk", 0.43, 29 / 950),
    )
    assert chart.threshold == 0.2


def _widths(drawing: str, kind: str) -> list[float]:
    found = re.findall(rf'<rect class="{kind}" width="([\d.]+)%" height="100%"/>', drawing)
    return [float(width) for width in found]


def test_bars_of_risk_are_as_long_as_the_risk(content: ReportContent) -> None:
    """On a scale to certainty, with a mark at the acceptable risk on each."""
    drawing = charts.draw_risks(charts.gather_risks(content))
    key, *before = _widths(drawing, "before")
    assert (key, before) == (100.0, [100.0, 43.0])
    assert _widths(drawing, "after")[1:] == [20.0, 3.05]
    assert drawing.count('x1="20.00%"') == 4


def test_bars_of_loss_are_as_long_as_the_loss(content: ReportContent) -> None:
    """On a scale to everything lost."""
    drawing = charts.draw_losses(charts.gather_losses(content))
    assert _widths(drawing, "after") == [100.0, 25.0, 5.0]


def test_bars_of_class_sizes_are_on_one_scale(content: ReportContent) -> None:
    """The longest share sets it: here 0.8, so that 300 of 1,000 is 37.5 %."""
    drawing = charts.draw_class_sizes(charts.gather_class_sizes(content))
    assert _widths(drawing, "before")[1:] == [37.5, 25.0, 12.5, 0.0, 50.0, 0.0, 0.0]
    assert _widths(drawing, "after")[1:] == [0.0, 0.0, 17.5, 1.25, 0.0, 0.0, 100.0]
    assert _widths(drawing, "suppressed")[1:] == [6.25]


def test_the_line_of_k_stands_between_the_bins(content: ReportContent) -> None:
    """Below the last bin that may not be released, once."""
    drawing = str(charts.draw_class_sizes(charts.gather_class_sizes(content)))
    assert drawing.count('class="rule"') == 1
    below, above = drawing.index("2\N{EN DASH}4"), drawing.index("5\N{EN DASH}9")
    assert below < drawing.index('class="rule"') < above


def test_each_chart_names_itself_and_has_its_figures_as_a_table(content: ReportContent) -> None:
    """For readers who do not see the picture."""
    for drawing in (
        charts.draw_class_sizes(charts.gather_class_sizes(content)),
        charts.draw_losses(charts.gather_losses(content)),
        charts.draw_risks(charts.gather_risks(content)),
    ):
        assert re.search(r'role="img" aria-label="[^"]{40,}"', drawing)
        assert re.search(r"<details>.*<table>.*</table></details>", drawing, re.DOTALL)
        assert "<title>" in drawing


def test_the_table_of_class_sizes_counts_records(content: ReportContent) -> None:
    """The picture shows shares, the table the numbers behind them."""
    drawing = str(charts.draw_class_sizes(charts.gather_class_sizes(content)))
    table = drawing[drawing.index("<table>") :]
    cells = re.findall(r'<td class="number">([^<]*)</td>', table)
    assert cells[-4:] == ["0", "800", "\N{EN DASH}", "50"]


def test_a_risk_of_nothing_has_no_bar(content: ReportContent) -> None:
    """A small risk has a visible one, however small."""
    none = replace(content, risk_after=Risk(0.0, 0.0, 0.0, 0))
    some = replace(content, risk_after=Risk(1e-9, 1e-9, 0.0, 0))
    stub = '<rect class="after" width="1.5"'
    assert stub not in charts.draw_risks(charts.gather_risks(none))
    assert charts.draw_risks(charts.gather_risks(some)).count(stub) == 2
