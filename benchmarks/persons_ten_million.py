"""The cost of counting people at scale: ten million rows of one million people, in DuckDB.

    python benchmarks/persons_ten_million.py [--folder DIR] [--json FILE] [--knows 1 all 2]

The script makes the table (Parquet, about 50 MB; kept in a folder if one is named): an age band, a
sex, and a state for each person, and the chapter of a diagnosis and a month for each of about ten
events. Then it finds the proven optimum for k = 5 under each attacker's knowledge, each in its own
process. It prints the seconds of the clock and of the processor, from opening the table to the
policy, the share of counting, and the largest memory.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

import measuring

QUASI = ("age", "sex", "state", "chapter", "month")
PERSONS = 1_000_000
_MAKE = """
COPY (
  WITH people AS (
    SELECT range AS n, hash(range) AS h, ((hash(range) >> 17) % 100000) / 100000.0 AS place,
      ln(1 - ((hash(range) >> 34) % 100000) / 100000.0) AS often
    FROM range({persons})),
  rows AS (
    SELECT n, h, place, hash(n * 1000 + i) AS e
    FROM people, unnest(range(1 + least(CAST(floor(-9.5 * often) AS INTEGER), 79))) AS one(i))
  SELECT printf('P%08d', (n * 7919) % 100000007) AS person,
    (((h >> 3) % 90) // 5) * 5 AS age,
    CASE WHEN h % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
    printf('S%02d', CAST(floor(50 * pow(place, 1.7)) AS INTEGER)) AS state,
    printf('C%02d', CAST(floor(17 * pow((e % 100000) / 100000.0, 2.2)) AS INTEGER)) AS chapter,
    1 + (e >> 20) % 12 AS month
  FROM rows
) TO '{path}' (FORMAT parquet)
"""


def main() -> int:
    """Make the table, measure, print."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--folder", type=Path, help="where the table is, or is made")
    parser.add_argument("--knows", nargs="+", default=("1", "all", "2"))
    parser.add_argument("--leave-out", choices=("rows", "persons"), default=None)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(_found(given.one, given.knows[0], given.leave_out)))
        return 0
    measuring.show_machine()
    with tempfile.TemporaryDirectory() as own:
        table = _made(given.folder or Path(own))
        rows = []
        for knows in given.knows:
            again = [sys.executable, __file__, "--one", str(table), "--knows", knows]
            if given.leave_out and knows == "1":
                again += ["--leave-out", given.leave_out]
            run = measuring.run(again)
            rows.append(
                {
                    "known": knows,
                    **json.loads(run.output),
                    "seconds": f"{run.seconds:.0f}",
                    "of the processor": f"{run.cpu:.0f}",
                    "peak": f"{run.peak / 1024 / measuring.MEBIBYTE:.1f} GiB",
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)
    measuring.report(rows, given.json)
    return int(not all(one["proven"] for one in rows))


def _made(folder: Path) -> Path:
    path = folder / "events.parquet"
    if not path.exists():
        duckdb.execute("SET preserve_insertion_order = false; SET threads = 2")
        duckdb.execute(_MAKE.format(persons=PERSONS, path=path))
    return path


def _found(table: Path, knows: str, leave_out: str | None) -> dict[str, object]:
    """Find the optimum; say how good it is, and how long only counting took."""
    import roadstead as rs  # noqa: PLC0415 - in the process that is measured
    from roadstead.verbs.anonymize import run  # noqa: PLC0415 - as above

    counting = 0.0
    count = run.__dict__["summarize_persons"]

    def timed(*arguments: object, **more: object) -> object:
        nonlocal counting
        began = time.perf_counter()
        found = count(*arguments, **more)
        counting = time.perf_counter() - began
        return found

    run.__dict__["summarize_persons"] = timed
    more: dict[str, Any] = {"knows": knows, "leave_out": leave_out}
    result = rs.anonymize(table, quasi=QUASI, k=5, person="person", **more)
    return {
        "loss": round(result.loss, 4),
        "rows left out": f"{result.suppressed / result.records:.2%}",
        "policies": result.outcome.evaluated,
        "proven": result.outcome.optimal,
        "counting": f"{counting:.0f}",
        "search": f"{result.outcome.seconds:.0f}",
    }


if __name__ == "__main__":
    sys.exit(main())
