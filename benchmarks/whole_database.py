"""How long a whole database takes: people and events, copied from an OMOP CDM with noise.

    python benchmarks/whole_database.py --cdm eunomia_gibleed --scratch /tmp/whole --persons 1000000

Each person of the CDM is copied until there are as many as requested, with about a hundred events
each. A copy has its own days, some codes are different, and some rows are missing. The release is
made and verified by separate processes, whose time and memory are measured. Then the custodian's
key is used to compare it with the source: the released data of a person must be those of the
source, with every date shifted by the same number of days, recomputed here.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow as pa

PER_COPY = 10_000
"""Step between the person numbers of two copies."""
EVENTS = {
    "visit_occurrence": ("visit_concept_id", "visit_start_date", "visit_end_date"),
    "condition_occurrence": ("condition_concept_id", "condition_start_date", "condition_end_date"),
    "drug_exposure": (
        "drug_concept_id",
        "drug_exposure_start_date",
        "drug_exposure_end_date",
    ),
    "procedure_occurrence": ("procedure_concept_id", "procedure_date", "procedure_date"),
    "condition_era": (
        "condition_concept_id",
        "condition_era_start_date",
        "condition_era_end_date",
    ),
}


def main() -> None:
    """Make the source, release it, verify it, and compare the two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cdm", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--persons", type=int, default=100_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--knows", type=int, default=2, help="codes of a person that are known")
    parser.add_argument("--keep", action="store_true", help="leave the files there")
    given = parser.parse_args()
    source, release, away = (given.scratch / name for name in ("source", "release", "away"))
    given.scratch.mkdir(parents=True)
    away.mkdir()
    found: dict[str, object] = {name: getattr(given, name) for name in ("persons", "k", "knows")}
    began = time.perf_counter()
    found["events"] = make(given.cdm, source, given.persons)
    found["made in seconds"] = round(time.perf_counter() - began)
    key = given.scratch / "release.key"
    run("key", str(key))
    promise = ("--k", str(given.k), "--knows", str(given.knows))
    asked = ("--tables", "all", *promise, "--key", str(key), "--out", str(release))
    found["release"] = run("anonymize", f"omop:{source}", *asked)
    # Nothing but the folder of the release is there when it is verified.
    shutil.move(release, away / "release")
    hidden = source.rename(given.scratch / "hidden")
    found["verify"] = run("verify", str(away / "release"))
    found["compare"] = compare(hidden, away / "release", key)
    print(json.dumps(found, indent=2))
    if not given.keep:
        shutil.rmtree(given.scratch)


def run(*words: str) -> dict[str, float]:
    """Run a command; give its seconds and the most memory it had, in GiB."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "roadstead", *words])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"roadstead {words[0]} failed")
    seconds = round(time.perf_counter() - began, 1)
    return {"seconds": seconds, "peak GiB": round(used.ru_maxrss / (1 << 20), 2)}


def make(cdm: Path, folder: Path, persons: int) -> int:
    """Write the tables as Parquet; give the number of events."""
    folder.mkdir()
    con = duckdb.connect()
    con.execute("SET memory_limit = '4GB'")
    con.execute(f"SET temp_directory = '{folder.parent / 'spill'}'")
    for file in sorted(cdm.glob("*.csv*")):
        name = file.name.partition(".")[0].lower()
        con.execute(f"CREATE TABLE {name} AS FROM read_csv('{file}', normalize_names = true)")
    con.execute(
        "CREATE TABLE base AS SELECT person_id AS person, year_of_birth AS born, "
        "gender_concept_id AS gender, race_concept_id AS race, ethnicity_concept_id AS ethnicity, "
        "row_number() OVER (ORDER BY person_id) - 1 AS place FROM person"
    )
    ((several,),) = con.execute("SELECT count(*) FROM base").fetchall()
    copies = -(-persons // several)
    # Each copy: its number, its days, its years.
    con.execute(
        "CREATE TABLE copies AS SELECT person, place, copy, "
        f"copy * {PER_COPY} + person AS number, (hash(person, copy, 1) % 2001)::INTEGER - 1000 AS "
        "days, born + (hash(person, copy, 2) % 7)::INTEGER - 3 AS born, gender, "
        "CASE WHEN hash(person, copy, 3) % 50 = 0 THEN 8527 ELSE race END AS race, ethnicity "
        f"FROM base, range({copies}) AS r(copy) WHERE copy * {several} + place < {persons}"
    )
    con.execute(
        "CREATE TABLE visits AS SELECT person_id AS person, condition_era_start_date AS day, "
        "row_number() OVER (ORDER BY person_id, day) AS visit FROM condition_era "
        "GROUP BY person_id, day"
    )
    ((visits,),) = con.execute("SELECT count(*) FROM visits").fetchall()
    visit = f"c.copy * {visits} + v.visit"
    for name, columns, rows in (
        ("person", PERSON, "FROM copies c"),
        (
            "observation_period",
            PERIOD,
            "FROM copies c JOIN observation_period r ON r.person_id = c.person",
        ),
        ("visit_occurrence", VISIT, "FROM visits v JOIN copies c USING (person)"),
        ("condition_occurrence", CONDITION, _of("condition_era", "condition_era_start_date")),
        ("drug_exposure", DRUG, _of("drug_era", "drug_era_start_date")),
        ("procedure_occurrence", PROCEDURE, _of("procedure_occurrence", "procedure_date")),
        ("condition_era", ERA, _of("condition_era", "condition_era_start_date")),
    ):
        query = f"SELECT {columns.format(visit=visit)} {rows}"
        con.execute(f"COPY ({query}) TO '{folder / name}.parquet' (FORMAT parquet)")
    for name in ("concept", "concept_ancestor", "vocabulary"):
        con.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
    count = "SELECT sum(num_rows) FROM parquet_file_metadata('{}')"
    return sum(
        con.execute(count.format(folder / f"{name}.parquet")).fetchall()[0][0] for name in EVENTS
    )


def _of(table: str, day: str) -> str:
    """Say where the rows of copies come from: two of a hundred are missing."""
    return (
        f"FROM {table} r JOIN copies c ON r.person_id = c.person LEFT JOIN visits v "
        f"ON v.person = c.person AND v.day = r.{day} "
        f"WHERE hash(c.number, r.{table}_id, 4) % 50 > 0"
    )


def _code(table: str, column: str) -> str:
    """Say the code of a row: of one in a hundred that of some other row."""
    other = f"(SELECT list({column}) FROM {table})"
    return (
        f"CASE WHEN hash(c.number, r.{table}_id, 5) % 100 = 0 THEN "
        f"{other}[1 + (hash(c.number, r.{table}_id, 6) % len({other}))::BIGINT] "
        f"ELSE r.{column} END"
    )


ROW = "row_number() OVER ()"
PERSON = (
    "number AS person_id, gender AS gender_concept_id, born AS year_of_birth, "
    "1 + (hash(number) % 12)::INTEGER AS month_of_birth, race AS race_concept_id, "
    "ethnicity AS ethnicity_concept_id, 'MRN-' || number AS person_source_value"
)
PERIOD = (
    f"{ROW} AS observation_period_id, c.number AS person_id, "
    "observation_period_start_date + c.days AS observation_period_start_date, "
    "observation_period_end_date + c.days AS observation_period_end_date, period_type_concept_id"
)
VISIT = (
    "{visit} AS visit_occurrence_id, c.number AS person_id, "
    "CASE WHEN hash({visit}) % 20 = 0 THEN 9201 ELSE 9202 END AS visit_concept_id, "
    "v.day + c.days AS visit_start_date, v.day + c.days AS visit_end_date, "
    "44818517 AS visit_type_concept_id, 'Dr ' || ({visit}% 1000) AS visit_source_value"
)
CONDITION = (
    f"{ROW} AS condition_occurrence_id, c.number AS person_id, "
    f"{_code('condition_era', 'condition_concept_id')} AS condition_concept_id, "
    "condition_era_start_date + c.days AS condition_start_date, "
    "condition_era_end_date + c.days AS condition_end_date, 32020 AS condition_type_concept_id, "
    "{visit} AS visit_occurrence_id, 'note ' || c.number AS condition_source_value"
)
DRUG = (
    f"{ROW} AS drug_exposure_id, c.number AS person_id, "
    f"{_code('drug_era', 'drug_concept_id')} AS drug_concept_id, "
    "drug_era_start_date + c.days AS drug_exposure_start_date, "
    "drug_era_end_date + c.days AS drug_exposure_end_date, 38000177 AS drug_type_concept_id, "
    "{visit} AS visit_occurrence_id, (hash(c.number) % 90)::INTEGER AS days_supply"
)
PROCEDURE = (
    f"{ROW} AS procedure_occurrence_id, c.number AS person_id, "
    f"{_code('procedure_occurrence', 'procedure_concept_id')} AS procedure_concept_id, "
    "procedure_date + c.days AS procedure_date, 38000275 AS procedure_type_concept_id, "
    "{visit} AS visit_occurrence_id"
)
ERA = (
    f"{ROW} AS condition_era_id, c.number AS person_id, "
    f"{_code('condition_era', 'condition_concept_id')} AS condition_concept_id, "
    "condition_era_start_date + c.days AS condition_era_start_date, "
    "condition_era_end_date + c.days AS condition_era_end_date, condition_occurrence_count"
)


def compare(source: Path, release: Path, key: Path) -> dict[str, int]:
    """Count released rows whose dates are not those of a source row of the person, moved."""
    secret = bytes.fromhex(key.read_text().split()[-1])
    con = duckdb.connect()
    con.execute("SET memory_limit = '4GB'")
    con.execute(f"SET temp_directory = '{source.parent / 'spill'}'")
    numbers = con.execute(f"SELECT person_id FROM '{source / 'person.parquet'}'").fetchall()
    days = json.loads((release / "certificate.json").read_text())["dates"]["days"]
    naming = hmac.digest(secret, b"person", "sha256")
    moving = hmac.digest(secret, f"\0date shift {days} 1".encode(), "sha256")
    rows = []
    for (number,) in numbers:
        text = str(number).encode()
        named = int(hmac.digest(naming, text, "sha256").hex()[:15], 16)
        moved = int.from_bytes(hmac.digest(moving, text, "sha256")) % (2 * days + 1) - days
        rows.append((number, named, moved))
    columns = list(zip(*rows, strict=True))
    kinds = {"old": pa.int64(), "new": pa.int64(), "moved": pa.int32()}
    known = {
        name: pa.array(column, kind)
        for (name, kind), column in zip(kinds.items(), columns, strict=True)
    }
    con.register("known", pa.table(known))
    found = {"rows": 0, "wrong": 0}
    for name, (_, first, last) in EVENTS.items():
        ((several, wrong),) = con.execute(
            f"WITH before AS (SELECT DISTINCT person_id, {first}, {last} AS till FROM "
            f"'{source / name}.parquet') SELECT count(*), count(*) FILTER (b.person_id IS NULL) "
            f"FROM '{release / name}.parquet' r LEFT JOIN known ON r.person_id = known.new "
            f"LEFT JOIN before b ON b.person_id = known.old AND b.{first} = r.{first} - moved "
            f"AND b.till = r.{last} - moved"
        ).fetchall()
        found["rows"] += several
        found["wrong"] += wrong
    return found


if __name__ == "__main__":
    main()
