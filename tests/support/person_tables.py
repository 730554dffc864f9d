"""Tables in which people have several rows, and their anonymity by its definition."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

RowsOf: TypeAlias = Mapping[str, Sequence[tuple[str, ...]]]
"""The rows of each person."""
VISITS = ("patient", "age", "sex", "ward")


def visits(persons: int, seed: int = 1) -> list[tuple[str, ...]]:
    """Make visits of people, one to four each; the ages are from a few decades."""
    chance = random.Random(seed)  # noqa: S311 - a table of a test
    rows: list[tuple[str, ...]] = []
    for number in range(persons):
        sex = chance.choice("FM")
        for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
            age = chance.choice(("30", "40", "50")) if chance.random() > 0.02 else "90"
            rows.append((f"P{number:05}", age, sex, chance.choice("ABC")))
    chance.shuffle(rows)
    return rows


def write_visits(path: Path, rows: Iterable[Sequence[str]], names: Sequence[str] = VISITS) -> Path:
    """Write them as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([names, *rows])
    return path


def read_visits(path: Path) -> list[dict[str, str]]:
    """Read a table of texts."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def rows_of(
    table: Iterable[Mapping[str, str]], person: str, quasi: Sequence[str]
) -> dict[str, list[tuple[str, ...]]]:
    """Give the quasi-identifiers of each person's rows."""
    found = defaultdict(list)
    for row in table:
        found[row[person]].append(tuple(row[name] for name in quasi))
    return dict(found)


def fewest_fitting(persons: RowsOf, knows: int | str) -> int:
    """Count the fewest people who match possible knowledge about one person, by the definition."""
    return min(fitting_each(persons, knows).values())


def fitting_each(persons: RowsOf, knows: int | str) -> dict[str, int]:
    """Count, for each person, the fewest people who match possible knowledge about that person."""
    known = {name: _known(rows, knows) for name, rows in persons.items()}
    fit = Counter(one for own in known.values() for one in own)
    return {name: min(fit[one] for one in own) for name, own in known.items()}


def _known(rows: Sequence[tuple[str, ...]], knows: int | str) -> set[tuple[tuple[str, ...], ...]]:
    if knows == "all":
        return {tuple(sorted(rows))}
    return {
        some
        for size in range(1, int(knows) + 1)
        for some in combinations(sorted(rows), min(size, len(rows)))
    }
