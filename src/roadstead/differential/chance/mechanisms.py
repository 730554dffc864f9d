"""The five ways in which chance enters a differentially private release.

Everything that a private release says about the records goes through one of these five questions,
each paid for with a grant (see ``budget``):

- ``choose``: which of a few candidates is about the best;
- ``choose_interval``: which of many intervals of a line is about the best, long ones counting more;
- ``count``: how many records there are in each cell;
- ``exceeding``: which of very many empty cells look occupied;
- ``place``: a place drawn by chance alone, which asks nothing about the records.

An algorithm needs only the protocol ``Mechanisms``, so it can be tested with chance that repeats
itself. ``ExactMechanisms`` is the one for real releases: whole numbers in, whole numbers out,
random bits made for cryptography, and exactly the probabilities that the proofs speak of.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.exact_choice import choose_weighted
from roadstead.differential.chance.exact_numbers import system_words
from roadstead.differential.chance.opendp_mechanisms import (
    discrete_laplace,
    noisy_maximum,
    rate_of_noise,
)
from roadstead.differential.chance.sparse_noise import exceeding_cells, expected_exceeding
from roadstead.errors import SettingError

_LEAST_EPSILON = Fraction(1, 2**40)
_MOST_EPSILON = Fraction(2**20)
_MOST_SENSITIVITY = 2**40
_LARGEST_SCORE = 2**60
"""Differences of scores fit in 64 bits."""
_LARGEST = 2**62
"""Of counts, cells, thresholds and the length of a line.

Noise of the smallest epsilon reaches it with a probability of exp(-2**22): what is added fits in 64
bits.
"""
_MOST_FOUND = 2**26
"""Cells that fit in memory with ease."""


class Mechanisms(Protocol):
    """Answers about the records, each as private as its grant says.

    Two tables are neighbors if one has one record more than the other. A *sensitivity* is the most
    that one record can change any one score. Scores are *monotonic* if adding a record moves none
    of them down, or none of them up; that saves a factor of two.
    """

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Choose a candidate with a high score; its index."""
        ...

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Choose an interval by its length and its score; its index.

        The lengths are public, and the scores belong to the points in the intervals: the
        probability is proportional to ``length * exp(epsilon * score / (2 * sensitivity))``,
        without the 2 for monotonic scores.
        """
        ...

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add noise to the counts of disjoint cells: one record changes one of them by 1."""
        ...

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the empty cells whose noisy count is at least ``least``: places, noisy counts."""
        ...

    def place(self, size: int) -> int:
        """Draw an integer from 0 to ``size`` - 1, all alike."""
        ...


@dataclass(frozen=True)
class ExactMechanisms:
    """The mechanisms for real releases.

    All take an epsilon from 2**-40 to 2**20. ``SettingError`` says what is out of its range, and
    carries no data.
    """

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Choose a candidate with a high score, by OpenDP's noisy maximum (permute-and-flip).

        `scores`: from -2**60 to 2**60, at least one. `sensitivity`: the most that one record
        changes a score, from 1 to 2**40. Returns the index of the candidate.
        """
        _check_epsilon(grant)
        _check_scores(grant, np.asarray(scores), sensitivity)
        return noisy_maximum(grant.epsilon, scores, sensitivity, monotonic=monotonic)

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Choose an interval by the exponential mechanism (see ``exact_choice``).

        `scores`: of the intervals, from -2**60 to 2**60. `lengths`: as many, at least 0, together
        from 1 to 2**61. One of length 0 is never chosen. `sensitivity`: the most that one record
        changes a score, from 1 to 2**40. Returns the index of the interval.
        """
        _check_epsilon(grant)
        _check_scores(grant, scores, sensitivity)
        _check_lengths(grant, lengths, len(scores))
        rate = grant.epsilon / ((1 if monotonic else 2) * sensitivity)
        return choose_weighted(
            lengths.astype(np.int64), scores.astype(np.int64), rate, system_words
        )

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add OpenDP's discrete Laplace noise, of scale 1 / epsilon, to each count.

        `counts`: of disjoint cells, from -2**62 to 2**62; of any shape. Returns the noisy counts,
        in the same shape. They can be below 0.
        """
        _check_epsilon(grant)
        _check_whole(grant, counts, -_LARGEST, _LARGEST, "a count")
        return discrete_laplace(grant.epsilon, counts.ravel()).reshape(counts.shape)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the empty cells whose noisy count reaches a threshold (see ``sparse_noise``).

        The grant is that of the other cells of the histogram. `cells`: how many are empty, from 0
        to 2**62. `least`: the threshold, from 1 to 2**62.
        Returns their places from 0 to ``cells`` - 1, ascending, and their noisy counts.
        """
        _check_epsilon(grant)
        _check_range(grant, cells, 0, _LARGEST, "the number of empty cells")
        _check_range(grant, least, 1, _LARGEST, "the threshold of noisy counts")
        check_listable(grant, cells, least)
        return exceeding_cells(rate_of_noise(grant.epsilon), cells, least, system_words)

    def place(self, size: int) -> int:
        """Draw an integer from 0 to ``size`` - 1, all alike."""
        if size < 1:
            raise SettingError(
                "there is no place to draw from", fix="give an interval of a length above 0"
            )
        return secrets.randbelow(size)


def check_listable(grant: Grant, cells: int, least: int) -> None:
    """Refuse a threshold that would list more empty cells than there is room for.

    How many cells are empty is private; so whoever counts a histogram asks this of all of its
    cells first, the number of which is public. Then no mechanism has to refuse later.
    """
    if expected_exceeding(grant.epsilon, cells, least) > _MOST_FOUND:
        raise SettingError(
            "too many empty cells would have a noisy count that reaches the threshold",
            where=grant.step,
            fix="raise the threshold, or coarsen the cells",
        )


def _check_epsilon(grant: Grant) -> None:
    if not _LEAST_EPSILON <= grant.epsilon <= _MOST_EPSILON:
        raise SettingError(
            "its epsilon is not from 2**-40 to 2**20",
            where=grant.step,
            fix="use another epsilon, or fewer steps",
        )


def _check_scores(grant: Grant, scores: NDArray[np.int64], sensitivity: int) -> None:
    _check_range(grant, sensitivity, 1, _MOST_SENSITIVITY, "the sensitivity of the scores")
    if scores.ndim != 1 or not len(scores):
        raise SettingError(
            "there is nothing to choose from", where=grant.step, fix="give it candidates"
        )
    _check_whole(grant, scores, -_LARGEST_SCORE, _LARGEST_SCORE, "a score")


def _check_lengths(grant: Grant, lengths: NDArray[np.int64], intervals: int) -> None:
    if lengths.shape != (intervals,):
        raise SettingError(
            "there are not as many lengths as scores",
            where=grant.step,
            fix="give each interval one of each",
        )
    _check_whole(grant, lengths, 0, _LARGEST, "a length")
    # The estimate cannot wrap around as a sum of integers can.
    if not lengths.any() or lengths.sum(dtype=np.float64) > _LARGEST // 2:
        raise SettingError(
            "the intervals are not together from 1 to 2**61 long",
            where=grant.step,
            fix="measure the attribute in another unit",
        )


def _check_whole(
    grant: Grant, numbers: NDArray[np.int64], least: int, most: int, what: str
) -> None:
    if numbers.dtype.kind not in "iu":
        raise SettingError(f"{what} is not a whole number", where=grant.step, fix="round it to one")
    if numbers.size:
        _check_range(grant, int(numbers.min()), least, most, what)
        _check_range(grant, int(numbers.max()), least, most, what)


def _check_range(grant: Grant, number: int, least: int, most: int, what: str) -> None:
    if not least <= number <= most:
        raise SettingError(
            f"{what} is not from {least} to {most}",
            where=grant.step,
            fix="measure it in another unit",
        )
