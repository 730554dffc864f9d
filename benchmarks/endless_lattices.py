"""Results on lattices that are too large for a complete search: the best and the bound over time.

    python benchmarks/endless_lattices.py [--beside FOLDER] [--json FILE]

The tables are those of `many_attributes`, so no data are needed: clients of a bank (24 attributes,
about 5e13 policies), answers (16, 85,030,560), and 40 attributes (1e20 or more), with several
seeds. Each search runs in its own process. If the folder of another version is given, for example
one that ``git worktree add`` made, both versions are measured in turn, so that other work of the
machine affects both.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import many_attributes
import measuring
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Progress

MOMENTS = (1.0, 5.0, 20.0, 60.0)
_WIDE = 40
TABLES = {
    "clients": many_attributes.clients,
    "answers": many_attributes.answers,
    "forty": lambda seed: many_attributes.attributes(seed, _WIDE),
}


def _ending(row: measuring.Row) -> str:
    bound = "proven" if row["ending"] == "complete" else f"{row['bound']:.3f}"
    return f"{row['loss']:.5f}, {bound}"


def _at(moment: str, row: measuring.Row) -> str:
    return "{:.5f}, {:.3f}".format(*row["known"][moment]) if moment in row["known"] else ""


COLUMNS: measuring.Columns = {
    "table": "{table} {seed}, {version}",
    "policies": "{policies:.2g}",
    **{f"at {moment:g} s": partial(_at, f"{moment:g}") for moment in MOMENTS},
    "at the end": _ending,
    "evaluated (best met)": "{evaluated:,} ({first_met:,})",
    "seconds": "{seconds:.1f}",
    "processor, s": "{cpu_s:.1f}",
    "peak, MB": "{peak_mb:.0f}",
}


def measure(table: str, seed: int, version: str, time_limit: float) -> dict[str, Any]:
    """Search once, in this process."""
    Exact().run(many_attributes.attributes(0, 6, 500), Control())  # to load compiled code
    problem = TABLES[table](seed)
    known: dict[str, tuple[float, float, int]] = {}

    def tell(progress: Progress) -> None:
        loss = 1.0 if progress.best is None else progress.best.loss
        for moment in MOMENTS:
            if progress.seconds >= moment and f"{moment:g}" not in known:
                known[f"{moment:g}"] = (loss, progress.lower_bound, progress.evaluated)

    before = time.process_time()
    outcome = Exact().run(problem, Control(time_limit, report=tell, interval=0.0))
    return {
        "table": table,
        "seed": seed,
        "version": version,
        "policies": problem.space.size,
        "evaluated": outcome.evaluated,
        "first_met": outcome.first_met,
        "known": known,
        "loss": 1.0 if outcome.best is None else outcome.best.loss,
        "bound": outcome.lower_bound,
        "ending": outcome.ending,
        "seconds": outcome.seconds,
        "cpu_s": time.process_time() - before,
        "peak_mb": measuring.peak_so_far() / 1e6,
    }


def main() -> None:
    """Measure all tables, each by both versions in turn where there are two."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--tables", nargs="+", choices=tuple(TABLES), default=list(TABLES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--time-limit", type=float, default=61.0, help="seconds for each search")
    parser.add_argument("--beside", type=Path, help="folder of another version of the project")
    parser.add_argument("--one", nargs=2, metavar=("TABLE", "VERSION"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        table, version = given.one
        print(json.dumps(measure(table, given.seeds[0], version, given.time_limit)))
        return
    measuring.show_machine()
    here = Path(__file__).resolve().parents[1]
    trees = {"here": here} | ({} if given.beside is None else {"beside": given.beside.resolve()})
    rows = measuring.collect(
        measuring.in_own_process(
            *(__file__, "--one", table, version, "--seeds", str(seed)),
            *("--time-limit", str(given.time_limit)),
            environment={"PYTHONPATH": str(tree / "src")},
        )
        for table in given.tables
        for seed in given.seeds
        for version, tree in reversed(trees.items())
    )
    measuring.report(rows, given.json, COLUMNS)


if __name__ == "__main__":
    main()
