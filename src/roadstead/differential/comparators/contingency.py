"""A noisy contingency table: every combination of values counted, and nothing chosen.

Paper 002 ("Summary") names it as what DiffGen is better than: with many attributes there are more
combinations than records, most counts are 0 or 1, and the noise is as large as they are. It is here
to be compared with. All the budget is spent on the counts; which cells there are is public.

The table is not made, there is only a number for each of its cells. Cells with records are counted
with noise, and of the others those whose noise reaches the threshold are drawn directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Combinations,
    CutGroups,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.differential.evaluation.features import presence
from roadstead.differential.growth.partitions import added_up
from roadstead.differential.listing import Threshold
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.synthesis import NoisyGroups, noisy_cells
from roadstead.errors import SettingError
from roadstead.hierarchies.taxonomy import Taxonomy


def finest_cuts(domains: Sequence[Domain], bands: int) -> tuple[AttributeCut, ...]:
    """Divide every attribute as finely as its domain does, numbers in bands.

    `bands`: into how many bands a range is parted, as equal as whole steps can be; fewer if it has
    fewer steps. At least 1.
    """
    if bands < 1:
        raise SettingError(f"a range cannot have {bands} bands", fix="give at least 1")
    return tuple(_finest(domain, bands) for domain in domains)


def can_be_tabulated(cuts: Sequence[AttributeCut], classes: int) -> bool:
    """Say whether the cells can be numbered by 64-bit integers; what is public decides."""
    return prod(cut.size for cut in cuts) * classes <= 1 << 62


def contingency_table(
    table: PrivateTable,
    cuts: Sequence[AttributeCut],
    grant: Grant,
    threshold: Threshold,
    mechanisms: Mechanisms,
) -> NoisyGroups:
    """Count all combinations with noise."""
    groups, classes = prod(cut.size for cut in cuts), len(table.classes)
    cells = groups * classes
    if not can_be_tabulated(cuts, classes):
        raise SettingError(
            f"the contingency table would have 10^{len(str(cells)) - 1} cells or more",
            where="contingency table",
            fix="tell fewer attributes, or numbers in fewer bands",
        )
    numbers = np.zeros(table.rows, dtype=np.int64)
    for at, cut in enumerate(cuts):
        numbers = numbers * cut.size + _place(table, at, cut)
    keyed = added_up(numbers * classes + table.target, table.counts)
    groups_at = partial(_groups, cuts)
    return noisy_cells(keyed, groups_at, groups, table.classes, grant, threshold, mechanisms)


def _finest(domain: Domain, bands: int) -> AttributeCut:
    match domain:
        case NumericDomain(size=size):
            number = min(bands, size)
            return NumericCut(domain, tuple(size * at // number for at in range(number + 1)))
        case CategoricalDomain(taxonomy):
            return CategoricalCut(domain, _leaves(taxonomy))
        case SetDomain(taxonomy):
            return SetCut(domain, _leaves(taxonomy))


def _leaves(taxonomy: Taxonomy) -> tuple[int, ...]:
    return tuple(node for node, below in enumerate(taxonomy.children) if not below)


def _place(table: PrivateTable, at: int, cut: AttributeCut) -> NDArray[np.int64]:
    """Number the value of each row; a set by the nodes it has items under, a bit each."""
    codes = table.codes[at]
    if not isinstance(cut, SetCut):
        return cut.of(codes).astype(np.int64)
    if not cut.is_specialized:
        return np.zeros(codes.size, dtype=np.int64)
    present = presence(table.sets_of(at), cut)
    masks: NDArray[np.int64] = present @ (np.int64(1) << np.arange(len(cut.nodes)))
    return masks[codes]


def _groups(cuts: Sequence[AttributeCut], numbers: NDArray[np.int64]) -> CutGroups:
    """Give of numbered groups the value of each attribute: digits, the last attribute first."""
    codes: list[NDArray[np.int32]] = []
    combinations: list[Combinations | None] = []
    for cut in reversed(cuts):
        numbers, digit = np.divmod(numbers, cut.size)
        sets = None
        if isinstance(cut, SetCut):
            masks, digit = np.unique(digit, return_inverse=True)
            sets = tuple(_members(mask, cut) for mask in masks.tolist())
        codes.append(digit.astype(np.int32))
        combinations.append(sets)
    return CutGroups(tuple(cuts), tuple(reversed(codes)), tuple(reversed(combinations)))


def _members(mask: int, cut: SetCut) -> tuple[int, ...]:
    """Find which places in the cut a mask has; the root alone is always there."""
    places = range(len(cut.nodes))
    return tuple(at for at in places if mask >> at & 1) if cut.is_specialized else (0,)
