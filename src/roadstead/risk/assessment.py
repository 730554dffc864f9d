"""What an assessment of risk says: how likely records are re-identified, and what makes it so.

All figures are counts and shares of records; what is said of columns is their names.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from roadstead.risk.below_k import BelowK
from roadstead.risk.prosecutor import ProsecutorRisk

Basis: TypeAlias = Literal["file", "fraction"]
"""How the population is known: person by person, or by its size alone."""


@dataclass(frozen=True)
class Chances:
    """What a journalist can expect.

    Attributes
    ----------
    maximum
        Risk of the record most at risk.
    average
        Mean over the records, which is the share of them that a marketer matches rightly.
    share_above_threshold
        Share of records whose risk is above the threshold.
    estimated
        Whether they are expectations, as the population is known by its size alone.
    uniques
        Records whose person is alone in the population; None where they are.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


@dataclass(frozen=True)
class Uniques:
    """How many people are unique in the population.

    Attributes
    ----------
    model
        ``pitman``, ``pitman-exact``, ``zayatz``, ``snb`` or ``dankar``; ``counted`` where the
        population is known.
    uniques, share
        Their expected number, and as a share of the population; None where the model has no answer.
    takes
        For Dankar's rule, the model that it takes.
    reason
        Why there is no answer.
    """

    model: str
    uniques: float | None
    share: float | None
    takes: str | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the estimate as JSON holds it."""
        found: dict[str, Any] = {"uniques": self.uniques, "share": self.share}
        if self.takes is not None:
            found["takes"] = self.takes
        return found | {"reason": self.reason} if self.reason else found


@dataclass(frozen=True)
class Contribution:
    """What a quasi-identifier contributes to records being unique.

    Attributes
    ----------
    attribute
        The column.
    contribution
        Share of the SUDA scores of all records that comes from combinations with the column. These
        shares add up to more than 1, as most combinations have several columns.
    keys
        Minimal sample uniques that it is part of: smallest combinations that single a record out.
    separation
        Share of all pairs of records that it tells apart by itself.
    uniques_without
        Records that would be unique if nobody knew it.
    """

    attribute: str
    contribution: float
    keys: int
    separation: float
    uniques_without: int


@dataclass(frozen=True)
class Combination:
    """A combination of quasi-identifiers that singles records out, where no part of it does.

    Attributes
    ----------
    attributes
        The columns.
    records
        Records that it singles out.
    contribution
        Share of the SUDA scores of all records.
    """

    attributes: tuple[str, ...]
    records: int
    contribution: float


@dataclass(frozen=True)
class Assessment:
    """The risks of one table.

    Attributes
    ----------
    prosecutor
        Risk where the attacker knows that the person is in the table.
    journalist
        Risk where the attacker takes anybody of the population; None where that is not known.
    marketer
        Share of records matched rightly, if all are matched with the people of the table.
    below_k
        Records with fewer than k people of the population behind them; None where that is not
        known.
    sizes
        Pairs of class size and number of classes of that size, ascending.
    suppressed
        Records that are not among them, as a policy suppresses them.
    population_uniques
        By model; empty where the population is not known.
    contributions
        By attribute, the one that contributes most first.
    combinations
        Those that contribute most, at most ten.
    """

    prosecutor: ProsecutorRisk
    journalist: Chances | None
    marketer: float
    sizes: tuple[tuple[int, int], ...]
    suppressed: int
    population_uniques: tuple[Uniques, ...]
    contributions: tuple[Contribution, ...]
    combinations: tuple[Combination, ...]
    below_k: BelowK | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the risks as JSON holds them."""
        found: dict[str, Any] = {"prosecutor": _levels(self.prosecutor)}
        if self.journalist is not None:
            found["journalist"] = {
                **_levels(self.journalist),
                "estimated": self.journalist.estimated,
                "population_unique_records": self.journalist.uniques,
            }
        people = self.journalist
        return {
            **found,
            "marketer": {
                "sample": self.marketer,
                "population": None if people is None else people.average,
            },
            "expected_below_k": None if self.below_k is None else self.below_k.to_dict(),
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
    """What is known of the population.

    Attributes
    ----------
    basis
        How it is known; None where nothing is.
    label
        The same in words.
    people, fraction
        How many there are, and the share of them that is in the table.
    """

    basis: Basis | None
    label: str
    people: int | None = None
    fraction: float | None = None


def _levels(risk: ProsecutorRisk | Chances) -> dict[str, float]:
    return {
        "maximum": risk.maximum,
        "average": risk.average,
        "share_above_threshold": risk.share_above_threshold,
    }
