"""Look for columns that reveal what others hide, in 200 columns of a million records.

DuckDB makes the table, as Parquet: five quasi-identifiers, a person ID, measurements that rarely
repeat, codes and categories, and columns of each kind that the search must find. No data are
needed. For comparison, the time to judge each column alone is also printed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import measuring

RECORDS, COLUMNS = 1_000_000, 200
QUASI = ("sex", "age", "region", "zip", "race")
PLANTED = {
    "k1": "12 * age + 6",
    "k2": "'area/' || zip || '/' || (random() * 1e6)::int",
    "k3": "365 * age + (random() * 365)::int",
    "d1": "(region = 'r0')::int",
    "d2": "(region = 'r1')::int",
    "d3": "(region = 'r2')::int",
    "d4": "(region = 'r3')::int",
    "v1": "(person * 7919) % 1000003 + 100000",
}


def main() -> None:
    """Make the table, look at it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--json", type=Path, help="file to keep the figures in")
    asked = parser.parse_args()
    found = measured(asked.records, asked.columns)
    print(json.dumps(found, indent=1))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


def measured(records: int, columns: int) -> dict[str, object]:
    """Read a table, judge its columns one by one, then together."""
    from roadstead.tables.dependencies.examined import with_dependencies  # noqa: PLC0415 - timed
    from roadstead.tables.identifiers.judgment import examine  # noqa: PLC0415 - timed
    from roadstead.tables.reading import read  # noqa: PLC0415 - timed

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "wide.parquet"
        write_table(table, records, columns)
        source = read(table)
        begun, spent = time.perf_counter(), time.process_time()
        alone = examine(source, source.columns)
        then, spent_then = time.perf_counter(), time.process_time()
        both = with_dependencies(source, alone, QUASI, (), "person")
        ended, spent_ended = time.perf_counter(), time.process_time()
    return {
        "records": records,
        "columns": len(source.columns),
        "each column by itself, s": round(then - begun, 1),
        "processor, s": round(spent_then - spent, 1),
        "columns together, s": round(ended - then, 1),
        "processor of these, s": round(spent_ended - spent_then, 1),
        "memory, MB": measuring.peak_so_far() // measuring.MEBIBYTE,
        "objections": {name: ones[0].why for name, ones in both.objections.items()},
        "missed": sorted(
            name
            for name in PLANTED
            if name not in both.objections and not both.judgments[name].identifier
        ),
    }


def write_table(table: Path, records: int, columns: int) -> None:
    """Make the table: what is planted, and as many honest columns as it takes."""
    import duckdb  # noqa: PLC0415 - in the function that needs it

    honest = (
        "round(80 + 20 * random(), 2)",
        "round(exp(9 * random()), 2)",
        "'c' || (300 * random() * random())::int",
        "(20 * random() * random() * random())::int",
        "CASE WHEN random() < 0.7 THEN 'no' ELSE 'yes' END",
        "age // 10 + (4 * random())::int",
    )
    more = columns - len(PLANTED) - len(QUASI) - 1
    others = [f"{honest[at % len(honest)]} AS h{at}" for at in range(more)]
    planted = [f"{value} AS {name}" for name, value in PLANTED.items()]
    people = (
        "SELECT ['F', 'M'][1 + (random() < 0.5)::int] AS sex, 20 + (random() * 64)::int AS age, "
        "'r' || (random() * 3)::int AS region, (2000 + (random() * 90)::int)::text AS zip, "
        "'e' || (random() * random() * 6)::int AS race, "
        f"(random() * {records // 8})::int AS person FROM range({records})"
    )
    with duckdb.connect() as con:
        con.execute("SELECT setseed(0.5)")
        con.execute(
            f"COPY (SELECT *, {', '.join([*planted, *others])} FROM ({people})) "
            f"TO '{table}' (FORMAT parquet)"
        )


if __name__ == "__main__":
    main()
