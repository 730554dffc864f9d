"""Exact search by queries in the engine, compared with the same search in memory.

    ROADSTEAD_DATA=folder python benchmarks/in_engine.py [--copies 100] [--runs 1]

The published problems come first: Adult with nine quasi-identifiers and Cup with eight, where both
ways must find the published optimum. Then follows a table with millions of distinct combinations:
this many copies of Adult, made in DuckDB, in which each value of six columns becomes one of several
finer values at random. The hierarchies get one more level, and k grows with the copies. This
frequency table is also held in memory, so that the optima can be compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from measuring import show_machine
from problems import ADULT, CUP, DataSet
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.in_engine.problem import prepare
from roadstead.search.in_engine.reading import SHORT, Queries, read_domains
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.stores.access import workbench
from roadstead.verbs.hierarchies import choose_hierarchies
from tables import copies_of_adult

if TYPE_CHECKING:
    from collections.abc import Callable

    from roadstead.tables.frequency import FrequencyTable

    Choose: TypeAlias = Callable[[FrequencyTable], tuple[Hierarchy, ...]]

FINER = {
    "age": 12,
    "education": 4,
    "native-country": 3,
    "occupation": 8,
    "workclass": 3,
    "marital-status": 2,
}
"""Into how many finer values each value is divided."""
K = 5
LIMIT = Fraction(5, 100)
MOST_VALUES = 1_000_000
COLUMNS = "{:<16}{:>10}{:>13}{:>12}{:>9}{:>10}{:>10}{:>9}{:>17}"


@dataclass(frozen=True)
class Found:
    """The result of a search, with its cost.

    Attributes
    ----------
    outcome
        The optimum.
    reading, searching
        Seconds to read the records, and to search.
    rows
        Distinct combinations.
    Rows of the tables that evaluations queried; 0 in memory.
    rollups
        How many were made.
    """

    outcome: Outcome[Levels]
    reading: float
    searching: float
    rows: int
    scanned: int = 0
    rollups: int = 0


def in_memory(path: Path, quasi: tuple[str, ...], choose: Choose, k: int) -> Found:
    """Search on the frequency table."""
    began = time.perf_counter()
    with read(path) as source:
        table = summarize(source, quasi)
    encoding = encode(table, choose(table))
    problem = FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(k),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=int(LIMIT * table.records),
    )
    reading = time.perf_counter() - began
    outcome = Exact().run(problem, Control())
    return Found(outcome, reading, outcome.seconds, table.distinct)


def in_engine(path: Path, quasi: tuple[str, ...], choose: Choose, k: int, short: int) -> Found:
    """Search with queries."""
    began = time.perf_counter()
    with read(path) as source, workbench(source) as bench:
        queries = Queries(bench, source.name)
        domains = read_domains(queries, quasi, MOST_VALUES)
        tables = prepare(
            queries,
            domains,
            choose(domains.table),
            aggregate=GeometricMean(),
            smallest=k,
            limit=int(LIMIT * domains.records),
            short=short,
        )
        reading = time.perf_counter() - began
        outcome = Exact().run(tables.evaluator, Control())
        rollups = tables.rollups
        rows = int(tables.base.numbers.sum())
        return Found(outcome, reading, outcome.seconds, rows, rollups.scanned, rollups.made)


def published(data: DataSet) -> Choose:
    """Choose the published hierarchies."""
    return lambda table: choose_hierarchies(table, data.hierarchy_folder)[0]


def finer(table: FrequencyTable) -> tuple[Hierarchy, ...]:
    """Put a level of finer values below the hierarchies of Adult."""
    coarse = {
        name: tuple(dict.fromkeys(value.rpartition("/")[0] for value in domain))
        for name, domain in zip(table.attributes, table.domains, strict=True)
        if name in FINER
    }
    given = {}
    for name in table.attributes:
        if name in FINER:
            hierarchy, _ = choose_hierarchies(
                _domain_alone(table, name, coarse[name]), ADULT.hierarchy_folder
            )
            given[name] = _divided(hierarchy[0], FINER[name])
    return choose_hierarchies(table, ADULT.hierarchy_folder, given)[0]


def _domain_alone(table: FrequencyTable, name: str, domain: tuple[str, ...]) -> FrequencyTable:
    place = table.attributes.index(name)
    return type(table)((name,), (domain,), (table.codes[place][:0],), table.counts[:0])


def _divided(hierarchy: Hierarchy, parts: int) -> Hierarchy:
    rows = [
        [f"{value}/{part}", *(level.labels[level.codes[at]] for level in hierarchy.levels)]
        for at, value in enumerate(hierarchy.values)
        for part in range(parts)
    ]
    return from_columns(hierarchy.attribute, list(zip(*rows, strict=True)), origin="finer")


def blown_up(copies: int, folder: Path) -> Path:
    """Write so many copies of Adult with finer values to a Parquet file, by DuckDB alone."""
    path = folder / f"adult_{copies}.parquet"
    columns = [
        f'"{name}" || \'/\' || hash(adult.rowid, copies.range, {at}) % {FINER[name]} AS "{name}"'
        if name in FINER
        else f'"{name}"'
        for at, name in enumerate(ADULT.columns)
    ]
    copies_of_adult(", ".join(columns), copies, path, {})
    return path


def told(name: str, found: Found) -> None:
    """Print a line."""
    outcome = found.outcome
    best = "none" if outcome.best is None else f"{outcome.best.loss:.12f}"
    print(
        COLUMNS.format(
            name,
            f"{outcome.evaluated:,}",
            f"{found.rows:,}",
            f"{outcome.queries:,}",
            f"{found.rollups:,}",
            f"{found.scanned / 1e6:,.1f}",
            f"{found.reading:.1f}",
            f"{found.searching:.1f}",
            best,
        ),
        flush=True,
    )


def compared(
    name: str, path: Path, quasi: tuple[str, ...], choose: Choose, k: int, short: int
) -> bool:
    """Search both ways; return whether they agree."""
    memory = in_memory(path, quasi, choose, k)
    told(f"{name} memory", memory)
    engine = in_engine(path, quasi, choose, k, short)
    told(f"{name} engine", engine)
    without = in_engine(path, quasi, choose, k, sys.maxsize)
    told(f"{name} no r.-up", without)
    return memory.outcome.best == engine.outcome.best == without.outcome.best


def main() -> int:
    """Run all; 1 if the ways do not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=100, help="copies of Adult's 30,162 records")
    given = parser.parse_args()
    show_machine()
    print(
        COLUMNS.format(
            "", "evaluated", "combinations", "queries", "roll-ups", "M rows", "reading", "search",
            "loss",
        )
    )  # fmt: skip
    same = compared("Adult 9", ADULT.path, ADULT.columns, published(ADULT), K, 0)
    same &= compared("Cup 8", CUP.path, CUP.columns, published(CUP), K, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = blown_up(given.copies, Path(folder))
        same &= compared("finer", path, ADULT.columns, finer, K * given.copies, SHORT)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
