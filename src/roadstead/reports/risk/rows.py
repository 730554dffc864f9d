"""Provide the parts that the pages about records and the pages about people share.

The text about records and the text about people differ in only a few words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple, TypeAlias

from roadstead.reports.charts.risks import ATTACKS, RiskBar, RiskChart
from roadstead.reports.charts.share_bars import BarLine, Histogram, ShareBar, ShareChart, size_bins
from roadstead.reports.charts.svg import Chart
from roadstead.reports.numbers import Bound, percent
from roadstead.reports.risk.facts import MODELS, AssessedTable
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.prosecutor import ProsecutorRisk

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)


class RiskRow(NamedTuple):
    """The expected success rate of an attacker, before and after a policy is applied.

    `scale` is true for a probability of re-identification, and false for a share of records above a
    threshold. The highest risk of a record is given as an "upper" bound, so it is rounded up.
    """

    name: str
    formula: str
    meaning: str
    before: float
    after: float | None
    scale: bool = True
    bound: Bound | None = None
    estimated: bool = False  # whether the risk is an expectation


class UniquesRow(NamedTuple):
    """The number of people who are unique in the population, according to one model."""

    name: str
    meaning: str
    uniques: float
    share: float


class PageParts(NamedTuple):
    """The parts that differ between pages. `more` is for the template. A chart may be None."""

    template: str
    attacks: list[RiskRow]
    uniques: list[UniquesRow]
    charts: Mapping[str, Chart | None]
    cited: set[str]
    more: Mapping[str, object] = {}


class UnitWords(NamedTuple):
    """The words for records or people at risk, and for the number of their matches.

    Matches are counted in the table and in the population. `mean` is the formula of the average
    risk within the table.
    """

    most_at_risk: str
    several: str
    alike: str
    alike_people: str
    mean: str
    unique: str


RECORDS = UnitWords("record that is", "records", "f", "F", "classes / records", "people")
PERSONS = UnitWords("person who is", "people", "n", "N", "mean of 1/n", "people")


def attack_rows(
    words: UnitWords,
    before: AssessedTable,
    after: AssessedTable | None,
) -> list[RiskRow]:
    """Return all risks before and after, three for the prosecutor and three for the journalist."""
    now = None if after is None else after.prosecutor
    rows = _of_attacker(
        words,
        ("Prosecutor", words.alike, words.mean),
        "The attacker knows that the person is in the table",
        "If the population is not known, this is also the risk from a marketer.",
        (before.prosecutor, now),
    )
    if before.journalist is not None:
        who = "The attacker does not know who is in the table, and has a register of the population"
        if before.journalist.estimated:
            who += f". The risk is estimated as the expected value of 1/{words.alike_people}"
        then = None if after is None else after.journalist
        journalist = _of_attacker(
            words,
            ("Journalist", words.alike_people, f"mean of 1/{words.alike_people}"),
            who,
            (
                f"A marketer who matches all {words.several} identifies the same share of them "
                "correctly."
            ),
            (before.journalist, then),
        )
        rows += [row._replace(estimated=before.journalist.estimated) for row in journalist]
    return rows


_Risk: TypeAlias = ProsecutorRisk | PersonRisk | JournalistRisk


def _of_attacker(
    words: UnitWords,
    attacker: tuple[str, str, str],
    who: str,
    marketer: str,
    risks: tuple[_Risk, _Risk | None],
) -> list[RiskRow]:
    """Return the three risks of an attacker. `attacker` is a name, its matches, and a formula."""
    name, alike, mean = attacker
    before, after = risks
    several = words.several
    return [
        RiskRow(
            f"{name}, highest",
            f"1 / smallest {alike}",
            f"The risk of the {words.most_at_risk} easiest to find. {who}.",
            before.maximum,
            None if after is None else after.maximum,
            bound="upper",
        ),
        RiskRow(
            f"{name}, average",
            mean,
            f"An attacker who tries to match all {several} is expected to identify this share of "
            f"them. {marketer}",
            before.average,
            None if after is None else after.average,
        ),
        RiskRow(
            f"{name}, above the threshold",
            f"share with 1/{alike} above the threshold",
            f"{several.capitalize()} whose risk is above the acceptable risk.",
            before.share_above_threshold,
            None if after is None else after.share_above_threshold,
            scale=False,
        ),
    ]


def attack_chart(rows: Sequence[RiskRow], threshold: float) -> RiskChart:
    """Draw the probabilities of re-identification by attacker."""
    bars = (RiskBar(one.name, one.before, one.after, one.bound) for one in rows if one.scale)
    return RiskChart(tuple(bars), threshold, ATTACKS)


class SizeBars(NamedTuple):
    """The share of the table for each group size. The first `small` bars are below `k`."""

    bars: tuple[ShareBar, ...]
    k: int
    small: int
    line: BarLine | None


def size_bars(threshold: float, total: int, before: Histogram, after: Histogram | None) -> SizeBars:
    """Count records or people in bins by group size. The threshold is at the edge of a bin."""
    k = ceil(1.0 / (threshold * (1.0 + 1e-12)))  # the smallest acceptable group size
    bins = size_bins(_EDGES, k, before, after or ())
    bins[-1] = bins[-1]._replace(largest=None)
    total = max(total, 1)
    bars = tuple(
        ShareBar(one.label, one.before / total, None if after is None else one.after / total)
        for one in bins
    )
    small = sum(one.smallest < k for one in bins)
    line = BarLine(small, "", f"risk of at most {threshold:g}") if k > 1 else None
    return SizeBars(bars, k, small, line)


def uniques_rows(table: AssessedTable) -> list[UniquesRow]:
    """Return the number of population uniques for each model that gives an answer."""
    rows = []
    for one in table.population_uniques:
        if one.uniques is not None and one.share is not None:
            name, meaning = MODELS[one.model]
            if one.takes is not None:
                name += f" ({MODELS[one.takes][0]})"
            rows.append(UniquesRow(name, meaning, one.uniques, one.share))
    return rows


def uniques_chart(words: UnitWords, rows: Sequence[UniquesRow]) -> ShareChart | None:
    """Draw the population uniques by model, or return None if no model gives an answer."""
    if not rows:
        return None
    return ShareChart(
        "uniques",
        f"Bar chart of the share of {words.unique} who are unique in the population, by model",
        f"{'. '.join(f'{row.name}: {percent(row.share)}' for row in rows)}.",
        "model",
        "share of the population",
        tuple(ShareBar(row.name, row.share) for row in rows),
    )
