"""Create and read Arrow arrays of integers and strings without importing pandas.

Arrow's own `array` and `to_numpy` import pandas if it is installed. The import takes as long as all
other work with a small table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def integers(values: NDArray[np.integer[Any]]) -> pa.Array:
    """Create an Arrow array from integers. The integers are not copied, and keep their width."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    held = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(held.dtype)
    return pa.Array.from_buffers(kind, len(held), [None, pa.py_buffer(held)])


def texts(values: Sequence[str | None]) -> pa.StringArray:
    """Create an array of strings, where None is a missing string."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    written = [(value or "").encode() for value in values]
    ends = np.cumsum([0, *map(len, written)], dtype=np.int32)
    there = np.packbits(
        np.array([value is not None for value in values], np.bool_), bitorder="little"
    )
    buffers = (pa.py_buffer(ends), pa.py_buffer(b"".join(written)), pa.py_buffer(there))
    return pa.StringArray.from_buffers(len(written), *buffers)


def computed(function: str, *arrays: Any, options: Any = None) -> Any:  # noqa: ANN401 - of Arrow
    """Call the function of Arrow that has this name.

    The public package `pyarrow.compute`, and methods such as `take`, first create a Python function
    for each of Arrow's functions. This takes time and memory.
    """
    from pyarrow._compute import call_function  # noqa: PLC0415 - heavy

    return call_function(function, arrays, options)


def encoded(array: Any) -> Any:  # noqa: ANN401 - an array of dictionary for each array
    """Convert an array of strings to a dictionary array with indices and the distinct strings."""
    return computed("dictionary_encode", array)


def matching(array: Any, pattern: str) -> Any:  # noqa: ANN401 - of Arrow
    """Return whether each string matches a regular expression."""
    from pyarrow._compute import MatchSubstringOptions  # noqa: PLC0415 - heavy

    return computed("match_substring_regex", array, options=MatchSubstringOptions(pattern))


def converted(array: Any, kind: pa.DataType) -> Any:  # noqa: ANN401 - of Arrow
    """Convert an array to a type. Raises ArrowInvalid if a value cannot be converted."""
    from pyarrow._compute import CastOptions  # noqa: PLC0415 - heavy

    return computed("cast", array, options=CastOptions.safe(kind))


def as_numpy(array: pa.Array) -> NDArray[Any]:
    """Return the values of an array of numbers, without copying integers."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    without_pandas = pa.types.is_integer(array.type) and not array.null_count
    values: NDArray[Any] = (
        np.from_dlpack(array) if without_pandas else array.to_numpy(zero_copy_only=False)
    )
    return values
