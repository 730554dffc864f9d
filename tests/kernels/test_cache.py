"""A kernel from the cache does what it did when it was compiled."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = """
import numpy as np
from roadstead.kernels import grouping
members = (np.arange(4, dtype=np.uint64) << np.uint64(32)) | np.uint64(1)
print(grouping.class_sizes(members, 2, np.array([2, 3, 4, 5], dtype=np.int64)).tolist())
"""


def test_a_fresh_process_gets_the_same_from_the_cache() -> None:
    first, second = (
        subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout == second.stdout
    assert first.stdout


def test_kernels_can_be_stepped_through() -> None:
    """With Numba's compiler off they are plain functions, which do the same."""
    without = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=False, env=without
    )
    assert ran.stdout == "[0, 14]\n", ran.stderr
