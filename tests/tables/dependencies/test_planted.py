"""Whatever is planted into a random table is found, and no honest column is objected to."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from revealing_tables import CLINICAL, Row, clinic, looked_at, refused

Plant = Callable[[random.Random, list[Row]], Sequence[str]]


def _each(name: str, value: Callable[[random.Random, Row], object]) -> Plant:
    def plant(chance: random.Random, rows: list[Row]) -> Sequence[str]:
        for row in rows:
            row[name] = value(chance, row)
        return [name]

    return plant


def _dummies(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    del chance
    for row in rows:
        row |= {f"is_{at}": int(row["region"] == at) for at in ("North", "South", "East", "West")}
    return [f"is_{at}" for at in ("North", "South", "East", "West")]


def _digits(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    del chance
    for row in rows:
        row |= {"u": row["age"] // 10, "v": row["age"] % 10}
    return ["u", "v"]


def _date(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    for row in rows:
        day = dt.date(1940, 1, 1) + dt.timedelta(days=chance.randrange(20_000))
        row |= {"p": day.day, "q": day.month, "r": day.year}
    return ["p", "q", "r"]


def _ids(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    people = [chance.randrange(10**6, 10**7) for _ in range(len(rows) // 6)]
    for row in rows:
        row["w"] = chance.choice(people)
    return ["w"]


PLANTS: dict[str, Plant] = {
    "months": _each("k", lambda _, row: 12 * row["age"] + 6),
    "months within the year": _each("k", lambda r, row: 12 * row["age"] + r.randrange(12)),
    "age in days": _each("k", lambda r, row: 365 * row["age"] + r.randrange(365)),
    "birth year": _each("k", lambda r, row: 2024 - row["age"] - r.randrange(2)),
    "rounded conversion": _each("k", lambda _, row: round(row["age"] / 7.3, 2)),
    "path": _each("k", lambda r, row: f"area/{row['region']}/{r.randrange(10**6)}"),
    "code of a category": _each("k", lambda _, row: {"F": "x3", "M": "x9"}[row["sex"]]),
    "nearly exact": _each(
        "k", lambda r, row: row["region"][::-1] if r.random() < 0.97 else r.choice("NSEW")
    ),
    "two categories in one": _each("k", lambda _, row: f"{row['sex']}-{row['region'][:1]}"),
    "dummies": _dummies,
    "digits": _digits,
    "date in three columns": _date,
    "codes of persons": _ids,
}


@examples(12)
@given(
    kind=st.sampled_from(sorted(PLANTS)),
    seed=st.integers(0, 10_000),
    records=st.integers(800, 3_000),
    honest=st.sets(st.sampled_from(sorted(CLINICAL)), min_size=3),
)
def test_a_planted_column_is_found_among_honest_ones(
    kind: str, seed: int, records: int, honest: set[str]
) -> None:
    """Each column of the planted set is objected to, and no other."""
    rows = [
        {name: value for name, value in row.items() if name not in CLINICAL or name in honest}
        for row in clinic(records, seed)
    ]
    planted = PLANTS[kind](random.Random(seed), rows)  # noqa: S311 - no secret
    assert refused(rows) == set(planted)


@pytest.mark.parametrize("kind", sorted(PLANTS))
def test_each_kind_is_found(kind: str) -> None:
    """One table for each."""
    rows = clinic(1_200, 5)
    planted = PLANTS[kind](random.Random(5), rows)  # noqa: S311 - no secret
    assert refused(rows) == set(planted)


@examples(10)
@given(seed=st.integers(0, 10_000), records=st.integers(60, 4_000))
def test_honest_columns_are_not_objected_to(seed: int, records: int) -> None:
    """Nor taken for person IDs: a diagnosis of one sex, a ward of old people, exact charges."""
    found = looked_at(clinic(records, seed))
    assert not found.objections
    assert not found.persons
