"""Population risk: the expected share of the released records that are re-identified.

If g people in the population share the quasi-identifiers of a record, its risk is 1 / g ** gamma.
The mean over the released records is at most a limit (paper 004, equation 1 and theorem 2.1; see
docs/methods/population-risk.md). The model suppresses classes with fewer than c people, where c is
the smallest number at which the mean of the other classes meets the limit.

No release exceeds the limit. If gamma is a whole number and floating-point arithmetic leaves a
doubt, the fractions are summed exactly. For any other gamma, a mean within a billionth of the limit
is treated as above the limit.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from math import fsum, isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.policies.classes import Classes
from roadstead.privacy.balanced_parts import most_balanced
from roadstead.privacy.conditions import LEAST_RISK, SLACK, LeastSize
from roadstead.privacy.model_capabilities import WITH_PEOPLE
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.risk.measures import PopulationRisk, Weights
from roadstead.tables.frequency import FrequencyTable

_DOUBT = 1e-9
"""A relative tolerance, larger than the rounding error in a sum of a million terms."""
_MOST_EXACT = 8
"""The largest gamma for which powers are computed in whole numbers."""


@dataclass(frozen=True, eq=False)
class BoundPopulationRisk:
    """Classes whose records have a mean risk of at most `maximum`, bound to a table."""

    population: NDArray[np.int64] = field(repr=False)  # people with each row's values
    known: bool  # whether `population` counts people in a population, not records
    maximum: Fraction  # the bound, as the decimal fraction that the user wrote
    gamma: float
    weights: Weights  # risk of a record, by the number of people
    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = False

    @property
    def monotone_part(self) -> LeastSize:
        """Return a condition that accepts every class, even a class of one person."""
        return LeastSize(1)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class has at least as many people as the mean requires."""
        people = classes.totals(self.population)
        return people >= self._least_people(classes.sizes, people)

    def most_together(self, parts: Classes, most: NDArray[np.int64]) -> int:
        """Return the largest number of records whose mean risk can be low enough.

        The number of people in a part determines the risk of each record in the part.
        """
        people = parts.totals(self.population)
        people = people if self.known else np.minimum(people, most)
        some = most > 0
        risk = self.weights.of(people[some]) - float(self.maximum) * (1.0 + SLACK)
        together = np.zeros(risk.size, dtype=np.int64)
        records = most[some]
        return int(most_balanced(records, records * risk, together, np.array([records.sum()]))[0])

    def most_classes(self, records: int) -> int:
        """Return the largest number of classes whose mean risk can be low enough.

        Suppose that P people are in c classes. The sum of the risks of one record per class is
        smallest if each class has P / c people, and is then c (c / P) ** gamma. If the records
        count as people, the mean of 1 / f over the records is the number of classes per record.
        This mean is at most the 1 / gamma-th power of the mean of 1 / f ** gamma.
        """
        maximum, gamma = float(self.maximum), self.gamma
        if not self.known:
            return int(maximum ** (1.0 / max(1.0, gamma)) * records * (1.0 + SLACK) + SLACK)
        people = float(self.population.sum())
        most = (maximum * records * people**gamma) ** (1.0 / (1.0 + gamma))
        return int(min(most, records) * (1.0 + SLACK) + SLACK)

    def risk(self, classes: Classes) -> float:
        """Return the mean risk of the records, or 0 if there are no records."""
        if not classes.sizes.size:
            return 0.0
        people = classes.totals(self.population)
        return fsum(classes.sizes * self.weights.of(people)) / classes.records

    def stated(self, classes: Classes) -> str:
        """Return a clause that states the mean risk and the limit."""
        risk, records = self.risk(classes), classes.records
        among = (
            "among the people in the population"
            if self.known
            else "among the records only, because no population is given"
        )
        found = (
            f"{risk * records:,.6g} of {records:,} records ({risk:.6g}) are expected to be "
            f"re-identified by guesses {among}"
            if self.gamma == 1.0
            else (
                f"the mean of 1 / g ** {self.gamma:g} over {records:,} records is {risk:.6g}, "
                f"where g counts the matches {among}"
            )
        )
        return f"{found}; at most {float(self.maximum)!r} is allowed"

    def _least_people(self, sizes: NDArray[np.int64], people: NDArray[np.int64]) -> int:
        """Return the minimum number of people per class at which the mean is low enough.

        Removing the classes with the fewest people can only lower the mean. If even the largest
        classes exceed the limit, the method returns a larger number than any class has.
        """
        distinct, place = np.unique(people, return_inverse=True)
        if not distinct.size:
            return 1
        records = np.zeros(distinct.size, dtype=np.int64)
        np.add.at(records, place, sizes)
        distinct, records = distinct[::-1], records[::-1]  # descending numbers of people
        sums = np.cumsum(records * self.weights.of(distinct))
        bounds = float(self.maximum) * np.cumsum(records)
        fits = int(np.count_nonzero(sums * (1.0 + _DOUBT) <= bounds))
        may_fit = int(np.count_nonzero(sums * (1.0 - _DOUBT) <= bounds))
        # The means are in ascending order: those within the bound, then the doubtful means.
        if fits < may_fit and self.gamma.is_integer() and self.gamma <= _MOST_EXACT:
            fits = bisect_left(
                range(may_fit), 1, lo=fits, key=lambda i: self._exceeds(records, distinct, i + 1)
            )
        return int(distinct[fits - 1]) if fits else int(distinct[0]) + 1

    def _exceeds(self, records: NDArray[np.int64], people: NDArray[np.int64], number: int) -> bool:
        """Return whether the exact mean of the first `number` entries exceeds the limit."""
        weights = (g ** int(self.gamma) for g in people[:number].tolist())
        total, common = _added(list(zip(records[:number].tolist(), weights, strict=True)))
        most = self.maximum * int(records[:number].sum())
        return total * most.denominator > most.numerator * common


@dataclass(frozen=True)
class AveragePopulationRisk(PrivacyModel):
    """Classes whose records together have a mean of 1 / g ** gamma of at most `maximum`.

    `maximum` is above 0 (at least 1e-12) and at most 1, and gamma is above 0.
    """

    maximum: float
    gamma: float = 1.0
    kind: ClassVar[str] = "population-risk"
    sources: ClassVar[tuple[str, ...]] = ("benitez",)
    takes_population: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = WITH_PEOPLE.adding(Feature.INFERENCE)

    def __post_init__(self) -> None:
        fix = "for example, 0.01 means that one record in a hundred is expected to be re-identified"
        fits = LEAST_RISK <= self.maximum <= 1.0
        self.require("maximum", fits, f"from {LEAST_RISK:g} to 1", fix)
        fix = (
            "leave this parameter out: its default, 1, gives the expected share of re-identified "
            "records"
        )
        self.require("gamma", isfinite(self.gamma) and self.gamma > 0.0, "above 0", fix)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        power = "" if self.gamma == 1.0 else f" with gamma {self.gamma:g}"
        return f"population risk {_written(self.maximum)}{power}"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        what = (
            "The expected share of released records that are re-identified"
            if self.gamma == 1.0
            else (
                f"The mean of p ** {self.gamma:g} over the released records, where p is the chance "
                "of a correct guess,"
            )
        )
        return (
            f"{what} is at most {_written(self.maximum)} (population risk). An attacker who knows "
            "the quasi-identifiers of a person guesses among all matching people in the "
            "population, or among the matching records if no population is given. Individual "
            "records may be found with certainty."
        )

    def bind(self, table: FrequencyTable) -> BoundPopulationRisk:
        """Bind the model to a table's population, or to the table's records if there is none."""
        people = table.counts if table.population is None else table.population
        return BoundPopulationRisk(
            population=np.ascontiguousarray(people, dtype=np.int64),
            known=table.population is not None,
            maximum=Fraction(_written(self.maximum)),
            gamma=float(self.gamma),
            weights=PopulationRisk(float(self.gamma)).weights(),
        )

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the mean risk and the expected number of re-identified records."""
        risk = self.bind(table).risk(classes)
        against = "people in the population" if table.population is not None else "records"
        what = (
            "expected share of re-identified records if an attacker guesses among the matching "
            f"{against}; {{}} records"
            if self.gamma == 1.0
            else (
                f"mean of 1 / g ** {self.gamma:g} over the records, where g is the number of "
                f"matching {against}"
            )
        )
        amounts = (risk * classes.records,)
        return ModelFigure(what, f"{risk:.4g}", f"at most {self.maximum!r}", amounts)


def least_maximum(share: float, digits: int = 4) -> float:
    """Round a measured mean risk up to a `maximum` that the release satisfies.

    `digits` is the number of significant digits.
    """
    exact = Decimal(repr(float(share)))
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return min(float(exact.quantize(unit, ROUND_CEILING)), 1.0)


def _added(fractions: list[tuple[int, int]]) -> tuple[int, int]:
    """Add fractions pairwise without reducing them, because short numbers multiply faster."""
    while len(fractions) > 1:
        rest = fractions[-1:] if len(fractions) % 2 else []
        fractions = [
            (a * d + c * b, b * d)
            for (a, b), (c, d) in zip(fractions[0::2], fractions[1::2], strict=False)
        ] + rest
    return fractions[0]


def _written(number: float) -> str:
    """Write a number with all its digits, as settings do."""
    return repr(float(number))
