"""Write a proof of the bound for a recoding, with the prices, hierarchies, and table, as JSON.

The prices are a solution of the dual problem (`recoding.bounds.nodes`), so they prove the bound. A
checker needs only the prices and the table. The prices become whole numbers, and are rounded down
far enough that rounding errors of the search do not matter. The document contains the distinct
values of the table. It is therefore as confidential as the table
(`docs/methods/checking-optimality.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from roadstead.search.optimality_proof import UNIT, ExactMean
from roadstead.search.proof_document import (
    ProofTerms,
    ReadingOfTable,
    attribute_of,
    digest_of,
    packed,
    suppression_of,
)
from roadstead.search.recoding.bounds.cell_walk import TOLERANCE
from roadstead.search.recoding.protocol import RecodingProblem
from roadstead.tables.persons.profiles import PersonTable

FORMAT, VERSION = "roadstead-bound", 1


def bound_bytes(
    problem: RecodingProblem,
    prices: NDArray[np.float64],
    mean: ExactMean,
    terms: ProofTerms,
    reading: ReadingOfTable,
) -> bytes:
    """Return the compressed document, which is identical for identical prices."""
    encoding = problem.encoding
    table = encoding.table
    if isinstance(table, PersonTable):
        table = table.combinations
        prices = _by_combination(problem, prices)
    whole = _whole_prices(problem, prices)
    total, above = worth_of(whole, table.counts.tolist(), problem.limit)
    return packed(
        {
            "format": FORMAT,
            "version": VERSION,
            "table": {
                "sha256": digest_of(table),
                "records": encoding.records,
                **asdict(reading),
            },
            "attributes": [attribute_of(one) for one in encoding.hierarchies],
            "allowed": {"lowest": problem.space.bottom, "highest": problem.space.top},
            "k": problem.k,
            "suppression": suppression_of(terms, problem.limit),
            "weights": mean.weights,
            "bound": max(total // encoding.records, 0),
            "above": above,
            "prices": whole,
        }
    )


def _by_combination(problem: RecodingProblem, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean price of the records with each combination, sorted by combination.

    A table of people may have a combination in several rows. A cell contains all of these rows, and
    replacing their prices with the mean price never raises the sum of the highest prices.
    """
    encoding = problem.encoding
    _, rows = np.unique(encoding.codes, axis=1, return_inverse=True)
    sums = np.bincount(rows.reshape(-1), prices * encoding.counts)
    return np.asarray(sums / np.bincount(rows.reshape(-1), encoding.counts))


def _whole_prices(problem: RecodingProblem, prices: NDArray[np.float64]) -> list[int]:
    """Return the prices in units of 1 / `UNIT`, rounded down so that they are exactly valid.

    The k highest prices of a cell may exceed its cost by the tolerance of the search. The checker
    rounds the cost of each attribute down, by less than one unit.
    """
    slack = int(TOLERANCE * UNIT) // problem.k + len(problem.encoding.attributes) + 2
    return [int(price) - slack for price in np.floor(prices * UNIT)]


def worth_of(prices: Sequence[int], counts: Sequence[int], limit: int) -> tuple[int, int]:
    """Return the sum that the prices prove, and the excess of the price of suppression over 1.

    If a higher limit would reduce the loss, prices may be above 1. They are limited to the price at
    which the limit is used up, and each record that may be suppressed reduces the sum.
    """
    left, above = limit, 0
    for price, count in sorted(zip(prices, counts, strict=True), reverse=True):
        left -= count
        if left < 0:
            above = max(price - UNIT, 0)
            break
    total = sum(min(p, UNIT + above) * n for p, n in zip(prices, counts, strict=True))
    return total - limit * above, above
