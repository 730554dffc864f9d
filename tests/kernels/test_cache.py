"""A kernel from the cache does what it did when it was compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import numpy as np
from roadstead.kernels import grouping
members = (np.arange(4, dtype=np.uint64) << np.uint64(32)) | np.uint64(1)
print(grouping.class_sizes(members, 2, np.array([2, 3, 4, 5], dtype=np.int64)).tolist())
"""

LOOP = """
from typing import NamedTuple
from roadstead.kernels.compiled import compiled
class {name}(NamedTuple):
    a: int
    b: int
@compiled
def add(pair):
    return pair.a + pair.b
"""


SORTS = """
import numpy as np
from roadstead.kernels.compiled import compiled
@compiled
def values(numbers):
    numbers.sort()
    return numbers
@compiled
def places(numbers):
    return np.argsort(numbers)
"""


@pytest.mark.nightly
def test_what_two_processes_compiled_is_not_taken_for_the_same(tmp_path: Path) -> None:
    """Each sorts within, one values and one places; a third process loads both from the cache."""
    (tmp_path / "two_sorts.py").write_text(SORTS, encoding="utf-8")
    numbers = "np.array([30, 10, 20], dtype=np.int64)"
    for asked in ("values",), ("places",), ("values", "places"):
        calls = "; ".join(f"print(m.{name}({numbers}).tolist())" for name in asked)
        ran = subprocess.run(
            [sys.executable, "-c", f"import numpy as np, two_sorts as m; {calls}"],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "[10, 20, 30]\n[1, 2, 0]\n"


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


@pytest.mark.nightly
def test_what_an_earlier_version_left_is_compiled_again(tmp_path: Path) -> None:
    """Its cache may name removed types; this does not stop users of a newer version."""
    module = tmp_path / "loop_of_two_versions.py"
    for name in ("Before", "After"):
        module.write_text(LOOP.format(name=name), encoding="utf-8")
        ran = subprocess.run(
            [
                sys.executable,
                "-c",
                f"import loop_of_two_versions as m; print(m.add(m.{name}(1, 2)))",
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert ran.stdout == "3\n", ran.stderr
    assert list((tmp_path / "__pycache__").glob("*.nbi"))
