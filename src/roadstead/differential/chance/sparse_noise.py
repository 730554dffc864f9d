"""Add noise to cells that are almost all empty, without visiting each cell.

An empty cell is listed only if its noise reaches the threshold. So the module draws the distance to
the next listed cell, and the noise of that cell (Cormode, Procopiuc, Srivastava and Tran 2012,
"Differentially private summaries for sparse data"). The distribution is the same as if noise were
added to every cell. The gaps are geometric with the rate -ln(1 - p), for p = a**least / (1 + a) and
a = exp(-epsilon). The excess over the threshold is geometric with the rate epsilon.

A geometric number consists of whole blocks of 2**k and a uniform remainder. The remainder is kept
with probability exp(-rate x remainder) (after Canonne, Kamath and Steinke 2020, "The discrete
Gaussian for differential privacy", section 5.2). If the precision of floats is not sufficient for a
comparison, the module uses decimals, as in ``exact_choice``.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt, nextafter

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.chance.exact_choice import (
    WORD,
    Bounds,
    Rate,
    Source,
    Uniform,
    below_decay,
    decay,
    minus_log_of_complement,
    rational,
)

FARTHEST = 2**62
"""The largest geometric number, which also represents all larger numbers."""

_FARTHEST_BITS = 62
_FLOAT_DIGITS = 60
"""The number of decimal digits that is used to compute float bounds on a rate."""
_ERROR = 2.0**-40
"""A bound on the absolute error of exp(-x) for x <= 1, and of ln(u) for u >= 2**-64.

The bound is 30 times the rounding error.
"""


def exceeding_cells(
    epsilon: Fraction, cells: int, least: int, source: Source
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the empty cells whose noise reaches a threshold, in ascending order, and their noise.

    `cells` is the number of empty cells, at most 2**62. `least` is the threshold, at least 1.
    """
    places = _places(gap_rate(epsilon, least), cells, source)
    above = geometric(rational(epsilon), len(places), source)
    return places, above + least


def gap_rate(epsilon: Fraction, least: int) -> Rate:
    """Return -ln(1 - p), the rate of the gaps between cells whose noise reaches a threshold."""

    def bounds(digits: int) -> Bounds:
        one = 10**digits
        low, high = decay(rational(epsilon), least, digits)
        slow, fast = decay(rational(epsilon), 1, digits)
        return minus_log_of_complement(
            low * one // (one + fast), -(-high * one // (one + slow)), digits
        )

    return bounds


def expected_exceeding(epsilon: Fraction, cells: int, least: int) -> float:
    """Estimate the number of empty cells whose noise reaches a threshold."""
    _, most = _float_bounds(gap_rate(epsilon, least))
    return cells * most


def _places(rate: Rate, cells: int, source: Source) -> NDArray[np.int64]:
    """Draw the positions below ``cells`` where an event occurs, from the gaps between events."""
    _, most = _float_bounds(rate)
    found = [np.zeros(0, dtype=np.int64)]
    start = 0
    while start < cells:
        expected = int((cells - start) * most)
        gaps = geometric(rate, expected + 4 * isqrt(expected) + 8, source)
        # Sums may wrap around, but only after a sum has exceeded the last cell: 2**62 + 2**62 <
        # 2**64.
        ends = np.cumsum(gaps.astype(np.uint64) + np.uint64(1))
        beyond = np.flatnonzero(ends > cells - start)
        if len(beyond):
            found.append(ends[: beyond[0]].astype(np.int64) + (start - 1))
            break
        found.append(ends.astype(np.int64) + (start - 1))
        start += int(ends[-1])
    return np.concatenate(found)


def geometric(rate: Rate, size: int, source: Source) -> NDArray[np.int64]:
    """Draw independent geometric numbers.

    Each number is n or more with a probability of exactly exp(-rate x n).

    `rate` is above 0. The number 2**62 also represents all larger numbers.
    """
    least, most = _float_bounds(rate)
    _, exponent = np.frexp(most)
    block_bits = int(np.clip(-exponent, 0, _FARTHEST_BITS))
    blocks = _whole_blocks(rate, block_bits, least, most, size, source)
    remainders = _remainders(rate, block_bits, (least + most) / 2, size, source)
    numbers: NDArray[np.int64] = np.minimum((blocks << block_bits) + remainders, FARTHEST)
    return numbers


def _whole_blocks(
    rate: Rate, block_bits: int, least: float, most: float, size: int, source: Source
) -> NDArray[np.int64]:
    """Draw the number of skipped blocks: the largest q with uniform < exp(-rate x q block).

    The function draws blocks only for numbers up to 2**62.
    """
    enough = FARTHEST >> block_bits
    words = source(size)
    known = words.astype(np.float64)
    block = float(1 << block_bits)
    with np.errstate(divide="ignore"):
        # Further bits increase a uniform number by less than 1 in its last known bit.
        least_depth = WORD * np.log(2.0) - np.log(known + 1) - _ERROR
        most_depth = WORD * np.log(2.0) - np.log(known) + _ERROR
        from_here = np.maximum(least_depth, 0) / (most * block)
        to_here = most_depth / (least * block) if least else np.full(size, inf)
    fewest: NDArray[np.int64] = np.minimum(np.floor(from_here), enough).astype(np.int64)
    doubtful = np.flatnonzero(np.minimum(np.floor(to_here), enough) != fewest)
    for one in doubtful:
        uniform = Uniform(int(words[one]), source)
        while fewest[one] < enough and below_decay(
            uniform, rate, (int(fewest[one]) + 1) << block_bits
        ):
            fewest[one] += 1
    return fewest


def _remainders(
    rate: Rate, block_bits: int, about: float, size: int, source: Source
) -> NDArray[np.int64]:
    """Draw uniform numbers below a block, and keep each with probability exp(-rate x number)."""
    drawn = np.zeros(size, dtype=np.int64)
    if block_bits == 0:
        return drawn
    open_ones = np.arange(size)
    while len(open_ones):
        drawn[open_ones] = (source(len(open_ones)) >> np.uint64(WORD - block_bits)).astype(np.int64)
        kept = _below_decays(rate, about, drawn[open_ones], source)
        open_ones = open_ones[~kept]
    return drawn


def _below_decays(
    rate: Rate, about: float, times: NDArray[np.int64], source: Source
) -> NDArray[np.bool_]:
    """Draw uniform numbers, and return which of them are below exp(-rate x times).

    The exponents are at most 1.
    """
    words = source(len(times))
    uniforms = words.astype(np.float64) * 2.0**-WORD
    values = np.exp(-about * times)
    below: NDArray[np.bool_] = uniforms < values
    for one in np.flatnonzero(np.abs(uniforms - values) <= _ERROR):
        below[one] = below_decay(Uniform(int(words[one]), source), rate, int(times[one]))
    return below


def _float_bounds(rate: Rate) -> tuple[float, float]:
    """Return float bounds on a rate. The lower bound is 0 if the rate is too small for a float."""
    low, high = rate(_FLOAT_DIGITS)
    return max(0.0, nextafter(float(low), -inf)), nextafter(float(high), inf)
