"""Local recoding computed from its definition: every partition of a tiny table is tried.

Records are put into groups of at least k, and every record of a group shows the same. With *nodes*,
a group shows, for each attribute, a label of the hierarchy that all of the group's records have at
one level. With *intervals*, it shows all values of the domain from the group's first to its last. A
record loses (n - 1) / (|D| - 1) in an attribute that shows n of the |D| values of its domain. A
suppressed record loses 1 in every attribute, and at most `limit` records may be suppressed. The
loss of a release is the mean over its records of the weighted mean over attributes.

This module shares only the problem with the package, which `problem` makes for it. It uses no
shortcuts: fractions, sets of records as the bits of a number, and every partition once.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from lattices import Attribute

from roadstead.policies.axes import axis
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.search.recoding.protocol import RecodingProblem, recoding_problem
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class Tiny:
    """A table of a few records, one a row, and what is asked of its release.

    `levels` has the lowest and the highest level of each attribute that may be used.
    """

    attributes: tuple[Attribute, ...]
    records: tuple[tuple[str, ...], ...]
    k: int
    limit: int
    weights: tuple[int, ...]
    levels: tuple[tuple[int, int], ...]

    def problem(self, *, intervals: bool) -> RecodingProblem:
        """Make the package's problem of it."""
        counted = Counter(self.records)
        rows = sorted(counted)
        columns = list(zip(*rows, strict=True))
        domains = tuple(tuple(sorted(set(column))) for column in columns)
        table = FrequencyTable(
            attributes=tuple(attribute.name for attribute in self.attributes),
            domains=domains,
            codes=tuple(
                np.array([domain.index(value) for value in column], dtype=np.int32)
                for column, domain in zip(columns, domains, strict=True)
            ),
            counts=np.array([counted[row] for row in rows], dtype=np.int64),
        )
        encoding = encode(table, [attribute.hierarchy() for attribute in self.attributes])
        named = list(zip(encoding.attributes, self.levels, strict=True))
        problem = recoding_problem(
            encoding,
            full_domain(
                encoding.hierarchies,
                {name: low for name, (low, _) in named},
                {name: high for name, (_, high) in named},
            ),
            KAnonymity(self.k),
            k=self.k,
            limit=self.limit,
            weights=self.weights,
            intervals=intervals,
        )
        # Any value may be an end here: `test_interval_ends` compares the allowed ends with counts.
        axes = zip(encoding.hierarchies, table.domains, strict=True)
        return replace(problem, axes=tuple(axis(*own) for own in axes)) if intervals else problem


def least_loss(tiny: Tiny, *, intervals: bool) -> Fraction | None:
    """Loss of the best release by nodes or by intervals; None where there is none."""
    number = len(tiny.records)
    costs = [
        None,
        *(group_cost(tiny, group, intervals=intervals) for group in range(1, 1 << number)),
    ]

    @cache
    def best(left: int) -> Fraction | None:
        """Put the records that are left into groups; what they lose together."""
        if not left:
            return Fraction(0)
        first = left & -left
        others = left ^ first
        found: Fraction | None = None
        chosen = others
        while True:  # every set of the others, the empty one last, goes with the first
            cost = costs[chosen | first]
            rest = None if cost is None else best(others ^ chosen)
            if cost is not None and rest is not None and (found is None or cost + rest < found):
                found = cost + rest
            if not chosen:
                return found
            chosen = (chosen - 1) & others

    everyone = (1 << number) - 1
    losses = [
        Fraction(suppressed.bit_count()) + rest
        for suppressed in range(1 << number)
        if suppressed.bit_count() <= tiny.limit
        if (rest := best(everyone ^ suppressed)) is not None
    ]
    return min(losses) / number if losses else None


def group_cost(tiny: Tiny, group: int, *, intervals: bool) -> Fraction | None:
    """Loss of all records of a group together; None where it cannot be a group."""
    members = [record for at, record in enumerate(tiny.records) if group >> at & 1]
    if len(members) < tiny.k:
        return None
    lost = Fraction(0)
    for at, (attribute, weight) in enumerate(zip(tiny.attributes, tiny.weights, strict=True)):
        values = {record[at] for record in members}
        shown = (
            _interval(attribute, values) if intervals else _node(attribute, values, tiny.levels[at])
        )
        if shown is None:
            return None
        lost += weight * Fraction(shown - 1, max(len(attribute.values) - 1, 1))
    return lost / sum(tiny.weights) * len(members)


def _node(attribute: Attribute, values: set[str], levels: tuple[int, int]) -> int | None:
    """Fewest domain values under a label that all these values have at one level."""
    found = []
    for column in attribute.columns[levels[0] : levels[1] + 1]:
        label_of = dict(zip(attribute.values, column, strict=True))
        labels = {label_of[value] for value in values}
        if len(labels) == 1:
            found.append(column.count(*labels))
    return min(found) if found else None


def _interval(attribute: Attribute, values: set[str]) -> int:
    """Domain values from the first of these to the last."""
    places = [attribute.values.index(value) for value in values]
    return max(places) - min(places) + 1


def drawn(seed: int, most_records: int = 9, *, whole: bool = True) -> Tiny:
    """Draw a table of up to so many records and three attributes; all levels, or some of them."""
    chance = random.Random(seed)  # noqa: S311 - of test cases, not of secrets
    attributes = tuple(_attribute(chance, name) for name in "abc"[: chance.randint(1, 3)])
    k = chance.randint(2, 4)
    number = chance.randint(k, max(most_records, k))
    few = chance.random() < 0.3  # values repeat
    records = tuple(
        tuple(
            attribute.values[
                chance.randrange(min(2, len(attribute.values)) if few else len(attribute.values))
            ]
            for attribute in attributes
        )
        for _ in range(number)
    )
    weights = [chance.randint(0, 3) if chance.random() < 0.5 else 1 for _ in attributes]
    if not any(weights):
        weights[0] = 1
    levels = tuple(
        (0, attribute.height - 1) if whole else _some(chance, attribute.height)
        for attribute in attributes
    )
    return Tiny(attributes, records, k, chance.randint(0, 2), tuple(weights), levels)


def _some(chance: random.Random, height: int) -> tuple[int, int]:
    low, high = sorted((chance.randrange(height), chance.randrange(height)))
    return low, high


def _attribute(chance: random.Random, name: str) -> Attribute:
    """Draw a hierarchy of one to four levels, of which the first need not keep every value."""
    number = chance.randint(1, 8)
    values = tuple(f"{name}{i}" for i in range(number))
    groups: Sequence[int] = range(number)
    columns: list[tuple[str, ...]] = []
    merged_at_once = chance.random() < 0.2
    for level in range(chance.randint(0, 3)):
        if level or merged_at_once:
            parents = [chance.randrange(number) for _ in range(number)]
            groups = [parents[group] for group in groups]
            columns.append(tuple(f"{level}:{group}" for group in groups))
        else:
            columns.append(values)
    columns.append(("*",) * number)
    return Attribute(name, values, tuple(columns), (1,) * number)
