"""The ledger of a private release as a reader meets it: steps of a kind together, exact sums.

A ledger has an entry for every question that was asked of the table, dozens of them. They are of
few kinds, which their words begin with. Amounts are fractions, so sums are exact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from roadstead.differential.budget import Grant

CHOICES, TOTALS = "Choices", "Class totals"
"""What choices of specializations, and counts of the classes, are called."""

_KINDS = {
    "first split point of (?P<of>.+)": (
        "First splits",
        "Where the range of a number would be split.",
    ),
    r"choice of specialization \d+": (
        CHOICES,
        "Which interval, group or set is told in more detail next.",
    ),
    "split points of (?P<of>.+)": (
        "Later splits",
        "Where the two new intervals of a number would be split.",
    ),
    "combinations of (?P<of>.+)": (
        "Combinations",
        "Which combinations of items have records.",
    ),
    "choice of the number of specializations": (
        "How many",
        "How many of the specializations are released.",
    ),
    "totals of the classes": (TOTALS, "How many records each class has."),
    "counts of the groups": ("Group counts", "How many records each group has, by class."),
}
"""By the words of a step: what steps of its kind are called, and what they are for."""


class LedgerRow(NamedTuple):
    """All steps of one kind: their name, what they are for, of which attributes, how many.

    `each` is what each of them cost, None where they did not cost the same.
    """

    name: str
    meaning: str
    of: tuple[str, ...]
    times: int
    each: Fraction | None
    total: Fraction


def rows_of(ledger: Sequence[Grant]) -> tuple[LedgerRow, ...]:
    """Put steps of a kind together, in the order in which the kinds first occur.

    A step of no known kind stands under its own words.
    """
    kinds: dict[tuple[str, str], list[tuple[str, Fraction]]] = {}
    for one in ledger:
        name, meaning, of = _kind(one.step)
        kinds.setdefault((name, meaning), []).append((of, one.epsilon))
    return tuple(
        LedgerRow(
            name,
            meaning,
            tuple(dict.fromkeys(of for of, _ in found if of)),
            len(found),
            found[0][1] if len({epsilon for _, epsilon in found}) == 1 else None,
            sum((epsilon for _, epsilon in found), Fraction(0)),
        )
        for (name, meaning), found in kinds.items()
    )


def _kind(step: str) -> tuple[str, str, str]:
    for pattern, (name, meaning) in _KINDS.items():
        if found := re.fullmatch(pattern, step, re.DOTALL):
            return name, meaning, found.groupdict().get("of", "")
    return step, "", ""
