"""Count the people who match several rows of a person, even if there are many combinations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.release.persons.multisets import fitting_by_blocks, rows_of_classes
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import persons_fitting
from roadstead.tables.persons.profiles import Persons


def fitting_however_many(
    persons: Persons, classes: NDArray[np.int64], knows: RowsKnown
) -> NDArray[np.int64]:
    """Count the matching people. If the combinations do not fit in memory, count block by block."""
    try:
        return persons_fitting(persons, classes, knows)
    except SettingError:
        if knows == "all":
            raise
        found = fitting_by_blocks(rows_of_classes(persons, classes), persons.people, knows)
        if found is None:
            raise
        return found
