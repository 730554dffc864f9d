"""A loss of several numbers, of which the first that differs decides.

Searches compare losses, and print one number. `RankedLoss` is that number, the largest of several,
and compares by the others where the largest are equal. Next to a plain number, which says nothing
of the others, it is as if these were below all there are: so a plain lower bound stays one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class RankedLoss(float):
    """The largest of some losses; equal ones are told apart by the second largest, and so on."""

    __slots__ = ("ranked",)
    ranked: tuple[float, ...]

    def __new__(cls, losses: Iterable[float]) -> Self:
        """Put losses in order; there is one at least."""
        ranked = tuple(sorted(losses, reverse=True))
        made = super().__new__(cls, ranked[0])
        made.ranked = ranked
        return made

    def __getnewargs__(self) -> tuple[tuple[float, ...]]:  # type: ignore[override]  # made of several numbers, not of one
        """What it is made of, for another process."""
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
