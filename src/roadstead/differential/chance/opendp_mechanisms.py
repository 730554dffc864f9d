"""The mechanisms that OpenDP has: noisy maximum and discrete Laplace noise.

OpenDP samples them exactly, with integers and fractions. It takes the scale of its noise as a float
and answers with a bound of the privacy loss, rounded up. The scale that epsilon asks for is seldom
a float, so it is raised, last digit by last digit, until that bound is no more than epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_KEPT = 64
"""Measurements kept for the next step of the same price."""


class _Measurement(Protocol):
    """What OpenDP makes."""

    def __call__(self, arg: list[int]) -> Any:  # noqa: ANN401 - untyped library
        """Answer about these numbers."""
        ...

    def map(self, d_in: int) -> float:
        """Bound the privacy loss of a change of this size."""
        ...


def noisy_maximum(
    epsilon: Fraction, scores: Sequence[int], sensitivity: int, *, monotonic: bool
) -> int:
    """Choose a candidate with a high score: permute-and-flip.

    The candidates come in random order, and each takes the place with probability
    exp(-(best score - its score) / scale). That is as private as the exponential mechanism, and its
    expected score is never lower (McKenna and Sheldon 2020, "Permute-and-Flip").

    Returns the index of the candidate.
    """
    measurement, _ = _maximum_measurement(epsilon, sensitivity, monotonic=monotonic)
    return int(measurement([int(score) for score in scores]))


def discrete_laplace(epsilon: Fraction, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add discrete Laplace noise of scale 1 / epsilon to each count.

    `epsilon`: the privacy loss that is allowed when one count changes by 1.
    """
    return np.array(_laplace_measurement(epsilon)[0](counts.tolist()), dtype=np.int64)


def rate_of_noise(epsilon: Fraction) -> Fraction:
    """Give the rate of the noise that :func:`discrete_laplace` adds: at most epsilon, by a hair.

    Who draws noise next to it, for cells that are not listed, must draw the same: cells with and
    without records are not to be distinguished by their noise.
    """
    return 1 / Fraction(_laplace_measurement(epsilon)[1])


@lru_cache(maxsize=_KEPT)
def _maximum_measurement(
    epsilon: Fraction, sensitivity: int, *, monotonic: bool
) -> tuple[_Measurement, float]:
    opendp = _opendp()
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
    metric = opendp.linf_distance(T="i64", monotonic=monotonic)
    # By how much one record moves two scores apart.
    apart = sensitivity if monotonic else 2 * sensitivity
    return _calibrated(
        lambda scale: opendp.m.make_noisy_max(domain, metric, opendp.max_divergence(), scale=scale),
        apart / epsilon,
        sensitivity,
        epsilon,
    )


@lru_cache(maxsize=_KEPT)
def _laplace_measurement(epsilon: Fraction) -> tuple[_Measurement, float]:
    opendp = _opendp()
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
    metric = opendp.l1_distance(T="i64")
    return _calibrated(
        lambda scale: opendp.m.make_laplace(domain, metric, scale=scale), 1 / epsilon, 1, epsilon
    )


def _calibrated(
    make: Callable[[float], _Measurement], scale: Fraction, change: int, epsilon: Fraction
) -> tuple[_Measurement, float]:
    """Make a measurement of at least this scale that OpenDP proves to cost at most epsilon.

    Returns the measurement, and its scale.
    """
    rounded, step = float(scale), 0.0
    measurement = make(rounded)
    while Fraction(measurement.map(change)) > epsilon:
        # The next float is nearly always enough. The steps grow so that this ends in any case.
        rounded = nextafter(rounded * (1 + step), inf)
        step = max(2 * step, 2.0**-53)
        measurement = make(rounded)
    return measurement, rounded


def _opendp() -> ModuleType:
    try:
        import opendp.prelude as opendp  # noqa: PLC0415 - heavy, optional
    except ImportError:  # not there, or broken
        raise MissingExtraError(
            "differential privacy needs OpenDP, which cannot be imported",
            fix="pip install 'roadstead[dp]'",
        ) from None
    opendp.enable_features("contrib")
    return opendp
