"""Look at every column of every table of a folder as a release does, and list each objection.

    python benchmarks/false_alarms.py DATA
    python benchmarks/false_alarms.py --analyst

For each table: its columns, how long the look took, and each column with an objection, with the
role that scan proposes and the reason. The columns are then compared with several choices of
quasi-identifiers: those that scan proposes, and three at a time that have few values. Honest
columns in the list are false alarms: an analyst has to decide on each of them. What a column
holds, such as dates, is not one. `--analyst` looks at the forty made-up columns of the tests.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from every_table import tables
from roadstead.errors import RoadsteadError
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.judgment import Examined, examine
from roadstead.tables.reading import read
from roadstead.tables.source import Source

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

CHOICES, TOGETHER = 3, 3
"""So many choices of so many quasi-identifiers are drawn for each table."""
FEW, MANY = 2, 120
"""The numbers of values between which a column may be drawn as a quasi-identifier."""


def main() -> None:
    """List the objections, table by table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--analyst", action="store_true", help="the forty columns of the tests")
    asked = parser.parse_args()
    if asked.analyst:
        analyst()
    if asked.folder is not None:
        of_folder(asked.folder)


def of_folder(folder: Path) -> None:
    """List the objections to the columns of each table."""
    columns = held = undecided = 0
    for table in tables(folder):
        name = table.removeprefix(str(folder)).lstrip("/")
        began = time.perf_counter()
        try:
            with read(table) as source:
                seen = examine(source, source.columns)
                print(f"{name}: {len(seen.profiles)} columns, {time.perf_counter() - began:.1f} s")
                of_itself = list(_by_itself(seen))
                together = list(_together(source, seen))
        except RoadsteadError as error:
            print(f"{name}: {error.message}")
            continue
        print(*of_itself, *together, sep="\n", end="\n" if of_itself or together else "")
        columns += len(seen.profiles)
        held += len(seen.objections)
        roles = (seen.judgments[column].role for column in seen.objections)
        undecided += sum(role not in ("identifiers", "quasi") for role in roles)
    print(
        f"{columns} columns; objections to {held}, of which {undecided} are not proposed as "
        "identifying or quasi-identifiers"
    )


def _by_itself(seen: Examined) -> Iterator[str]:
    for column, objections in seen.objections.items():
        why = "; ".join(f"{one.kind}: {one.why}" for one in objections)
        yield f"  {column} ({seen.judgments[column].role or 'undecided'}): {why}"


def _together(source: Source, seen: Examined) -> Iterator[str]:
    """Compare the columns with several choices of quasi-identifiers; list what is new in each."""
    for quasi in _choices(seen):
        began = time.perf_counter()
        found = with_dependencies(source, seen, quasi)
        yield f"  with {', '.join(quasi)} as quasi-identifiers: {time.perf_counter() - began:.1f} s"
        for column, objections in found.objections.items():
            new = objections[len(seen.objections.get(column, ())) :]
            if new and column not in quasi and not seen.judgments[column].identifier:
                why = "; ".join(f"{one.kind}: {one.why}" for one in new)
                yield f"    {column} ({seen.judgments[column].role or 'undecided'}): {why}"


def _choices(seen: Examined) -> Iterator[Sequence[str]]:
    proposed = [name for name, one in seen.judgments.items() if one.role == "quasi"]
    if proposed:
        yield proposed
    few = [one.name for one in seen.profiles if FEW <= one.distinct <= MANY]
    drawn = random.Random(1)  # noqa: S311 - the same every time
    for _ in range(CHOICES if len(few) >= 2 * TOGETHER else 0):
        yield drawn.sample(few, TOGETHER)


def analyst() -> None:
    """Examine the columns that an honest analyst uses, in tables of three sizes."""
    import pyarrow as pa  # noqa: PLC0415 - not needed for tables of a folder
    from honest_columns import COLUMNS, QUASI, hospital  # noqa: PLC0415 - found on the path above

    for records in (300, 2_000, 12_000):
        rows = hospital(records, seed=records)
        with read(pa.table({name: [row[name] for row in rows] for name in rows[0]})) as source:
            seen = with_dependencies(source, examine(source, source.columns), QUASI)
        refused = {
            name: [one.why for one in seen.objections.get(name, ())]
            + [one.why for one in seen.judgments[name].findings]
            for name in COLUMNS
        }
        held = {name: why for name, why in refused.items() if why}
        print(f"{records:,} records, {len(COLUMNS)} columns: {len(held)} refused")
        for name, why in held.items():
            print(f"  {name}: {'; '.join(why)}")


if __name__ == "__main__":
    main()
