"""The least loss of a recoding of a small table, proven by HiGHS, a solver of integer programs.

The problem is facility location. Each record goes to one cell that shows it, at the cost of the
cell, or is suppressed, at a cost of 1. A used cell holds k records or more. Grouping the rows of
the table under every vector of levels gives all cells. Records of equal values may go to different
cells.

Prices of records make the problem small. Suppose that in no class the records' prices add up to
more than the records' loss. Then a release loses at least the sum of all prices, plus the surplus
of each of its classes: its loss above its prices. A cell is left out if any class in it would raise
this bound above a known loss. First, every price is checked against every cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from roadstead.search.recoding.protocol import RecodingProblem

ROUNDED = 1e-7
Levels = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """Rows of a table that a cell shows, and what a record loses there."""

    cost: float
    rows: NDArray[np.int64]


@dataclass(frozen=True)
class Prices:
    """Prices of the records of each row, and the cost of suppression above 1; zero by default."""

    each: NDArray[np.float64]
    suppression: float = 0.0


def levels_of(problem: RecodingProblem) -> Iterator[Levels]:
    """List all vectors of levels."""
    space = problem.space
    return product(*(range(a, b + 1) for a, b in zip(space.bottom, space.top, strict=True)))


def patterns_of(problem: RecodingProblem, levels: Levels) -> Iterator[Levels]:
    """List what classes show where some attributes of a vector of levels are suppressed."""
    places = range(len(levels))
    for hidden in (one for size in range(len(levels) + 1) for one in combinations(places, size)):
        yield tuple(problem.space.top[at] if at in hidden else levels[at] for at in places)


def cells_of(problem: RecodingProblem, vectors: Iterable[Levels]) -> list[Cell]:
    """List the cells of enough records under these vectors; of equal rows only the cheapest."""
    encoding = problem.encoding
    found: dict[bytes, Cell] = {}
    for levels in dict.fromkeys(vectors):
        shown = [encoding.lookups[at][level][encoding.codes[at]] for at, level in enumerate(levels)]
        order = np.lexsort(shown)
        sorted_rows = np.stack(shown, axis=1)[order].astype(np.int64)
        starts = np.flatnonzero(np.diff(sorted_rows, axis=0, prepend=-1).any(axis=1))
        sizes = np.add.reduceat(encoding.counts[order], starts)
        ends = np.append(starts[1:], order.size)
        for at in np.flatnonzero(sizes >= problem.k):
            rows = np.sort(order[starts[at] : ends[at]])
            cost = _cost(problem, levels, int(rows[0]))
            if rows.tobytes() not in found or cost < found[rows.tobytes()].cost:
                found[rows.tobytes()] = Cell(cost, rows)
    return list(found.values())


def _cost(problem: RecodingProblem, levels: Levels, row: int) -> float:
    """The loss of a record that shows these levels."""
    encoding = problem.encoding
    lost = 0.0
    for at, (level, share) in enumerate(zip(levels, problem.shares.tolist(), strict=True)):
        values = int(encoding.leaves[at][level][encoding.codes[at][row]])
        lost += share * (values - 1) / max(encoding.hierarchies[at].domain_size - 1, 1)
    return lost


def _surplus(problem: RecodingProblem, cell: Cell, prices: Prices) -> float:
    """The least loss above their prices of the records of any class in a cell."""
    own = np.sort(np.repeat(cell.cost - prices.each[cell.rows], problem.encoding.counts[cell.rows]))
    return float(own[: problem.k].sum() + np.minimum(own[problem.k :], 0.0).sum())


def worth_using(
    problem: RecodingProblem, cells: list[Cell], prices: Prices, known: float
) -> list[Cell]:
    """Leave out cells that no release uses that loses no more than is known, in the mean."""
    counts = problem.encoding.counts
    highest = 1.0 + prices.suppression  # else records would rather be suppressed
    prices = Prices(np.minimum(prices.each, highest), prices.suppression)
    worth = float(counts @ prices.each) - prices.suppression * problem.limit
    spare = known * problem.records - worth + ROUNDED * problem.records
    surplus = np.array([_surplus(problem, cell, prices) for cell in cells])
    assert (surplus >= -ROUNDED * problem.records).all(), "prices that a class does not lose"
    return [cell for cell, above in zip(cells, surplus, strict=True) if above <= spare]


def least_by_solver(
    problem: RecodingProblem, cells: list[Cell], seconds: float = np.inf
) -> float | None:
    """Least mean loss with these cells; infinite if there is no release, None if not proven.

    The variables are whether each cell is used, how many of each row's records are in each cell
    that shows it, and how many are suppressed. If the cells are fixed, the rest is a flow in a
    network, which has an optimum in whole numbers. Therefore only the first variables must be
    declared as integers.
    """
    counts, number, rows = problem.encoding.counts, len(cells), problem.encoding.counts.size
    sizes = [cell.rows.size for cell in cells]
    cell_of = np.repeat(np.arange(number), sizes)
    row_of = np.concatenate([np.empty(0, np.int64), *(cell.rows for cell in cells)]).astype(int)
    pairs = cell_of.size
    unknown = number + pairs + rows
    own = np.arange(number, number + pairs)
    out = np.arange(number + pairs, unknown)
    costs = np.zeros(unknown)
    costs[own] = np.array([cell.cost for cell in cells])[cell_of] if number else 0.0
    costs[out] = 1.0
    most = np.concatenate([np.ones(number), counts[row_of], counts])
    placed = coo_array(
        (np.ones(pairs + rows), (np.append(row_of, np.arange(rows)), np.append(own, out))),
        shape=(rows, unknown),
    )
    enough = coo_array(
        (
            np.append(np.ones(pairs), np.full(number, -float(problem.k))),
            (np.append(cell_of, np.arange(number)), np.append(own, np.arange(number))),
        ),
        shape=(number, unknown),
    )
    used = coo_array(
        (
            np.append(np.ones(pairs), -counts[row_of].astype(float)),
            (np.tile(np.arange(pairs), 2), np.append(own, cell_of)),
        ),
        shape=(pairs, unknown),
    )
    limit = np.zeros((1, unknown))
    limit[0, out] = 1.0
    constraints = [
        LinearConstraint(placed, counts, counts),
        LinearConstraint(limit, -np.inf, problem.limit),
    ]
    if number:
        constraints += [LinearConstraint(enough, 0.0), LinearConstraint(used, ub=0.0)]
    solved = milp(
        costs,
        integrality=np.arange(unknown) < number,
        bounds=Bounds(0.0, most),
        constraints=constraints,
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if solved.status == 2:  # proven that there is none
        return np.inf
    return float(solved.fun) / problem.records if solved.status == 0 else None
