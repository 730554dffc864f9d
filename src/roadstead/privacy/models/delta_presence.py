"""delta-presence: the release does not reveal who is in the table.

Presence in a table can itself be a secret, for example in a table of patients with one disease. An
attacker who knows the quasi-identifiers of a person in the population finds the person's class. If
F people of the population belong to the class and f of them are in the table, the person is in the
table with a probability of f/F. Every released class has minimum <= f/F <= maximum (Nergiz, Atzori,
and Clifton 2007).

If two classes satisfy this, their union does too: its f/F is the mean of the two ratios, weighted
with F. People who are not in the table lower the ratio, which only a minimum forbids.

The model is not monotone: more records may come with fewer people outside the table. But f <=
maximum F means that F - f >= f (1 / maximum - 1) people of the class are *outside* the table. A
class that grows loses neither records nor people outside. Let f0 be the least number of records, at
least that of every row, for which a whole number F meets both bounds. A class that satisfies the
model has f >= f0, so at least ceil(f0 / maximum) - f0 people are outside. This condition is the
monotone part. The numbers of records and of people outside imply nothing sharper, because f0
records with so many people outside satisfy the model.

The model has a limit. If a combination has no released record, an attacker knows that people with
this combination are not in the release, even if there is a minimum. The paper requires the minimum
for every person of the population. `everybody` adds this requirement: unless the released classes
hold all people, no class is released. When classes are merged, they still hold all people, and the
merged class meets its bounds.

All released records of a class also satisfy f <= maximum F and minimum F <= f, as sums over its
released classes. This bounds how many records of the class can be released (`balanced_parts`).
People who match no record may join for the maximum, and they are left out for the minimum. With
`everybody`, all records and people are released, or none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.balanced_parts import most_balanced, never_balanced
from roadstead.privacy.conditions import SLACK, people_of
from roadstead.privacy.model_capabilities import WITH_PEOPLE
from roadstead.privacy.protocol import ModelFigure, Monotone, PrivacyModel
from roadstead.tables.frequency import FrequencyTable

_LARGEST_DENOMINATOR = 10**9
"""Bounds are the fractions nearest to the numbers given: With this limit, 0.1 is 1/10, and the
printed form of 1/3 is 1/3.
"""
_MOST_TRIED = 1000
"""The numbers of records tried for the monotone part; with narrow bounds, the least may be large.
"""


@dataclass(frozen=True, eq=False)
class Outsiders(Monotone):
    """Classes of at least `records`, and `outside` people who are not in the table: monotone.

    A class that grows loses neither.
    """

    population: NDArray[np.int64] = field(repr=False)
    records: int
    outside: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class has enough of both."""
        outside = classes.totals(self.population) - classes.sizes
        return (classes.sizes >= self.records) & (outside >= self.outside)


@dataclass(frozen=True, eq=False)
class Presence:
    """Classes of which the table holds a share from `minimum` to `maximum` of the population's."""

    population: NDArray[np.int64] = field(repr=False)  # people with each row's combination
    minimum: Fraction
    maximum: Fraction
    smallest: int  # records of the row that has fewest, but some
    complete: bool  # whether everybody has the combination of a record
    everybody: bool = False  # whether all people have to be in a class that is released
    # Records of each row; empty if policies below need no bound.
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def per_class(self) -> bool:
        """Unless classes have to hold everybody together."""
        return not self.everybody

    @property
    def merges(self) -> bool:
        """False if a minimum is set, and people without a record might join a class."""
        return self.complete or self.everybody or not self.minimum

    @cached_property
    def monotone_part(self) -> Outsiders:
        """Require as many people outside as the least class that satisfies the model has."""
        records = self._least_records
        return Outsiders(self.population, records, ceil(records / self.maximum) - records)

    @property
    def _least_records(self) -> int:
        """No class with fewer records satisfies the model; a class with this many may fail too."""
        last = self.smallest + _MOST_TRIED
        for records in range(self.smallest, last):
            fewest = ceil(records / self.maximum)
            if fewest * self.minimum <= records:
                return records
        return last

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Compare the records of each class with its people, in whole numbers."""
        people = classes.totals(self.population)
        most = _floor_share(self.maximum, people)
        fewest = -_floor_share(-self.minimum, people)
        within: NDArray[np.bool_] = (classes.sizes >= fewest) & (classes.sizes <= most)
        if self.everybody:
            within &= bool(within.all()) and int(people.sum()) == int(self.population.sum())
        return within

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Most records of each part that have few people enough, and people enough."""
        part = parts.ids.astype(np.int64)
        records, people = self.counts[parts.rows], self.population[parts.rows]
        for excess in self._excesses(records, people):
            most = most_balanced(records, excess, part, most)
        return most

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark rows that the others of their part cannot make up for."""
        part = parts.ids.astype(np.int64)
        records, people = self.counts[parts.rows], self.population[parts.rows]
        found = np.zeros(part.size, dtype=np.bool_)
        for excess in self._excesses(records, people):
            found |= never_balanced(excess, part, most.size)
        return found

    @property
    def bounds_blocks(self) -> bool:
        """True if everyone matches a record; otherwise it is unknown who joins the blocks."""
        return self.complete

    def blocks_released(
        self, blocks: Classes, part: NDArray[np.int64], most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The same of whole blocks."""
        never = np.zeros(part.size, dtype=np.bool_)
        for excess in self._excesses(blocks.sizes, blocks.totals(self.population)):
            most = most_balanced(blocks.sizes, excess, part, most)
            never |= never_balanced(excess, part, most.size)
        return most, never

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:
        """All or nothing, where everybody has to be in a class."""
        records = int(most.sum())
        if self.everybody and (
            records < int(self.counts.sum())
            or int(parts.totals(self.population).sum()) < int(self.population.sum())
        ):
            return 0
        return records

    def most_classes(self, records: int) -> int | None:  # noqa: ARG002 - of no number
        """Nothing."""
        return None

    def _excesses(
        self, records: NDArray[np.int64], people: NDArray[np.int64]
    ) -> list[NDArray[np.float64]]:
        """Return the terms whose sums over released rows must be at most 0.

        They are f - maximum F and, with a minimum, minimum F - f.
        """
        excess = [records - float(self.maximum) * (1.0 + SLACK) * people]
        if self.minimum:
            fewest = float(self.minimum) * (1.0 - SLACK) * people
            excess.append(np.where(records > 0, fewest - records, 0.0))
        return excess


@dataclass(frozen=True)
class DeltaPresence(PrivacyModel):
    """Classes of which the table holds a share from `minimum` to `maximum` of the population's.

    0 <= minimum <= maximum <= 1, and maximum is above 0.
    """

    maximum: float
    minimum: float = 0.0
    everybody: bool = False  # whether the minimum also covers people who match no record
    kind: ClassVar[str] = "delta-presence"
    sources: ClassVar[tuple[str, ...]] = ("nergiz",)
    needs_population: ClassVar[bool] = True

    def __post_init__(self) -> None:
        fits = 0.0 <= self.maximum <= 1.0 and _fraction(self.maximum) > 0
        fix = (
            "for example, with 0.1 at most one in ten people who share a combination are in the "
            "table"
        )
        self.require("maximum", fits, "above 0 and at most 1", fix)
        range_ = f"from 0 to the maximum, {self.maximum}"
        fix = "leave it out unless a person's absence from the table must also stay secret"
        self.require("minimum", 0.0 <= self.minimum <= self.maximum, range_, fix)
        range_ = "false unless the minimum is above 0"
        fix = "give a minimum, or leave it out: without a minimum, no one has to be in a group"
        self.require("everybody", not self.everybody or self.minimum > 0.0, range_, fix)

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on parameters
        """The features that it supports; with a minimum, people outside may join a class."""
        merges = self.everybody or not self.minimum
        return WITH_PEOPLE.adding(Feature.INFERENCE) if merges else WITH_PEOPLE

    @property
    def name(self) -> str:
        """The model's name with its parameters."""
        whom = " of everyone" if self.everybody else ""
        return f"({self.minimum:g}, {self.maximum:g})-presence{whom}"

    @property
    def promise(self) -> str:
        """The promise for a release."""
        if self.everybody:
            return (
                "Everyone in the population shares the quasi-identifiers with a released record. "
                f"Of the people who share them, at least {self.minimum:g} and at most "
                f"{self.maximum:g} are in the release (delta-presence). An attacker who knows "
                "these values for any person cannot determine with more certainty whether the "
                "person is in the release."
            )
        least = f"at least {self.minimum:g} and " if self.minimum else ""
        return (
            "Among people of the population who share the quasi-identifiers with a released "
            f"record, {least}at most {self.maximum:g} are in the release (delta-presence). An "
            "attacker who knows these values for such a person cannot determine with more "
            "certainty that the person is in the release."
        )

    def bind(self, table: FrequencyTable) -> Presence:
        """Compare the classes of a table with its population; one without is refused."""
        people = people_of(self, table)
        some = table.counts > 0
        return Presence(
            population=people,
            minimum=_fraction(self.minimum),
            maximum=_fraction(self.maximum),
            smallest=int(table.counts[some].min()),
            complete=bool(some.all()),
            everybody=self.everybody,
            counts=np.ascontiguousarray(table.counts, dtype=np.int64),
        )

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        own = {"kind": self.kind, "minimum": self.minimum, "maximum": self.maximum}
        return {**own, "everybody": True} if self.everybody else own

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """The largest share of a class's people in the table; also the least, if bounded."""
        if table.population is None:
            return None
        shares = classes.sizes / classes.totals(people_of(self, table))
        most = float(shares.max())
        if not self.minimum:
            what = "largest share of a group in the data"
            return ModelFigure(what, most, f"at most {self.maximum:g}")
        found, allowed = (float(shares.min()), most), f"{self.minimum:g} to {self.maximum:g}"
        return ModelFigure("share of a group in the data", found, allowed)


def _fraction(share: float) -> Fraction:
    return Fraction(share).limit_denominator(_LARGEST_DENOMINATOR)


def _floor_share(share: Fraction, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Round a share of numbers down. In parts, so that no product exceeds 64 bits."""
    whole, rest = np.divmod(numbers, share.denominator)
    floor: NDArray[np.int64] = share.numerator * whole + share.numerator * rest // share.denominator
    return floor
