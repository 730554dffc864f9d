"""Compile functions with Numba, cache them on disk, and run them without the interpreter lock.

The cache is stored next to the package or in the user's own folder. If neither folder is writable,
the functions are compiled again in each run. Because the cache contains code, it is never stored in
a shared temporary folder.

This module changes Numba in three ways:

- Numba assigns numbers to compiled functions, starting from 1 in each process. As a result, two
  processes may give the same name to different functions, such as a sort and an argsort. A process
  that loads both from the cache would call one of the two functions in both cases, and compute
  wrong results. This module therefore starts the numbers of each process at a random number.
- Numba compiles a kernel again for each constant and each integer width that another kernel passes
  to it. Here, one compilation for 64 bits is used in all of these cases.
- Numba renews the cache of a kernel when the kernel's own file changes. Here, the cache is also
  renewed when a file with called kernels changes, because their code is part of the caller's code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache
from numba.core.runtime import nrt
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]
Real: TypeAlias = NDArray[np.float64]
Small: TypeAlias = NDArray[np.int32]
Codes: TypeAlias = NDArray[np.uint32]
Few: TypeAlias = NDArray[np.uint32]
"""The number of records in each row of a table with fewer than 2**32 records."""
Members: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]

_EXAMINED = ("0.68.",)


P = ParamSpec("P")
R = TypeVar("R")


def _count_from_anywhere() -> None:
    cast("Any", FunctionIdentity)._unique_ids = count(int.from_bytes(os.urandom(7)))  # noqa: SLF001 - no other way


_count_from_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_from_anywhere)


_STAMPS: dict[str, tuple[float, ...]] = {}


def _stamp(function: Any) -> tuple[float, ...]:  # noqa: ANN401 - the code of a function is untyped
    """Return the modification times of a function's file and of its kernels' files."""
    module = function.__module__
    if module not in _STAMPS:
        values = function.__globals__.values()
        called = [one for value in values if (one := getattr(value, "py_func", None))]
        stamps = {at for one in called if one.__module__ != module for at in _stamp(one)}
        path = Path(function.__code__.co_filename)
        _STAMPS[module] = (path.stat().st_mtime if path.exists() else 0.0, *sorted(stamps))
    return _STAMPS[module]


def _widened(value: Any) -> Any:  # noqa: ANN401 - of Numba
    """Return the type for which a kernel is compiled if another kernel passes `value` to it."""
    value = cast("Any", types).unliteral(value)
    return types.int64 if value in {types.int8, types.int16, types.int32} else value


@cache
def _register_runtime() -> None:
    """Make Numba's runtime known to the linker, without compiling a part of the runtime.

    Cached code already contains this part. If Numba compiles a function, it also compiles the part.
    """
    runtime = cast("Any", nrt)
    for name, address in runtime._nrt.c_helpers.items():  # noqa: SLF001 - no other way
        runtime.ll.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Cache(FunctionCache):
    """A Numba cache that loads compiled code without preparing the compiler.

    Preparing the compiler takes a tenth of a second, and compiled code needs only Numba's runtime.
    If a function is not in the cache, Numba compiles it, and then has to prepare the compiler. The
    class relies on internals of Numba, so it is used only for the versions in `_EXAMINED`.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        cast("Any", super()).__init__(function)
        index = cast("Any", self)._cache_file  # noqa: SLF001 - no other way
        index._source_stamp = (index._source_stamp, *_stamp(function))  # noqa: SLF001 - no other way

    def load_overload(self, sig: object, target_context: Any) -> Any:  # noqa: ANN401 - of Numba
        _register_runtime()
        try:
            with self._guard_against_spurious_io_errors():
                return cast("Any", self)._load_overload(sig, target_context)  # noqa: SLF001 - its own
        except (AttributeError, ImportError):  # the entry is from an older version
            cast("Any", self).flush()
            return None

    def save_overload(self, sig: object, data: Any) -> None:  # noqa: ANN401 - of Numba
        """Continue without the cache if the disk is full; a later write reports the full disk."""
        with suppress(OSError):
            cast("Any", super()).save_overload(sig, data)

    def _index_key(self, sig: object, codegen: object) -> object:
        """Return a key that excludes cache entries with possibly ambiguous names."""
        return cast("Any", super())._index_key(sig, codegen), "names of one process"  # noqa: SLF001 - its own


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with Numba and cache it; it runs without the interpreter lock."""
    made = numba.njit(nogil=True)(function)
    if getattr(numba.config, "DISABLE_JIT", False):  # the plain function, for debuggers
        return function
    try:
        made.enable_caching()
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
    else:
        if numba.__version__.startswith(_EXAMINED):
            template = cast("Any", made).get_call_template
            cast("Any", made).get_call_template = lambda values, named: template(
                tuple(map(_widened, values)), {name: _widened(own) for name, own in named.items()}
            )
            cast("Any", made)._cache = cast("Any", _Cache)(function)  # noqa: SLF001 - no other way
    return cast("Callable[P, R]", made)
