"""The page of a risk assessment: one HTML file with its pictures, no script, nothing fetched.

Pictures show class sizes, risks by attacker, what each quasi-identifier contributes, and uniqueness
in the population by model. Their figures stand below each as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from roadstead.reports.charts.risks import ATTACKS, RiskBar, RiskChart
from roadstead.reports.charts.share_bars import (
    BarLine,
    ShareBar,
    ShareChart,
    size_bins,
)
from roadstead.reports.charts.svg import picture, pictures
from roadstead.reports.environment import template
from roadstead.reports.numbers import Bound, percent
from roadstead.reports.persons_page import persons_attacks_drawn, persons_page
from roadstead.reports.risk_facts import MODELS, AdviceShown, RiskFacts
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.assessment import Assessment
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.prosecutor import ProsecutorRisk

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)
_MOST_ATTRIBUTES = 20


class RiskRow(NamedTuple):
    """What an attacker can expect, as a share: before and, where there is a policy, after it.

    On the `scale` of risks belongs a chance to be re-identified, not a share of records above a
    threshold. The risk of the record most at risk has an "upper" bound: it is rounded up.
    """

    name: str
    formula: str
    meaning: str
    before: float
    after: float | None
    scale: bool = True
    bound: Bound | None = None


class UniquesRow(NamedTuple):
    """People who are unique in the population, by one model."""

    name: str
    meaning: str
    uniques: float
    share: float


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
        uniques=_modeled(facts.before),
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
    """Give every risk, before and after."""
    tables = [facts.before, *([] if facts.after is None else [facts.after])]
    who = "who knows that the person is in the table"
    rows = _of_attacker("Prosecutor", "f", who, [one.prosecutor for one in tables])
    if facts.before.journalist is not None:
        who = "who takes whomever a register of the population leads to"
        if facts.before.journalist.estimated:
            who += ", estimated as the expectation of 1/F"
        found = [one.journalist for one in tables if one.journalist is not None]
        rows += _of_attacker("Journalist", "F", who, found)
    return rows


def _of_attacker(
    attacker: str, alike: str, who: str, risks: Sequence[ProsecutorRisk | JournalistRisk]
) -> list[RiskRow]:
    """Give the three risks of an attacker: before and, if there is a second, after."""
    before, after = risks[0], risks[1] if len(risks) > 1 else None
    mean, also = (
        ("classes / records", "Without knowledge of the population, it is also that of a marketer.")
        if alike == "f"
        else (
            "mean of 1/F",
            "It is also the share that a marketer gets right, who matches all records.",
        )
    )
    return [
        RiskRow(
            f"{attacker}, highest",
            f"1 / least {alike}",
            f"The record that is easiest to find, for somebody {who}.",
            before.maximum,
            None if after is None else after.maximum,
            bound="upper",
        ),
        RiskRow(
            f"{attacker}, average",
            mean,
            f"The share of all records expected to be found, if every one were looked for. {also}",
            before.average,
            None if after is None else after.average,
        ),
        RiskRow(
            f"{attacker}, above the threshold",
            f"share with 1/{alike} above it",
            "Records whose risk is more than acceptable.",
            before.share_above_threshold,
            None if after is None else after.share_above_threshold,
            scale=False,
        ),
    ]


def _modeled(table: Assessment) -> list[UniquesRow]:
    """Give the population uniques of each model that has an answer."""
    rows = []
    for one in table.population_uniques:
        if one.uniques is not None and one.share is not None:
            name, meaning = MODELS[one.model]
            if one.takes is not None:
                name += f" ({MODELS[one.takes][0]})"
            rows.append(UniquesRow(name, meaning, one.uniques, one.share))
    return rows


def gather_risk(facts: RiskFacts) -> RiskCharts:
    """Gather what the charts show."""
    bars = tuple(
        RiskBar(one.name, one.before, one.after, one.bound) for one in _attacks(facts) if one.scale
    )
    attacks = RiskChart(bars, facts.threshold, ATTACKS)
    before = facts.before
    return RiskCharts(attacks, _sizes(facts), _contributions(before), _uniques(before))


def _sizes(facts: RiskFacts) -> ShareChart:
    """Sort records into bins by the size of their class; the threshold is the edge of one."""
    k = ceil(1.0 / (facts.threshold * (1.0 + 1e-12)))  # the least size of no more than that risk
    bins = size_bins(_EDGES, k, _records(facts.before), _records(facts.after))
    bins[-1] = bins[-1]._replace(largest=None)
    total = max(facts.records, 1)
    bars = [
        ShareBar(one.label, one.before / total, None if facts.after is None else one.after / total)
        for one in bins
    ]
    small = sum(one.smallest < k for one in bins)
    before = percent(sum(bar.before for bar in bars[:small]))
    told = f"{before} of the records are in classes of fewer than {k}"
    if facts.after is not None:
        told += f" before, {percent(sum(bar.after or 0.0 for bar in bars[:small]))} after"
    return ShareChart(
        "sizes",
        "Bar chart of the share of records by class size",
        f"{told}. The figures are in the table below.",
        "class size",
        "share of records",
        tuple(bars),
        BarLine(small, f"{k} or more", f"risk of at most {facts.threshold:g}") if k > 1 else None,
    )


def _records(table: Assessment | None) -> list[tuple[int, int]]:
    """Pair class sizes with the records in classes of that size."""
    return [] if table is None else [(size, size * number) for size, number in table.sizes]


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


def _uniques(table: Assessment) -> ShareChart | None:
    rows = _modeled(table)
    if not rows:
        return None
    return ShareChart(
        "uniques",
        "Bar chart of the share of people who are unique in the population, by model",
        f"{'. '.join(f'{row.name}: {percent(row.share)}' for row in rows)}.",
        "model",
        "share of the population",
        tuple(ShareBar(row.name, row.share) for row in rows),
    )
