"""Groups that cuts make of the records of a table, with their exact counts: nothing is private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, CutGroups, SetCut
from roadstead.differential.evaluation.features import presence
from roadstead.differential.private_table import PrivateTable


@dataclass(frozen=True, eq=False)
class CountedGroups:
    """Groups and their counts."""

    groups: CutGroups  # the groups with records
    classes: tuple[str, ...]
    counts: NDArray[np.int64] = field(repr=False)  # shape ``(groups, classes)``: records


def counted_groups(table: PrivateTable, cuts: Sequence[AttributeCut]) -> CountedGroups:
    """Generalize the records of a table, and count them."""
    placed = [_placed(table, at, cut) for at, cut in enumerate(cuts)]
    columns = np.stack([codes for codes, _ in placed])
    distinct, row = np.unique(columns, axis=1, return_inverse=True)
    classes = len(table.classes)
    counts = np.bincount(
        row.reshape(-1) * classes + table.target,
        weights=table.counts,
        minlength=distinct.shape[1] * classes,
    )
    groups = CutGroups(
        tuple(cuts),
        tuple(np.ascontiguousarray(one) for one in distinct),
        tuple(c for _, c in placed),
    )
    return CountedGroups(groups, table.classes, counts.astype(np.int64).reshape(-1, classes))


def _placed(
    table: PrivateTable, at: int, cut: AttributeCut
) -> tuple[NDArray[np.int32], tuple[tuple[int, ...], ...] | None]:
    """Place each row by its place in the cut; a set by its place among the combinations."""
    codes, sets = table.codes[at], table.sets[at]
    if not isinstance(cut, SetCut):
        return cut.of(codes), None
    assert sets is not None  # noqa: S101 - as a private table has it
    if not cut.is_specialized:
        return np.zeros_like(codes), ((0,),)
    distinct, number = np.unique(presence(sets, cut), axis=0, return_inverse=True)
    combinations = tuple(tuple(np.flatnonzero(row).tolist()) for row in distinct)
    return number.reshape(-1).astype(np.int32)[codes], combinations
