"""Maintain a shortlist of the smallest values seen so far, in ascending order, with items."""

from __future__ import annotations

from typing import Any

from roadstead.kernels.compiled import Real, compiled


@compiled
def shortlist(values: Real, items: Any, held: int, most: int, value: float, item: int) -> int:  # noqa: ANN401 - integers of any size
    """Insert a value into a shortlist of `held` values, and return the new number of values.

    A list of `most` values loses its largest value. Therefore, the caller must first check that the
    new value is smaller than the largest value. Among equal values, the earlier value stays in
    front.
    """
    at = held if held < most else held - 1
    while at > 0 and values[at - 1] > value:
        values[at] = values[at - 1]
        items[at] = items[at - 1]
        at -= 1
    values[at] = value
    items[at] = item
    return min(held + 1, most)
