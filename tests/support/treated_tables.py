"""Synthetic patients with numbers for microaggregation, and a released number of each record."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from small_tables import Row, read_csv, write_csv

import roadstead

HEADER = ("ticket", "who", "age", "sex", "glucose", "bmi", "stay", "outcome")
QUASI = ("age", "sex")


def stays(records: int, seed: int = 1, *, gaps: bool = False) -> list[Row]:
    """Make up stays; glucose and BMI differ in every record, and some lack one if `gaps`."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    glucose = chance.sample(range(4_000, 30_000), records)
    bmi = chance.sample(range(150_000, 450_000), records)
    return [
        (
            f"t{at:04d}",
            f"w{chance.randrange(records // 3):04d}",
            str(chance.randint(20, 79)),
            chance.choice("FM"),
            "" if gaps and chance.random() < 0.2 else f"{glucose[at] / 100:.2f}",
            f"{bmi[at] / 10_000:.4f}",
            str(chance.randint(0, 12)),
            chance.choice(("well", "ill")),
        )
        for at in range(records)
    ]


def written(folder: Path, rows: Sequence[Row], name: str = "stays.csv") -> Path:
    """Write stays as a file."""
    return write_csv(folder / name, HEADER, rows)


def released(folder: Path, name: str = "stays.csv") -> list[dict[str, str]]:
    """Read the rows of a release with Python's own module."""
    header, *rows = read_csv(folder / name)
    return [dict(zip(header, row, strict=True)) for row in rows]


def anonymized(data: object, treat: list[dict[str, Any]], **more: Any) -> Any:  # noqa: ANN401 - as anonymize
    """Release stays with some columns treated; the ticket says which row is whose."""
    asked: dict[str, Any] = {
        "k": 4,
        "suppression": 0.3,
        "sensitive": ["outcome"],
        "release_anyway": ["ticket"],
    } | more
    if "person" not in asked:
        asked["identifiers"] = ["who"]
    return roadstead.anonymize(data, quasi=list(QUASI), treat=treat, **asked)


def groups_by(rows: list[dict[str, str]], *columns: str) -> dict[tuple[str, ...], list[str]]:
    """List the tickets that share what some columns show."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in columns)].append(row["ticket"])
    return dict(found)
