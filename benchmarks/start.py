"""The cost of a whole command, compared with importing the engine and the compiler that it needs.

    ROADSTEAD_DATA=folder python benchmarks/start.py [--runs 7] [--json FILE]

The command makes Adult 5-anonymous by nine quasi-identifiers, and writes a release with report and
charts. Its processor time, including its children, is compared with that of a Python that imports
DuckDB and Numba and ends. The two run in turn, so that a busy machine slows both equally. Both are
warm: kernels are compiled and bytecode is written beforehand.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import measuring
from cold_start import anonymize

AT_MOST = 3.0
"""How many times as much processor time the command may take."""


def main() -> int:
    """Measure; 1 if the command takes more than it may in every pair."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--runs", type=int, default=7, help="pairs of runs")
    given = parser.parse_args()
    measuring.show_machine()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    imports = [sys.executable, "-c", "import duckdb, numba"]
    with tempfile.TemporaryDirectory() as place:
        job = anonymize(Path(place))
        for command in (job, imports):
            measuring.run(command)
        pairs = [(measuring.run(job).cpu, measuring.run(imports).cpu) for _ in range(given.runs)]
    ratios = [ours / theirs for ours, theirs in pairs]
    rows = [
        ("anonymize", *_spread([ours for ours, _ in pairs])),
        ("import duckdb, numba", *_spread([theirs for _, theirs in pairs])),
        ("ratio of each pair", *_spread(ratios)),
    ]
    measuring.show_table(("processor time", "least, s", "median, s", "most, s"), rows)
    measuring.save(given.json, [{"anonymize": a, "imports": b} for a, b in pairs])
    return 0 if min(ratios) <= AT_MOST else 1


def _spread(numbers: list[float]) -> tuple[str, str, str]:
    return f"{min(numbers):.2f}", f"{median(numbers):.2f}", f"{max(numbers):.2f}"


if __name__ == "__main__":
    sys.exit(main())
