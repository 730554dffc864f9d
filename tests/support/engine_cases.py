"""Small random problems as tables of records in an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count

import ibis
import pyarrow as pa
from effort import examples
from ibis.backends import BaseBackend
from lattices import AGGREGATES, Case

from roadstead.search.in_engine.problem import Tables, prepare
from roadstead.search.in_engine.reading import Queries, read_domains
from roadstead.tables.stores.duckdb.open import DuckdbWorkbench

_NUMBERS = count()
few = examples(8)
"""An example is dozens of queries."""


@cache
def _duckdb() -> BaseBackend:
    return ibis.duckdb.connect(threads=1)


def bench(rows: pa.Table) -> DuckdbWorkbench:
    """Bring records to an engine, which is started once."""
    name = f"records_{next(_NUMBERS)}"
    _duckdb().con.register(name, rows)
    return DuckdbWorkbench(_duckdb().table(name), "records")


def queries(case: Case) -> Queries:
    """Bring the records of a case to the engine."""
    return Queries(bench(records(case)), "records")


def records(case: Case) -> pa.Table:
    """Write every record out."""
    columns = zip(*case.rows, strict=True)
    names = [attribute.name for attribute in case.attributes]
    return pa.table(
        {
            name: pa.array(
                [
                    value or None
                    for value, count in zip(column, case.counts, strict=True)
                    for _ in range(count)
                ],
                pa.string(),
            )
            for name, column in zip(names, columns, strict=True)
        }
    )


@contextmanager
def in_engine(case: Case, *, short: int = 0) -> Iterator[Tables]:
    """Bring a case to DuckDB and keep its tables there."""
    made = bench(records(case))
    try:
        asked = Queries(made, "records")
        names = tuple(attribute.name for attribute in case.attributes)
        weights = None if case.weights is None else tuple(float(w) for w in case.weights)
        yield prepare(
            asked,
            read_domains(asked, names, 100),
            [attribute.hierarchy() for attribute in case.attributes],
            aggregate=AGGREGATES[case.aggregate](weights),
            smallest=case.k,
            limit=case.limit,
            minimum=dict(zip(names, case.bottom, strict=True)),
            maximum=dict(zip(names, case.top, strict=True)),
            short=short,
        )
    finally:
        made.close()
