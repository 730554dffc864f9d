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
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Measured:
    """One search.

    Attributes
    ----------
    table, seed, version
        What was searched, and by which version: "here" or "beside".
    policies, evaluated, first_met
        Of the lattice; evaluated; and the evaluation at which the best was met.
    known
        At each moment, the loss of the best and the bound, then policies evaluated.
    loss, bound, ending
        At the end, and why it ended.
    seconds, cpu_s, peak_mb
        Of the search, processor time of it, and most memory of the process in 10**6 bytes.
    """

    table: str
    seed: int
    version: str
    policies: int
    evaluated: int
    first_met: int
    known: dict[str, tuple[float, float, int]]
    loss: float
    bound: float
    ending: str
    seconds: float
    cpu_s: float
    peak_mb: float

    def cells(self) -> tuple[str, ...]:
        """Give the line of the table."""
        return (
            f"{self.table} {self.seed}, {self.version}",
            f"{self.policies:.2g}",
            *(_cell(self.known.get(f"{moment:g}")) for moment in MOMENTS),
            f"{self.loss:.5f}, " + ("proven" if self.ending == "complete" else f"{self.bound:.3f}"),
            f"{self.evaluated:,} ({self.first_met:,})",
            f"{self.seconds:.1f}",
            f"{self.cpu_s:.1f}",
            f"{self.peak_mb:.0f}",
        )


def _cell(known: tuple[float, float, int] | None) -> str:
    return "" if known is None else f"{known[0]:.5f}, {known[1]:.3f}"


COLUMNS = (
    *("table", "policies", *(f"at {moment:g} s" for moment in MOMENTS), "at the end"),
    *("evaluated (best met)", "seconds", "processor, s", "peak, MB"),
)


def measure(table: str, seed: int, version: str, time_limit: float) -> Measured:
    """Search once, in this process."""
    Exact().run(many_attributes.attributes(0, 6, 500), Control())  # to load compiled code
    problem = TABLES[table](seed)
    known: dict[str, tuple[float, float, int]] = {}

    def tell(progress: Progress) -> None:
        loss = 1.0 if progress.best is None else progress.best.loss
        for moment in MOMENTS:
            if progress.seconds >= moment and f"{moment:g}" not in known:
                known[f"{moment:g}"] = (loss, progress.lower_bound, progress.evaluated)

    before = _cpu()
    outcome = Exact().run(problem, Control(time_limit, report=tell, interval=0.0))
    return Measured(
        table=table,
        seed=seed,
        version=version,
        policies=problem.space.size,
        evaluated=outcome.evaluated,
        first_met=outcome.first_met,
        known=known,
        loss=1.0 if outcome.best is None else outcome.best.loss,
        bound=outcome.lower_bound,
        ending=outcome.ending,
        seconds=outcome.seconds,
        cpu_s=_cpu() - before,
        peak_mb=measuring.peak_so_far() / 1e6,
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure all tables, each by both versions in turn where there are two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", choices=tuple(TABLES), default=list(TABLES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--time-limit", type=float, default=61.0, help="seconds for each search")
    parser.add_argument("--beside", type=Path, help="folder of another version of the project")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--one", nargs=2, metavar=("TABLE", "VERSION"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        table, version = given.one
        print(json.dumps(asdict(measure(table, given.seeds[0], version, given.time_limit))))
        return
    measuring.show_machine()
    here = Path(__file__).resolve().parents[1]
    trees = {"here": here} | ({} if given.beside is None else {"beside": given.beside.resolve()})
    rows = []
    for table in given.tables:
        for seed in given.seeds:
            for version, tree in reversed(trees.items()):
                command = [sys.executable, __file__, "--one", table, version]
                command += ["--seeds", str(seed), "--time-limit", str(given.time_limit)]
                found = measuring.run(command, {"PYTHONPATH": str(tree / "src")}).output
                rows.append(Measured(**json.loads(found)))
                print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    measuring.show_table(COLUMNS, [row.cells() for row in rows])
    measuring.save(given.json, [asdict(row) for row in rows])


if __name__ == "__main__":
    main()
