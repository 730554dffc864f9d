"""The result of a risk assessment that counts records.

All figures are counts and shares of records. The result contains the names of columns, but no other
information about columns.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from roadstead.risk.below_k import BelowK
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.risk.special_uniques import Combination, Contribution

Basis: TypeAlias = Literal["file", "fraction"]
"""Whether each person in the population is known, or only the size of the population."""


@dataclass(frozen=True)
class Assessment:
    """The risks of one table."""

    prosecutor: ProsecutorRisk  # the attacker knows that the person is in the table
    journalist: JournalistRisk | None  # the attacker picks any person of a known population
    sizes: tuple[tuple[int, int], ...]  # ascending class sizes with numbers of classes
    suppressed: int  # the number of suppressed records, which are not in these classes
    population_uniques: tuple[PopulationUniques, ...]  # by model; empty without a population
    contributions: tuple[Contribution, ...]  # by attribute, the largest contribution first
    combinations: tuple[Combination, ...]  # the largest contributions, at most ten
    below_k: BelowK | None = None  # for a known population

    @property
    def marketer(self) -> float:
        """Return the share of records that a marketer matches to the right person in the table."""
        return self.prosecutor.average

    def to_dict(self) -> dict[str, Any]:
        """Return the risks as a JSON object."""
        people = self.journalist
        found: dict[str, Any] = {"prosecutor": shares_of(self.prosecutor)}
        if people is not None:
            found["journalist"] = {
                **shares_of(people),
                "estimated": people.estimated,
                "population_unique_records": people.uniques,
            }
        return {
            **found,
            "marketer": marketer_of(self.prosecutor.average, people),
            "expected_below_k": None if self.below_k is None else asdict(self.below_k),
            "classes": self.prosecutor.classes,
            "class_sizes": [{"size": size, "classes": number} for size, number in self.sizes],
            "smallest_class": self.prosecutor.smallest,
            "largest_class": self.prosecutor.largest,
            "sample_uniques": self.prosecutor.uniques,
            "suppressed": self.suppressed,
            "population_uniques": {one.model: one.to_dict() for one in self.population_uniques},
            "contributions": [asdict(one) for one in self.contributions],
            "combinations": [
                asdict(one) | {"attributes": list(one.attributes)} for one in self.combinations
            ],
        }


@dataclass(frozen=True)
class Population:
    """The known facts about a population (None if there is no population), and a label for reports.

    `fraction` is the share of the population that is in the table.
    """

    basis: Basis | None
    label: str
    people: int | None = None
    fraction: float | None = None


def shares_of(risk: ProsecutorRisk | JournalistRisk) -> dict[str, float]:
    """Return the three risk measures of an attacker as a JSON object."""
    return {
        "maximum": risk.maximum,
        "average": risk.average,
        "share_above_threshold": risk.share_above_threshold,
    }


def marketer_of(sample: float, people: JournalistRisk | None) -> dict[str, float | None]:
    """Return a marketer's success rate for the table and, if known, for the population."""
    return {"sample": sample, "population": None if people is None else people.average}
