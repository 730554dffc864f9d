"""Show a generalized sample in the terminal, as JSON, and on a page."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any, NamedTuple

from roadstead.differential.sampled.release import CHOICE
from roadstead.release.private import certificate
from roadstead.release.private.cut import names_of
from roadstead.release.private.drafts.sample import SampleDraft
from roadstead.reports.charts.share_bars import ShareChart
from roadstead.reports.numbers import percent
from roadstead.reports.synthesis.promise import PromiseInWords, document_of, page_of, shares_of
from roadstead.reports.wording import counted, format_count, in_columns

_CITED = ("dwork", "li2012", "bild")
_OF_CHOICES = ("mckenna",)
_SHOWN = 3


class LevelRow(NamedTuple):
    """An attribute, its released level, and the number and names of the groups at this level."""

    attribute: str
    level: int
    groups: int
    some: str


@dataclass(frozen=True, eq=False)
class SampleFacts(PromiseInWords, SampleDraft):
    """A generalized sample before it is written."""

    @property
    def rows(self) -> tuple[LevelRow, ...]:
        """The released level of each attribute."""
        return tuple(
            LevelRow(cut.attribute, level, cut.size, _some(names_of(cut)))
            for cut, level in zip(self.cuts, self.sample.levels, strict=True)
        )

    @property
    def chosen(self) -> bool:
        """Indicates whether the levels were chosen with differential privacy."""
        return self.ledger[0].step == CHOICE

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        budget = self.sample.budget
        return document_of(
            self,
            {
                "for": certificate.SAMPLE,
                "delta": budget.delta,
                "chance": float(budget.chance),
                "least_class": budget.least,
                "levels": {one.attribute: one.level for one in self.rows},
                "groups": self.certified.classes,
            },
        )


def _some(names: tuple[str, ...]) -> str:
    more = "" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN:,} more"
    return f"{', '.join(names[:_SHOWN])}{more}"


def sample_summary(facts: SampleFacts) -> list[str]:
    """Describe the release and its cost."""
    budget, certified = facts.sample.budget, facts.certified
    how = "chosen with differential privacy" if facts.chosen else "as requested"
    rows = [("Column", "level", "groups")]
    rows += [
        (one.attribute, format_count(one.level), format_count(one.groups)) for one in facts.rows
    ]
    spent = [("Budget", "epsilon")]
    spent += [(one.step.words, f"{float(one.epsilon):.4g}") for one in facts.ledger]
    lines = [
        f"{facts.source}: {facts.guarantee}",
        facts.counted.sentence,
        f"The release has {counted(certified.records, 'record')}. They are true records with "
        f"generalized values, in {counted(certified.classes, 'group')} of at least "
        f"{format_count(budget.least)} records. Each record was sampled with a probability of "
        f"{percent(float(budget.chance))}. Levels {how}:",
        *in_columns(rows),
        "",
        *in_columns([*spent, ("together", f"{float(facts.epsilon):.4g}")]),
    ]
    return [*lines, *(["", *facts.notes] if facts.notes else [])]


def sample_chart(facts: SampleFacts) -> ShareChart:
    """Return the share of the budget for each step."""
    return shares_of(facts.epsilon, {one.step.words: one.epsilon for one in facts.ledger})


def sample_page(facts: SampleFacts, created: str) -> str:
    """Return the page as an HTML document, which must be written as UTF-8."""
    growth = exp(-float(facts.epsilon))
    right = (1.0 + facts.sample.budget.delta * growth) / (1.0 + growth)
    return page_of(
        "sample.html",
        facts,
        created,
        sample_chart(facts),
        chance=percent(float(facts.sample.budget.chance)),
        right=percent(min(right, 1.0), bound="upper"),
        cited=(*_CITED, *(_OF_CHOICES if facts.chosen else ())),
    )
