"""Draw records from a model with little sampling noise.

The module goes from clique to clique, starting at the root. In each clique, a record gets its
missing values, which depend on its existing values. To choose these values, the module repeatedly
halves the list of possible values. At each halving, systematic sampling (a random offset followed
by equal steps; Madow 1949) assigns the records of all groups to the halves. So each half gets its
share, rounded up or down, in each group and in all groups together. The module does not use the
records of the table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.margins.choosing import FittedModel
from roadstead.differential.margins.junction_tree import Clique

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_OFFSETS = 1 << 53


def drawn_records(model: FittedModel, mechanisms: Mechanisms) -> Codes:
    """Draw the values of all variables, in shape ``(variables, records)``."""
    tree, size = model.beliefs.tree, round(model.total)
    groups = np.full((len(model.variables), size), -1, dtype=np.int64)
    known: set[int] = set()
    for clique, table in zip(tree.cliques, model.beliefs.tables, strict=True):
        given = tuple(one for one in clique if one in known)
        new = tuple(one for one in clique if one not in known)
        known.update(new)
        if new:
            _deal(groups, clique, given, new, table, mechanisms)
    values = np.empty_like(groups)
    for at, (basis, share) in enumerate(zip(model.bases, model.shares, strict=True)):
        within = np.where(basis == np.arange(basis.max() + 1)[:, None], share, 0.0)
        values[at] = dealt(groups[at], within, mechanisms)
    return values


def _deal(
    groups: Codes,
    clique: Clique,
    given: Clique,
    new: Clique,
    table: Floats,
    mechanisms: Mechanisms,
) -> None:
    """Set the values of a clique's new variables in the records, given its other variables."""
    order = [clique.index(one) for one in (*given, *new)]
    sizes = [table.shape[axis] for axis in order]
    before, after = sizes[: len(given)], sizes[len(given) :]
    weights = table.transpose(order).reshape(int(np.prod(before)), -1)
    condition = np.zeros(groups.shape[1], dtype=np.int64)
    for one, size in zip(given, before, strict=True):
        condition = condition * size + groups[one]
    cells = dealt(condition, weights, mechanisms)
    for one, size in zip(reversed(new), reversed(after), strict=True):
        groups[one] = cells % size
        cells = cells // size


def dealt(condition: Codes, weights: Floats, mechanisms: Mechanisms) -> Codes:
    """Assign cells to records at random.

    The condition of a record selects the row of weights for this record.

    `weights` has shape ``(conditions, cells)``. If all weights in a row are zero, all cells are
    equally likely.
    """
    found = np.zeros(condition.size, dtype=np.int64)
    mixed = mechanisms.order(condition.size)
    mixed = mixed[np.argsort(condition[mixed], kind="stable")]
    present, numbers = np.unique(condition, return_counts=True)
    rows = weights[present]
    rows[rows.sum(axis=1) <= 0] = 1.0
    counts = _whole_counts(numbers, rows, mechanisms)
    found[mixed] = np.repeat(np.tile(np.arange(rows.shape[1]), present.size), counts.ravel())
    return found


def _whole_counts(numbers: Codes, weights: Floats, mechanisms: Mechanisms) -> Codes:
    """Divide each row's number of records among the row's cells, in shape ``(rows, cells)``.

    Each half gets its share of each row and of all rows together, rounded up or down.
    """
    rows, cells = weights.shape
    depth = (cells - 1).bit_length()
    padded = np.pad(weights, ((0, 0), (0, (1 << depth) - cells)))
    counts = numbers[:, None]
    for level in range(depth):
        halves = padded.reshape(rows, 1 << level, 2, -1).sum(axis=3)
        first, second = halves[:, :, 0], halves[:, :, 1]
        share = np.divide(first, first + second, out=np.zeros_like(first), where=first > 0)
        offsets = [mechanisms.place(_OFFSETS) / _OFFSETS for _ in range(1 << level)]
        ends = np.floor(np.cumsum(counts * share, axis=0) + offsets).astype(np.int64)
        dealt_first = np.diff(ends, axis=0, prepend=0)
        # Rounded sums of floats can be off by one record.
        dealt_first = np.where(second > 0, np.clip(dealt_first, 0, counts), counts)
        counts = np.stack([dealt_first, counts - dealt_first], axis=2).reshape(rows, -1)
    return counts[:, :cells]
