"""The result of a risk assessment that counts people, who may have several records.

A person with several different rows is in several equivalence classes. So none of the figures is a
sum over classes. Risks are shares of people, and are based on the knowledge that matches the fewest
people.

Models of population uniqueness require that every person is in exactly one class. So for these
models, a class is a group of people with the same rows. If some rows single out a person, all rows
also single out the person. So the estimate is an upper bound on the number of people who can be
singled out. If an attacker knows one row, a tighter bound is the number of combinations that only
one person has.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.assessment import marketer_of, shares_of
from roadstead.risk.below_k import BelowK
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import (
    PersonRisk,
    person_risk,
    persons_fitting,
    persons_of_each_class,
)
from roadstead.risk.persons.unicity import CONFIDENCE, Singled, unicity_curve
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.special_uniques import Combination, Contribution
from roadstead.tables.persons.profiles import Persons


@dataclass(frozen=True)
class PersonFigures:
    """Figures that are computed only from a table and do not identify any person.

    `class_sizes` contains pairs: a class size, in distinct people, and the number of classes with
    this size. For each profile, `fitting` is the number of people who match what an attacker may
    know, or 0 if the profile has no row.
    """

    prosecutor: PersonRisk
    unicity: tuple[Singled, ...]
    class_sizes: tuple[tuple[int, int], ...]
    fitting: NDArray[np.int64] = field(repr=False, compare=False)

    @property
    def classes(self) -> int:
        """Return the number of classes with at least one person."""
        return sum(number for _, number in self.class_sizes)


@dataclass(frozen=True)
class PersonAssessment(PersonFigures):
    """The risks of the people in one table."""

    journalist: JournalistRisk | None = None  # shares of people, if the population is known
    records: int = 0  # the records that are present
    records_left_out: int = 0  # the records that the policy suppresses
    persons_left_out: int = 0  # the number of people without any remaining record
    population_uniques: tuple[PopulationUniques, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    combinations: tuple[Combination, ...] = ()
    below_k: BelowK | None = None  # people with fewer than k matches in the population

    @property
    def marketer(self) -> float:
        """Return the share of records that a marketer matches to the right person in the table."""
        return self.prosecutor.average

    def to_dict(self) -> dict[str, Any]:
        """Return the risks as a JSON object."""
        people = self.journalist
        found: dict[str, Any] = {"prosecutor": self.prosecutor.to_dict()}
        if people is not None:
            found["journalist"] = {**shares_of(people), "estimated": people.estimated}
        return {
            **found,
            "marketer": marketer_of(self.prosecutor.average, people),
            "unicity": unicity_to_dict(self.unicity),
            "expected_below_k": None if self.below_k is None else asdict(self.below_k),
            "records": self.records,
            "records_left_out": self.records_left_out,
            "persons_left_out": self.persons_left_out,
            "classes": self.classes,
            "class_sizes": [
                {"persons": size, "classes": number} for size, number in self.class_sizes
            ],
            "population_uniques": {one.model: one.to_dict() for one in self.population_uniques},
            "contributions": [asdict(one) for one in self.contributions],
            "combinations": [
                {
                    "attributes": list(one.attributes),
                    "combinations": one.records,
                    "contribution": one.contribution,
                }
                for one in self.combinations
            ],
        }


def figures_of_persons(
    persons: Persons,
    classes: NDArray[np.integer],
    knows: RowsKnown,
    threshold: float,
    k: int,
    *,
    seed: int = 0,
) -> PersonFigures:
    """Compute the figures of a table without other data.

    `classes` is the class of each row, or `LEFT_OUT`. `knows` is the number of a person's rows that
    an attacker may know. `k` is the minimum number of matching people for the unicity curve, and
    `seed` is the seed of its samples. The function raises a SettingError if there are
    too many combinations of two or three rows.
    """
    fitting = persons_fitting(persons, classes, knows)
    there = classes >= 0
    curve: tuple[Singled, ...] = ()
    if there.any():
        some = persons if there.all() else persons.with_rows(there)
        curve = unicity_curve(some, classes[there], k, seed=seed)
    each = persons_of_each_class(persons, classes)
    sizes, numbers = np.unique(each[each > 0], return_counts=True)
    return PersonFigures(
        prosecutor=person_risk(persons, fitting, knows, threshold),
        unicity=curve,
        class_sizes=tuple(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        fitting=fitting,
    )


def sizes_for_models(
    persons: Persons, classes: NDArray[np.integer], knows: RowsKnown
) -> NDArray[np.int64]:
    """Return the class sizes, in people, for models of population uniqueness.

    If an attacker knows one row, the function returns the number of distinct people in each class.
    Otherwise, the function returns the sizes of the groups of people with the same rows.
    """
    if knows == 1:
        found = persons_of_each_class(persons, classes)
        return found[found > 0]
    alike = persons_fitting(persons, classes, "all")
    sizes, place = np.unique(alike[alike > 0], return_inverse=True)
    held = np.bincount(place, weights=persons.people[alike > 0])
    groups = np.rint(held / np.maximum(sizes, 1)).astype(np.int64)
    return np.repeat(sizes, groups)


def unicity_to_dict(curve: tuple[Singled, ...]) -> list[dict[str, Any]]:
    """Return a unicity curve as a JSON object with 95% confidence intervals."""
    return [
        {
            "known": "all" if one.known is None else one.known,
            "below_k": one.below_k.share,
            "alone": one.alone.share,
            "exact": one.known in {1, None},
        }
        | (
            {}
            if one.known in {1, None}
            else {
                "confidence": CONFIDENCE,
                "below_k_interval": [one.below_k.low, one.below_k.high],
                "alone_interval": [one.alone.low, one.alone.high],
            }
        )
        for one in curve
    ]
