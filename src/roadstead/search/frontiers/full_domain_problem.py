"""What a search for the frontier of a full-domain lattice gets: a table, a risk and a loss.

The risk sums over records what a record weighs among the people alike: those of its class in the
population where one is known, else the records of its class. It is given as a share of the risk of
the most specific policy, the greatest there is. The loss is that of a quality model.

Where the table says whose the records are, the risk sums over persons: what a person weighs among
the persons who fit what may be known of one, one row of a person or several, whichever fits the
fewest. Rows that are alike stay alike under a more general policy, so no fewer persons fit.

Every record is kept, because then both go one way: more general is less risk and more loss, which
is all that the search builds on. With suppression neither would be so: a more general policy may
suppress fewer records, which can raise the number at risk, and lose less.
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
from roadstead.risk.persons.prosecutor import RowsKnown, persons_fitting
from roadstead.search.frontiers.frontier import Point
from roadstead.tables.persons.profiles import Persons, PersonTable

_MOST_TABLED = 1 << 16
"""Numbers of people whose weights are looked up."""


@dataclass(frozen=True, eq=False)
class LookedAt:
    """A policy that was evaluated: its levels, its classes, and its point."""

    levels: Levels
    classes: Classes
    point: Point


@dataclass(frozen=True, eq=False)
class FullDomainFrontierProblem:
    """The policies of a lattice are sought that no other one betters in both risk and loss.

    A population, where one is known, is part of the table of the encoding. What the loss knows of
    the privacy model, such as the smallest class of
    :class:`~roadstead.quality.models.class_size.AverageClassSize`, does not hold here: make it
    without. The risk is a sum of weights that fall with the number of people. Where persons are
    counted, somebody `knows` so many rows of one.
    """

    encoding: Encoding
    space: FullDomain
    quality: BoundQuality[Any]
    risk: SummedRisk
    knows: RowsKnown = 1

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """Weight among so many people; that among nobody is not used."""
        population = self.encoding.table.population
        most = self.encoding.records if population is None else int(population.sum())
        numbers = np.arange(min(most + 1, _MOST_TABLED), dtype=np.int64)
        numbers[0] = 1
        return self.risk.weights().of(numbers)

    def risk_of(self, classes: Classes) -> float:
        """Risk of a policy in the measure's units."""
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
        """Give for each profile of persons how many fit what may be known, of the fewest."""
        of_row = np.empty(self.encoding.counts.size, dtype=np.int64)
        of_row[classes.rows] = classes.ids
        return persons_fitting(persons, of_row, self.knows)

    @cached_property
    def greatest_risk(self) -> float:
        """Risk of the most specific policy of the lattice, in the measure's units."""
        return self.risk_of(classes_at(self.encoding, self.space.bottom))

    def policies(self) -> Iterator[Levels]:
        """Every policy; only for small lattices."""
        return iter(self.space)

    def point(self, levels: Levels) -> Point:
        """Evaluate a policy, from the rows."""
        return self.look(levels).point

    def look(self, levels: Levels, general: LookedAt | None = None) -> LookedAt:
        """Evaluate a policy, from one that is more general in no component less, or from the rows.

        The classes of the other one are numbered without gaps.
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
    """Number classes without gaps, as they must be to be refined."""
    if classes.numbers.size == classes.sizes.size:
        return classes
    return keep(classes, np.ones(classes.sizes.size, dtype=np.bool_))[0]
