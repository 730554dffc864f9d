"""Find strings that contain the value of another column in the same record.

An example is a path of places that contains a ZIP code. A string may also contain a value by
chance. For example, every ``married`` contains an ``m``. So the share of such strings is compared
with the share of strings that contain the value of a different record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.arrow_arrays import integers
from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
from roadstead.tables.identifiers.objections import Objection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOSTLY: Final = 0.9
"""The minimum share of records with such a string, beyond chance."""
_RECORDS: Final = 2_000
"""The number of compared records."""
_FEWEST_RECORDS: Final = 30


def containing(rows: DrawnRows, candidates: Sequence[str], target: str) -> list[Objection]:
    """Return objections to columns whose strings contain the value of a target column."""
    own = rows[target]
    there = np.flatnonzero(own.codes >= 0)
    values = _texts(own, there)
    if own.distinct < 2 or len(values) < _FEWEST_RECORDS:  # noqa: PLR2004 - a constant
        return []
    found = []
    for name in candidates:
        column = rows[name]
        both = there[column.codes[there] >= 0]
        if len(both) < _FEWEST_RECORDS or not _longer(column, own):
            continue
        values, texts = _texts(own, both), _texts(column, both)
        held = sum(value in text for value, text in zip(values, texts, strict=True))
        step = len(values) // 3 + 1
        moved = [*values[step:], *values[:step]]
        chance = sum(value in text for value, text in zip(moved, texts, strict=True))
        every = len(texts)
        if held - chance >= _MOSTLY * (every - chance) and held - chance >= _FEWEST_RECORDS:
            why = f"{name} contains {target} ({held:,} of {every:,} records examined)"
            found.append(Objection(name, "undoes", why, (target,)))
    return found


def _longer(column: DrawnColumn, target: DrawnColumn) -> bool:
    return _length(column) > _length(target)


def _length(column: DrawnColumn) -> float:
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    return float(pc.mean(pc.utf8_length(column.domain)).as_py() or 0.0)


def _texts(column: DrawnColumn, places: NDArray[np.int64]) -> list[str]:
    """Return the lowercase strings of some evenly spaced records."""
    chosen = places[:: max(len(places) // _RECORDS, 1)][:_RECORDS]
    texts = column.domain.take(integers(column.codes[chosen])).to_pylist()
    return [str(text).strip().casefold() for text in texts]
