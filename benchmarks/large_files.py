"""Large files of other programs: seconds and peak memory to read them, and to write a release.

    python benchmarks/large_files.py --scratch DIR [--records 1000000] [--skip-reading]

It needs no data, about 12 GB in the folder, and the extras ``excel`` and ``stats``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from measuring import MEBIBYTE, run
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.registry import FORMATS

WIDE = {"large.sav": 250, "large.xpt": 300, "large.dta": 300}
"""Files of a statistics package with so many columns of numbers."""
RELEASED = 30
WRITTEN = ("sav", "dta", "xpt", "xlsx", "ods", "rds", "arrow", "jsonl")
_ENDINGS = {
    ending.lstrip("."): name for name in FORMATS.own for ending in FORMATS[name].endings[:1]
}


def make(path: Path, records: int) -> None:
    """Write a large file with the package's own library: codes in a fifth of its columns."""
    import pandas as pd  # noqa: PLC0415 - as below
    import pyreadstat  # noqa: PLC0415 - an extra

    random = np.random.default_rng(1)
    columns = WIDE[path.name]
    cells = {
        f"v{at}": random.integers(0, 9, records).astype(float)
        if at % 5 == 0
        else random.normal(size=records)
        for at in range(columns)
    }
    writers: dict[str, Any] = {
        ".sav": pyreadstat.write_sav,
        ".xpt": pyreadstat.write_xport,
        ".dta": pyreadstat.write_dta,
    }
    writers[path.suffix](pd.DataFrame(cells), str(path))


def read(path: Path) -> None:
    """Read a file, and count the groups of three of its columns."""
    import roadstead as rs  # noqa: PLC0415 - measured
    from roadstead.tables.frequency import summarize  # noqa: PLC0415 - as above

    with rs.read(path) as source:
        print(summarize(source, ["v0", "v5", "v10"]).distinct, "groups")


def table(records: int) -> pa.Table:
    """Return a release: a third of the columns texts, a third whole numbers, a third fractions."""
    random = np.random.default_rng(2)
    words = pa.array(["female", "male", "20-29", "30-39", "*", "Grippe né", "asthma", "none"])
    kinds = (
        lambda: words.take(pa.array(random.integers(0, 8, records))),
        lambda: pa.array(random.integers(0, 1000, records)),
        lambda: pa.array(random.normal(size=records)),
    )
    return pa.table({f"c{at}": kinds[at % 3]() for at in range(RELEASED)})


def write(source: Path, target: Path) -> None:
    """Write a release in the format of the target's ending."""
    file = parquet.ParquetFile(source)
    rows = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(1 << 16))
    FORMATS[_ENDINGS[target.suffix.lstrip(".")]].write(rows, target, Codebook())


def measured(what: str, *words: object) -> None:
    """Run a part of this script in its own process, and print a row of the table."""
    try:
        done = run([sys.executable, __file__, *map(str, words)])
    except SystemExit as error:
        print(f"| {what} | failed: {str(error)[-120:]!r} | |", flush=True)
        return
    print(f"| {what} | {done.seconds:.0f} | {done.peak / MEBIBYTE:,.0f} |", flush=True)


def main() -> None:
    """Make the files, and measure."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--scratch", type=Path, required=True)
    asked.add_argument("--records", type=int, default=1_000_000)
    asked.add_argument("--skip-reading", action="store_true")
    asked.add_argument("--one", nargs="+", type=Path, help=argparse.SUPPRESS)
    given = asked.parse_args()
    match given.one:
        case [path]:
            read(path)
            return
        case [source, target]:
            write(source, target)
            return
    scratch: Path = given.scratch
    print("| file | seconds | MB |\n|---|---|---|")
    for name, columns in {} if given.skip_reading else WIDE.items():
        if not (scratch / name).exists():
            make(scratch / name, given.records)
        size = (scratch / name).stat().st_size / 1e9
        what = f"read `{name}`, {given.records:,} x {columns}, {size:.1f} GB"
        measured(what, "--scratch", scratch, "--one", scratch / name)
    parquet.write_table(table(given.records), scratch / "release.parquet")
    for ending in WRITTEN:
        what = f"write {given.records:,} x {RELEASED} to `.{ending}`"
        target = scratch / f"release.{ending}"
        measured(what, "--scratch", scratch, "--one", scratch / "release.parquet", target)
        target.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
