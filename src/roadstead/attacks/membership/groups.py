"""Find the group of a person's record in a differentially private release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import NumericCut, SetCut
from roadstead.release.private.tables import PrivateRelease
from roadstead.tables.frequency import FrequencyTable


def places_in_groups(private: PrivateRelease, table: FrequencyTable) -> NDArray[np.int64] | None:
    """Return the group of each row, or -1 for rows without a group.

    Return None if sets are released.
    """
    groups = private.listed.groups
    own = []
    for cut in groups.cuts:
        if isinstance(cut, SetCut) or cut.attribute not in table.attributes:
            return None
        at = table.attributes.index(cut.attribute)
        values = table.domains[at]
        if isinstance(cut, NumericCut):
            places = cut.of(cut.domain.locate(values))
        else:
            places = cut.of(cut.domain.taxonomy.locate(values))
        own.append(places[table.codes[at]].astype(np.int64))
    known = {tuple(one): at for at, one in enumerate(np.stack(groups.codes, axis=1).tolist())}
    rows = np.stack(own, axis=1).tolist()
    return np.array([known.get(tuple(one), -1) for one in rows], dtype=np.int64)
