"""The cost of the first run, and the cost of every run before it does any work.

    ROADSTEAD_DATA=folder python benchmarks/cold_start.py [--runs 5] [--json FILE]

The inner loops are compiled when they first run, and stored in a cache on the disk. Here the cache
starts as an empty folder, so the first command is that of a fresh installation.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import measuring
from problems import ADULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Measured:
    """The time and memory of a command.

    Attributes
    ----------
    what
        The command.
    target
        The most seconds it should take; None without a target.
    seconds, fastest, cpu
        Median and least time by the clock, and median time of the processors.
    peak_mb
        Most memory in any run, in 10**6 bytes.
    """

    what: str
    target: float | None
    seconds: float
    fastest: float
    cpu: float
    peak_mb: float

    def cells(self) -> tuple[str, ...]:
        """Return the line of the table."""
        return (
            self.what,
            "" if self.target is None else f"{self.target:g}",
            f"{self.seconds:.2f}",
            f"{self.fastest:.2f}",
            f"{self.cpu:.2f}",
            f"{self.peak_mb:.0f}",
        )


COLUMNS = ("command", "at most, s", "median, s", "fastest, s", "CPU, s", "peak, MB")


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
) -> Measured:
    """Run a command so often."""
    done = [measuring.run(command, environment) for _ in range(runs)]
    return Measured(
        what,
        target,
        median(run.seconds for run in done),
        min(run.seconds for run in done),
        median(run.cpu for run in done),
        max(run.peak for run in done) / 1e6,
    )


def main() -> int:
    """Measure; 1 if a command with a target misses it in every run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs timed of each command")
    parser.add_argument("--json", type=Path, help="write the figures here too")
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
    measuring.show_table(COLUMNS, [row.cells() for row in rows])
    measuring.save(given.json, [asdict(row) for row in rows])
    return 0 if all(row.target is None or row.fastest <= row.target for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
