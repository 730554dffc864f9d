"""Compile a loop once, cache it on disk, and let other threads run meanwhile.

The cache lies next to the package or in the user's own folder. Where neither can be written, each
run compiles afresh: a folder for temporary files is open to others, and what Numba caches is code.

Numba names what it compiles by a number that counts from 1 in each process. Two processes give one
name to a sort and to a sort of places, say, and whoever loads both from the cache calls one of them
for both: wrong results, or none. So each process counts from a number of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]
Real: TypeAlias = NDArray[np.float64]
Small: TypeAlias = NDArray[np.int32]
Codes: TypeAlias = NDArray[np.uint32]
Few: TypeAlias = NDArray[np.uint32]
"""Records of rows, in a table of fewer than 2**32."""
Members: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]

_LOOKED_AT = ("0.68.",)


P = ParamSpec("P")
R = TypeVar("R")


def _count_from_anywhere() -> None:
    """Give what this process compiles names that no other process gives."""
    cast("Any", FunctionIdentity)._unique_ids = count(int.from_bytes(os.urandom(7)))  # noqa: SLF001 - no other way


_count_from_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_from_anywhere)


class _Cache(FunctionCache):
    """Numba's cache, which does not make the compiler ready to load what is compiled.

    That takes a tenth of a second, and compiled code needs Numba's runtime alone. A function that
    is not in the cache is compiled, and whoever compiles makes the compiler ready. Numba does not
    promise this, so only versions that were looked at are treated so.
    """

    def load_overload(self, sig: object, target_context: Any) -> Any:  # noqa: ANN401 - of Numba
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return cast("Any", self)._load_overload(sig, target_context)  # noqa: SLF001 - its own
        except (AttributeError, ImportError):  # an older version's, of a class that is gone
            cast("Any", self).flush()
            return None

    def _index_key(self, sig: object, codegen: object) -> object:
        """Pass by what was cached under names that other processes gave too."""
        return cast("Any", super())._index_key(sig, codegen), "names of one process"  # noqa: SLF001 - its own


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function compiled by Numba, without the interpreter lock, cached between runs."""
    made = numba.njit(nogil=True)(function)
    if getattr(numba.config, "DISABLE_JIT", False):  # the function itself, to be stepped through
        return function
    try:
        made.enable_caching()
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
    else:
        if numba.__version__.startswith(_LOOKED_AT):
            cast("Any", made)._cache = cast("Any", _Cache)(function)  # noqa: SLF001 - no other way
    return cast("Callable[P, R]", made)
