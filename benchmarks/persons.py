"""The cost of counting people: diabetes130, by what an attacker knows about a person, and by k.

    ROADSTEAD_DATA=folder python benchmarks/persons.py [--k 2 5 10 20] [--json FILE]

There are 101,766 encounters of 71,518 patients. Each row of the printed table is a proven optimum:
its loss, the share of people left out, and the seconds of counting and of the search. The released
people are then counted again in plain Python, which shares no code with the search: everyone must
be among at least k patients by anything that may be known.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb

import measuring
import roadstead as rs
from problems import data_folder
from roadstead.release.generalized import GeneralizedPersons

CHAPTERS = (139, 239, 279, 289, 319, 389, 459, 519, 579, 629, 679, 709, 739, 759, 779, 799, 999)
"""Last category of each chapter of ICD-9-CM, except V and E codes."""
FOUR = ("age", "race", "gender", "time_in_hospital")
FIVE = (*FOUR, "chapter")
KNOWS = (None, "1", "1, persons left out", "2", "3", "all")


def main() -> int:
    """Measure, count again, and print; return 1 if a person is among too few."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=(2, 5, 10, 20))
    given = parser.parse_args()
    measuring.show_machine()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        table = with_chapters(Path(folder))
        for quasi in (FOUR, FIVE):
            for k in given.k:
                found += [_measured(table, quasi, k, knows) for knows in KNOWS]
    measuring.report(found, given.json)
    return int(any(one["among fewer than k"] for one in found if one["known"] != "counts rows"))


def with_chapters(folder: Path) -> Path:
    """Write the columns needed, with the chapter of the first diagnosis."""
    source = data_folder() / "diabetes130" / "diabetic_data.csv.gz"
    number = "try_cast(split_part(diag_1, '.', 1) AS INTEGER)"
    cases = " ".join(f"WHEN {number} <= {last} THEN 'to {last:03}'" for last in CHAPTERS)
    path = folder / "encounters.parquet"
    duckdb.execute(
        f"COPY (SELECT patient_nbr, {', '.join(FOUR)}, CASE {cases} "
        f"ELSE left(diag_1, 1) END AS chapter FROM read_csv('{source}', all_varchar = true)) "
        f"TO '{path}' (FORMAT parquet)"
    )
    return path


def _measured(table: Path, quasi: Sequence[str], k: int, knows: str | None) -> dict[str, object]:
    said, began = knows, time.perf_counter()
    person: dict[str, Any] = {}
    if knows is not None:
        knows, _, whole = knows.partition(", ")
        person = {"person": "patient_nbr", "knows": knows}
        person |= {"leave_out": "persons"} if whole else {}
    result = rs.anonymize(
        table, quasi=quasi, k=k, identifiers=() if person else ("patient_nbr",), **person
    )
    seconds = time.perf_counter() - began
    wrong = _too_few(table, result, k, knows or "1")
    return {
        "quasi": len(quasi),
        "k": k,
        "known": said or "counts rows",
        "loss": f"{result.loss:.4f}",
        "left out": f"{result.suppressed / result.records:.2%} of rows",
        "seconds": f"{seconds:.2f}",
        "among fewer than k": wrong,
    }


def _too_few(table: Path, result: rs.Anonymization, k: int, knows: str) -> int:
    """Count released people for whom something that may be known matches fewer than k of them."""
    rules = [(one.name, one.rule) for one in result.policy.attributes]
    columns = ", ".join(name for name, _ in rules)
    labels: dict[tuple[str, ...], tuple[str | None, ...]] = {}
    persons: dict[str, list[tuple[str | None, ...]]] = {}
    made = result.generalized
    out = (made.persons_out if isinstance(made, GeneralizedPersons) else None) or frozenset()
    kept = _released_classes(result) if not out and knows == "1" else None
    for person, *values in duckdb.execute(
        f"SELECT patient_nbr, {columns} FROM '{table}'"
    ).fetchall():
        key = tuple(value or "" for value in values)
        if key not in labels:
            labels[key] = tuple(
                rule.label(value) for (_, rule), value in zip(rules, key, strict=True)
            )
        if person not in out and (kept is None or labels[key] in kept):
            persons.setdefault(person, []).append(labels[key])
    support: Counter[object] = Counter()
    known = {person: may_be_known(rows, knows) for person, rows in persons.items()}
    for every in known.values():
        support.update(every)
    needed = {person: may_be_known(rows, knows, most_only=True) for person, rows in persons.items()}
    return sum(any(support[one] < k for one in every) for every in needed.values())


def _released_classes(result: rs.Anonymization) -> set[tuple[str | None, ...]]:
    frequency = result.generalized.merged
    rows = zip(
        *(
            [domain[code] for code in codes]
            for domain, codes in zip(frequency.domains, frequency.codes, strict=True)
        ),
        strict=True,
    )
    return {row for row, kept in zip(rows, result.generalized.kept, strict=True) if kept}


def may_be_known(
    rows: Sequence[tuple[str | None, ...]], knows: str, *, most_only: bool = False
) -> set[object]:
    """List the multisets of rows that may be known; optionally only those of the largest size."""
    if knows == "all":
        return {tuple(sorted(Counter(rows).items()))}
    most = min(int(knows), len(rows))
    sizes = (most,) if most_only else range(1, most + 1)
    return {tuple(sorted(some)) for size in sizes for some in combinations(rows, size)}


if __name__ == "__main__":
    sys.exit(main())
