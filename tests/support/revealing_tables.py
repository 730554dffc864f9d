"""Tables of a clinic with planted columns that reveal what another column must hide."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.judgment import Examined, examine
from roadstead.tables.reading import read

QUASI = ("sex", "age", "region")
Row = dict[str, Any]

CLINICAL: dict[str, Callable[[random.Random, Row], Any]] = {
    "systolic": lambda r, row: round(r.gauss(105 + row["age"] / 3, 14)),
    "diastolic": lambda r, row: round(r.gauss(60 + row["age"] / 6, 9)),
    "weight": lambda r, row: round(r.gauss(82 if row["sex"] == "M" else 68, 13), 1),
    "height": lambda r, row: round(r.gauss(178 if row["sex"] == "M" else 165, 6)),
    "charges": lambda r, _: round(r.lognormvariate(8, 1), 2),
    "stay": lambda r, _: min(60, int(r.expovariate(0.25)) + 1),
    "score": lambda r, row: min(10, int(row["age"] / 15) + r.randint(0, 4)),
    "smoker": lambda r, _: r.choice(["yes", "no", "no", "former"]),
    "pregnant": lambda r, row: r.choice(["no", "no", "yes"]) if row["sex"] == "F" else "",
    "diagnosis": lambda r, row: (
        "C61" if row["sex"] == "M" and r.random() < 0.1 else r.choice(["I10", "E11", "J45", "N39"])
    ),
    "ward": lambda r, row: "geriatrics" if row["age"] > 75 else r.choice(["A1", "A2", "B1"]),
    "outcome": lambda r, _: r.choice(["home", "home", "home", "clinic", "died"]),
    "potassium": lambda r, _: round(r.gauss(4.2, 0.4), 1),
    "visits": lambda r, _: min(12, int(r.expovariate(0.6)) + 1),
    "elderly": lambda _, row: int(row["age"] >= 65),
}
"""Columns that an honest analyst requests; some depend on sex and age, as in real data."""


def clinic(records: int, seed: int) -> list[Row]:
    """Make records of quasi-identifiers and clinical columns."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    made = []
    for _ in range(records):
        row: Row = {
            "sex": chance.choice("FM"),
            "age": chance.randint(20, 84),
            "region": chance.choice(["North", "South", "East", "West"]),
        }
        made.append(row | {name: value(chance, row) for name, value in CLINICAL.items()})
    return made


def looked_at(
    rows: Sequence[Row],
    quasi: Sequence[str] = QUASI,
    hidden: Sequence[str] = (),
    person: str | None = None,
) -> Examined:
    """Look at all columns of a table in memory."""
    source = read(pa.table({name: [row[name] for row in rows] for name in rows[0]}))
    return with_dependencies(source, examine(source, source.columns), quasi, hidden, person)


def reasons(rows: Sequence[Row], quasi: Sequence[str] = QUASI) -> dict[str, str]:
    """Give the first objection to each column, in words."""
    found = looked_at(rows, quasi).objections
    return {name: ones[0].why for name, ones in found.items()}


def refused(rows: Sequence[Row]) -> set[str]:
    """Name the columns that are objected to, or look like an identifier by themselves."""
    found = looked_at(rows)
    return {*found.objections, *(name for name, one in found.judgments.items() if one.identifier)}
