"""Records of a model, as many as it says there are, and as close to it as whole records can be.

Clique by clique from the root outwards, each record gets the values it lacks, given those that it
has. Of records with the same values so far, shares of the next values follow from the model, and
the records are dealt out by a comb: one random offset, then equal steps. So each value gets its
share, rounded up or down, and chance decides only who gets it (systematic sampling; Madow 1949).
That leaves less of the noise of drawing in the margins than if each record were drawn by itself.

Nothing here asks about the records of the table.
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
    """Draw the values of all variables; ``(variables, records)``."""
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
    """Give the records their values of new variables of a clique, given the others of it."""
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
    """Deal cells out to records by the row of weights that each one's condition names.

    Shape of `weights` is ``(conditions, cells)``; a row without weight deals all cells alike.
    """
    found = np.zeros(condition.size, dtype=np.int64)
    mixed = mechanisms.order(condition.size)
    mixed = mixed[np.argsort(condition[mixed], kind="stable")]
    present, begins = np.unique(condition[mixed], return_index=True)
    for row, begin, end in zip(present, begins, [*begins[1:], condition.size], strict=True):
        whole = weights[row]
        sums = np.cumsum(whole if whole.sum() > 0 else np.ones_like(whole))
        offset = mechanisms.place(_OFFSETS) / _OFFSETS
        comb = (np.arange(end - begin) + offset) * (sums[-1] / (end - begin))
        found[mixed[begin:end]] = np.searchsorted(sums, comb, side="right")
    return np.asarray(np.minimum(found, weights.shape[1] - 1))
