"""Bounds for recodings by nodes, held against every partition of tiny tables."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from recodings_by_definition import drawn, least_loss

from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.nodes import NodeBound, node_bound

ROUNDED = 1e-12


def bounds(seed: int, *, whole: bool) -> tuple[NodeBound, float]:
    """Give the bound of a table that is drawn, and the loss of its best recoding."""
    tiny = drawn(seed, whole=whole)
    best = least_loss(tiny, intervals=False)
    found = node_bound(tiny.problem(intervals=False), Control())
    return found, inf if best is None else float(best)


@pytest.mark.parametrize("whole", [True, False])
def test_no_partition_loses_less(*, whole: bool) -> None:
    """Of hundreds of tables, with and without limits on the levels and on suppression."""
    ratios, improved = [], 0
    for seed in range(250):
        found, best = bounds(seed, whole=whole)
        assert found.first <= best + ROUNDED, seed
        assert found.value <= best + ROUNDED, seed
        assert found.value >= found.first
        if 0.0 < best < inf:
            ratios.append(found.value / best)
            improved += found.value > found.first + 1e-6
    assert np.mean(ratios) > 0.9
    assert improved > 10
