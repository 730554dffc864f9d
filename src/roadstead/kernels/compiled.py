"""Compile a loop once, cache it on disk, and let other threads run meanwhile.

The cache lies beside the package or in the user's own folder. Where neither can be written, each
run compiles afresh: a folder for temporary files is open to others, and what Numba caches is code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

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
