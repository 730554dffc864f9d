"""Define the problem of a frontier search over a full-domain lattice.

The problem consists of a table, a risk, and a loss. The risk is a sum over records, or over people
if the table has person IDs. The sum is divided by the risk of the most specific policy, which is
the greatest possible risk. A quality model defines the loss. Every record is kept, because with
suppression, neither risk nor loss is monotone (docs/methods/full-domain-frontier.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes, classes_at, keep, refine
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.quality.protocol import BoundQuality
from roadstead.risk.measures import SummedRisk
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import persons_fitting
from roadstead.search.frontiers.frontier import Point
from roadstead.tables.persons.profiles import Persons, PersonTable

_MOST_TABLED = 1 << 16
"""Weights are looked up in a table for numbers of people below this limit."""


@dataclass(frozen=True, eq=False)
class LookedAt:
    """An evaluated policy with its levels, its classes, and its point."""

    levels: Levels
    classes: Classes
    point: Point


@dataclass(frozen=True, eq=False)
class FullDomainFrontierProblem:
    """Find the policies of a lattice that no other policy dominates in risk and loss.

    If a population is known, it is part of the table in the encoding. Some losses use information
    about the privacy model, such as the smallest class of
    :class:`~roadstead.quality.models.class_size.AverageClassSize`. There is no privacy model here,
    so the loss must be computed without this information. The risk is a sum of weights that
    decrease with the number of people. If people are counted, `knows` is the number of a person's
    rows that an attacker may know.
    """

    encoding: Encoding
    space: FullDomain
    quality: BoundQuality[Any]
    risk: SummedRisk
    knows: RowsKnown = 1

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """The weight for each number of people, where the entry for 0 people is unused."""
        population = self.encoding.table.population
        most = self.encoding.records if population is None else int(population.sum())
        numbers = np.arange(min(most + 1, _MOST_TABLED), dtype=np.int64)
        numbers[0] = 1
        return self.risk.weights().of(numbers)

    def risk_of(self, classes: Classes) -> float:
        """Return the risk of a policy in the measure's units."""
        table = self.encoding.table
        if isinstance(table, PersonTable):
            weights = self._weights_among(self.fitting(classes, table.persons))
            return float(np.add.reduce(table.persons.people * weights))
        population = self.encoding.table.population
        people = classes.sizes if population is None else classes.totals(population)
        return float(np.add.reduce(classes.sizes * self._weights_among(people)))

    def _weights_among(self, people: NDArray[np.int64]) -> NDArray[np.float64]:
        known = self._weights
        return known[people] if people.max() < known.size else self.risk.weights().of(people)

    def fitting(self, classes: Classes, persons: Persons) -> NDArray[np.int64]:
        """For each profile, return the smallest number of people who match known rows."""
        of_row = np.empty(self.encoding.counts.size, dtype=np.int64)
        of_row[classes.rows] = classes.ids
        return persons_fitting(persons, of_row, self.knows)

    @cached_property
    def greatest_risk(self) -> float:
        """The risk, in the measure's units, of the most specific policy of the lattice."""
        return self.risk_of(classes_at(self.encoding, self.space.bottom))

    def policies(self) -> Iterator[Levels]:
        """Yield every policy, which is practical only for small lattices."""
        return iter(self.space)

    def point(self, levels: Levels) -> Point:
        """Evaluate a policy from the rows, and return its risk and loss."""
        return self.look(levels).point

    def look(self, levels: Levels, general: LookedAt | None = None) -> LookedAt:
        """Evaluate a policy, starting from a more general (or equal) policy or from the rows.

        The classes of the more general policy must be numbered without gaps.
        """
        if general is None:
            classes = classes_at(self.encoding, levels)
        else:
            classes = refine(self.encoding, general.classes, general.levels, levels)
        greatest = self.greatest_risk
        risk = self.risk_of(classes) / greatest if greatest > 0 else 0.0
        loss = self.quality.loss(levels, self.quality.nothing_suppressed(), classes)
        return LookedAt(levels, classes, Point(risk, loss))


def without_gaps(classes: Classes) -> Classes:
    """Renumber the classes without gaps, which is necessary before a refinement."""
    if classes.numbers.size == classes.sizes.size:
        return classes
    return keep(classes, np.ones(classes.sizes.size, dtype=np.bool_))[0]
