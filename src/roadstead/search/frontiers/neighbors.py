"""The neighbors of a policy: those that keep one boundary less; and chains with all of theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.policies.partition import Partition

FREE = 1e-13
"""Shares below are rounding."""


class Neighbors(NamedTuple):
    """The policies that keep one boundary less: the boundary removed, and their points."""

    boundaries: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]


class Descent(NamedTuple):
    """A chain, with all the policies that have one boundary less than one of it.

    Attributes
    ----------
    start
        Where the chain begins.
    boundaries
        Those removed, in order.
    beside
        For each step, the boundaries that stood before it, filled up with -1; shape
        ``(steps, boundaries at the beginning)``.
    risks, losses
        Without the boundary beside; of the same shape.
    """

    start: Partition
    boundaries: NDArray[np.int64]
    beside: NDArray[np.int64]
    risks: NDArray[np.float64]
    losses: NDArray[np.float64]


def price(
    losses: NDArray[np.float64], risks: NDArray[np.float64], power: float
) -> NDArray[np.float64]:
    """Loss for the risk taken away; what is free comes first, what takes nothing away last.

    Parameters
    ----------
    losses, risks
        By how much the loss grows, and by how much the risk falls.
    power
        The loss is divided by the risk to this power.
    """
    taken = np.maximum(risks, 0.0)
    least = np.maximum(risks, FREE)
    ratio = np.where(risks > FREE, losses / least**power, 1e300 * (1.0 + losses))
    found: NDArray[np.float64] = np.where(losses > FREE, ratio, -1.0 - taken)
    return found


def without(partition: Partition, boundary: int) -> Partition:
    """Give the partition without a boundary.

    Raises
    ------
    SettingError
        When it does not keep the boundary.
    """
    number = int(boundary)
    if number < 0 or number not in partition:
        raise SettingError(f"boundary {number} is not kept", fix="remove each boundary once")
    return Partition(partition.kept ^ (1 << number))
