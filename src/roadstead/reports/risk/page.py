"""The page of a risk assessment: one HTML file with its pictures, no script, nothing fetched.

Pictures show class sizes, risks by attacker, what each quasi-identifier contributes, and uniqueness
in the population by model. Their figures stand below each as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roadstead.reports.charts.risks import RiskChart
from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.charts.svg import picture, pictures
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import AdviceShown, RiskFacts
from roadstead.reports.risk.persons import persons_attacks_drawn, persons_page
from roadstead.reports.risk.rows import (
    RECORDS,
    RiskRow,
    attack_chart,
    attack_rows,
    size_bars,
    uniques_chart,
    uniques_rows,
)
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.assessment import Assessment

_MOST_ATTRIBUTES = 20


class RiskCharts(NamedTuple):
    """The charts of the page; None where there is nothing to show."""

    attacks: RiskChart
    sizes: ShareChart
    contributions: ShareChart | None
    uniques: ShareChart | None


def risk_page(
    facts: RiskFacts,
    *,
    created: str,
    version: str,
    expected: Sequence[str] = (),
    advice: AdviceShown | None = None,
) -> str:
    """Make the page, a whole HTML document; equal arguments give equal documents.

    `created` is the moment of the assessment (ISO 8601); `expected` says in sentences how many
    records have fewer than k people of the population behind them.
    """
    if facts.by_person is not None:
        return persons_page(
            facts,
            facts.by_person,
            created=created,
            version=version,
            expected=expected,
            advice=advice,
        )
    charts = gather_risk(facts)
    return template("risk.html").render(
        view=facts,
        created=created,
        version=version,
        expected=expected,
        advice=advice,
        attacks=_attacks(facts),
        uniques=uniques_rows(facts.before),
        charts=charts,
        pictures=pictures(charts._asdict()),
        sources=SOURCES,
        cited=_cited(charts),
    )


def attacks_drawn(facts: RiskFacts) -> str:
    """Draw the risks by attacker alone."""
    if facts.by_person is not None:
        return persons_attacks_drawn(facts, facts.by_person)
    return str(picture(gather_risk(facts).attacks).wide)


def _cited(charts: RiskCharts) -> list[str]:
    """Name the sources of what the page speaks of, in the order of the list."""
    scores = SCORES if charts.contributions is not None else ()
    named = {"emam", *scores, *(UNIQUES if charts.uniques is not None else ())}
    return [name for name in SOURCES if name in named]


def _attacks(facts: RiskFacts) -> list[RiskRow]:
    return attack_rows(RECORDS, facts.before, facts.after)


def gather_risk(facts: RiskFacts) -> RiskCharts:
    """Gather what the charts show."""
    attacks = attack_chart(_attacks(facts), facts.threshold)
    uniques = uniques_chart(RECORDS, uniques_rows(facts.before))
    return RiskCharts(attacks, _sizes(facts), _contributions(facts.before), uniques)


def _sizes(facts: RiskFacts) -> ShareChart:
    """Sort records into bins by the size of their class; the threshold is the edge of one."""
    after = None if facts.after is None else _records(facts.after)
    found = size_bars(facts.threshold, facts.records, _records(facts.before), after)
    small = found.bars[: found.small]
    before = percent(sum(bar.before for bar in small))
    told = f"{before} of the records are in classes of fewer than {found.k}"
    if facts.after is not None:
        told += f" before, {percent(sum(bar.after or 0.0 for bar in small))} after"
    return ShareChart(
        "sizes",
        "Bar chart of the share of records by class size",
        f"{told}. The figures are in the table below.",
        "class size",
        "share of records",
        found.bars,
        found.line,
    )


def _records(table: Assessment) -> list[tuple[int, int]]:
    """Pair class sizes with the records in classes of that size."""
    return [(size, size * number) for size, number in table.sizes]


def _contributions(table: Assessment) -> ShareChart | None:
    shown = table.contributions[:_MOST_ATTRIBUTES]
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
