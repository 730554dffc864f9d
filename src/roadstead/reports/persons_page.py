"""The page of a risk assessment whose figures are of persons, not of records.

As that of records it is one HTML file with its pictures. Its own picture is the unicity curve: how
many persons some of their rows single out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from roadstead.reports.charts.risks import ATTACKS, RiskBar, RiskChart
from roadstead.reports.charts.share_bars import BarLine, ShareBar, ShareChart, size_bins
from roadstead.reports.charts.svg import picture, pictures
from roadstead.reports.charts.unicity import UnicityChart, unicity_chart
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.risk_facts import MODELS, AdviceShown, PersonFacts, RiskFacts
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.assessment import PersonAssessment
from roadstead.risk.persons.prosecutor import ROWS_IN_WORDS, PersonRisk

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)
_PERSONS = ("montjoye", "multirelational", "terrovitis")


class PersonCharts(NamedTuple):
    """The charts of the page; None where there is nothing to show."""

    attacks: RiskChart
    unicity: UnicityChart | None
    fitting: ShareChart
    uniques: ShareChart | None


class PersonUniques(NamedTuple):
    """Persons who are unique in the population, by one model."""

    name: str
    meaning: str
    uniques: float
    share: float


def persons_page(
    facts: RiskFacts,
    persons: PersonFacts,
    *,
    created: str,
    version: str,
    expected: Sequence[str] = (),
    advice: AdviceShown | None = None,
) -> str:
    """Make the page, a whole HTML document; arguments are as of `risk_page`."""
    charts = _gather(facts, persons)
    cited = {"emam", *_PERSONS}
    if persons.before.combinations:
        cited |= {*SCORES}
    if charts.uniques is not None:
        cited |= {*UNIQUES}
    return template("risk_of_persons.html").render(
        view=facts,
        persons=persons,
        known=ROWS_IN_WORDS[persons.knows],
        created=created,
        version=version,
        expected=expected,
        advice=advice,
        uniques=_modeled(persons.before),
        charts=charts,
        pictures=pictures(charts._asdict()),
        sources=SOURCES,
        cited=[name for name in SOURCES if name in cited],
    )


def persons_attacks_drawn(facts: RiskFacts, persons: PersonFacts) -> str:
    """Draw the risks by attacker alone."""
    return str(picture(_attacks(facts, persons)).wide)


def _gather(facts: RiskFacts, persons: PersonFacts) -> PersonCharts:
    after = None if persons.after is None else persons.after.unicity
    return PersonCharts(
        _attacks(facts, persons),
        unicity_chart(persons.before.unicity, after, persons.k),
        _fitting(facts, persons),
        _uniques(persons.before),
    )


def _attacks(facts: RiskFacts, persons: PersonFacts) -> RiskChart:
    """Give the highest and the average risk of each attacker."""
    before, after = persons.before, persons.after
    now = None if after is None else after.prosecutor
    bars = _of_attacker("Prosecutor", before.prosecutor, now)
    if before.journalist is not None:
        then = None if after is None else after.journalist
        bars += _of_attacker("Journalist", before.journalist, then)
    return RiskChart(tuple(bars), facts.threshold, ATTACKS)


def _of_attacker(
    name: str, before: PersonRisk | JournalistRisk, after: PersonRisk | JournalistRisk | None
) -> list[RiskBar]:
    highest, average = (None, None) if after is None else (after.maximum, after.average)
    return [
        RiskBar(f"{name}, highest", before.maximum, highest, "upper"),
        RiskBar(f"{name}, average", before.average, average),
    ]


def _fitting(facts: RiskFacts, persons: PersonFacts) -> ShareChart:
    """Sort persons into bins by how many fit what may be known of them."""
    k = ceil(1.0 / (facts.threshold * (1.0 + 1e-12)))
    before = persons.before.prosecutor
    after = None if persons.after is None else persons.after.prosecutor
    bins = size_bins(_EDGES, k, before.sizes, () if after is None else after.sizes)
    bins[-1] = bins[-1]._replace(largest=None)
    total = max(persons.persons, 1)
    bars = [
        ShareBar(one.label, one.before / total, None if after is None else one.after / total)
        for one in bins
    ]
    small = sum(one.smallest < k for one in bins)
    told = (
        f"{percent(before.share_above_threshold)} of the persons may be known by what fits fewer "
        f"than {k}"
    )
    if after is not None:
        told += f" before, {percent(after.share_above_threshold)} of those released after"
    return ShareChart(
        "fitting",
        "Bar chart of the share of persons by how many persons fit what may be known of them",
        f"{told}. The figures are in the table below.",
        "persons who fit",
        "share of persons",
        tuple(bars),
        BarLine(small, f"{k} or more", f"risk of at most {facts.threshold:g}") if k > 1 else None,
    )


def _modeled(table: PersonAssessment) -> list[PersonUniques]:
    """Give the population uniques of each model that has an answer."""
    rows = []
    for one in table.population_uniques:
        if one.uniques is not None and one.share is not None:
            name, meaning = MODELS[one.model]
            if one.takes is not None:
                name += f" ({MODELS[one.takes][0]})"
            rows.append(PersonUniques(name, meaning, one.uniques, one.share))
    return rows


def _uniques(table: PersonAssessment) -> ShareChart | None:
    rows = _modeled(table)
    if not rows:
        return None
    return ShareChart(
        "uniques",
        "Bar chart of the share of persons who are unique in the population, by model",
        f"{'. '.join(f'{row.name}: {percent(row.share)}' for row in rows)}.",
        "model",
        "share of the population",
        tuple(ShareBar(row.name, row.share) for row in rows),
    )
