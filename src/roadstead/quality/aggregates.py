"""Combine the losses of the attributes into one number for the table.

Every aggregate rises if the loss of an attribute rises. So lower bounds on the losses give a lower
bound on the aggregate. The geometric mean is shifted by one: ``prod(1 + l) ** (1 / m) - 1``. So the
mean is not 0 if a single attribute has no loss. The published results of paper 003 use the same
formula. The aggregate `rank` is the maximum. As in ARX, if two maxima are equal, the next largest
losses decide.

These functions use plain floats, which are faster than arrays because a table has few attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, isfinite, log1p, prod
from typing import ClassVar, Self

from roadstead.errors import SettingError
from roadstead.front_end import option

_OTHERS = {
    "sum": "sum over the attributes, as a share of the largest possible sum",
    "maximum": "largest loss of an attribute",
    "rank": "largest loss of an attribute; if equal, the next largest loss",
}


def in_words(name: str) -> str:
    """Describe an aggregate in words."""
    return _OTHERS.get(name, f"{name} mean")


@dataclass(frozen=True)
class Aggregate(ABC):
    """A function of the attributes' losses, which rises with each loss and may use weights."""

    name: ClassVar[str]
    """The name used on the command line."""
    weights: tuple[float, ...] | None = None

    @abstractmethod
    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses of the attributes, each between 0 and 1."""

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Return the aggregates after one loss is replaced: entry ``[i][j]`` uses `others[i][j]`.

        The results may differ from a direct aggregation by 1e-12.
        """
        return [
            [self([*losses[:i], other, *losses[i + 1 :]]) for other in own]
            for i, own in enumerate(others)
        ]

    def __post_init__(self) -> None:
        weights = self.weights
        if weights is None:
            return
        if any(not isfinite(w) or w < 0 for w in weights) or not any(weights):
            raise SettingError(
                "attribute weights must be finite and not negative, and at least one must "
                "be above zero",
                where=option("weights"),
                fix="give 1 to an attribute of usual importance, and 2 to an attribute that "
                "counts twice",
            )

    @cached_property
    def shares(self) -> tuple[float, ...] | None:
        """Return the weights, scaled to a sum of 1."""
        if self.weights is None:
            return None
        proportions = [w / max(self.weights) for w in self.weights]
        return tuple(p / sum(proportions) for p in proportions)


@dataclass(frozen=True)
class GeometricMean(Aggregate):
    """The shifted geometric mean."""

    name: ClassVar[str] = "geometric"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        shares = self.shares
        if shares is None:
            return float(prod([1.0 + loss for loss in losses]) ** (1.0 / len(losses)) - 1.0)
        return exp(sum([w * log1p(loss) for w, loss in zip(shares, losses, strict=True)])) - 1.0

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Return the aggregates after one loss is replaced."""
        shares = self.shares or [1.0 / len(losses)] * len(losses)
        whole = 1.0 + self(losses)
        return [
            [whole * ((1.0 + other) / (1.0 + loss)) ** share - 1.0 for other in own]
            for own, loss, share in zip(others, losses, shares, strict=True)
        ]


@dataclass(frozen=True)
class ArithmeticMean(Aggregate):
    """The arithmetic mean."""

    name: ClassVar[str] = "arithmetic"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        shares = self.shares
        if shares is None:
            return sum(losses) / len(losses)
        # Rounding can make a weighted mean of ones larger than one.
        return min(1.0, sum([w * loss for w, loss in zip(shares, losses, strict=True)]))

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Return the aggregates after one loss is replaced."""
        shares = self.shares or [1.0 / len(losses)] * len(losses)
        whole = self(losses)
        return [
            [whole + share * (other - loss) for other in own]
            for own, loss, share in zip(others, losses, shares, strict=True)
        ]


@dataclass(frozen=True)
class Sum(ArithmeticMean):
    """The sum, divided by the largest possible sum."""

    name: ClassVar[str] = "sum"


@dataclass(frozen=True)
class Maximum(Aggregate):
    """The largest weighted loss. Weights are divided by the largest weight."""

    name: ClassVar[str] = "maximum"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        return max(w * loss for w, loss in zip(self._factors(len(losses)), losses, strict=True))

    def _factors(self, number: int) -> Sequence[float]:
        if self.weights is None:
            return [1.0] * number
        return [w / max(self.weights) for w in self.weights]


@dataclass(frozen=True)
class Ranked(Maximum):
    """The largest weighted loss. If two policies are equal, the next largest loss decides."""

    name: ClassVar[str] = "rank"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        factors = self._factors(len(losses))
        return RankedLoss(w * loss for w, loss in zip(factors, losses, strict=True))


class RankedLoss(float):
    """The largest of several losses. If losses are equal, the next largest loss decides.

    Searches compare all of the losses but print only the largest. A plain number is smaller than
    every ranked loss with the same maximum, so a plain lower bound stays a lower bound.
    """

    __slots__ = ("ranked",)
    ranked: tuple[float, ...]

    def __new__(cls, losses: Iterable[float]) -> Self:
        """Sort one or more losses."""
        ranked = tuple(sorted(losses, reverse=True))
        made = super().__new__(cls, ranked[0])
        made.ranked = ranked
        return made

    def __getnewargs__(self) -> tuple[tuple[float, ...]]:  # type: ignore[override]  # made of several numbers, not of one
        """Return the arguments that unpickling needs."""
        return (self.ranked,)

    def __lt__(self, other: float) -> bool:
        return self.ranked < _numbers(other)

    def __le__(self, other: float) -> bool:
        return self.ranked <= _numbers(other)

    def __gt__(self, other: float) -> bool:
        return self.ranked > _numbers(other)

    def __ge__(self, other: float) -> bool:
        return self.ranked >= _numbers(other)

    def __eq__(self, other: object) -> bool:
        return self.ranked == _numbers(other) if isinstance(other, float | int) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return self.ranked != _numbers(other) if isinstance(other, float | int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.ranked)

    def __round__(self, ndigits: int | None = None) -> RankedLoss:  # type: ignore[override]  # rounds each number
        return RankedLoss(float(round(one, ndigits or 0)) for one in self.ranked)


def _numbers(other: float) -> tuple[float, ...]:
    return other.ranked if isinstance(other, RankedLoss) else (float(other),)


def part_of(
    aggregate: Aggregate, places: Sequence[int], attributes: int
) -> tuple[Aggregate, float] | None:
    """Return the aggregate for some attributes, and the share of the total weight that they have.

    The function returns None if the aggregate is not a mean, or if the attributes have no weight.
    """
    if not isinstance(aggregate, (GeometricMean, ArithmeticMean)):
        return None
    shares = aggregate.shares or (1.0 / attributes,) * attributes
    own = tuple(share if i in places else 0.0 for i, share in enumerate(shares))
    return (type(aggregate)(own), sum(own)) if any(own) else None


def whole_of(aggregate: Aggregate, known: Sequence[tuple[float, float]]) -> float:
    """Return a lower bound on the mean of all attributes, from the shares and losses of parts.

    The parts do not overlap, and the sum of their shares is at most 1. The mean of all attributes
    is the weighted mean of the parts' means, with the shares as weights. An attribute that is not
    in any part counts as a loss of 0, so the result is a lower bound.
    """
    rest = max(0.0, 1.0 - sum(share for share, _ in known))
    weights = (*(share for share, _ in known), rest)
    return type(aggregate)(weights)([*(loss for _, loss in known), 0.0])
