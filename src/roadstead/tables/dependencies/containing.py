"""Find strings that contain the value of another column in the same record.

An example is a list of places that contains a ZIP code. A string may also contain a value by
chance. For example, every ``married`` contains an ``m``. So the share of such strings is compared
with the share of strings that contain the value of a different record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

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
        if len(both) < _FEWEST_RECORDS or column.length <= own.length:
            continue
        values, texts = _texts(own, both), _texts(column, both)
        held = sum(value in text for value, text in zip(values, texts, strict=True))
        every = len(texts)
        if held < _MOSTLY * every:
            continue  # whatever the share by chance
        step = len(values) // 3 + 1
        moved = [*values[step:], *values[:step]]
        chance = sum(value in text for value, text in zip(moved, texts, strict=True))
        if held - chance >= _MOSTLY * (every - chance) and held - chance >= _FEWEST_RECORDS:
            why = f"{name} contains {target} ({held:,} of {every:,} examined records)"
            found.append(Objection(name, "undoes", why, (target,), exact=held == every))
    return found


def _texts(column: DrawnColumn, places: NDArray[np.int64]) -> list[str]:
    """Return the strings of some evenly spaced records, in lowercase."""
    chosen = places[:: max(len(places) // _RECORDS, 1)][:_RECORDS]
    plain = column.plain
    return [plain[code] for code in column.codes[chosen].tolist()]
