"""Represent local recodings as cells with keys, and look up the nodes above each row.

Rows are assigned to cells in ascending order of key. The key of a cell is normally its loss. The
key is smaller if some rows must be in the cell although they also match a cheaper cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding import open_cells as kernel
from roadstead.search.recoding.protocol import OUT, Parts, Recoded, RecodingProblem, opened

WORD = 64
_MOST_BITS = 2**31
"""The largest number of bits in memory for cells and nodes (a quarter of a gigabyte)."""
_NO_KEY = 2.0


@dataclass(frozen=True)
class Nodes:
    """The node of each row at each allowed level, with one column per level.

    Attribute `a` has the columns `low[a]` to `top[a]`. `costs` contains the losses of the nodes,
    times the weights of their attributes. `levels` contains the levels of the columns, and `labels`
    contains the codes of the nodes' labels.
    """

    paths: NDArray[np.int32]
    low: NDArray[np.int64]
    top: NDArray[np.int64]
    costs: NDArray[np.float64]
    levels: NDArray[np.int64]
    labels: NDArray[np.int64]


def nodes_of(problem: RecodingProblem) -> Nodes:
    """Number the nodes of a problem's hierarchies."""
    encoding, space = problem.encoding, problem.space
    low: list[int] = []
    top: list[int] = []
    levels: list[int] = []
    columns: list[NDArray[np.int32]] = []
    costs, labels, offset = [], [], 0
    for at, codes in enumerate(encoding.codes):
        low.append(len(columns))
        domain = max(encoding.hierarchies[at].domain_size - 1, 1)
        for level in range(space.bottom[at], space.top[at] + 1):
            lookup, number = encoding.lookups[at][level], encoding.labels[at][level]
            columns.append(lookup[codes].astype(np.int32) + np.int32(offset))
            cost = np.zeros(number)
            cost[lookup] = (encoding.leaves[at][level] - 1) * problem.shares[at] / domain
            costs.append(cost)
            levels.append(level)
            labels.append(np.arange(number))
            offset += number
        top.append(len(columns) - 1)
    return Nodes(
        np.ascontiguousarray(np.stack(columns, axis=1)),
        np.array(low),
        np.array(top),
        np.concatenate(costs),
        np.array(levels),
        np.concatenate(labels),
    )


@dataclass(frozen=True)
class Division:
    """Open cells in any order, each with a matching row, its columns, and its key.

    `rows` gives the cell of each row of the table.
    """

    samples: NDArray[np.int64]
    columns: NDArray[np.int64]
    keys: NDArray[np.float64]
    rows: NDArray[np.int32]

    def parts(self, nodes: Nodes) -> Parts:
        """Return the parts of the cells in ascending order of their keys."""
        order = np.argsort(self.keys, kind="stable")
        columns = self.columns[order]
        shown = nodes.paths[self.samples[order][:, None], columns]
        pairs = np.stack([nodes.levels[columns], nodes.labels[shown]], axis=2)
        return pairs.astype(np.int32)

    def recoded(self, problem: RecodingProblem, nodes: Nodes) -> Recoded:
        """Return the recoding that consists of these cells."""
        return opened(problem, self.parts(nodes))


def division_of(
    nodes: Nodes, recoded: Recoded, problem: RecodingProblem, before: Division | None = None
) -> Division:
    """Return the cells of a recoding, with keys that preserve the order where it matters.

    If all cells of the division `before` are still open, the cells keep their previous keys.
    """
    inside = np.flatnonzero(recoded.rows != OUT)
    _, first = np.unique(recoded.rows[inside], return_index=True)
    samples = inside[first]
    columns = recoded.parts[:, :, 0] - nodes.levels[nodes.low] + nodes.low
    number = samples.size
    if before is not None and before.keys.size == number:
        keys = np.sort(before.keys, kind="stable")
    else:
        keys = _keys(nodes, recoded, problem, samples, columns)
    return Division(samples, columns.astype(np.int64), keys, recoded.rows)


def _keys(
    nodes: Nodes,
    recoded: Recoded,
    problem: RecodingProblem,
    samples: NDArray[np.int64],
    columns: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the largest keys with which cells keep their rows, in the order of the recoding."""
    number = samples.size
    costs = nodes.costs[nodes.paths[samples[:, None], columns]].sum(axis=1)
    room = -(-number // WORD) * WORD
    if nodes.costs.size * room > _MOST_BITS:  # the unchanged order
        least = np.minimum.accumulate(costs[::-1])[::-1]
        return np.asarray(least + np.arange(number) * kernel.TINY)
    table = kernel.NodeRows(
        nodes.paths,
        nodes.low,
        nodes.top,
        nodes.top,
        nodes.costs,
        np.ascontiguousarray(problem.encoding.counts),
        np.zeros((1, 1), np.uint64),
    )
    cells = empty_cells(nodes.costs.size, room, nodes.low.size, problem.encoding.counts.size, 1)
    cells.samples[:number] = samples
    cells.columns[:number] = columns
    cells.costs[:number] = costs
    kernel.relax(table, cells, np.ascontiguousarray(recoded.rows), number)
    return cells.keys[:number].copy()


def empty_cells(nodes: int, room: int, attributes: int, rows: int, least: int) -> kernel.OpenCells:
    """Return empty space for cells."""
    return kernel.OpenCells(
        samples=np.zeros(room, np.int32),
        columns=np.zeros((room, attributes), np.int32),
        costs=np.zeros(room),
        keys=np.zeros(room),
        sizes=np.zeros(room, np.int64),
        needs=np.full(room, least, np.int64),
        open=np.zeros(room, np.bool_),
        fixed=np.zeros(room, np.bool_),
        heads=np.full(room, OUT, np.int32),
        admits=np.zeros((nodes, room // WORD), np.uint64),
        cell_of=np.full(rows, OUT, np.int32),
        cost_of=np.ones(rows),
        key_of=np.full(rows, _NO_KEY),
        after=np.full(rows, OUT, np.int32),
        before=np.full(rows, OUT, np.int32),
        free=np.zeros(room, np.int32),
        numbers=np.zeros(4, np.int64),
    )
