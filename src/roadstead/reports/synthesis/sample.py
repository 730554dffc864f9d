"""All that is said of a generalized sample, on a terminal, as JSON and on its page.

None of it comes from the private table but through the choice of levels and the draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any, NamedTuple

from roadstead import __version__
from roadstead.differential.sampled.release import CHOICE
from roadstead.release.private import certificate
from roadstead.release.private.cut import names_of
from roadstead.release.private.publish_sample import SampleDraft
from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.charts.svg import picture
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.sources import PRIVATE
from roadstead.reports.synthesis.facts import PublicInput, public_input
from roadstead.reports.wording import CountedUnit, counted, in_columns, whole

_CITED = ("dwork", "li2012", "bild")
_OF_CHOICES = ("mckenna",)
_SHOWN = 3


class LevelRow(NamedTuple):
    """An attribute, the level that it is told at, how many groups that has, and some of them."""

    attribute: str
    level: int
    groups: int
    some: str


@dataclass(frozen=True, eq=False)
class SampleFacts(SampleDraft):
    """A generalized sample, before it is written."""

    origins: Mapping[str, str]  # where each attribute's domain came from
    notes: tuple[str, ...]  # what to mind

    @property
    def guarantee(self) -> str:
        """What is promised, in a sentence."""
        return certificate.guarantee(self.epsilon, self.unit, self.settings)

    @property
    def counted(self) -> CountedUnit:
        """Whether records are counted, or persons; nothing that the table would tell."""
        return CountedUnit(self.settings.get("person"))

    @property
    def records(self) -> int:
        """How many records are released."""
        return self.certified.records

    @property
    def public(self) -> tuple[PublicInput, ...]:
        """The declared domains."""
        return tuple(public_input(cut.domain, self.origins[cut.attribute]) for cut in self.cuts)

    @property
    def rows(self) -> tuple[LevelRow, ...]:
        """How each attribute is told."""
        return tuple(
            LevelRow(cut.attribute, level, cut.size, _some(names_of(cut)))
            for cut, level in zip(self.cuts, self.sample.levels, strict=True)
        )

    @property
    def chosen(self) -> bool:
        """Whether the levels were chosen privately."""
        return self.sample.ledger[0].step == CHOICE

    def to_dict(self) -> dict[str, Any]:
        """Give the facts as JSON holds them."""
        budget, certified = self.sample.budget, self.certified
        return {
            "source": self.source,
            "guarantee": self.guarantee,
            "epsilon": float(self.epsilon),
            "for": certificate.SAMPLE,
            "delta": budget.delta,
            "chance": float(budget.chance),
            "least_class": budget.least,
            "levels": {one.attribute: one.level for one in self.rows},
            "unit": self.unit.words,
            "protects": self.unit.protects,
            "rows_per_person": self.unit.rows,
            "counted": self.counted.to_dict(),
            "target": None,
            "classes": [],
            "ledger": [
                {"step": one.step, "epsilon": float(one.epsilon)} for one in self.sample.ledger
            ],
            "cut": {cut.attribute: list(names_of(cut)) for cut in self.cuts},
            "told": [cut.attribute for cut in self.cuts if cut.is_specialized],
            "groups": certified.classes,
            "records": certified.records,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }


def _some(names: tuple[str, ...]) -> str:
    more = "" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN:,} more"
    return f"{', '.join(names[:_SHOWN])}{more}"


def sample_summary(facts: SampleFacts) -> list[str]:
    """Say what would be released, and what it cost."""
    budget, certified = facts.sample.budget, facts.certified
    how = "chosen privately" if facts.chosen else "as given"
    rows = [("Column", "level", "groups")]
    rows += [(one.attribute, whole(one.level), whole(one.groups)) for one in facts.rows]
    spent = [("The budget", "epsilon")]
    spent += [(one.step, f"{float(one.epsilon):.4g}") for one in facts.sample.ledger]
    lines = [
        f"{facts.source}: {facts.guarantee}",
        facts.counted.sentence,
        f"{counted(certified.records, 'record')} to be released, true and generalized, in "
        f"{counted(certified.classes, 'class', 'classes')} of {whole(budget.least)} or more; each "
        f"record was drawn with a chance of {percent(float(budget.chance))}. Levels {how}:",
        *in_columns(rows),
        "",
        *in_columns([*spent, ("together", f"{float(facts.epsilon):.4g}")]),
    ]
    return [*lines, *(["", *facts.notes] if facts.notes else [])]


def sample_chart(facts: SampleFacts) -> ShareChart:
    """Give each step its share of the budget."""
    largest = max(facts.sample.ledger, key=lambda one: one.epsilon)
    share = percent(float(largest.epsilon / facts.epsilon))
    return ShareChart(
        "budget",
        "Bar chart of what the privacy budget was spent on",
        f"The {largest.step} cost most: {share}. The figures are in the table below.",
        "step",
        "share of the budget",
        tuple(
            ShareBar(one.step, float(one.epsilon / facts.epsilon)) for one in facts.sample.ledger
        ),
    )


def sample_page(facts: SampleFacts, created: str) -> str:
    """Make the page: a whole HTML document, to be written as UTF-8."""
    budget, growth = sample_chart(facts), exp(-float(facts.epsilon))
    right = (1.0 + facts.sample.budget.delta * growth) / (1.0 + growth)
    return template("sample.html").render(
        facts=facts,
        unit=facts.unit.noun,
        created=created,
        version=__version__,
        words=certificate.words(facts.epsilon, facts.unit, facts.sample.ledger, facts.settings),
        epsilon=certificate.amount(facts.epsilon),
        factor=certificate.factor(facts.epsilon),
        chance=percent(float(facts.sample.budget.chance)),
        right=percent(min(right, 1.0), bound="upper"),
        budget=budget,
        picture=picture(budget),
        notes=facts.notes,
        sources=PRIVATE,
        cited=(*_CITED, *(_OF_CHOICES if facts.chosen else ())),
    )
