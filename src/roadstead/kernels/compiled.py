"""Compile a loop once, cache it on disk, and let other threads run meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function compiled by Numba, without the interpreter lock, cached between runs."""
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))
