"""The page of a risk assessment whose figures are of persons, not of records.

As that of records it is one HTML file with its pictures. Its own picture is the unicity curve: how
many persons some of their rows single out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roadstead.reports.charts.risks import RiskChart
from roadstead.reports.charts.share_bars import ShareChart
from roadstead.reports.charts.svg import picture, pictures
from roadstead.reports.charts.unicity import UnicityChart, unicity_chart
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import AdviceShown, PersonFacts, RiskFacts
from roadstead.reports.risk.rows import (
    PERSONS,
    RiskRow,
    attack_chart,
    attack_rows,
    size_bars,
    uniques_chart,
    uniques_rows,
)
from roadstead.reports.sources import SCORES, SOURCES, UNIQUES
from roadstead.risk.persons.prosecutor import ROWS_IN_WORDS

_OF_PERSONS = ("montjoye", "multirelational", "terrovitis")


class PersonCharts(NamedTuple):
    """The charts of the page; None where there is nothing to show."""

    attacks: RiskChart
    unicity: UnicityChart | None
    fitting: ShareChart
    uniques: ShareChart | None


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
    cited = {"emam", *_OF_PERSONS}
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
        attacks=_attacks(persons),
        uniques=uniques_rows(persons.before),
        charts=charts,
        pictures=pictures(charts._asdict()),
        sources=SOURCES,
        cited=[name for name in SOURCES if name in cited],
    )


def persons_attacks_drawn(facts: RiskFacts, persons: PersonFacts) -> str:
    """Draw the risks by attacker alone."""
    return str(picture(attack_chart(_attacks(persons), facts.threshold)).wide)


def _gather(facts: RiskFacts, persons: PersonFacts) -> PersonCharts:
    after = None if persons.after is None else persons.after.unicity
    return PersonCharts(
        attack_chart(_attacks(persons), facts.threshold),
        unicity_chart(persons.before.unicity, after, persons.k),
        _fitting(facts, persons),
        uniques_chart(PERSONS, uniques_rows(persons.before)),
    )


def _attacks(persons: PersonFacts) -> list[RiskRow]:
    return attack_rows(PERSONS, persons.before, persons.after)


def _fitting(facts: RiskFacts, persons: PersonFacts) -> ShareChart:
    """Sort persons into bins by how many fit what may be known of them."""
    before = persons.before.prosecutor
    after = None if persons.after is None else persons.after.prosecutor
    sizes = None if after is None else after.sizes
    found = size_bars(facts.threshold, persons.persons, before.sizes, sizes)
    told = (
        f"{percent(before.share_above_threshold)} of the persons may be known by what fits fewer "
        f"than {found.k}"
    )
    if after is not None:
        told += f" before, {percent(after.share_above_threshold)} of those released after"
    return ShareChart(
        "fitting",
        "Bar chart of the share of persons by how many persons fit what may be known of them",
        f"{told}. The figures are in the table below.",
        "persons who fit",
        "share of persons",
        found.bars,
        found.line,
    )
