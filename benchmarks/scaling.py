"""Rows cost reading and writing, and nothing else: Adult blown up to tens of millions of rows.

    ROADSTEAD_DATA=folder python benchmarks/scaling.py [--millions 1 10 30] [--json FILE]

Adult is repeated, and k grows with the number of repetitions, so the question stays the same one:
the same distinct combinations, the same optimum. The search must take as long as on the 30,162
rows; reading and writing may grow as the rows do. A second table is the opposite: people of whom
hardly two agree in nine columns, so that its summary is as long as the table.

Large tables are written to a temporary folder (``--folder`` says where) and removed at the end.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import measuring
import tables
from problems import ADULT

ADULT_ROWS = 30_162
K = 5
SPACE_FOR_A_MILLION = 500 * measuring.MEBIBYTE
MOST_SUMMARY_BYTES = 4 << 30


@dataclass(frozen=True)
class Job:
    """A table, the settings of its job, and a column that is released unchanged."""

    name: str
    data: Path
    quasi: tuple[str, ...]
    k: int
    hierarchies: Path | None = None
    beside: str | None = None

    @property
    def arguments(self) -> list[str]:
        """The job as arguments of a command."""
        told = [str(self.data), "--quasi", ",".join(self.quasi), "--k", str(self.k)]
        if self.beside is not None:
            told += ["--unchanged", self.beside]
        return told if self.hierarchies is None else [*told, "--hierarchies", str(self.hierarchies)]

    def stages(self, *options: str) -> dict[str, Any]:
        """Do the job stage by stage, in a process of its own."""
        script = str(Path(__file__).with_name("stages.py"))
        return measuring.in_own_process(script, *self.arguments, *options)

    def command(self, *options: str) -> tuple[measuring.Run, dict[str, Any]]:
        """Run the whole command; give what it took and what it found."""
        with tempfile.TemporaryDirectory(dir=self.data.parent) as folder:
            out = str(Path(folder, "release"))
            done = measuring.run(
                measuring.roadstead("anonymize", *self.arguments, "--out", out, "--json", *options)
            )
        return done, json.loads(done.output)


def _stage(name: str, row: measuring.Row) -> str:
    return f"{row['seconds'][name]:.2f} ({row['cpu'][name]:.2f})"


COLUMNS: measuring.Columns = {
    "form": "{form}",
    "rows": "{rows:,}",
    "distinct": "{distinct:,}",
    "evaluated": "{evaluated}",
    **{
        f"{name}, s (CPU)": partial(_stage, name)
        for name in ("read", "summarize", "search", "release", "verify")
    },
    "command, s (CPU)": "{command_s:.1f} ({command_cpu_s:.1f})",
    "peak to summary, MB": lambda row: f"{row['peak']['summarize'] / 1e6:,.0f}",
    "peak of command, MB": lambda row: f"{row['command_peak'] / 1e6:,.0f}",
}
OF_DISTINCT: measuring.Columns = {
    "rows": "{rows:,}",
    "distinct": "{distinct:,}",
    "summarize, s": "{summarize_s:.1f}",
    "peak to summary, MB": lambda row: f"{row['summary_peak'] / 1e6:,.0f}",
    "search limited to, s": "{time_limit:g}",
    "command, s (CPU)": "{command_s:.1f} ({command_cpu_s:.1f})",
    "peak of command, MB": lambda row: f"{row['command_peak'] / 1e6:,.0f}",
}


def measure(job: Job) -> dict[str, Any]:
    """Measure a job, stage by stage and as a whole command."""
    stages = job.stages()
    done, _ = job.command()
    return {
        "table": job.name,
        "form": job.data.suffix[1:],
        "rows": stages["rows"],
        "distinct": stages["distinct"],
        "evaluated": stages["evaluated"],
        "suppressed": stages["suppressed"],
        "seconds": stages["seconds"],
        "cpu": stages["cpu"],
        "peak": stages["peak"],
        "command_s": done.seconds,
        "command_cpu_s": done.cpu,
        "command_peak": done.peak,
    }


def adult(millions: int, suffix: str, folder: Path) -> Job:
    """Blow Adult up to so many million rows, rounded up to whole repetitions; 0 for one."""
    times = -(-millions * 1_000_000 // ADULT_ROWS) or 1
    need_space(folder, millions)
    pieces = tables.repeated(ADULT.path, ";", times)
    path = folder / f"adult{suffix}"
    write = tables.write_csv if suffix == ".csv" else tables.write_parquet
    write(pieces, path)
    return Job("Adult", path, ADULT.columns, K * times, ADULT.hierarchy_folder)


def need_space(folder: Path, millions: int) -> None:
    """End the script if the disk has too little room for a table, its release and spilled data."""
    need, free = millions * SPACE_FOR_A_MILLION, shutil.disk_usage(folder).free
    if free < need:
        sys.exit(
            f"{millions} million rows need {need / 1e9:.0f} GB in {folder}, and {free / 1e9:.0f} "
            "are free: name another place with --folder, or fewer rows with --millions"
        )


def measure_adult(millions: list[int], most_csv: int, place: Path | None) -> list[measuring.Row]:
    """Measure Adult as it is and blown up, as Parquet and, where not too large, as CSV."""
    rows: list[measuring.Row] = []
    for suffix in (".parquet", ".csv"):
        for size in (0, *millions):
            if suffix == ".csv" and size > most_csv:
                continue
            with tempfile.TemporaryDirectory(dir=place) as folder:
                rows.append(measure(adult(size, suffix, Path(folder))))
            print(".", end="", file=sys.stderr, flush=True)
    return rows


def measure_distinct(millions: int, seconds: float, place: Path | None) -> dict[str, Any]:
    """Measure a table of people who hardly ever agree: its summary, then the whole command."""
    with tempfile.TemporaryDirectory(dir=place) as folder:
        need_space(Path(folder), millions)
        path = Path(folder, "patients.parquet")
        tables.write_parquet(tables.patients(millions * 1_000_000, seed=1), path)
        job = Job("patients", path, tables.PATIENT_COLUMNS, K)
        summary = job.stages("--summary-only")
        done, found = job.command("--time-limit", str(seconds))
    return {
        "table": job.name,
        "rows": summary["rows"],
        "distinct": summary["distinct"],
        "summarize_s": summary["seconds"]["summarize"],
        "summary_peak": summary["peak"]["summarize"],
        "time_limit": seconds,
        "evaluated": found["evaluated"],
        "gap": found["gap"],
        "command_s": done.seconds,
        "command_cpu_s": done.cpu,
        "command_peak": done.peak,
    }


def main() -> int:
    """Measure all tables; 1 if the search grew with the rows or a summary took over 4 GiB."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10, 30])
    parser.add_argument("--most-csv", type=int, default=10, help="millions of rows in a CSV file")
    parser.add_argument("--distinct", type=int, default=10, help="millions of people, 0 for none")
    parser.add_argument("--time-limit", type=float, default=10.0, help="of their search, seconds")
    parser.add_argument("--folder", type=Path, help="where the large tables go")
    given = parser.parse_args()
    measuring.show_machine()
    rows = measure_adult(given.millions, given.most_csv, given.folder)
    print(file=sys.stderr)
    measuring.show(COLUMNS, rows)
    same = len({(row["distinct"], row["evaluated"]) for row in rows}) == 1
    if given.distinct:
        found = measure_distinct(given.distinct, given.time_limit, given.folder)
        print()
        measuring.show(OF_DISTINCT, [found])
        rows.append(found)
        same &= found["summary_peak"] <= MOST_SUMMARY_BYTES
    measuring.save(given.json, rows)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
