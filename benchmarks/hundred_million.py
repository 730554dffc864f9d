"""A hundred million records from Parquet, through DuckDB, in less than 4 GiB of memory.

    ROADSTEAD_DATA=folder python benchmarks/hundred_million.py [--millions 1 100] [--json FILE]

Adult is repeated inside the engine. In addition to its nine quasi-identifiers, each record has its
own number, which is released. So a release must include a column that no summary makes smaller. k
grows with the number of repetitions, so the problem stays the same, and the search must take as
long as on a million records. The script ends with 1 if the searches differ, or if memory exceeded
the limit.

The tables are written to a temporary folder (``--folder`` names it), which needs about 7 GB per
hundred million records, including spilled data. They are removed at the end.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import measuring
import tables
from problems import ADULT
from scaling import ADULT_ROWS, COLUMNS, Job, K, measure

MOST_MEMORY = 4 << 30


def blown_up(millions: int, folder: Path) -> Job:
    """Write so many million records of Adult to a Parquet file, by DuckDB alone."""
    times = -(-millions * 1_000_000 // ADULT_ROWS)
    path = folder / f"adult_{millions}.parquet"
    # Every repetition has other numbers, in an order that reveals nothing about Adult's.
    columns = "adult.*, hash(adult.rowid, copies.range) % 1000000 AS cost"
    config = {"memory_limit": "2GB", "temp_directory": str(folder)}
    tables.copies_of_adult(columns, times, path, config)
    return Job(f"Adult x {times}", path, ADULT.columns, K * times, ADULT.hierarchy_folder, "cost")


def main() -> int:
    """Measure each size; 1 if the search grew with the records, or memory over its limit."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 100])
    parser.add_argument("--folder", type=Path, help="where the large tables go")
    given = parser.parse_args()
    measuring.show_machine()
    rows = []
    for millions in given.millions:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            rows.append(measure(blown_up(millions, Path(folder))))
    measuring.report(rows, given.json, COLUMNS)
    peak = max(row["command_peak"] for row in rows)
    print(f"\npeak memory {peak / (1 << 30):.2f} GiB of {MOST_MEMORY >> 30} allowed")
    same = len({(row["distinct"], row["evaluated"]) for row in rows}) == 1
    return 0 if same and peak <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
