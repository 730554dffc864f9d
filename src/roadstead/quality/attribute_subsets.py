"""The loss in some attributes alone, and what it says of the loss in all of them.

A weighted mean of all attributes is the mean of the means of parts of them, each weighted by what
its attributes weigh together. With a loss of zero for what is in no part, it is at most that.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.quality.aggregates import Aggregate, ArithmeticMean, GeometricMean


def part_of(
    aggregate: Aggregate, places: Sequence[int], attributes: int
) -> tuple[Aggregate, float] | None:
    """Give the mean of some attributes alone, and their share of all weights.

    None where the aggregate is no such mean, or they weigh nothing.
    """
    if not isinstance(aggregate, (GeometricMean, ArithmeticMean)):
        return None
    shares = aggregate.shares or (1.0 / attributes,) * attributes
    own = tuple(share if i in places else 0.0 for i, share in enumerate(shares))
    return (type(aggregate)(own), sum(own)) if any(own) else None


def whole_of(aggregate: Aggregate, known: Sequence[tuple[float, float]]) -> float:
    """Bound the mean of all from the shares of parts, 1 together at most, and their losses."""
    rest = max(0.0, 1.0 - sum(share for share, _ in known))
    weights = (*(share for share, _ in known), rest)
    return type(aggregate)(weights)([*(loss for _, loss in known), 0.0])
