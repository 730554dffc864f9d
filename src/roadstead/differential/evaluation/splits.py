"""Parts of a private table: records to learn from, and records to test on.

Equal records are one row with a count, so a part takes some of a row's records, as if each had been
drawn by itself without being put back: a multivariate hypergeometric draw of the counts.

Chance here is a seeded generator. A part is no release and nothing that is published follows from
it but accuracies, which are for the custodian's eyes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.private_table import PrivateTable
from roadstead.errors import SettingError

_FEWEST_FOLDS = 2


def split(table: PrivateTable, share: float, seed: int) -> tuple[PrivateTable, PrivateTable]:
    """Split the records of a table in two.

    `share`: how large the first part is, between 0 and 1; rounded to whole records. Returns the
    records to learn from, and the others. What was left out of the whole table is counted in
    neither.
    """
    if not 0 < share < 1:
        raise SettingError(
            f"a share of {share:g} is not a part of the records",
            fix="give a number between 0 and 1",
        )
    chance = np.random.default_rng(seed)
    first = _drawn(chance, table.counts, round(table.records * share))
    return _part(table, first), _part(table, table.counts - first)


def folds(
    table: PrivateTable, number: int, seed: int
) -> Iterator[tuple[PrivateTable, PrivateTable]]:
    """Part the records for cross-validation; parts differ by one record in size, at most.

    `number`: how many parts, at least 2. Yields for each part the records outside it, to learn
    from, and those in it.
    """
    if not _FEWEST_FOLDS <= number <= table.records:
        raise SettingError(
            f"{table.records} records cannot be parted into {number} folds",
            fix="give at least 2 folds, and no more than there are records",
        )
    chance = np.random.default_rng(seed)
    rest = table.counts
    for left in range(number, 0, -1):
        part = _drawn(chance, rest, int(rest.sum()) // left)
        rest = rest - part
        yield _part(table, table.counts - part), _part(table, part)


def _drawn(chance: np.random.Generator, counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return chance.multivariate_hypergeometric(counts, size, method="marginals")


def _part(table: PrivateTable, counts: NDArray[np.int64]) -> PrivateTable:
    """Take some records of each row."""
    some = counts > 0
    return replace(
        table,
        codes=tuple(code[some] for code in table.codes),
        target=table.target[some],
        counts=counts[some],
        left_out=0,
        clamped=(),
        unlisted=(),
    )
