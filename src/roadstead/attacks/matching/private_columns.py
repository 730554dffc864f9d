"""Match known values with the cells of a differentially private release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.matching.columns import NOWHERE, KnownColumn, codes_of
from roadstead.differential.domains import NumericCut, SetCut
from roadstead.release.private.cut import places_of


def private_column(
    release: AttackedRelease, name: str, values: Sequence[str], labels: Sequence[str]
) -> KnownColumn:
    """Match the values of a column with the labels of a private release."""
    assert release.private is not None  # noqa: S101 - only of these
    cuts = {cut.attribute: cut for cut in release.private.listed.groups.cuts}
    if name not in cuts:
        return KnownColumn(tuple(values), tuple(labels), codes_of(values, labels), None)
    cut = cuts[name]
    if isinstance(cut, SetCut):  # A set is known item by item, so it never matches with certainty.
        shows = np.ones((len(values), len(labels)), dtype=np.bool_)
        return KnownColumn(tuple(values), tuple(labels), None, shows)
    found = (
        cut.domain.locate(tuple(values))
        if isinstance(cut, NumericCut)
        else cut.domain.taxonomy.locate(tuple(values))
    )
    own = cut.of(found)
    place_of_label = {one[0]: at for at, one in enumerate(places_of(cut, labels)) if one}
    code = [place_of_label.get(int(one), NOWHERE) for one in own]
    return KnownColumn(tuple(values), tuple(labels), np.array(code, dtype=np.int32), None)
