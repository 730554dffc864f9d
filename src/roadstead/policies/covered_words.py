"""Describe a partition, but do not name values that few records or people have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.policies.partition import Interval
from roadstead.policies.partition_words import ValueWords

_COVERED = "(a rare value)"


@dataclass(frozen=True)
class CoveredWords(ValueWords):
    """The values of one ordered domain. The `rare` values are not named."""

    rare: frozenset[int] = frozenset()

    def value(self, code: int) -> str:
        """Return the text of a value, unless the value is rare."""
        return _COVERED if code in self.rare else super().value(code)

    def example(self, intervals: Sequence[Interval]) -> str:
        """Name the largest interval whose ends are not rare, if such an interval exists."""
        found = [one for one in intervals if not self.rare.intersection(one)]
        return super().example(found) if found else ""
