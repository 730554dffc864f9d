"""Every attribute before it is specialized, and its classes counted again once records are lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import NumericDomain, SetDomain
from roadstead.differential.growth.categorical_growth import CategoricalGrowth
from roadstead.differential.growth.numeric_growth import NumericGrowth
from roadstead.differential.growth.set_growth import SetGrowth, set_growth
from roadstead.differential.growth.tallies import Tally, tally
from roadstead.differential.listing import Threshold
from roadstead.differential.private_table import PrivateTable

Growth: TypeAlias = NumericGrowth | CategoricalGrowth | SetGrowth


def roots(table: PrivateTable, threshold: Threshold) -> Iterator[Growth]:
    """Begin with every attribute at its topmost value."""
    everything = np.ones(table.rows, dtype=np.bool_)
    for at, domain in enumerate(table.domains):
        match domain:
            case NumericDomain():
                counted = _tally(table, at, everything)
                yield NumericGrowth(domain, table.codes[at], counted, (0, domain.size), {})
            case SetDomain():
                sets = table.sets[at]
                assert sets is not None  # noqa: S101 - as a private table has it
                by_set = _by_set(table, at, everything)
                yield set_growth(domain, table.codes[at], sets, by_set, threshold)
            case _:
                counted = _tally(table, at, everything)
                yield CategoricalGrowth(domain, table.codes[at], counted)


def recounted(
    growths: Sequence[Growth], table: PrivateTable, alive: NDArray[np.bool_]
) -> Iterator[Growth]:
    """Count the classes again after records were lost: scores are of those that are left."""
    for at, growth in enumerate(growths):
        if isinstance(growth, SetGrowth):
            yield replace(growth, by_set=_by_set(table, at, alive))
        else:
            yield replace(growth, tally=_tally(table, at, alive))


def _tally(table: PrivateTable, at: int, alive: NDArray[np.bool_]) -> Tally:
    return tally(
        table.codes[at][alive], table.target[alive], table.counts[alive], len(table.classes)
    )


def _by_set(table: PrivateTable, at: int, alive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the classes of each distinct set; ``(sets, classes)``."""
    sets, classes = table.sets[at], len(table.classes)
    assert sets is not None  # noqa: S101 - as a private table has it
    cells = table.codes[at][alive].astype(np.int64) * classes + table.target[alive]
    size = (sets.starts.size - 1) * classes
    counts = np.bincount(cells, weights=table.counts[alive], minlength=size)
    return counts.astype(np.int64).reshape(-1, classes)
