"""Parts of a table whose classes are divided anew, each by itself.

A part is what lies under some nodes of an attribute's hierarchy, or of several. Classes within it
may be dissolved; those that reach out of it are fixed: rows may join them, and leave while they are
enough. So parts are improved at the same time, and what they find fits together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding import redivision as kernel
from roadstead.search.recoding.protocol import OUT, Parts, Recoded, RecodingProblem


@dataclass(frozen=True)
class Nodes:
    """The node of each row at each level that may be used, a column for each level."""

    paths: NDArray[np.int32]
    low: NDArray[np.int64]
    top: NDArray[np.int64]
    costs: NDArray[np.float64]
    levels: NDArray[np.int64]  # of each column


def nodes_of(problem: RecodingProblem) -> Nodes:
    """Number the nodes of a problem's hierarchies and put down those above each row."""
    encoding, space = problem.encoding, problem.space
    columns, low, top, costs, levels, offset = [], [], [], [], [], 0
    for at, codes in enumerate(encoding.codes):
        low.append(len(columns))
        for level in range(space.bottom[at], space.top[at] + 1):
            lookup = encoding.lookups[at][level]
            columns.append(lookup[codes].astype(np.int32) + np.int32(offset))
            labels = encoding.labels[at][level]
            cost = np.zeros(labels)
            cost[lookup] = (encoding.leaves[at][level] - 1) * (
                problem.shares[at] / max(encoding.hierarchies[at].domain_size - 1, 1)
            )
            costs.append(cost)
            levels.append(level)
            offset += labels
        top.append(len(columns) - 1)
    return Nodes(
        np.ascontiguousarray(np.stack(columns, axis=1)),
        np.array(low),
        np.array(top),
        np.concatenate(costs),
        np.array(levels),
    )


@dataclass(frozen=True)
class Part:
    """Rows of a table, and the last column of each attribute that stays within the part."""

    rows: NDArray[np.int64]
    high: NDArray[np.int64]


def tightened(nodes: Nodes, recoded: Recoded) -> NDArray[np.int64]:
    """Find the columns of the smallest cell around the rows of each class."""
    inside = np.flatnonzero(recoded.rows != OUT)
    order = inside[np.argsort(recoded.rows[inside], kind="stable")]
    starts = np.searchsorted(recoded.rows[order], np.arange(recoded.parts.shape[0]))
    found = np.empty((recoded.parts.shape[0], nodes.low.size), dtype=np.int64)
    for at, (low, top) in enumerate(zip(nodes.low, nodes.top, strict=True)):
        column = np.full(recoded.parts.shape[0], -1)
        for level in range(low, top + 1):
            own = nodes.paths[order, level]
            same = np.minimum.reduceat(own, starts) == np.maximum.reduceat(own, starts)
            column[same & (column < 0)] = level
        found[:, at] = column
    return found


_WORD = 64


def _bits(numbers: NDArray[np.int32], nodes: int) -> NDArray[np.uint64]:
    """Rows of each node as bits; `numbers` are the nodes of each row, one a column."""
    rows = numbers.shape[0]
    found = np.zeros((nodes, -(-rows // _WORD)), dtype=np.uint64)
    row = np.arange(rows)
    bit = np.uint64(1) << (row % _WORD).astype(np.uint64)
    for column in numbers.T:
        np.bitwise_or.at(found, (column, row // _WORD), bit)
    return found


@dataclass(frozen=True)
class Redivision:
    """A part made ready to be divided anew."""

    part: Part
    nodes: Nodes
    table: kernel.Table
    cells: kernel.Cells
    work: kernel.Work

    def improve(self, seeds, least, most_rows, budget):
        counted = np.zeros(8, np.int64)
        gain = kernel.improve(
            self.table, self.cells, self.work, seeds, least, most_rows, budget, counted
        )
        return gain, counted

    def parts(self) -> Parts:
        """What the open cells show."""
        cells = self.cells
        return cells


def prepare(
    problem: RecodingProblem,
    nodes: Nodes,
    part: Part,
    classes: NDArray[np.int64],
    samples: NDArray[np.int64],
    columns: NDArray[np.int64],
    fixed: NDArray[np.bool_],
    needs: NDArray[np.int64],
    allowed: int,
) -> Redivision:
    rows = part.rows
    own = nodes.paths[rows]
    present, local = np.unique(own, return_inverse=True)
    local = np.ascontiguousarray(local.reshape(own.shape).astype(np.int32))
    table = kernel.Table(
        local,
        nodes.low,
        part.high,
        nodes.top,
        nodes.costs[present],
        np.ascontiguousarray(problem.encoding.counts[rows]),
        _bits(local, present.size),
    )
    n, d = rows.size, nodes.low.size
    number = samples.size
    room = -(-(number + number // 8 + 256) // _WORD) * _WORD
    cells = kernel.Cells(
        np.zeros(room, np.int32),
        np.zeros((room, d), np.int32),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room, np.int64),
        np.full(room, problem.k, np.int64),
        np.zeros(room, np.bool_),
        np.zeros(room, np.bool_),
        np.full(room, -1, np.int32),
        np.zeros((present.size, room // _WORD), np.uint64),
        np.full(n, -1, np.int32),
        np.ones(n),
        np.full(n, 2.0),
        np.full(n, -1, np.int32),
        np.full(n, -1, np.int32),
        np.zeros(room, np.int32),
        np.array([table.weights.sum(), allowed, room - number, 0], np.int64),
    )
    cells.samples[:number] = samples
    cells.columns[:number] = columns
    cells.costs[:number] = table.costs[local[samples[:, None], columns]].sum(axis=1)
    cells.open[:number] = True
    cells.fixed[:number] = fixed
    cells.needs[:number] = needs
    cells.free[: room - number] = np.arange(room - 1, number - 1, -1)
    kernel.relax(table, cells, classes.astype(np.int32))
    kernel.occupy(table, cells, classes.astype(np.int32))
    c = 512
    work = kernel.Work(
        np.zeros(64, np.int32),
        np.zeros(64),
        np.zeros(64),
        np.zeros(64, np.int32),
        np.zeros(32, np.int32),
        np.zeros(32),
        np.zeros(c, np.uint64),
        np.zeros(c),
        np.zeros(c, np.int32),
        np.zeros((c, d), np.int32),
        np.zeros(1024, np.int32),
        np.zeros(64, np.int32),
        np.zeros(64, np.int32),
        np.zeros(n + 64, np.int32),
        np.zeros(4 * n + 64, np.int32),
        np.zeros(4 * n + 64, np.int32),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(room, np.bool_),
    )
    return Redivision(part, nodes, table, cells, work)
