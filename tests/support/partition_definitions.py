"""Risks and losses of partitions by their definitions, record by record in plain Python.

This module shares only the table of cells and the intervals of a partition with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import fsum, log, prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from roadstead.policies.cells import Cells, PartitionClasses
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.partition_losses import SummedLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk, SummedRisk

Codes = tuple[int, ...]
Name = tuple[tuple[int, int], ...]


def name_of(codes: Codes, cells: Cells, partition: Partition) -> Name:
    """Give the interval of each value."""
    return tuple(
        next((first, last) for first, last in cuts if first <= code <= last)
        for code, cuts in zip(codes, cells.domains.intervals(partition), strict=True)
    )


def rows(cells: Cells) -> list[tuple[Codes, int, int]]:
    """Codes, records and people of every cell."""
    counts = zip(cells.records.tolist(), cells.people.tolist(), strict=True)
    codes = [tuple(row) for row in cells.codes.T.tolist()]
    return [(row, f, g) for row, (f, g) in zip(codes, counts, strict=True)]


def counted(cells: Cells, partition: Partition) -> tuple[Counter[Name], Counter[Name]]:
    """Records and people of each class, those without records included."""
    records: Counter[Name] = Counter()
    people: Counter[Name] = Counter()
    for codes, f, g in rows(cells):
        name = name_of(codes, cells, partition)
        records[name] += f
        people[name] += g
    return records, people


def population_risk(cells: Cells, partition: Partition, gamma: float = 1.0) -> float:
    """Sum over records of 1 / number of matching people ** gamma."""
    records, people = counted(cells, partition)
    return fsum(f / people[name] ** gamma for name, f in records.items())


def records_at_risk(cells: Cells, partition: Partition, k: int) -> float:
    """Records among fewer than k people."""
    records, people = counted(cells, partition)
    return float(sum(f for name, f in records.items() if people[name] < k))


def divergence(cells: Cells, partition: Partition) -> float:
    """Kullback-Leibler divergence, combination by combination of the full cross product."""
    own = {codes: f for codes, f, _ in rows(cells)}
    total = sum(own.values())
    records, _ = counted(cells, partition)
    terms = []
    for codes in product(*map(range, cells.domains.sizes)):
        share = own.get(codes, 0) / total
        name = name_of(codes, cells, partition)
        spread = records[name] / total / prod(last - first + 1 for first, last in name)
        if share > 0:
            terms.append(share * log(share / spread))
    return fsum(terms)


def interval_loss(cells: Cells, partition: Partition) -> float:
    """Mean over records and attributes of (values - 1) / (domain - 1)."""
    terms = []
    for codes, f, _ in rows(cells):
        name = name_of(codes, cells, partition)
        for (first, last), size in zip(name, cells.domains.sizes, strict=True):
            terms += [(last - first) / (size - 1) if size > 1 else 0.0] * f
    return fsum(terms) / len(terms)


def interval_entropy(cells: Cells, partition: Partition) -> float:
    """Mean over records and attributes of -ln of the value's share in its interval."""
    terms = []
    for a in range(len(cells.domains.sizes)):
        by_value: Counter[int] = Counter()
        by_interval: Counter[tuple[int, int]] = Counter()
        for codes, f, _ in rows(cells):
            by_value[codes[a]] += f
            by_interval[name_of(codes, cells, partition)[a]] += f
        for codes, f, _ in rows(cells):
            own = by_interval[name_of(codes, cells, partition)[a]]
            terms += [-log(by_value[codes[a]] / own) if f else 0.0] * f
    return fsum(terms) / len(terms)


def discernibility(cells: Cells, partition: Partition) -> float:
    """Mean over records of the records in their class."""
    records, _ = counted(cells, partition)
    return sum(f * f for f in records.values()) / sum(records.values())


def classes_gone(cells: Cells, partition: Partition) -> float:
    """Cells with records less classes with records."""
    records, _ = counted(cells, partition)
    return float(sum(f > 0 for _, f, _ in rows(cells)) - sum(f > 0 for f in records.values()))


Definition = Callable[[Cells, Partition], float]

RISKS: list[tuple[SummedRisk, Definition]] = [
    (PopulationRisk(), population_risk),
    (PopulationRisk(0.5), lambda cells, policy: population_risk(cells, policy, 0.5)),
    (PopulationRisk(2.0), lambda cells, policy: population_risk(cells, policy, 2.0)),
    (RecordsAtRisk(2), lambda cells, policy: records_at_risk(cells, policy, 2)),
    (RecordsAtRisk(), lambda cells, policy: records_at_risk(cells, policy, 5)),
]

LOSSES: list[tuple[SummedLoss, Definition]] = [
    (partition_loss("divergence"), divergence),
    (partition_loss("loss"), interval_loss),
    (partition_loss("entropy"), interval_entropy),
    (partition_loss("discernibility"), discernibility),
    (partition_loss("class-size"), classes_gone),
]


@dataclass(frozen=True)
class RarestRecord:
    """One over the people of the smallest class: monotone, and not a sum."""

    name: str = "rarest"
    meaning: str = "greatest risk of a record"

    def of(self, classes: PartitionClasses) -> float:
        """Risk of a partition."""
        return 1.0 / float(classes.people.min())

    def settings(self) -> dict[str, Any]:
        """Parameters for documents."""
        return {"kind": self.name}


def any_policy(cells: Cells) -> st.SearchStrategy[Partition]:
    """Draw a partition."""
    return st.integers(0, (1 << cells.domains.boundaries) - 1).map(Partition)


def true_staircase(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points that no other point dominates, without duplicates, in ascending order of the first."""
    places = {(round(risk, 10), round(loss, 10)) for risk, loss in points}
    return sorted(
        (r, u)
        for r, u in places
        if not any(r2 <= r and u2 <= u and (r2, u2) != (r, u) for r2, u2 in places)
    )


def cells_of(sizes: tuple[int, ...], table: Mapping[Any, tuple[int, int]]) -> Cells:
    """Make cells of the records and people of tuples of codes."""
    return Cells(
        OrderedDomains(tuple(f"q{a}" for a in range(len(sizes))), sizes),
        np.array(list(table), dtype=np.uint32).reshape(len(table), len(sizes)).T.copy(),
        np.array([f for f, _ in table.values()], dtype=np.int64),
        np.array([g for _, g in table.values()], dtype=np.int64),
    )
