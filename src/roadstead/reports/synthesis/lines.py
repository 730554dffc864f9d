"""Describe a differentially private release in words, for the terminal and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut, SetCut
from roadstead.release.private.cut import names_of
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.wording import (
    counted,
    first_few,
    format_count,
    in_columns,
    legible,
    shortened,
)

_LABELS, _COLUMNS = 6, 72


def summary(facts: SynthesisFacts) -> list[str]:
    """Describe the release and its cost."""
    noisy = facts.synthesis.groups
    privately = facts.chosen and not facts.synthesis.totals_alone
    steps = counted(len(facts.synthesis.steps), "specialization")
    chosen = " (number chosen with differential privacy)" if privately else ""
    made = f"{steps}{chosen}, chosen by {facts.settings['score']}"
    lines = [
        f"{facts.source}: {facts.guarantee}",
        facts.counted.sentence,
        f"{made} to predict {facts.target} ({', '.join(facts.classes)}):",
        *_cuts(facts.cuts),
        f"The release lists {format_count(facts.groups)} of {counted(noisy.all_groups, 'group')}, "
        f"each with a noisy count of at least {format_count(noisy.least)}. These groups contain "
        f"{counted(facts.records, 'record')}.",
        "",
        *_ledger(facts.synthesis.ledger, facts.synthesis.epsilon),
    ]
    return [*lines, *(["", *facts.notes] if facts.notes else [])]


def _cuts(cuts: Sequence[AttributeCut]) -> list[str]:
    """Describe the cut of each attribute. Attributes without any detail share a line."""
    detailed = [cut for cut in cuts if cut.is_specialized]
    width = max((len(cut.attribute) for cut in detailed), default=0)
    lines = [f"  {cut.attribute.ljust(width)}  {_labels(cut)}" for cut in detailed]
    rest = tuple(cut.attribute for cut in cuts if not cut.is_specialized)
    return [*lines, f"  no detail is released about {first_few(rest)}"] if rest else lines


def _labels(cut: AttributeCut) -> str:
    labels = [legible(label) for label in names_of(cut)]
    kind = "whether it has any of: " if isinstance(cut, SetCut) else ""
    said = shortened("; ".join(labels[:_LABELS]), _COLUMNS)
    more = f"; {len(labels) - _LABELS} more" if len(labels) > _LABELS else ""
    return f"{kind}{said}{more}"


def _ledger(ledger: Sequence[Grant], epsilon: Fraction) -> list[str]:
    """Return the items of the budget. Steps that differ only in their number are combined."""
    spent: dict[str, list[Fraction]] = {}
    for grant in ledger:
        kind = replace(grant.step, number=None).words
        spent.setdefault(kind, []).append(grant.epsilon)
    rows = [("Budget", "times", "epsilon")]
    rows += [
        (step, format_count(len(each)), f"{float(sum(each)):.4g}") for step, each in spent.items()
    ]
    return in_columns([*rows, ("together", "", f"{float(epsilon):.4g}")])
