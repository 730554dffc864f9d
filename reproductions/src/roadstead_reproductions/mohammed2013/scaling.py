"""Figure 5B: time and memory as Adult grows to a million records.

The paper makes variations of each record "by replacing some of the attribute values randomly from
the same domain". Here, each of the 14 values of a variation has a probability of one half of being
replaced by a uniform random value from the public domain. The class is kept. So almost all records
are distinct, and counting equal records together saves no time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.differential.private_table import within
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead_reproductions.mohammed2013 import published
from roadstead_reproductions.mohammed2013.adult import Records
from roadstead_reproductions.mohammed2013.adult_domains import (
    CLASSES,
    COLUMNS,
    TARGET,
    adult_domains,
)
from roadstead_reproductions.mohammed2013.ways import MAX_CONSISTENT, PAPER_MAX
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

_STATUS = Path("/proc/self/status")
"""The file in which Linux reports the peak memory of a process."""
_HALF = 0.5
_WARM_UP = 2_000

SHOWN = (
    Column("records", "records", "count"),
    Column("distinct", "distinct", "count"),
    Column("reading", "reading and counting", "seconds"),
    Column("placing", "placing values in domains", "seconds"),
    Column("paper", "release, Max (paper)", "seconds"),
    Column("ours", "release, max-gain", "seconds"),
    Column("total", "total, max-gain", "seconds"),
    Column("fitted", "by the fitted line", "seconds"),
    Column("memory", "memory", "bytes"),
)


@dataclass(frozen=True)
class ScalingExtent:
    """The ascending sizes of the tables, and the number of specializations of each release."""

    sizes: tuple[int, ...]
    specializations: int = published.COMPARED_SPECIALIZATIONS


@dataclass(frozen=True)
class Measured:
    """The times of all steps for one table in seconds, from the file to the counts.

    `distinct` is the number of distinct records. `placing` is the time to convert records to their
    domains. `paper` and `ours` are the times of a release in the paper's way and in our way.
    `memory` is the peak memory so far in bytes, or None.
    """

    distinct: int
    reading: float
    placing: float
    paper: float
    ours: float
    memory: int | None


def scaling(records: Records, extent: ScalingExtent, tell: Tell) -> ResultTable:
    """Measure the tables in ascending order of size in this process."""
    found: list[Measured] = []
    before = most_memory()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "varied.csv"
        write_varied(path, records, _WARM_UP, seed=0)
        measure(path, extent.specializations)
        for size in extent.sizes:
            tell(f"figure 5B: {size:,} records")
            write_varied(path, records, size, seed=size)
            found.append(measure(path, extent.specializations))
    return scaling_table(extent, found, before)


def most_memory() -> int | None:
    """Return the peak memory of this process in bytes, or None."""
    if not _STATUS.is_file():
        return None
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return None


def write_varied(path: Path, records: Records, size: int, seed: int) -> None:
    """Write `size` records to a file: the original records and variations of them."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv  # noqa: PLC0415 - heavy

    chance = np.random.default_rng(seed)
    places = np.arange(size) % records.size
    varied = np.arange(size) >= records.size
    domains = {domain.attribute: domain for domain in adult_domains()}
    columns: dict[str, pa.Array] = {}
    for name, values, codes in zip(COLUMNS, records.values, records.codes, strict=True):
        cells = np.array(values, dtype=object)[codes[places]]
        if name != TARGET:
            replaced = varied & (chance.random(size) < _HALF)
            cells[replaced] = _drawn(domains[name], int(replaced.sum()), chance)
        columns[name] = pa.array(cells, pa.string())
    csv.write_csv(pa.table(columns), path)


def _drawn(domain: Domain, number: int, chance: np.random.Generator) -> NDArray[np.object_]:
    """Draw uniform random values from a domain of Adult, in which all numbers are integers."""
    match domain:
        case NumericDomain(low=low, high=high):
            numbers = chance.integers(int(low), int(high), size=number, endpoint=True)
            return numbers.astype(np.str_).astype(np.object_)
        case CategoricalDomain(taxonomy=taxonomy):
            leaves = np.array(taxonomy.leaf_labels, dtype=np.object_)
            return leaves[chance.integers(taxonomy.size, size=number)]
        case _:
            raise TypeError(f"{domain!r} is not a domain of Adult")


def measure(path: Path, specializations: int) -> Measured:
    """Release a file at epsilon 1 in the paper's way and in our way."""
    clock = [time.perf_counter()]
    with read(path) as source:
        table = summarize(source, COLUMNS)
    clock.append(time.perf_counter())
    private = within(table, adult_domains(), TARGET, CLASSES)
    clock.append(time.perf_counter())
    for way in (PAPER_MAX, MAX_CONSISTENT):
        way.release(private, Fraction(1), specializations)
        clock.append(time.perf_counter())
    reading, placing, paper, ours = (after - before for before, after in pairwise(clock))
    return Measured(table.distinct, reading, placing, paper, ours, most_memory())


def scaling_table(
    extent: ScalingExtent, found: Sequence[Measured], before: int | None
) -> ResultTable:
    """Return the table of the measurements, with a fitted line.

    `before` is the peak memory before the first measurement.
    """
    totals = np.array([one.reading + one.placing + one.ours for one in found])
    numbers = np.array(extent.sizes, dtype=np.float64)
    slope, begin = np.polyfit(numbers, totals, 1)
    line = begin + slope * numbers
    rest = float(((totals - line) ** 2).sum())
    spread = float(((totals - totals.mean()) ** 2).sum())
    told = 1.0 - rest / spread if spread else 1.0
    rows: list[Row] = [
        {"records": size, **vars(one), "total": float(total), "fitted": float(at)}
        for size, one, total, at in zip(extent.sizes, found, totals, line, strict=True)
    ]
    had = "" if before is None else f", which began with {before / 1e6:,.0f} MB"
    return ResultTable(
        "figure-5b-scaling",
        f"Figure 5B: {extent.specializations} specializations, epsilon 1, from file to counts",
        SHOWN,
        tuple(rows),
        (
            f"Published: linear, up to {published.LARGEST:,} records, on a desktop of 2012 "
            "(figure 5B is a picture).",
            f"Line: {1e6 * slope:.2f} microseconds per record and {begin:.2f} s; it "
            f"explains {100 * told:.1f}% of the variance of the total times.",
            "One release each. The time of a release depends on the number of groups that its "
            "choices make, which is random.",
            f"Memory is the peak of this process so far, with sizes in ascending order{had}.",
        ),
    )
