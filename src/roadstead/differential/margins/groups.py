"""Convert records between variables and the cells of a table.

In a release, each attribute is one column, even if it contains sets. Margins and the model use
variables instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import AttributeCut, Combinations, CutGroups, SetCut
from roadstead.differential.margins.variables import TARGET, Coded, Variable

Counts = NDArray[np.int64]


def grouped(
    values: NDArray[np.int64],
    variables: Sequence[Variable],
    cuts: Sequence[AttributeCut],
    classes: int,
) -> tuple[CutGroups, Counts]:
    """Count records by cell, in shape ``(groups, classes)``.

    `values` has shape ``(variables, records)``.
    """
    columns, combinations = [], []
    for at, cut in enumerate(cuts):
        own = [values[row] for row, one in enumerate(variables) if one.attribute == at]
        places, sets = _cells(own, cut, values.shape[1])
        columns.append(places)
        combinations.append(sets)
    target = [values[row] for row, one in enumerate(variables) if one.attribute == TARGET]
    label = target[0] if target else np.zeros(values.shape[1], dtype=np.int64)
    distinct, row = np.unique(np.stack(columns), axis=1, return_inverse=True)
    cells = row.reshape(-1) * classes + label
    size = distinct.shape[1] * classes
    counts = np.bincount(cells, minlength=size).astype(np.int64).reshape(-1, classes)
    codes = tuple(np.ascontiguousarray(one, dtype=np.int32) for one in distinct)
    return CutGroups(tuple(cuts), codes, tuple(combinations)), counts


def _cells(
    own: Sequence[NDArray[np.int64]], cut: AttributeCut, records: int
) -> tuple[NDArray[np.int64], Combinations | None]:
    """For each record, return the position of its value or of its set of items in a cut."""
    if not isinstance(cut, SetCut):
        return (own[0] if own else np.zeros(records, dtype=np.int64)), None
    if not own:
        return np.zeros(records, dtype=np.int64), ((0,),)
    held = np.stack(own)
    distinct, row = np.unique(held, axis=1, return_inverse=True)
    sets = tuple(tuple(np.flatnonzero(column).tolist()) for column in distinct.T)
    return row.reshape(-1), sets


def coded_groups(groups: CutGroups, counts: Counts, variables: Sequence[Variable]) -> Coded:
    """Return the records of groups as values of variables, with one row per group and class."""
    classes = counts.shape[1]
    codes = np.zeros((len(variables), counts.size), dtype=np.int64)
    for row, one in enumerate(variables):
        if one.attribute == TARGET:
            codes[row] = np.tile(np.arange(classes), groups.size)
            continue
        own: NDArray[np.int64] = groups.codes[one.attribute].astype(np.int64)
        if one.node is not None:
            sets = groups.combinations[one.attribute] or ()
            has = np.array([one.node in places for places in sets], dtype=np.int64)
            own = has[own]
        codes[row] = np.repeat(own, classes)
    return Coded(tuple(variables), groups.cuts, codes, counts.ravel())
