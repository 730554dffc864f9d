"""The ways to create a release: the paper's way, our way, and intermediate ways.

All ways use the same taxonomies and the same budget. They differ in the score of a specialization,
in the smallest noisy count that is listed, in how the number of specializations is determined, and
in whether the counts are consistent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, walk
from roadstead.differential.listing import Threshold, few_false, one_deviation
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.scores import InfoGain, Max, MaxGain, Score
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import Synthesis
from roadstead_reproductions.mohammed2013.counting import counted_consistently, synthesize


class Way(Protocol):
    """A way to create a release."""

    @property
    def name(self) -> str:
        """Return the name in tables."""
        ...

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Create a release with randomness from the operating system."""
        ...


@dataclass(frozen=True)
class Listed:
    """A way with a fixed number of specializations that lists counts that reach a threshold.

    The threshold also applies to combinations of items.
    """

    name: str
    score: Score
    threshold: Threshold

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Create a release."""
        plan = Plan(specializations, self.score, self.threshold)
        return synthesize(table, epsilon, plan, Mechanisms(), listing=self.threshold)


@dataclass(frozen=True)
class Consistent:
    """A way with a fixed number of specializations and consistent counts."""

    name: str
    score: Score = field(default_factory=MaxGain)

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Create a release."""
        mechanisms, accountant = Mechanisms(), Accountant(epsilon)
        plan = Plan(specializations, self.score)
        walked = walk(table, plan, accountant, mechanisms)
        return counted_consistently(table, walked, accountant, mechanisms)


@dataclass(frozen=True)
class Chosen:
    """A way with a privately chosen number of specializations and consistent counts.

    With the max-gain score, this way is the command's default.
    """

    name: str
    score: Score = field(default_factory=MaxGain)
    longest: int = LONGEST_WALK

    def release(
        self,
        table: PrivateTable,
        epsilon: Fraction,
        specializations: int,  # noqa: ARG002 - a way; chosen here
    ) -> Synthesis:
        """Create a release."""
        mechanisms, accountant = Mechanisms(), Accountant(epsilon)
        plan = Plan(self.longest, self.score)
        walked = walk_choosing(table, plan, accountant, mechanisms)
        return counted_consistently(table, walked, accountant, mechanisms)


PAPER_MAX = Listed("Max (paper)", Max(monotonic=False), one_deviation)
PAPER_INFO_GAIN = Listed("InfoGain (paper)", InfoGain(), one_deviation)
MONOTONIC_MAX = Listed("Max, monotonic", Max(), one_deviation)
MAX_CONSISTENT = Consistent("Max, consistent counts", Max())
DEFAULT = Chosen("Max, number chosen (default)", Max())
GAIN_FEW_FALSE = Listed("max-gain, few false listed", MaxGain(), few_false)
GAIN_CONSISTENT = Consistent("max-gain, consistent counts")
GAIN_CHOSEN = Chosen("max-gain, number chosen")
