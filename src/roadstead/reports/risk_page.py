"""The page of a risk assessment: one HTML file with its pictures, no script, nothing fetched.

Pictures show class sizes, risks by attacker, what each quasi-identifier contributes, and uniqueness
in the population by model. Their figures stand below each as a table.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import NamedTuple, TypeAlias

from roadstead.reports.charts.risks import ATTACKS, RiskBar, RiskChart, draw_risks
from roadstead.reports.charts.share_bars import (
    BarLine,
    ShareBar,
    ShareChart,
    draw_shares,
    size_bins,
)
from roadstead.reports.charts.svg import Picture, picture
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.risk_view import RiskView
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES

Chart: TypeAlias = ShareChart | RiskChart

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)
_MOST_ATTRIBUTES = 20


class RiskCharts(NamedTuple):
    """The charts of the page; None where there is nothing to show."""

    attacks: RiskChart
    sizes: ShareChart
    contributions: ShareChart | None
    uniques: ShareChart | None


def risk_page(view: RiskView) -> str:
    """Make the page, a whole HTML document; equal views give equal documents."""
    charts = gather_risk(view)
    pictures = {name: _picture(chart) for name, chart in charts._asdict().items() if chart}
    return template("risk.html").render(
        view=view,
        charts=charts,
        pictures=pictures,
        k=_least_k(view.threshold),
        notes=view.notes,
        sources=SOURCES,
        cited=_cited(charts),
    )


def attacks_drawn(view: RiskView) -> str:
    """Draw the risks by attacker alone."""
    return str(_picture(gather_risk(view).attacks).wide)


def _cited(charts: RiskCharts) -> list[str]:
    """Name the sources of what the page speaks of, in the order of the list."""
    scores = SCORES if charts.contributions is not None else ()
    named = {"emam", *scores, *(UNIQUES if charts.uniques is not None else ())}
    return [name for name in SOURCES if name in named]


def gather_risk(view: RiskView) -> RiskCharts:
    """Gather what the charts show."""
    bars = tuple(
        RiskBar(one.name, one.before, one.after, one.bound) for one in view.attacks if one.scale
    )
    attacks = RiskChart(bars, view.threshold, ATTACKS)
    return RiskCharts(attacks, _sizes(view), _contributions(view), _uniques(view))


def _least_k(threshold: float) -> int:
    """Give the least class size whose risk is not above the threshold."""
    return ceil(1.0 / (threshold * (1.0 + 1e-12)))


def _sizes(view: RiskView) -> ShareChart:
    """Sort records into bins by the size of their class; the threshold is the edge of one."""
    k = _least_k(view.threshold)
    bins = size_bins(_EDGES, k, view.before, view.after or ())
    bins[-1] = bins[-1]._replace(largest=None)
    total = max(view.records, 1)
    bars = [
        ShareBar(one.label, one.before / total, None if view.after is None else one.after / total)
        for one in bins
    ]
    small = sum(one.smallest < k for one in bins)
    before = percent(sum(bar.before for bar in bars[:small]))
    told = f"{before} of the records are in classes of fewer than {k}"
    if view.after is not None:
        told += f" before, {percent(sum(bar.after or 0.0 for bar in bars[:small]))} after"
    return ShareChart(
        "sizes",
        "Bar chart of the share of records by class size",
        f"{told}. The figures are in the table below.",
        "class size",
        "share of records",
        tuple(bars),
        BarLine(small, f"{k} or more", f"risk of at most {view.threshold:g}") if k > 1 else None,
    )


def _contributions(view: RiskView) -> ShareChart | None:
    shown = view.contributions[:_MOST_ATTRIBUTES]
    if not any(one.contribution for one in shown):
        return None
    first = shown[0]
    return ShareChart(
        "contributions",
        "Bar chart of what each quasi-identifier contributes to uniqueness",
        f"{first.attribute} contributes most: {percent(first.contribution)}. "
        "The figures are in the table below.",
        "quasi-identifier",
        "share of the score",
        tuple(ShareBar(one.attribute, one.contribution) for one in shown),
    )


def _uniques(view: RiskView) -> ShareChart | None:
    if not view.population_uniques:
        return None
    told = [f"{one.name}: {percent(one.share)}" for one in view.population_uniques]
    return ShareChart(
        "uniques",
        "Bar chart of the share of people who are unique in the population, by model",
        f"{'. '.join(told)}.",
        "model",
        "share of the population",
        tuple(ShareBar(one.name, one.share) for one in view.population_uniques),
    )


def _picture(chart: Chart) -> Picture:
    if isinstance(chart, RiskChart):
        return picture(chart.style.name, chart, partial(draw_risks, chart))
    return picture(chart.name, chart, partial(draw_shares, chart))
