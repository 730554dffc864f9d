"""Count the cells in each released column that a spreadsheet may run as formulas.

The engine counts the cells with one query over the released rows. So the query also counts the
labels of quasi-identifiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roadstead.release.apply import released_batches, released_rows
from roadstead.tables.arrow_arrays import computed, converted, matching
from roadstead.tables.failures import engine_errors
from roadstead.tables.formulas import COARSE, may_run, that_may_run
from roadstead.tables.stores.access import workbench
from roadstead.tables.texts import with_strings

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source


@dataclass(frozen=True)
class RunnableCells:
    """The cells and column names of a released table that a spreadsheet may run as formulas."""

    cells: dict[str, int] = field(default_factory=dict)  # number by column, above 0
    names: tuple[str, ...] = ()  # names that a spreadsheet may run

    def __bool__(self) -> bool:
        return bool(self.cells or self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a dictionary that can be written as JSON."""
        return {"cells": self.cells, "names": list(self.names)}


def runnable_cells(
    source: Source, policy: Policy, generalized: Generalized, *, mask: bool
) -> RunnableCells:
    """Count, in the engine of the source, the cells of a release that a spreadsheet may run.

    The rows of a text file or of a small table are read as plain text, so Ibis is not needed.
    """
    texts = with_strings(source) if generalized.by_labels_alone else source
    if texts.texts is not None and generalized.by_labels_alone:
        rows = released_batches(texts, policy, generalized, mask=mask, plain=True, ordered=False)
        kinds = source.types
        numbers = {n for n in source.columns if n not in policy.quasi and kinds[n] != "string"}
        return _in_batches(rows, numbers)
    with workbench(source) as bench:
        rows = released_rows(bench.table, bench.small, policy, generalized, mask=mask)
        return runnable_in(rows, source.name)


def runnable_in(rows: ibis.Table, where: str) -> RunnableCells:
    """Count, in rows that are about to be returned, the cells that a spreadsheet may run."""
    texts = [name for name in rows.columns if rows[name].type().is_string()]
    return RunnableCells(_counted(rows, texts, where), tuple(filter(may_run, rows.columns)))


def _in_batches(batches: pa.RecordBatchReader, numbers: AbstractSet[str]) -> RunnableCells:
    """Count, in batches of rows, the cells outside `numbers` that a spreadsheet may run."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    names, counts = batches.schema.names, Counter[str]()
    with batches:
        for batch in batches:
            for name, column in zip(names, batch.columns, strict=True):
                if name in numbers:
                    continue
                texts = converted(column, pa.string())
                suspects = computed("array_filter", texts, matching(texts, COARSE)).to_pylist()
                counts[name] += sum(map(may_run, suspects))
    return RunnableCells(dict(+counts), tuple(filter(may_run, names)))


def _counted(rows: ibis.Table, names: Sequence[str], where: str) -> dict[str, int]:
    if not names:
        return {}
    sums = {
        f"cells_{at}": that_may_run(rows[name]).ifelse(1, 0).sum() for at, name in enumerate(names)
    }
    with engine_errors(where):
        (found,) = rows.aggregate(**sums).to_pyarrow().to_pylist()
    counts = {name: int(found[f"cells_{at}"] or 0) for at, name in enumerate(names)}
    return {name: number for name, number in counts.items() if number}
