"""Mechanisms with answers that do not depend on the records, so neighbors follow the same path.

The questions are kept: a test compares the questions for two tables that differ by a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from seeded_mechanisms import SeededMechanisms

from roadstead.differential.budget import Grant

Counts = NDArray[np.int64]


@dataclass
class Question:
    """A question to a mechanism: its grant, its public part, and its private part."""

    grant: Grant
    public: tuple[object, ...]
    private: Counts
    sensitivity: int


@dataclass
class Forced(SeededMechanisms):
    """The same answers for all tables, so that two are led through the same history."""

    asked: list[Question] = field(default_factory=list)

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Choose by the number of candidates alone."""
        public = ("choose", len(scores), sensitivity, monotonic)
        self.asked.append(Question(grant, public, np.array(scores), sensitivity))
        return int(self._random.integers(len(scores)))

    def count(self, grant: Grant, counts: Counts) -> Counts:
        """Give counts that do not depend on the true ones."""
        self.asked.append(Question(grant, ("count", counts.shape), counts, 1))
        return self._random.integers(0, 30, size=counts.shape)


@dataclass
class LessNoise(SeededMechanisms):
    """Counts and choices have a part of the noise that was paid for."""

    times: int = 1

    def count(self, grant: Grant, counts: Counts) -> Counts:
        """Spend the grant several times."""
        return super().count(Grant(grant.step, self.times * grant.epsilon), counts)

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Spend the grant several times."""
        spent = Grant(grant.step, self.times * grant.epsilon)
        return super().choose(spent, scores, sensitivity, monotonic=monotonic)
