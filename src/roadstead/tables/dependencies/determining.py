"""Find columns that determine another column, alone or together.

For example, an age in months determines the age in years. Several columns determine a column
together if each of them is a coarser form of the column, and if their combination determines the
column. Coarser forms are, for example, the dummy variables of a column, the month of a date, and
the last digit of an age.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.dependencies.agreement import (
    STRONG,
    Agreement,
    agreement,
    determined,
    may_determine,
)
from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
from roadstead.tables.identifiers.objections import Objection, ObjectionKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

_FUNCTION: Final = 0.95
"""The minimum strength of a dependency at which a column is a coarser form of another column."""
_MOST_TOGETHER: Final = 24
"""The maximum number of coarser forms of a column that are examined together."""


def determining(
    source: Source, rows: DrawnRows, candidates: Sequence[str], target: str, kind: ObjectionKind
) -> list[Objection]:
    """Return objections to the columns that determine a target column, alone or together."""
    own = rows[target]
    found: list[Objection] = []
    coarser: list[DrawnColumn] = []
    for name in candidates:
        column = rows[name]
        if column.distinct < 2:  # noqa: PLR2004 - a constant
            continue
        if (seen := determined(source, rows, column, own)) is not None:
            exact = isclose(seen.agreeing, seen.shared)
            found.append(Objection(name, kind, _alone(name, target, seen), (target,), exact=exact))
            continue
        if not may_determine(own, column):
            continue
        back = agreement(own.codes, column.codes)
        if back.surprising and back.strength >= _FUNCTION:
            coarser.append(column)
    return [*found, *_together(coarser[:_MOST_TOGETHER], own, kind)]


def _alone(name: str, target: str, seen: Agreement) -> str:
    """Describe the dependency, and give the number of records that agree and the total."""
    agreeing, shared = f"{seen.agreeing:,.0f}", f"{seen.shared:,.0f}"
    return (
        f"{name} determines {target}: records with the same {name} have the same {target} "
        f"({agreeing} of {shared} records)"
    )


def _together(
    coarser: Sequence[DrawnColumn], target: DrawnColumn, kind: ObjectionKind
) -> list[Objection]:
    """Find a small set of columns that are coarser forms of a column, and together determine it."""
    needed = list(coarser)
    if not _determine(needed, target):
        return []
    for column in coarser:
        rest = [one for one in needed if one is not column]
        # A dummy variable stays even if it is not needed, because it helps to determine the target
        # if another column is removed.
        if len(rest) > 1 and _determine(rest, target) and not _dummy(column, needed):
            needed = rest
    names = [one.name for one in needed]
    if len(names) < 2:  # noqa: PLR2004 - single columns were tested before
        return []
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return [
        Objection(
            name,
            kind,
            f"{listed} determine {target.name} together",
            (target.name, *(one for one in names if one != name)),
        )
        for name in names
    ]


def _dummy(column: DrawnColumn, others: Sequence[DrawnColumn]) -> bool:
    """Return whether a column and some others have only two values, as dummy variables do."""
    two = 2
    return column.distinct == two and sum(one.distinct == two for one in others) > 1


def _determine(columns: Sequence[DrawnColumn], target: DrawnColumn) -> bool:
    if not columns:
        return False
    joint = joint_codes([column.codes for column in columns])
    seen = agreement(joint, target.codes)
    return seen.surprising and seen.determines and seen.strength >= STRONG


def joint_codes(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Assign a number to each combination of values; a missing value counts as a value."""
    joint = columns[0] + 1
    for codes in columns[1:]:
        joint = joint * (int(codes.max(initial=0)) + 2) + codes + 1
        joint = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return joint
