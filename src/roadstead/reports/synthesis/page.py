"""Write the page of a differentially private release.

The page states the guarantee, its cost, and the content of the release.

The page is one HTML file that has no scripts and loads no other files. The page begins with the
guarantee, and explains what the guarantee means for one unit of privacy. If the unit is one record,
the page also explains the guarantee for people with several records. The page adds no information
from the private table. The ledger combines steps of the same kind. Amounts are fractions, so the
sums are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from roadstead.differential.budget import Grant, StepKind
from roadstead.hierarchies.label_order import label_order
from roadstead.reports.charts.marginal_bars import COLORS, MarginalChart, noise_margin
from roadstead.reports.charts.share_bars import ShareChart
from roadstead.reports.charts.svg import picture
from roadstead.reports.sources import PRIVATE
from roadstead.reports.synthesis.facts import Marginal, SynthesisFacts
from roadstead.reports.synthesis.promise import page_of, shares_of

CHOICES, TOTALS = "Choices", "Class totals"
"""The names of two steps: the choices of specializations, and the counts of the classes."""

_OF_SAMPLES = ("li2012", "bild")
_KINDS: Mapping[StepKind, tuple[str, str]] = {
    "first-split": (
        "First splits",
        "Where to split the range of a number.",
    ),
    "choice": (
        CHOICES,
        "Which interval, group, or set to refine next.",
    ),
    "splits": (
        "Later splits",
        "Where to split the two new intervals of a number.",
    ),
    "combinations": (
        "Combinations",
        "Which combinations of items have records.",
    ),
    "stopping": (
        "How many",
        "How many of the specializations to release.",
    ),
    "totals": (TOTALS, "How many records each class has."),
    "groups": ("Group counts", "How many records each group has, by class."),
}
"""The name and the purpose of each kind of step."""


class LedgerRow(NamedTuple):
    """All steps of one kind, with their name, purpose, attributes, and number.

    `each` is the cost of each step, or None if the costs differ.
    """

    name: str
    meaning: str
    of: tuple[str, ...]
    times: int
    each: Fraction | None
    total: Fraction


def rows_of(ledger: Sequence[Grant]) -> tuple[LedgerRow, ...]:
    """Combine the steps of each kind, and keep the order of their first steps.

    A step of an unknown kind is listed under its own description.
    """
    kinds: dict[tuple[str, str], list[tuple[str, Fraction]]] = {}
    for one in ledger:
        name, meaning = _KINDS.get(one.step.kind, (one.step.words, ""))
        of = " and ".join(one.step.of) if one.step.kind in _KINDS else ""
        kinds.setdefault((name, meaning), []).append((of, one.epsilon))
    return tuple(
        LedgerRow(
            name,
            meaning,
            tuple(dict.fromkeys(of for of, _ in steps if of)),
            len(steps),
            steps[0][1] if len({epsilon for _, epsilon in steps}) == 1 else None,
            sum((epsilon for _, epsilon in steps), Fraction(0)),
        )
        for (name, meaning), steps in kinds.items()
    )


MOST_LABELS = 12
"""The number of labels displayed per attribute. If there are more, the largest are displayed."""


def synthesis_page(facts: SynthesisFacts, created: str) -> str:
    """Return the page as an HTML document, which must be written as UTF-8."""
    spent = rows_of(facts.ledger)
    each = next((one.each for one in spent if one.name == TOTALS), None)
    walked = sum(one.times for one in spent if one.name == CHOICES)
    return page_of(
        "synthesis.html",
        facts,
        created,
        gather_budget(facts, spent),
        figures=[(chart, picture(chart)) for chart in gather_marginals(facts)],
        untold=[one.attribute for one in facts.marginals if not one.detailed],
        spent=spent,
        together=sum((one.epsilon for one in facts.ledger), Fraction(0)),
        walked=walked,
        # The margin of the noise in the total of a class, if totals were counted.
        totals=None if each is None else noise_margin(1, each / facts.unit.records),
        cited=[
            name for name in PRIVATE if name not in _OF_SAMPLES and (walked or name != "mckenna")
        ],
    )


def gather_budget(facts: SynthesisFacts, spent: tuple[LedgerRow, ...]) -> ShareChart:
    """Return the share of the budget for each kind of step."""
    return shares_of(facts.epsilon, {one.name: one.total for one in spent})


def gather_marginals(facts: SynthesisFacts) -> tuple[MarginalChart, ...]:
    """Return the charts of the attributes that have any detail, each with its largest labels.

    Intervals, and labels that are bands or dates, keep their order. Other labels are sorted by
    size.
    """
    detailed = (one for one in facts.marginals if one.detailed)
    return tuple(_marginal(facts, at, one) for at, one in enumerate(detailed))


def _marginal(facts: SynthesisFacts, at: int, one: Marginal) -> MarginalChart:
    by_size = sorted(
        range(len(one.labels)), key=lambda place: (-one.labels[place].all_records, place)
    )
    largest, hidden = by_size[:MOST_LABELS], [one.labels[at] for at in by_size[MOST_LABELS:]]
    chosen = [one.labels[at] for at in sorted(largest)]
    order = label_order([label.label for label in chosen])
    if one.kind == "numeric":
        shown = chosen
    elif order is not None:
        shown = [chosen[at] for at in order]
    else:
        shown = [one.labels[at] for at in largest]
    return MarginalChart(
        f"attribute-{at}",
        one.attribute,
        facts.classes if len(facts.classes) <= len(COLORS) else (),
        tuple(shown),
        facts.synthesis.counted_for,
        len(hidden),
        None if one.kind == "set" else sum(label.all_records for label in hidden),
        of_sets=one.kind == "set",
    )


def chart_of(facts: SynthesisFacts) -> ShareChart:
    """Return a chart of how the budget is used, for a notebook."""
    return gather_budget(facts, rows_of(facts.ledger))
