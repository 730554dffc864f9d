"""Combine the losses of the attributes into one number for the table.

Every mean rises with every attribute's loss, and a lower bound needs nothing else. The geometric
mean is shifted by one, so that an attribute without loss does not hide the others:
``prod(1 + l) ** (1 / m) - 1``, as in the published results of paper 003. Weights are exponents in
the geometric mean and factors in the arithmetic mean. Only the proportions of the weights matter.

The sum is given as a share of the largest possible sum, so it equals the arithmetic mean. For the
maximum, each loss is multiplied by its weight, as a share of the largest weight, and the largest
product counts. The rank is also the maximum. But if two policies have the same maximum, the next
largest losses decide, as in ARX.

A table has few attributes, and a search makes many calls. So these functions work on plain floats.
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
    "rank": "largest loss of an attribute; the next largest decides ties",
}


def in_words(name: str) -> str:
    """Describe an aggregate by its name; all aggregates except these three are means."""
    return _OTHERS.get(name, f"{name} mean")


@dataclass(frozen=True)
class Aggregate(ABC):
    """A mean that rises with each of its arguments, with optional weights of the attributes."""

    name: ClassVar[str]
    """The name used on the command line."""
    weights: tuple[float, ...] | None = None

    @abstractmethod
    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the attributes' losses, each between 0 and 1."""

    @abstractmethod
    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Aggregate with one loss replaced; for entry ``[i][j]``, loss i by `others[i][j]`.

        The results may differ by 1e-12 from a direct aggregation.
        """

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
        """The weights, scaled to add up to 1."""
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
        """Aggregate with one loss replaced."""
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
        return sum([w * loss for w, loss in zip(shares, losses, strict=True)])

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Aggregate with one loss replaced."""
        shares = self.shares or [1.0 / len(losses)] * len(losses)
        whole = self(losses)
        return [
            [whole + share * (other - loss) for other in own]
            for own, loss, share in zip(others, losses, shares, strict=True)
        ]


@dataclass(frozen=True)
class Sum(ArithmeticMean):
    """The sum, as a share of the largest possible sum."""

    name: ClassVar[str] = "sum"


@dataclass(frozen=True)
class Maximum(Aggregate):
    """The largest of the losses, each multiplied by its weight over the largest weight."""

    name: ClassVar[str] = "maximum"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        return max(w * loss for w, loss in zip(self._factors(len(losses)), losses, strict=True))

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Aggregate with one loss replaced: the maximum of the new loss and all others."""
        factors = self._factors(len(losses))
        weighed = [w * loss for w, loss in zip(factors, losses, strict=True)]
        found = []
        for i, own in enumerate(others):
            rest = max([*weighed[:i], *weighed[i + 1 :]], default=0.0)
            found.append([max(rest, factors[i] * other) for other in own])
        return found

    def _factors(self, number: int) -> Sequence[float]:
        if self.weights is None:
            return [1.0] * number
        return [w / max(self.weights) for w in self.weights]


@dataclass(frozen=True)
class Ranked(Maximum):
    """The largest weighted loss; if two policies are equal, the next largest loss decides."""

    name: ClassVar[str] = "rank"

    def __call__(self, losses: Sequence[float]) -> float:
        """Aggregate the losses."""
        factors = self._factors(len(losses))
        return RankedLoss(w * loss for w, loss in zip(factors, losses, strict=True))

    def replaced(
        self, losses: Sequence[float], others: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Aggregate with one loss replaced."""
        return [
            [self([*losses[:i], other, *losses[i + 1 :]]) for other in own]
            for i, own in enumerate(others)
        ]


class RankedLoss(float):
    """The largest of some losses; the second largest decides between equal losses, and so on.

    Searches compare these losses, and print only the largest. A plain number has no further losses.
    It ranks below every ranked loss with the same maximum, so a plain lower bound stays a lower
    bound.
    """

    __slots__ = ("ranked",)
    ranked: tuple[float, ...]

    def __new__(cls, losses: Iterable[float]) -> Self:
        """Put losses in order; there must be at least one."""
        ranked = tuple(sorted(losses, reverse=True))
        made = super().__new__(cls, ranked[0])
        made.ranked = ranked
        return made

    def __getnewargs__(self) -> tuple[tuple[float, ...]]:  # type: ignore[override]  # made of several numbers, not of one
        """Return the arguments that another process needs to build the object."""
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
    """Return the mean of some attributes, and their share of all weights.

    Return None if the aggregate is not such a mean, or if these attributes have no weight.
    """
    if not isinstance(aggregate, (GeometricMean, ArithmeticMean)):
        return None
    shares = aggregate.shares or (1.0 / attributes,) * attributes
    own = tuple(share if i in places else 0.0 for i, share in enumerate(shares))
    return (type(aggregate)(own), sum(own)) if any(own) else None


def whole_of(aggregate: Aggregate, known: Sequence[tuple[float, float]]) -> float:
    """Bound the mean of all attributes from the shares (sum at most 1) and losses of parts.

    A weighted mean is the mean of the means of parts, if each part is weighted by the weights of
    its attributes. With a loss of 0 for attributes that are not in a part, it is a lower bound.
    """
    rest = max(0.0, 1.0 - sum(share for share, _ in known))
    weights = (*(share for share, _ in known), rest)
    return type(aggregate)(weights)([*(loss for _, loss in known), 0.0])
