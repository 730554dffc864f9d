"""Risk by people: diabetes130, before any release and after a release that counts records.

    ROADSTEAD_DATA=folder python benchmarks/persons_risk.py [--json FILE]

There are 101,766 encounters of 71,518 patients, with five columns. For each number of rows that may
be known, the script prints the patients who are unique by known rows, the average risk, the same
under the optimum of 5-anonymity of records, and the seconds. Then it counts the same in plain
Python, which shares no code with the tool. It ends with 1 if the counts differ.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TypeAlias

import duckdb

import measuring
import roadstead as rs
from persons import FIVE, may_be_known, with_chapters

Row: TypeAlias = tuple[str, ...]
Rows: TypeAlias = dict[str, list[Row]]

KNOWS = ("1", "2", "3", "all")
K = 5
_SAME = 1e-9


def main() -> int:
    """Measure, count again, print; 1 if the two differ."""
    parser = measuring.parser(__doc__)
    given = parser.parse_args()
    measuring.show_machine()
    with tempfile.TemporaryDirectory() as folder:
        table = with_chapters(Path(folder))
        made = rs.anonymize(table, quasi=FIVE, k=K, identifiers=("patient_nbr",))
        found = [_measured(table, made.policy, knows) for knows in KNOWS]
    measuring.report(found, given.json)
    return int(not all(one["the same by the definition"] for one in found))


def _measured(table: Path, policy: rs.Policy, knows: str) -> dict[str, object]:
    began = time.perf_counter()
    found = rs.risk(table, policy=policy, person="patient_nbr", knows=knows).by_person
    seconds = time.perf_counter() - began
    if found is None or found.after is None:
        raise ValueError("persons were not counted")
    risks = (found.before.prosecutor, found.after.prosecutor)
    told = [(risk.persons, risk.uniques, risk.average) for risk in risks]
    plain = [_by_definition(rows, knows) for rows in _persons(table, policy)]
    same = all(
        one[:2] == other[:2] and abs(one[2] - other[2]) < _SAME
        for one, other in zip(told, plain, strict=True)
    )
    return {
        "known": knows,
        "unique before": risks[0].uniques,
        "average before": f"{risks[0].average:.4f}",
        "unique after": risks[1].uniques,
        "average after": f"{risks[1].average:.4f}",
        "seconds": f"{seconds:.2f}",
        "the same by the definition": same,
    }


def _persons(table: Path, policy: rs.Policy) -> tuple[Rows, Rows]:
    """Return the unchanged rows of each patient, and those that the policy releases."""
    before: Rows = {}
    for person, *values in duckdb.execute(
        f"SELECT patient_nbr, {', '.join(FIVE)} FROM '{table}'"
    ).fetchall():
        before.setdefault(person, []).append(tuple(value or "" for value in values))
    rules = {one.name: one.rule for one in policy.attributes}
    labels = {
        row: tuple(str(rules[name].label(value)) for name, value in zip(FIVE, row, strict=True))
        for row in {row for own in before.values() for row in own}
    }
    sizes = Counter(labels[row] for own in before.values() for row in own)
    after = {
        person: [labels[row] for row in own if sizes[labels[row]] >= K]
        for person, own in before.items()
    }
    return before, {person: own for person, own in after.items() if own}


def _by_definition(persons: Rows, knows: str) -> tuple[int, int, float]:
    """Count the people and the people who are unique by known rows; return the average risk too."""
    support: Counter[object] = Counter()
    known = {person: may_be_known(rows, knows) for person, rows in persons.items()}
    for every in known.values():
        support.update(every)
    fewest = [min(support[one] for one in every) for every in known.values()]
    return len(fewest), fewest.count(1), sum(1 / one for one in fewest) / len(fewest)


if __name__ == "__main__":
    sys.exit(main())
