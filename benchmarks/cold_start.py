"""The cost of the first run, and the cost of every run before it does any work.

    ROADSTEAD_DATA=folder python benchmarks/cold_start.py [--runs 5] [--json FILE]

The inner loops are compiled when they first run, and stored in a cache on the disk. Here the cache
starts as an empty folder, so the first command is that of a fresh installation.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import measuring
from problems import ADULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


COLUMNS: measuring.Columns = {
    "command": "{what}",
    "at most, s": lambda row: "" if row["target"] is None else f"{row['target']:g}",
    "median, s": "{seconds:.2f}",
    "fastest, s": "{fastest:.2f}",
    "CPU, s": "{cpu:.2f}",
    "peak, MB": "{peak_mb:.0f}",
}


def anonymize(folder: Path) -> list[str]:
    """Give the command measured: Adult with nine quasi-identifiers."""
    return measuring.roadstead(
        "anonymize", str(ADULT.path), "--quasi", ",".join(ADULT.columns),
        "--hierarchies", str(ADULT.hierarchy_folder), "--out", str(folder / "release"),
        "--force", "--json",
    )  # fmt: skip


def measure(
    what: str,
    command: Sequence[str],
    runs: int,
    *,
    target: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run a command so often; `target` is the most seconds that it should take."""
    done = [measuring.run(command, environment) for _ in range(runs)]
    return {
        "what": what,
        "target": target,
        "seconds": median(run.seconds for run in done),
        "fastest": min(run.seconds for run in done),
        "cpu": median(run.cpu for run in done),
        "peak_mb": max(run.peak for run in done) / 1e6,
    }


def main() -> int:
    """Measure; 1 if a command with a target misses it in every run."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs timed of each command")
    given = parser.parse_args()
    measuring.show_machine()
    python, help_text = [sys.executable, "-c"], measuring.roadstead("--help")
    measuring.run(help_text)  # so that all files have been read from the disk once
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cache = {"NUMBA_CACHE_DIR": str(folder / "cache")}
        job = anonymize(folder)
        rows = [
            measure("python, nothing imported", [*python, "pass"], given.runs),
            measure("import roadstead", [*python, "import roadstead"], given.runs),
            measure("roadstead --help", help_text, given.runs, target=0.4),
            measure("anonymize, first run", job, 1, environment=cache),
            measure("anonymize, warm", job, given.runs, target=3.0, environment=cache),
        ]
    measuring.report(rows, given.json, COLUMNS)
    return 0 if all(row["fastest"] <= (row["target"] or math.inf) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
