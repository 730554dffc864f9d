"""Show a private release for general use in the terminal, as JSON, and on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, takewhile
from typing import Any, NamedTuple

import numpy as np

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.domains import SetCut
from roadstead.differential.margins.choosing import NoisyMargin
from roadstead.differential.margins.error_bars import half_width, standard_error
from roadstead.release.private import certificate
from roadstead.release.private.drafts.for_every_use import MarginsDraft
from roadstead.reports.charts.share_bars import ShareChart
from roadstead.reports.synthesis.promise import PromiseInWords, document_of, page_of, shares_of
from roadstead.reports.wording import counted, first_few, format_count, in_columns, listed

_MOST_PAIRS = 12
_CITED = ("dwork", "mckenna", "canonne", "mironov")


class PairRow(NamedTuple):
    """A margin of two variables, with their names, the number of groups of each, and the noise."""

    names: tuple[str, ...]
    groups: tuple[int, ...]
    error: float
    half_width: int
    epsilon: Fraction


class ShortList(NamedTuple):
    """A set-valued attribute for which only some items are released separately."""

    attribute: str
    alone: int
    noun: str  # what is released separately: items, or nodes of a taxonomy
    others: int

    @property
    def words(self) -> str:
        """The number of items that are released separately, in words."""
        return counted(self.alone, self.noun)

    def __str__(self) -> str:
        return (
            f"{self.attribute}: {self.words}, chosen with differential privacy; the other "
            f"{format_count(self.others)} are combined"
        )


@dataclass(frozen=True, eq=False)
class EveryUseFacts(PromiseInWords, MarginsDraft):
    """A release for general use, before it is written."""

    @property
    def without_detail(self) -> tuple[str, ...]:
        """The attributes for which no detail is released."""
        return tuple(cut.attribute for cut in self.cuts if not cut.is_specialized)

    @property
    def shortened(self) -> tuple[ShortList, ...]:
        """The set-valued attributes whose items were chosen."""
        found = []
        for cut, _ in self._choices_of_items:
            *alone, others = cut.nodes
            below = cut.children(others)
            noun = "node" if any(map(cut.children, (*alone, *below))) else "item"
            found.append(ShortList(cut.attribute, len(alone), noun, len(below)))
        return tuple(found)

    @property
    def _choices_of_items(self) -> tuple[tuple[SetCut, tuple[Grant, ...]], ...]:
        """The sets whose lists of items are too long, and the cost of choosing their items."""
        ledger = {one.step: one for one in self.ledger}
        found = []
        for cut in self.cuts:
            numbered = (BudgetStep("item", (cut.attribute,), at) for at in count(1))
            steps = takewhile(ledger.__contains__, numbered)
            grants = tuple(ledger[step] for step in steps)
            if isinstance(cut, SetCut) and grants:
                found.append((cut, grants))
        return tuple(found)

    @property
    def ones(self) -> tuple[PairRow, ...]:
        """The margins of one variable."""
        return tuple(self._row(one) for one in self.margins if len(one.at) == 1)

    @property
    def pairs(self) -> tuple[PairRow, ...]:
        """The margins of two variables, in the order in which they were chosen."""
        return tuple(self._row(one) for one in self.margins if len(one.at) > 1)

    @property
    def error_bars(self) -> str:
        """What the error bars contain, and which rows of the table they leave out.

        The number of these rows is not mentioned, because it was counted without noise.
        """
        said = (
            "In at least 95 of 100 cases, an error bar contains the number of records that were "
            "used, for any table."
        )
        left_out = []
        if self.unit.rows is not None:
            left_out.append(f"more than {counted(self.unit.rows, 'row')} per person")
        elif self.unit.persons:
            said += " Each person counts as one record."
        if self.settings["outside"] != "stop":
            left_out.append("records with a value outside the declared domains")
        if not left_out:
            return said
        return (
            f"{said} The release did not use {' or '.join(left_out)}. So a count of the whole "
            "table can be outside its error bar."
        )

    @property
    def spent(self) -> tuple[tuple[str, int, Fraction], ...]:
        """The items of the budget, each with a description, the number of steps, and an amount."""
        alone = [one for one in self.margins if len(one.at) == 1]
        pairs = [one for one in self.margins if len(one.at) > 1]
        values = [one for one in self.ledger if one.step.kind == "values"]
        choices = [one for one in self.ledger if one.step.kind == "pair"]
        items = [one.epsilon for _, each in self._choices_of_items for one in each]
        parts = {
            "choices of values": [one.epsilon for one in values],
            "choices of items": items,
            "counts of one variable": [one.grant.epsilon for one in alone],
            "choices of pairs": [one.epsilon for one in choices],
            "counts of pairs": [one.grant.epsilon for one in pairs],
        }
        return tuple(
            (words, len(each), sum(each, Fraction(0))) for words, each in parts.items() if each
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        certified = self.certified
        return document_of(
            self,
            {
                "for": certificate.EVERYTHING,
                "error_bars": self.error_bars,
                "margins": [
                    {
                        "columns": list(one.names),
                        "groups": list(one.groups),
                        "standard_error": one.error,
                        "half_width": one.half_width,
                    }
                    for one in (*self.ones, *self.pairs)
                ],
                "cells": certified.cells,
                "agreeing": certified.agreeing,
            },
        )

    def _row(self, one: NoisyMargin) -> PairRow:
        rate = one.grant.each
        return PairRow(
            tuple(self.variables[at].name for at in one.at),
            tuple(np.shape(one.counts)),
            standard_error(rate),
            half_width(rate),
            one.grant.epsilon,
        )


def every_use_summary(facts: EveryUseFacts) -> list[str]:
    """Describe the release and its cost."""
    certified, pairs = facts.certified, pair_lines(facts.pairs)
    chosen = [f"  {one}" for one in pairs[:_MOST_PAIRS]]
    more = len(pairs) - _MOST_PAIRS
    told = sum(cut.is_specialized for cut in facts.cuts) + (facts.target is not None)
    lines = [
        f"{facts.source}: {facts.guarantee}",
        facts.counted.sentence,
        f"{counted(told, 'column')} {'is' if told == 1 else 'are'} released for general use, with "
        f"counts of {counted(len(facts.ones), 'single variable')} and of "
        f"{counted(len(pairs), 'pair')} chosen with differential privacy{':' if pairs else '.'}",
        *chosen,
        *([f"  and {more} more"] if more > 0 else []),
        *(f"  {one}" for one in facts.shortened),
        *(
            [f"  no detail is released about {first_few(facts.without_detail)}"]
            if facts.without_detail
            else []
        ),
        f"The release has {counted(facts.records, 'record')}, sampled from the fitted model. In "
        f"{format_count(certified.agreeing)} of {format_count(certified.cells)} cells of the "
        f"margins, the number of records is within the error bar. {facts.error_bars}",
        "",
        *_budget(facts),
    ]
    return [*lines, *(["", *facts.notes] if facts.notes else [])]


def pair_lines(pairs: Sequence[PairRow]) -> list[str]:
    """Describe each pair in one line.

    A later round can choose a pair again if its first counts had too much noise.
    """
    found: dict[tuple[tuple[str, ...], tuple[int, ...]], list[PairRow]] = {}
    for one in pairs:
        found.setdefault((one.names, one.groups), []).append(one)
    return [_pair(*key, counts) for key, counts in found.items()]


def _pair(names: Sequence[str], sizes: Sequence[int], counts: Sequence[PairRow]) -> str:
    groups = " by ".join(format_count(number) for number in sizes)
    times = f"counted {len(counts)} times, " if len(counts) > 1 else ""
    widths = listed([f"± {format_count(one.half_width)}" for one in counts])
    return f"{' and '.join(names)}, {groups}, {times}each count {widths}"


def _budget(facts: EveryUseFacts) -> list[str]:
    rows = [("Budget", "times", "epsilon")]
    rows += [
        (words, format_count(times), f"{float(total):.4g}") for words, times, total in facts.spent
    ]
    return in_columns([*rows, ("together", "", f"{float(facts.epsilon):.4g}")])


def budget_chart(facts: EveryUseFacts) -> ShareChart:
    """Return the share of the budget for each kind of step."""
    return shares_of(facts.epsilon, {words: total for words, _, total in facts.spent})


def every_use_page(facts: EveryUseFacts, created: str) -> str:
    """Return the page as an HTML document, which must be written as UTF-8."""
    return page_of("every_use.html", facts, created, budget_chart(facts), cited=_CITED)
