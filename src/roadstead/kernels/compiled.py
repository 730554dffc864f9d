"""Compile a loop once, cache it on disk, and let other threads run meanwhile.

The cache lies next to the package or in the user's own folder. Where neither can be written, each
run compiles afresh: a folder for temporary files is open to others, and what Numba caches is code.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]
Real: TypeAlias = NDArray[np.float64]
Small: TypeAlias = NDArray[np.int32]
Codes: TypeAlias = NDArray[np.uint32]
Members: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]

_BLAS = "scipy.linalg.cython_blas"


def _spare_linear_algebra() -> None:
    """Load what Numba loads with the first kernel, but not all of SciPy's linear algebra.

    Numba does so only to see that it is there. No kernel calls it; one that did would load it.
    """
    if _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = ModuleType(_BLAS)
    try:
        importlib.import_module("numba.np.arraymath")  # which looks for it
    finally:
        del sys.modules[_BLAS]


_spare_linear_algebra()

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function compiled by Numba, without the interpreter lock, cached between runs."""
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        made = numba.njit(nogil=True)(function)
    return cast("Callable[P, R]", made)
