"""Write the page of a risk assessment, which has pictures and tables.

The page is one HTML file that loads no other files. The pictures show group sizes, risks by
attacker, the contribution of each quasi-identifier, and population uniqueness by model. A table
below each picture gives its figures. If people are counted, the page also has the unicity curve.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.charts.svg import Chart, pictures
from roadstead.reports.charts.unicity import unicity_chart
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.risk.advice import Advice
from roadstead.reports.risk.facts import PersonFacts, RiskFacts
from roadstead.reports.risk.rows import (
    PERSONS,
    RECORDS,
    PageParts,
    attack_chart,
    attack_rows,
    size_bars,
    uniques_chart,
    uniques_rows,
)
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.assessment import Assessment
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS

_OF_PERSONS = ("montjoye", "multirelational", "terrovitis")
_MOST_ATTRIBUTES = 20


def risk_page(
    facts: RiskFacts,
    *,
    created: str,
    version: str,
    expected: Sequence[str] = (),
    advice: Advice | None = None,
    command: str = "",
    piece: bool = False,
) -> str:
    """Return the page as an HTML document.

    Equal arguments give equal documents.

    If `piece` is true, the result is only the content, for another page with the same styles.
    `created` is the time of the assessment (ISO 8601). `expected` says in sentences how many
    records have fewer than k matching people in the population. `command` follows the advice.
    """
    shown = _shown(facts)
    modeled = UNIQUES if shown.uniques else ()
    cited = {"emam", *shown.cited, *modeled}
    return template(shown.template).render(
        view=facts,
        created=created,
        version=version,
        expected=expected,
        advice=advice,
        command=command,
        piece=piece,
        attacks=shown.attacks,
        uniques=shown.uniques,
        charts=shown.charts,
        pictures=pictures(shown.charts),
        sources=SOURCES,
        cited=[name for name in SOURCES if name in cited],
        **shown.more,
    )


def charts_of(facts: RiskFacts) -> list[Chart]:
    """Return the charts that have something to show. The risks by attacker are first."""
    return [chart for chart in _shown(facts).charts.values() if chart is not None]


def _shown(facts: RiskFacts) -> PageParts:
    """Gather the content of the page, including content about people if people are counted."""
    if facts.by_person is not None:
        return persons_shown(facts, facts.by_person)
    charts = gather_risk(facts)
    return PageParts(
        "risk.html",
        attack_rows(RECORDS, facts.before, facts.after),
        uniques_rows(facts.before),
        charts,
        {*(SCORES if charts["contributions"] is not None else ())},
    )


def gather_risk(facts: RiskFacts) -> dict[str, Chart | None]:
    """Gather the charts about records. A chart is None if there is nothing to show."""
    return {
        "attacks": attack_chart(attack_rows(RECORDS, facts.before, facts.after), facts.threshold),
        "sizes": _sizes(facts),
        "contributions": _contributions(facts.before),
        "uniques": uniques_chart(RECORDS, uniques_rows(facts.before)),
    }


def _sizes(facts: RiskFacts) -> ShareChart:
    """Count the records in bins by group size. The threshold is at the edge of a bin."""
    after = None if facts.after is None else _records(facts.after)
    found = size_bars(facts.threshold, facts.records, _records(facts.before), after)
    small = found.bars[: found.small]
    before = percent(sum(bar.before for bar in small))
    told = f"{before} of the records are in groups of fewer than {found.k} records"
    if facts.after is not None:
        told += f" before, and {percent(sum(bar.after or 0.0 for bar in small))} after"
    return ShareChart(
        "sizes",
        "Bar chart of the share of records by group size",
        f"{told}. The figures are in the table below.",
        "group size",
        "share of records",
        found.bars,
        found.line,
    )


def _records(table: Assessment) -> list[tuple[int, int]]:
    """Return pairs of a group size and the number of records in groups of that size."""
    return [(size, size * number) for size, number in table.sizes]


def _contributions(table: Assessment) -> ShareChart | None:
    shown = table.contributions[:_MOST_ATTRIBUTES]
    if not any(one.contribution for one in shown):
        return None
    first = shown[0]
    return ShareChart(
        "contributions",
        "Bar chart of the contribution of each quasi-identifier to uniqueness",
        f"{first.attribute} contributes most: {percent(first.contribution)}. The figures are in "
        "the table below.",
        "quasi-identifier",
        "share of the score",
        tuple(ShareBar(one.attribute, one.contribution) for one in shown),
    )


def persons_shown(facts: RiskFacts, persons: PersonFacts) -> PageParts:
    """Gather the content of the page about people."""
    attacks = attack_rows(PERSONS, persons.before, persons.after)
    uniques = uniques_rows(persons.before)
    after = None if persons.after is None else persons.after.unicity
    charts = {
        "attacks": attack_chart(attacks, facts.threshold),
        "unicity": unicity_chart(persons.before.unicity, after, persons.k),
        "fitting": _fitting(facts, persons),
        "uniques": uniques_chart(PERSONS, uniques),
    }
    cited = {*_OF_PERSONS, *(SCORES if persons.before.combinations else ())}
    more = {"persons": persons, "known": ROWS_IN_WORDS[persons.knows]}
    return PageParts("risk_of_persons.html", attacks, uniques, charts, cited, more)


def _fitting(facts: RiskFacts, persons: PersonFacts) -> ShareChart:
    """Count people in bins by the number of people who match what an attacker knows."""
    before = persons.before.prosecutor
    after = None if persons.after is None else persons.after.prosecutor
    sizes = None if after is None else after.sizes
    found = size_bars(facts.threshold, persons.persons, before.sizes, sizes)
    told = (
        f"For {percent(before.share_above_threshold)} of the people, the values that an "
        f"attacker knows match fewer than {found.k} people"
    )
    if after is not None:
        told += (
            f" before, and for {percent(after.share_above_threshold)} of the released people after"
        )
    return ShareChart(
        "fitting",
        "Bar chart of the share of people by the number of people who match their known values",
        f"{told}. The figures are in the table below.",
        "people who match",
        "share of people",
        found.bars,
        found.line,
    )
