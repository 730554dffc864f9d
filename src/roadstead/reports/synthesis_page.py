"""The page of a differentially private release: what is promised, what it cost, what is released.

One HTML file with its pictures, no script, nothing fetched. It begins with the guarantee and what
that means for one person, as that is what whoever answers for the data has to judge. All of it
follows from the release; the page adds nothing that the private table alone could tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import exp
from typing import NamedTuple, TypeAlias

from roadstead.reports.charts.marginal_bars import (
    COLORS,
    MarginalBar,
    MarginalChart,
    draw_marginal,
)
from roadstead.reports.charts.noise_margin import noise_margin
from roadstead.reports.charts.share_bars import ShareBar, ShareChart, draw_shares
from roadstead.reports.charts.svg import Picture, picture
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.sources import PRIVATE
from roadstead.reports.synthesis_ledger import CHOICES, TOTALS, Spending, spendings
from roadstead.reports.synthesis_view import LabelView, MarginalView, SynthesisView

Chart: TypeAlias = ShareChart | MarginalChart

MOST_LABELS = 12
"""Labels of an attribute that are shown; of more, the largest."""

_PRIORS = (0.01, 0.1, 0.5, 0.9)
_CERTAIN = 1 - 1e-4
NEARLY_CERTAIN = ">99.99 %"
"""What is said of a belief that is beyond it, for it is never certain."""


class Belief(NamedTuple):
    """How sure somebody was, and can at most become: of presence, and of one of two values."""

    before: str
    present: str
    value: str


class MarginalFigure(NamedTuple):
    """An attribute's chart, and its picture."""

    chart: MarginalChart
    picture: Picture


def synthesis_page(view: SynthesisView) -> str:
    """Make the page.

    Parameters
    ----------
    view
        All that is shown.

    Returns
    -------
    str
        A whole HTML document, to be written as UTF-8. Equal views give equal documents.
    """
    spent = spendings(view.ledger)
    budget = gather_budget(view, spent)
    figures = [MarginalFigure(chart, _picture(chart)) for chart in gather_marginals(view)]
    walked = sum(one.times for one in spent if one.name == CHOICES)
    return template("synthesis.html").render(
        view=view,
        budget=budget,
        picture=_picture(budget),
        figures=figures,
        untold=[one.attribute for one in view.marginals if not one.told],
        spent=spent,
        together=sum((one.epsilon for one in view.ledger), Fraction(0)),
        walked=walked,
        totals=_margin_of_totals(spent),
        beliefs=[belief(view.epsilon, prior) for prior in _PRIORS],
        even=belief(view.epsilon, 0.5),
        notes=view.notes,
        sources=PRIVATE,
        cited=[name for name in PRIVATE if walked or name != "mckenna"],
    )


def _margin_of_totals(spent: Sequence[Spending]) -> int | None:
    """Tell how far noise moves the total of a class; None where no totals were counted."""
    each = next((one.each for one in spent if one.name == TOTALS), None)
    return None if each is None else noise_margin(1, each)


def belief(epsilon: Fraction, prior: float) -> Belief:
    """Tell how sure somebody who knows all other records can become of one person.

    Odds change by a factor of at most ``e**epsilon`` between a table with the person and the one
    without. Between two values of a record they change by at most its square: one record is removed
    and the other added.
    """
    rate = float(epsilon)
    return Belief(percent(prior), _posterior(rate, prior), _posterior(2 * rate, prior))


def _posterior(rate: float, prior: float) -> str:
    """Write the largest posterior, rounded up, and never as certainty."""
    share = 1 / (1 + exp(-rate) * (1 - prior) / prior)
    return NEARLY_CERTAIN if share > _CERTAIN else percent(share, bound="upper")


def gather_budget(view: SynthesisView, spent: tuple[Spending, ...]) -> ShareChart:
    """Give each kind of step its share of the budget."""
    largest = max(spent, key=lambda one: one.total)
    share = percent(float(largest.total / view.epsilon))
    return ShareChart(
        "budget",
        "Bar chart of what the privacy budget was spent on",
        f"{largest.name} cost most: {share}. The figures are in the table below.",
        "step",
        "share of the budget",
        tuple(ShareBar(one.name, float(one.total / view.epsilon)) for one in spent),
    )


def gather_marginals(view: SynthesisView) -> tuple[MarginalChart, ...]:
    """Give the attributes that something is told of, with the largest of their labels."""
    told = (one for one in view.marginals if one.told)
    return tuple(_marginal(view, at, one) for at, one in enumerate(told))


def _marginal(view: SynthesisView, at: int, one: MarginalView) -> MarginalChart:
    parted = len(view.classes) <= len(COLORS)
    shown, hidden = _largest(one)
    return MarginalChart(
        f"attribute-{at}",
        one.attribute,
        view.classes if parted else (),
        tuple(
            MarginalBar(
                label.label,
                label.records if parted else (label.all_records,),
                label.noisy,
                label.cells,
                noise_margin(label.cells, view.counts_epsilon),
            )
            for label in shown
        ),
        len(hidden),
        None if one.kind == "set" else sum(label.all_records for label in hidden),
        of_sets=one.kind == "set",
    )


def _largest(one: MarginalView) -> tuple[list[LabelView], list[LabelView]]:
    """Part the labels into those shown and the others; intervals stay in their order."""
    by_size = sorted(
        range(len(one.labels)), key=lambda place: (-one.labels[place].all_records, place)
    )
    shown, hidden = by_size[:MOST_LABELS], by_size[MOST_LABELS:]
    ordered = sorted(shown) if one.kind == "numeric" else shown
    return [one.labels[place] for place in ordered], [one.labels[place] for place in hidden]


def _picture(chart: Chart) -> Picture:
    if isinstance(chart, MarginalChart):
        return picture(chart.name, chart, partial(draw_marginal, chart))
    return picture(chart.name, chart, partial(draw_shares, chart))
