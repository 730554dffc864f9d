"""The groups of a differentially private release in the order in which they are written.

The order follows from the groups alone: attribute by attribute, each by its place in the cut. So
it says nothing, be it about the table or about the run that made the release.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import CutGroups
from roadstead.release.private.cells import cells_of


@dataclass(frozen=True, eq=False)
class ListedGroups:
    """Groups with their noisy counts, and how many records are released of each."""

    groups: CutGroups
    # Shape ``(groups, classes)``: noisy counts, 0 where one is not listed.
    noisy: NDArray[np.int64] = field(repr=False)
    released: NDArray[np.int64] = field(repr=False)  # shape ``(groups, classes)``: records released

    @property
    def records(self) -> int:
        """How many records are released."""
        return int(self.released.sum(dtype=object)) if self.released.size else 0

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """For each attribute, what its codes are called."""
        pairs = zip(self.groups.cuts, self.groups.combinations, strict=True)
        return tuple(cells_of(cut, combinations) for cut, combinations in pairs)

    @property
    def repeated(self) -> int:
        """How many groups are another one once more, where groups stand in order."""
        if self.groups.size < 2:  # noqa: PLR2004 - one is not another
            return 0
        same = [codes[1:] == codes[:-1] for codes in self.groups.codes]
        return int(np.logical_and.reduce(same).sum())


def in_order(
    groups: CutGroups, noisy: NDArray[np.int64], released: NDArray[np.int64]
) -> tuple[ListedGroups, NDArray[np.int64]]:
    """Bring groups into their order; combinations are numbered in theirs.

    `noisy`, `released`: shape ``(groups, classes)``: their counts. Returns the groups, and where
    each of them was before.
    """
    pairs = zip(groups.codes, groups.combinations, strict=True)
    renumbered = [_renumbered(codes, combinations) for codes, combinations in pairs]
    codes = tuple(codes for codes, _ in renumbered)
    order = np.lexsort(codes[::-1]).astype(np.int64)
    ordered = CutGroups(groups.cuts, codes, tuple(combinations for _, combinations in renumbered))
    return ListedGroups(ordered.chosen(order), noisy[order], released[order]), order


def _renumbered(
    codes: NDArray[np.int32], combinations: tuple[tuple[int, ...], ...] | None
) -> tuple[NDArray[np.int32], tuple[tuple[int, ...], ...] | None]:
    """Number the combinations that occur in ascending order."""
    if combinations is None:
        return codes, None
    used = sorted({combinations[code] for code in np.unique(codes)})
    number = {one: at for at, one in enumerate(used)}
    new = np.array([number.get(one, -1) for one in combinations], dtype=np.int32)
    return new[codes], tuple(used)
