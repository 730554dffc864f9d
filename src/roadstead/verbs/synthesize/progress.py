"""How far a synthesis is, told by the questions it asks: they are named in its ledger anyway."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms


@dataclass(frozen=True)
class SynthesisProgress:
    """What is being asked.

    Attributes
    ----------
    step
        What the ledger calls it.
    seconds
        Time since the start.
    """

    step: str
    seconds: float


Tell: TypeAlias = Callable[[SynthesisProgress], None]


@dataclass(frozen=True)
class Watched:
    """Mechanisms that tell of each question before they answer it.

    Attributes
    ----------
    mechanisms
        Those that answer.
    tell
        Is told.
    """

    mechanisms: Mechanisms
    tell: Tell
    _began: float = field(default_factory=time.perf_counter)

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Choose a candidate with a high score."""
        self._told(grant)
        return self.mechanisms.choose(grant, scores, sensitivity, monotonic=monotonic)

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Choose an interval by its length and its score."""
        self._told(grant)
        return self.mechanisms.choose_interval(
            grant, scores, lengths, sensitivity, monotonic=monotonic
        )

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add noise to the counts of disjoint cells."""
        self._told(grant)
        return self.mechanisms.count(grant, counts)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the empty cells whose noisy count is at least a threshold."""
        self._told(grant)
        return self.mechanisms.exceeding(grant, cells, least)

    def place(self, size: int) -> int:
        """Draw an integer below `size`."""
        return self.mechanisms.place(size)

    def _told(self, grant: Grant) -> None:
        self.tell(SynthesisProgress(grant.step, time.perf_counter() - self._began))
