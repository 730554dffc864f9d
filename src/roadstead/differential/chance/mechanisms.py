"""Provide the seven mechanisms that add randomness to a differentially private release.

A private release learns about the records only through the first five mechanisms, and a grant pays
for each use (see ``budget``). The last two mechanisms do not use the records:

- ``choose`` selects a candidate that is approximately the best of a few;
- ``choose_interval`` selects an interval of a line that is approximately the best of many, with
  more weight for long intervals;
- ``count`` counts the records in each cell, with noise;
- ``exceeding`` finds the empty cells whose noise reaches a threshold, among very many cells;
- ``draw`` samples records independently of each other;
- ``place`` draws an integer uniformly;
- ``order`` draws an order uniformly.

Inputs and outputs are integers, the random bits are cryptographic, and all probabilities are exact.
OpenDP samples the noisy maximum and the discrete Laplace noise. OpenDP takes the noise scale as a
float. So the module increases the scale in small steps until OpenDP's bound on the privacy loss is
at most epsilon. Tests override all methods to get repeatable random numbers.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.exact_choice import choose_weighted, system_words
from roadstead.differential.chance.sparse_noise import exceeding_cells, expected_exceeding
from roadstead.differential.sampled.accounting import largest_chance
from roadstead.errors import MissingExtraError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_LEAST_EPSILON = Fraction(1, 2**40)
_MOST_EPSILON = Fraction(2**20)
_MOST_SENSITIVITY = 2**40
_LARGEST_SCORE = 2**60
"""The largest score. The difference between two scores fits in 64 bits."""
_LARGEST = 2**62
"""The largest count, number of cells, threshold, and length of a line.

With the smallest epsilon, the noise reaches this value with a probability of exp(-2**22). So sums
with noise fit in 64 bits.
"""
_MOST_FOUND = 2**26
"""The largest number of cells that easily fit in memory."""


class Mechanisms:
    """The mechanisms that answer questions about the records.

    Each answer is as private as its grant requires.

    Two tables are neighbors if one table has one additional unit. A unit is a record, or a person
    with at most as many records as the grant allows. Each record may cost at most `Grant.each`. The
    *sensitivity* is the largest change that one record can make to any score. Scores are
    *monotonic* if an additional record never lowers a score, or never raises a score. If scores are
    monotonic, the privacy loss is half as large.

    All methods require a `Grant.each` from 2**-40 to 2**20. If a value is out of range, a
    ``SettingError`` names the value, but does not reveal any data.
    """

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Use OpenDP's noisy maximum to choose a candidate with a high score; return its index.

        `scores` contains one or more integers from -2**60 to 2**60. `sensitivity` is from 1 to
        2**40. The mechanism is permute-and-flip: it visits the candidates in random order, and
        accepts each candidate with probability exp(-(best score - score) / scale). It is as private
        as the exponential mechanism, and its expected score is never lower (McKenna and Sheldon
        2020, "Permute-and-Flip").
        """
        _check_epsilon(grant)
        _check_scores(grant, np.asarray(scores), sensitivity)
        measurement, _ = _maximum_measurement(grant.each, sensitivity, monotonic=monotonic)
        return int(measurement([int(score) for score in scores]))

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Choose an interval by the exponential mechanism, and return its index.

        The probability is proportional to ``length * exp(each * score / (2 * sensitivity))``, or
        without the factor 2 if the scores are monotonic. A score applies to each point of its
        interval. For `scores` and `sensitivity`, see `choose`. `lengths` are public and at least 0,
        and their sum is from 1 to 2**61. An interval of length 0 is never chosen.
        """
        _check_epsilon(grant)
        _check_scores(grant, scores, sensitivity)
        _check_lengths(grant, lengths, len(scores))
        rate = grant.each / ((1 if monotonic else 2) * sensitivity)
        return choose_weighted(
            lengths.astype(np.int64), scores.astype(np.int64), rate, system_words
        )

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add OpenDP's discrete Laplace noise of scale 1 / `Grant.each`.

        The sums can be below 0.

        `counts` are the counts of disjoint cells in any shape, from -2**62 to 2**62. One record
        changes one cell by 1.
        """
        _check_epsilon(grant)
        _check_whole(grant, counts, -_LARGEST, _LARGEST, "a count")
        noisy = _laplace_measurement(grant.each)[0](counts.ravel().tolist())
        return np.array(noisy, dtype=np.int64).reshape(counts.shape)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw the empty cells whose noise reaches a threshold (see ``sparse_noise``).

        `cells` is from 0 to 2**62, and `least` is from 1 to 2**62. The grant is the same as for the
        other cells of the histogram. The method returns positions from 0 to ``cells`` - 1 in
        ascending order, and the noise at each position.
        """
        _check_epsilon(grant)
        _check_range(grant, cells, 0, _LARGEST, "the number of empty cells")
        _check_range(grant, least, 1, _LARGEST, "the threshold for noisy counts")
        check_listable(grant, cells, least)
        return exceeding_cells(rate_of_noise(grant.each), cells, least, system_words)

    def draw(self, grant: Grant, counts: NDArray[np.int64], chance: int) -> NDArray[np.int64]:
        """Draw each record with a probability in units of 2**-64. Return the number drawn per row.

        The chance is at most 1 - exp(-each). The draw alone does not give a guarantee: the released
        classes must have the size that `sampled.accounting` requires.
        """
        _check_epsilon(grant)
        if not 0 <= chance <= largest_chance(grant.each):
            what = "the sampling probability is not between 0 and 1 - exp(-epsilon)"
            raise SettingError(what, where=grant.step.words, fix="use a smaller probability")
        rows = np.repeat(np.arange(counts.size), counts)
        drawn = rows[system_words(rows.size) < np.uint64(chance)]
        return np.bincount(drawn, minlength=counts.size).astype(np.int64)

    def place(self, size: int) -> int:
        """Draw an integer from 0 to ``size`` - 1 uniformly."""
        if size < 1:
            fix = "give an interval with a length above 0"
            raise SettingError("the intervals are empty", fix=fix)
        return secrets.randbelow(size)

    def order(self, size: int) -> NDArray[np.int64]:
        """Draw a random ordering of the integers from 0 to ``size`` - 1.

        The method sorts the integers by random keys of 64 bits. Two keys are equal with a
        probability of about ``size**2 / 2**65``. Integers with equal keys are sorted in ascending
        order.
        """
        return np.argsort(system_words(size), kind="stable").astype(np.int64)


def check_listable(grant: Grant, cells: int, least: int) -> None:
    """Reject a threshold that would list more empty cells than fit in memory.

    The number of empty cells is private. So the caller checks the number of all cells, which is
    public, before it counts a histogram.
    """
    if expected_exceeding(grant.each, cells, least) > _MOST_FOUND:
        raise SettingError(
            "too many empty cells would get a noisy count that reaches the threshold",
            where=grant.step.words,
            fix="raise the threshold, or coarsen the cells",
        )


def _check_epsilon(grant: Grant) -> None:
    if not _LEAST_EPSILON <= grant.each <= _MOST_EPSILON:
        fix = "use a different epsilon, or fewer steps"
        raise SettingError(
            "the epsilon of this step is not between 2**-40 and 2**20",
            where=grant.step.words,
            fix=fix,
        )


def _check_scores(grant: Grant, scores: NDArray[np.int64], sensitivity: int) -> None:
    _check_range(grant, sensitivity, 1, _MOST_SENSITIVITY, "the sensitivity of the scores")
    if scores.ndim != 1 or not len(scores):
        what = "there are no candidates to choose from"
        raise SettingError(what, where=grant.step.words, fix="give at least one candidate")
    _check_whole(grant, scores, -_LARGEST_SCORE, _LARGEST_SCORE, "a score")


def _check_lengths(grant: Grant, lengths: NDArray[np.int64], intervals: int) -> None:
    if lengths.shape != (intervals,):
        what, fix = (
            "the number of lengths differs from the number of scores",
            "give one length and one score per interval",
        )
        raise SettingError(what, where=grant.step.words, fix=fix)
    _check_whole(grant, lengths, 0, _LARGEST, "a length")
    # The estimate cannot wrap around, unlike a sum of integers.
    if not lengths.any() or lengths.sum(dtype=np.float64) > _LARGEST // 2:
        what = "the total length of the intervals is not between 1 and 2**61"
        raise SettingError(
            what, where=grant.step.words, fix="measure the attribute in a different unit"
        )


def _check_whole(
    grant: Grant, numbers: NDArray[np.int64], least: int, most: int, what: str
) -> None:
    if numbers.dtype.kind not in "iu":
        raise SettingError(
            f"{what} is not a whole number",
            where=grant.step.words,
            fix="round the value to a whole number",
        )
    if numbers.size:
        _check_range(grant, int(numbers.min()), least, most, what)
        _check_range(grant, int(numbers.max()), least, most, what)


def _check_range(grant: Grant, number: int, least: int, most: int, what: str) -> None:
    if not least <= number <= most:
        said = f"{what} is not between {least} and {most}"
        raise SettingError(
            said, where=grant.step.words, fix="measure the value in a different unit"
        )


_KEPT = 64
"""The number of measurements in the cache."""


Measurement: TypeAlias = Any
"""An OpenDP mechanism for a list of numbers. `map` bounds the privacy loss of a change."""


def rate_of_noise(epsilon: Fraction) -> Fraction:
    """Return the rate of the noise that `Mechanisms.count` adds: epsilon, or slightly less.

    The noise of unlisted cells must have the same rate. Otherwise, the noise would reveal which
    cells have records.
    """
    return 1 / Fraction(_laplace_measurement(epsilon)[1])


@lru_cache(maxsize=_KEPT)
def _maximum_measurement(
    epsilon: Fraction, sensitivity: int, *, monotonic: bool
) -> tuple[Measurement, float]:
    opendp = _opendp()
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
    metric = opendp.linf_distance(T="i64", monotonic=monotonic)
    # The largest change that one record can make to the difference between two scores.
    apart = sensitivity if monotonic else 2 * sensitivity
    return _calibrated(
        lambda scale: opendp.m.make_noisy_max(domain, metric, opendp.max_divergence(), scale=scale),
        apart / epsilon,
        sensitivity,
        epsilon,
    )


@lru_cache(maxsize=_KEPT)
def _laplace_measurement(epsilon: Fraction) -> tuple[Measurement, float]:
    opendp = _opendp()
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
    metric = opendp.l1_distance(T="i64")
    return _calibrated(
        lambda scale: opendp.m.make_laplace(domain, metric, scale=scale), 1 / epsilon, 1, epsilon
    )


def _calibrated(
    make: Callable[[float], Measurement], scale: Fraction, change: int, epsilon: Fraction
) -> tuple[Measurement, float]:
    """Return a measurement that costs at most epsilon, and its scale of at least `scale`."""
    rounded, step = float(scale), 0.0
    measurement = make(rounded)
    while Fraction(measurement.map(change)) > epsilon:
        # The next float is nearly always enough. The steps grow, so the loop ends.
        rounded = nextafter(rounded * (1 + step), inf)
        step = max(2 * step, 2.0**-53)
        measurement = make(rounded)
    return measurement, rounded


def _opendp() -> ModuleType:
    try:
        import opendp.prelude as opendp  # noqa: PLC0415 - heavy, optional
    except ImportError:  # OpenDP is missing or broken.
        raise MissingExtraError(
            "differential privacy requires OpenDP, which cannot be imported",
            fix="pip install 'roadstead[dp]'",
        ) from None
    opendp.enable_features("contrib")
    return opendp
