"""Full-domain generalization computed from its definition, slowly and exactly.

The tests compare the engine with this second implementation. The two share neither code nor ideas:
this one evaluates every policy from the labels themselves, with dictionaries and fractions.

A policy gives each attribute a level. Records with equal labels form a class. A class that fails
the privacy model is suppressed entirely. A record loses (n - 1) / (|D| - 1) in an attribute if n of
|D| domain values share its label, and 1 if it is suppressed. An attribute loses the mean over all
records, cut to ten decimals. A mean over attributes combines these into one number. Only policies
that suppress at most the limit count. The best of them has the least loss; among equal losses, the
least rank, and then the first in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import prod

from lattices import Admits, Attribute, Case

UNIT = 10**10
"""Losses of attributes are whole multiples of 1 / `UNIT`."""


@dataclass(frozen=True)
class Judged:
    """A policy and what it is worth.

    Attributes
    ----------
    levels
        The policy.
    classes
        Row indices of each class that is released.
    suppressed
        Records of all others.
    losses
        Loss of each attribute in units of 1e-10.
    order
        A whole number that grows with the aggregate loss: equal losses, equal numbers.
    loss
        The aggregate loss.
    """

    levels: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    suppressed: int
    losses: tuple[int, ...]
    order: int
    loss: float


def label(attribute: Attribute, level: int, value: str) -> str:
    """Label of a value; a missing value that no row mentions stays missing below the top."""
    if value in attribute.values:
        return attribute.columns[level][attribute.values.index(value)]
    return "*" if level == attribute.height - 1 else ""


def covered(case: Case, i: int, level: int, value: str) -> int:
    """How many values of the domain have the label that this value has."""
    attribute = case.attributes[i]
    widths = dict(zip(attribute.values, attribute.widths, strict=True))
    if any(row[i] == "" for row in case.rows) or "" in widths:
        widths[""] = 1
    mine = label(attribute, level, value)
    return sum(width for v, width in widths.items() if label(attribute, level, v) == mine)


def large_enough(case: Case) -> Admits:
    """k-anonymity of a class."""
    return lambda rows: sum(case.counts[row] for row in rows) >= case.k


def judge(case: Case, levels: tuple[int, ...], admits: Admits) -> Judged:
    """Work out one policy."""
    classes: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(case.rows):
        labels = tuple(map(label, case.attributes, levels, row))
        classes.setdefault(labels, []).append(number)
    released = tuple(tuple(rows) for rows in classes.values() if admits(rows))
    return lost(case, levels, released)


def lost(case: Case, levels: tuple[int, ...], released: tuple[tuple[int, ...], ...]) -> Judged:
    """Work out what a policy loses that releases these classes of rows."""
    kept = [row for rows in released for row in rows]
    suppressed = case.records - sum(case.counts[row] for row in kept)
    losses = []
    for i, (attribute, level) in enumerate(zip(case.attributes, levels, strict=True)):
        most = covered(case, i, attribute.height - 1, attribute.values[0]) - 1
        leaves = {value: covered(case, i, level, value) for value in {row[i] for row in case.rows}}
        total = suppressed * most + sum(
            case.counts[row] * (leaves[case.rows[row][i]] - 1) for row in kept
        )
        mean = Fraction(total, case.records * most) if most else Fraction(0)
        losses.append(mean.numerator * UNIT // mean.denominator)
    weights = case.weights or (1,) * len(losses)
    if case.aggregate == "arithmetic":
        order = sum(w * loss for w, loss in zip(weights, losses, strict=True))
        mean_loss = float(Fraction(order, UNIT * sum(weights)))
    else:
        order = prod((UNIT + loss) ** w for w, loss in zip(weights, losses, strict=True))
        mean_loss = root(order, sum(weights))
    return Judged(levels, released, suppressed, tuple(losses), order, mean_loss)


def root(order: int, weight: int) -> float:
    """Undo the power and the shift, in sixty digits."""
    with localcontext() as context:
        context.prec = 60
        return float(Decimal(order) ** (Decimal(1) / weight) / UNIT - 1)


def policies(case: Case) -> Iterator[tuple[int, ...]]:
    """Every policy that the case allows."""
    pairs = zip(case.bottom, case.top, strict=True)
    return product(*[range(low, high + 1) for low, high in pairs])


def best(case: Case, admits: Admits | None = None) -> Judged | None:
    """Enumerate the policies; None when all suppress more than the limit."""
    rule = admits or large_enough(case)
    judged = [judge(case, levels, rule) for levels in policies(case)]
    admissible = [one for one in judged if one.suppressed <= case.limit]
    return min(admissible, key=lambda one: (one.order, sum(one.levels), one.levels), default=None)
