"""The page of a risk assessment whose figures are of persons, not of records.

As that of records it is one HTML file with its pictures. Its own picture is the unicity curve: how
many persons some of their rows single out.
"""

from __future__ import annotations

from typing import NamedTuple

from roadstead.reports.charts.risks import RiskChart
from roadstead.reports.charts.share_bars import ShareChart
from roadstead.reports.charts.unicity import UnicityChart, unicity_chart
from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import PersonFacts, RiskFacts
from roadstead.reports.risk.rows import (
    PERSONS,
    PageParts,
    attack_chart,
    attack_rows,
    size_bars,
    uniques_chart,
    uniques_rows,
)
from roadstead.reports.sources import SCORES
from roadstead.risk.persons.prosecutor import ROWS_IN_WORDS

_OF_PERSONS = ("montjoye", "multirelational", "terrovitis")


class PersonCharts(NamedTuple):
    """The charts of the page; None where there is nothing to show."""

    attacks: RiskChart
    unicity: UnicityChart | None
    fitting: ShareChart
    uniques: ShareChart | None


def persons_shown(facts: RiskFacts, persons: PersonFacts) -> PageParts:
    """Gather what the page shows."""
    attacks = attack_rows(PERSONS, persons.before, persons.after)
    uniques = uniques_rows(persons.before)
    after = None if persons.after is None else persons.after.unicity
    charts = PersonCharts(
        attack_chart(attacks, facts.threshold),
        unicity_chart(persons.before.unicity, after, persons.k),
        _fitting(facts, persons),
        uniques_chart(PERSONS, uniques),
    )
    cited = {*_OF_PERSONS, *(SCORES if persons.before.combinations else ())}
    more = {"persons": persons, "known": ROWS_IN_WORDS[persons.knows]}
    return PageParts("risk_of_persons.html", attacks, uniques, charts._asdict(), cited, more)


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
