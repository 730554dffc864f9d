"""Split a table into parts, so that each part can be divided into classes again.

A part consists of the rows below some nodes of one or several hierarchies. Classes within a part
may be dissolved. Classes that extend beyond the part are fixed: rows may join them, and may leave
them as long as enough rows remain. Therefore, parts can be improved in parallel, and their results
can be combined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding import choosing, open_cells, redivision
from roadstead.search.recoding.divisions import WORD, Division, Nodes, empty_cells
from roadstead.search.recoding.protocol import OUT, RecodingProblem

_LARGEST_SIDE = 0.8
_REACHING = 0.5
"""The largest share of a part's records that may be in cells crossed by a cut."""


@dataclass(frozen=True)
class TablePart:
    """A part of a table, given by its rows, and by the last column of each attribute."""

    rows: NDArray[np.int64]
    high: NDArray[np.int64]


def parts_of(
    nodes: Nodes, counts: NDArray[np.int64], division: Division, most: int, turn: int
) -> list[TablePart]:
    """Split a table into parts of at most `most` rows, and return the largest part first.

    Few classes are cut. The turn decides at which attributes the table is cut. A part that cannot
    be cut may have more rows.
    """
    columns = np.concatenate([division.columns, nodes.top[None]])  # OUT extends everywhere
    left = [TablePart(np.arange(counts.size), nodes.top)]
    found = []
    while left:
        part = left.pop()
        sides = _cut(nodes, counts, columns[division.rows[part.rows]], part, turn)
        if part.rows.size <= most or sides is None:
            found.append(part)
        else:
            left.extend(sides)
    return sorted(found, key=lambda part: -part.rows.size)


def _cut(
    nodes: Nodes,
    counts: NDArray[np.int64],
    columns: NDArray[np.int64],
    part: TablePart,
    turn: int,
) -> tuple[TablePart, TablePart] | None:
    """Cut a part in two at the nodes of one level of an attribute."""
    own = counts[part.rows]
    ways = []
    for at in range(nodes.low.size):
        best = None
        for column in range(nodes.low[at], part.high[at]):
            sizes = np.bincount(nodes.paths[part.rows, column])
            reaching = float(own[columns[:, at] > column].sum() / own.sum())
            enough = sizes.max() <= _LARGEST_SIDE * part.rows.size
            if enough and reaching <= _REACHING and (best is None or reaching < best[0]):
                best = (reaching, at, column)
        if best is not None:
            ways.append(best)
    if not ways:
        return None
    ways.sort()
    _, at, column = ways[turn % min(len(ways), 4)]
    number = nodes.paths[part.rows, column]
    sizes = np.bincount(number)
    totals, side = [0, 0], np.zeros(sizes.size, np.bool_)
    for node in np.argsort(-sizes, kind="stable"):
        smaller = totals[1] < totals[0]
        side[node] = smaller
        totals[smaller] += int(sizes[node])
    high = part.high.copy()
    high[at] = column
    return TablePart(part.rows[side[number]], high), TablePart(part.rows[~side[number]], high)


@dataclass(frozen=True)
class DividedPart:
    """A part of a table that is prepared for division, with its own numbers of cells and rows.

    `within` lists the cells of the division that the part may close and replace with new cells.
    """

    part: TablePart
    within: NDArray[np.int64]
    table: open_cells.NodeRows
    cells: open_cells.OpenCells
    work: choosing.ChoosingRoom
    least: int

    def improve(self, seeds: NDArray[np.int32], most_rows: int, branches: int) -> float:
        """Divide the classes around each seed in turn; return the gain in records times loss."""
        return redivision.improve(
            self.table, self.cells, self.work, seeds, self.least, most_rows, branches
        )


def prepared(
    problem: RecodingProblem, nodes: Nodes, division: Division, part: TablePart, suppressed: int
) -> DividedPart:
    """Prepare a part for a new division that may suppress `suppressed` more records."""
    table, present = _table_of(problem, nodes, part)
    classes = division.rows[part.rows]
    reaching = np.any(division.columns > part.high, axis=1)
    within = np.setdiff1d(classes[classes != OUT], np.flatnonzero(reaching))
    crossing = np.flatnonzero(reaching)
    samples = _samples(nodes, division, crossing, present, table)
    crossing, samples = crossing[samples != OUT], samples[samples != OUT]
    number = within.size + crossing.size
    # There is space for some new cells. A step that needs more space is skipped.
    room = -(-(number + number // 8 + 2 * WORD) // WORD) * WORD
    cells = empty_cells(present.size, room, nodes.low.size, part.rows.size, problem.k)
    chosen = np.concatenate([within, crossing])
    inside = np.flatnonzero(np.isin(classes, within))
    _, first = np.unique(classes[inside], return_index=True)
    cells.samples[:number] = np.concatenate([inside[first], samples])
    cells.columns[:number] = division.columns[chosen]
    shown = table.paths[cells.samples[:number, None], cells.columns[:number]]
    cells.costs[:number] = table.costs[shown].sum(axis=1)
    cells.keys[:number] = division.keys[chosen]
    cells.open[:number] = True
    cells.fixed[within.size : number] = True
    needs = _needs(problem, division, classes, table.weights)
    cells.needs[within.size : number] = needs[crossing]
    cells.free[: room - number] = np.arange(room - 1, number - 1, -1)
    local_of = np.full(division.keys.size + 1, OUT, np.int32)
    local_of[chosen] = np.arange(number)
    out = int(table.weights[classes == OUT].sum())
    cells.numbers[:] = table.weights.sum(), out + suppressed, room - number, room
    open_cells.occupy(table, cells, local_of[classes])
    return DividedPart(part, within, table, cells, _work(room, part, nodes), problem.k)


def _table_of(
    problem: RecodingProblem, nodes: Nodes, part: TablePart
) -> tuple[open_cells.NodeRows, NDArray[np.int32]]:
    """Return the rows of a part with nodes renumbered without gaps, and the original nodes."""
    paths = nodes.paths[part.rows]
    present, inverse = np.unique(paths, return_inverse=True)
    local = np.ascontiguousarray(inverse.reshape(paths.shape).astype(np.int32))
    table = open_cells.NodeRows(
        paths=local,
        low=nodes.low,
        high=part.high,
        top=nodes.top,
        costs=nodes.costs[present],
        weights=np.ascontiguousarray(problem.encoding.counts[part.rows]),
        shows=_bits(local, present.size),
    )
    return table, present


def _needs(
    problem: RecodingProblem,
    division: Division,
    classes: NDArray[np.int32],
    weights: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many records each cell must keep in a part so that k records remain in total."""

    def records(rows: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        inside = rows != OUT
        sizes = np.bincount(rows[inside], counts[inside], minlength=division.keys.size)
        return sizes.astype(np.int64)

    here, everywhere = records(classes, weights), records(division.rows, problem.encoding.counts)
    spare = (everywhere - problem.k) * here // np.maximum(everywhere, 1)
    return np.asarray(here - spare)


def _samples(
    nodes: Nodes,
    division: Division,
    crossing: NDArray[np.int64],
    present: NDArray[np.int32],
    table: open_cells.NodeRows,
) -> NDArray[np.int64]:
    """Find a row of the part that matches each given cell, or `OUT` if there is none."""
    found = np.full(crossing.size, OUT, np.int64)
    shown = nodes.paths[division.samples[crossing][:, None], division.columns[crossing]]
    at = np.minimum(np.searchsorted(present, shown), present.size - 1)
    known = np.flatnonzero((present[at] == shown).all(axis=1))
    found[known] = open_cells.first_shown(table.shows, at[known].astype(np.int32))
    return found


def joined(division: Division, done: list[DividedPart]) -> Division:
    """Return the division of a table whose parts were improved."""
    stays = np.ones(division.keys.size, np.bool_)
    samples, columns, keys = [], [], []
    for one in done:
        stays[one.within] = False
        new = np.flatnonzero(one.cells.open & ~one.cells.fixed)
        samples.append(one.part.rows[one.cells.samples[new]])
        columns.append(one.cells.columns[new].astype(np.int64))
        keys.append(one.cells.keys[new])
    return Division(
        np.concatenate([division.samples[stays], *samples]),
        np.concatenate([division.columns[stays], *columns]),
        np.concatenate([division.keys[stays], *keys]),
        division.rows,
    )


def _bits(numbers: NDArray[np.int32], nodes: int) -> NDArray[np.uint64]:
    """Return the rows of each node as bits, from node numbers with the shape ``(rows, levels)``."""
    rows = numbers.shape[0]
    found = np.zeros((nodes, -(-rows // WORD)), dtype=np.uint64)
    row = np.arange(rows)
    bit = np.uint64(1) << (row % WORD).astype(np.uint64)
    for column in numbers.T:
        np.bitwise_or.at(found, (column, row // WORD), bit)
    return found


def _work(room: int, part: TablePart, nodes: Nodes) -> choosing.ChoosingRoom:
    rows, attributes = part.rows.size, nodes.low.size
    most, candidates = choosing.MOST_ROWS, choosing.CANDIDATES
    return choosing.ChoosingRoom(
        rows=np.zeros(most, np.int32),
        outside=np.zeros(most),
        outside_keys=np.zeros(most),
        gone=np.zeros(most, np.int32),
        near=np.zeros(choosing.NEAREST, np.int32),
        distances=np.zeros(choosing.NEAREST),
        masks=np.zeros(candidates, np.uint64),
        costs=np.zeros(candidates),
        samples=np.zeros(candidates, np.int32),
        columns=np.zeros((candidates, attributes), np.int32),
        slots=np.zeros(2 * candidates, np.int32),
        best=np.zeros(most, np.int32),
        opened=np.zeros(most, np.int32),
        closed=np.zeros(room + most, np.int32),
        moved=np.zeros(4 * rows + most, np.int32),
        moved_from=np.zeros(4 * rows + most, np.int32),
        counts=np.zeros(3, np.int64),
        column=np.zeros(attributes, np.int32),
        other=np.zeros(attributes, np.int32),
        marked=np.zeros(room, np.bool_),
    )
