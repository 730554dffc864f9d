"""The ways in which a release is made: the paper's, ours, and what lies between.

All walk down the same taxonomies with the same budget. They differ in what a specialization is
worth, in how large a noisy count must be to be listed, in whether the number of specializations is
given or chosen, and in whether the counts are made consistent.
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
    """A way to make a release.

    Attributes
    ----------
    name
        The name in tables.
    """

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Make one; chance is the operating system's."""
        ...


@dataclass(frozen=True)
class Listed:
    """A given number of specializations; counts that reach a threshold are listed.

    Attributes
    ----------
    score
        What a specialization is worth.
    threshold
        For combinations of items and for listing.
    """

    name: str
    score: Score
    threshold: Threshold

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Make one."""
        plan = Plan(specializations, self.score, self.threshold)
        return synthesize(table, epsilon, plan, Mechanisms(), listing=self.threshold)


@dataclass(frozen=True)
class Consistent:
    """A given number of specializations; counts are made consistent."""

    name: str
    score: Score = field(default_factory=MaxGain)

    def release(self, table: PrivateTable, epsilon: Fraction, specializations: int) -> Synthesis:
        """Make one."""
        mechanisms, accountant = Mechanisms(), Accountant(epsilon)
        plan = Plan(specializations, self.score)
        walked = walk(table, plan, accountant, mechanisms)
        return counted_consistently(table, walked, accountant, mechanisms)


@dataclass(frozen=True)
class Chosen:
    """The number of specializations is chosen privately; counts are made consistent.

    With max-gain, this is the command's default.
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
        """Make one."""
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
