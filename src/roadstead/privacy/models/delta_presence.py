"""delta-presence: the release does not reveal who is in the table.

If f of the F people who match a released class are in the table, the model requires minimum <= f/F
<= maximum (Nergiz, Atzori, and Clifton 2007). The monotone part requires minimum numbers of records
and of people outside the table (see docs/methods/delta-presence.md). If `everybody` is set, the
released classes must contain all people.

The bounds follow from two sums over the released rows: the sum of (f - maximum F), and the sum of
(minimum F - f). Both sums are at most 0 (`balanced_parts`). People who do not match any record may
join a class. Such people count toward the maximum, but not toward the minimum.
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
"""The largest denominator of the fraction that replaces each limit.

For example, 0.1 becomes 1/10, and 0.3333333333333333 becomes 1/3.
"""
_MOST_TRIED = 1000
"""The number of class sizes to try for the monotone part."""


@dataclass(frozen=True, eq=False)
class Outsiders(Monotone):
    """Classes with at least `records` records and at least `outside` people outside the table."""

    population: NDArray[np.int64] = field(repr=False)
    records: int
    outside: int

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class has enough records and enough people outside the table."""
        outside = classes.totals(self.population) - classes.sizes
        return (classes.sizes >= self.records) & (outside >= self.outside)


@dataclass(frozen=True, eq=False)
class Presence:
    """Classes in which the share of people who are in the table is from `minimum` to `maximum`."""

    population: NDArray[np.int64] = field(repr=False)  # people with each row's values
    minimum: Fraction
    maximum: Fraction
    smallest: int  # the smallest number of records in a row with records
    complete: bool  # whether every person in the population matches a record
    everybody: bool = False  # whether every person must be in a released class
    # Records in each row; empty if lower policies do not need a bound
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def per_class(self) -> bool:
        """Return False if all classes are checked together because they must contain everybody."""
        return not self.everybody

    @property
    def merges(self) -> bool:
        """Return whether the union of two valid classes is valid.

        The property is False if a minimum is set and people without a record might join a class.
        """
        return self.complete or self.everybody or not self.minimum

    @cached_property
    def monotone_part(self) -> Outsiders:
        """Require as many people outside the table as the smallest valid class contains."""
        records = self._least_records
        return Outsiders(self.population, records, ceil(records / self.maximum) - records)

    @property
    def _least_records(self) -> int:
        """Return a lower bound on the size of a valid class."""
        last = self.smallest + _MOST_TRIED
        for records in range(self.smallest, last):
            fewest = ceil(records / self.maximum)
            if fewest * self.minimum <= records:
                return records
        return last

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Compare the numbers of records and people in each class, using only whole numbers."""
        people = classes.totals(self.population)
        most = _floor_share(self.maximum, people)
        fewest = -_floor_share(-self.minimum, people)
        within: NDArray[np.bool_] = (classes.sizes >= fewest) & (classes.sizes <= most)
        if self.everybody:
            within &= bool(within.all()) and int(people.sum()) == int(self.population.sum())
        return within

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the largest number of records in each part that satisfies both limits."""
        part = parts.ids.astype(np.int64)
        records, people = self.counts[parts.rows], self.population[parts.rows]
        for excess in self._excesses(records, people):
            most = most_balanced(records, excess, part, most)
        return most

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark rows that the other rows of their part cannot balance."""
        part = parts.ids.astype(np.int64)
        records, people = self.counts[parts.rows], self.population[parts.rows]
        found = np.zeros(part.size, dtype=np.bool_)
        for excess in self._excesses(records, people):
            found |= never_balanced(excess, part, most.size)
        return found

    @property
    def bounds_blocks(self) -> bool:
        """Return whether everyone matches a record. Otherwise, people may join the blocks."""
        return self.complete

    def blocks_released(
        self, blocks: Classes, part: NDArray[np.int64], most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Lower `most`, and mark blocks that the rest of their part cannot balance."""
        never = np.zeros(part.size, dtype=np.bool_)
        for excess in self._excesses(blocks.sizes, blocks.totals(self.population)):
            most = most_balanced(blocks.sizes, excess, part, most)
            never |= never_balanced(excess, part, most.size)
        return most, never

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:
        """Return the total of `most`, or 0 if everyone must be released but someone is missing."""
        records = int(most.sum())
        if self.everybody and (
            records < int(self.counts.sum())
            or int(parts.totals(self.population).sum()) < int(self.population.sum())
        ):
            return 0
        return records

    def most_classes(self, records: int) -> int | None:  # noqa: ARG002 - of no number
        """Return None, because the model does not limit the number of classes."""
        return None

    def _excesses(
        self, records: NDArray[np.int64], people: NDArray[np.int64]
    ) -> list[NDArray[np.float64]]:
        """Return the terms whose sum over the released rows must be at most 0.

        The terms are f - maximum F and, if a minimum is set, minimum F - f.
        """
        excess = [records - float(self.maximum) * (1.0 + SLACK) * people]
        if self.minimum:
            fewest = float(self.minimum) * (1.0 - SLACK) * people
            excess.append(np.where(records > 0, fewest - records, 0.0))
        return excess


@dataclass(frozen=True)
class DeltaPresence(PrivacyModel):
    """Classes in which the share of people in the table must be from `minimum` to `maximum`.

    The parameters satisfy 0 <= minimum <= maximum <= 1, and maximum is above 0.
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
            "for example, 0.1 means that at most one in ten people who share a combination is in "
            "the table"
        )
        self.require("maximum", fits, "above 0 and at most 1", fix)
        range_ = f"from 0 to the maximum, {self.maximum}"
        fix = (
            "leave this parameter out unless a person's absence from the table must also stay "
            "secret"
        )
        self.require("minimum", 0.0 <= self.minimum <= self.maximum, range_, fix)
        range_ = "false unless the minimum is above 0"
        fix = "give a minimum above 0, or leave this parameter out"
        self.require("everybody", not self.everybody or self.minimum > 0.0, range_, fix)

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on parameters
        """Return the supported features, which depend on whether a minimum is set."""
        merges = self.everybody or not self.minimum
        return WITH_PEOPLE.adding(Feature.INFERENCE) if merges else WITH_PEOPLE

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        whom = " of everyone" if self.everybody else ""
        return f"({self.minimum:g}, {self.maximum:g})-presence{whom}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        if self.everybody:
            return (
                "Every person in the population has the same quasi-identifiers as a released "
                "record. Among the people with the same quasi-identifiers, the share of people in "
                f"the release is at least {self.minimum:g} and at most {self.maximum:g} "
                "(delta-presence). For an attacker who knows these values for a person, this share "
                "is the probability that the person is in the release."
            )
        least = f"at least {self.minimum:g} and " if self.minimum else ""
        return (
            "Among people in the population with the same quasi-identifiers as a released "
            f"record, the share of people in the release is {least}at most {self.maximum:g} "
            "(delta-presence). For an attacker who knows these values for such a person, this "
            "share is the probability that the person is in the release."
        )

    def bind(self, table: FrequencyTable) -> Presence:
        """Bind the model to a table and its population.

        The method rejects a table without a population.
        """
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
        """Return the parameters for the certificate."""
        own = {"kind": self.kind, "minimum": self.minimum, "maximum": self.maximum}
        return {**own, "everybody": True} if self.everybody else own

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Return the largest share of a class's people who are in the table.

        If a minimum is set, the figure also contains the smallest share.
        """
        if table.population is None:
            return None
        shares = classes.sizes / classes.totals(people_of(self, table))
        most = float(shares.max())
        if not self.minimum:
            what = "largest share of the people in a group who are in the data"
            return ModelFigure(what, most, f"at most {self.maximum:g}")
        found, allowed = (float(shares.min()), most), f"{self.minimum:g} to {self.maximum:g}"
        return ModelFigure("share of the people in a group who are in the data", found, allowed)


def _fraction(share: float) -> Fraction:
    return Fraction(share).limit_denominator(_LARGEST_DENOMINATOR)


def _floor_share(share: Fraction, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Multiply numbers by a share, and round down. No product exceeds 64 bits."""
    whole, rest = np.divmod(numbers, share.denominator)
    floor: NDArray[np.int64] = share.numerator * whole + share.numerator * rest // share.denominator
    return floor
