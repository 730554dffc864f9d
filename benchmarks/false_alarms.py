"""Run the net over every column of every table of a folder, and list what speaks against each.

    python benchmarks/false_alarms.py DATA

For each table: its columns, how long the look took, and each column with an objection, with the
role that scan proposes and the reason. Honest columns in the list are false alarms: an analyst has
to decide on each of them. What a column holds, such as dates, is not one.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from every_table import tables
from roadstead.errors import RoadsteadError
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read


def main() -> None:
    """List the objections, table by table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    columns = held = undecided = 0
    for table in tables(folder):
        name = table.removeprefix(str(folder)).lstrip("/")
        began = time.perf_counter()
        try:
            with read(table) as source:
                seen = examine(source, source.columns)
        except RoadsteadError as error:
            print(f"{name}: {error.message}")
            continue
        print(f"{name}: {len(seen.profiles)} columns, {time.perf_counter() - began:.1f} s")
        columns += len(seen.profiles)
        for column, objections in seen.objections.items():
            role = seen.judgments[column].role
            held += 1
            undecided += role not in ("identifying", "quasi")
            why = "; ".join(f"{one.kind}: {one.why}" for one in objections)
            print(f"  {column} ({role or 'undecided'}): {why}")
    print(
        f"{columns} columns; objections to {held}, of which {undecided} are not proposed as "
        "identifying or quasi-identifiers"
    )


if __name__ == "__main__":
    main()
