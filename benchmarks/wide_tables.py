"""Release tables of many quasi-identifiers: how long the search and the writing take, and memory.

Each width runs in a process of its own, on a table that it makes; no data are needed.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import measuring

RECORDS, KINDS, STRAYING = 3000, 6, 0.05
WIDTHS = (10, 20, 40, 60, 100, 200)


def main() -> None:
    """Run every width, print a line for each, and keep them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file to keep the figures in")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--time-limit", type=float, default=10, help="seconds for each search")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(measured(asked.one, asked.time_limit)))
        return
    found = []
    print("| quasi-identifiers | search, s | ended | gap | write and verify, s | memory, MB |")
    print("|---|---|---|---|---|---|")
    for width in asked.widths:
        limit = str(asked.time_limit)
        one = measuring.in_own_process(__file__, "--one", str(width), "--time-limit", limit)
        found.append(one)
        print(
            f"| {width} | {one['search']:.1f} | {one['ended']} | {one['gap']:.3f} "
            f"| {one['write']:.1f} | {one['memory']:.0f} |",
            flush=True,
        )
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


def measured(width: int, limit: float) -> dict[str, float | str]:
    """Search, write and verify one width."""
    import roadstead as rs  # noqa: PLC0415 - in its own process

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "wide.csv"
        write_table(table, width)
        begun = time.perf_counter()
        quasi = tuple(f"q{at}" for at in range(width))
        result = rs.anonymize(table, quasi=quasi, k=3, time_limit=limit)
        searched = time.perf_counter()
        result.write(Path(folder) / "release")
        written = time.perf_counter()
    told = result.to_dict()
    return {
        "width": width,
        "search": searched - begun,
        "ended": told["ending"],
        "gap": told["gap"],
        "write": written - searched,
        "memory": measuring.peak_so_far() / measuring.MEBIBYTE,
    }


def write_table(path: Path, width: int) -> None:
    """Write records of a few kinds; some stray from theirs in one column."""
    chance = random.Random(width)  # noqa: S311 - no secret
    kinds = [[chance.choice("abc") for _ in range(width)] for _ in range(KINDS)]
    lines = [",".join(f"q{at}" for at in range(width))]
    for _ in range(RECORDS):
        record = [*chance.choice(kinds)]
        if chance.random() < STRAYING:
            record[chance.randrange(width)] = chance.choice("abc")
        lines.append(",".join(record))
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
