"""The frontier over levels of hierarchies: all policies enumerated in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import product
from math import fsum, prod
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run, undrawn
from small_levels import AGES, LEVELS, NAMES, ZIPS, write_levels

from roadstead.verbs.frontier.result import FrontierFinding
from roadstead.verbs.functions import frontier

Row = tuple[str, ...]


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


@cache
def rows(records: int = 90) -> tuple[Row, ...]:
    """Records that leave some combinations out."""
    chance = random.Random(6)  # noqa: S311 - no secret
    return tuple(
        (chance.choice(AGES[: chance.randint(2, 8)]), chance.choice("FFM"), chance.choice(ZIPS))
        for _ in range(records)
    )


def population() -> Counter[Row]:
    """People of all combinations, more of some."""
    chance = random.Random(7)  # noqa: S311 - no secret
    found = Counter(rows())
    for row in product(AGES, "FM", ZIPS):
        found[row] += chance.randint(0, 20)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hierarchy files."""
    return write_levels(tmp_path / "levels")


def find(folder: Path, people: Mapping[Row, int] | None, **more: Any) -> FrontierFinding[Any]:  # noqa: ANN401 - as frontier
    """Search the lattice."""
    table = pa.table(dict(zip(NAMES, map(list, zip(*rows(), strict=True)), strict=True)))
    if people is not None:
        known = [(*row, str(n)) for row, n in people.items() if n]
        columns = zip((*NAMES, "people"), map(list, zip(*known, strict=True)), strict=True)
        more |= {"population": pa.table(dict(columns)), "population_counts": "people"}
    return frontier(table, quasi=NAMES, search="exact", quality="loss", hierarchies=folder, **more)


def enumerated(people: Mapping[Row, int]) -> dict[tuple[int, ...], tuple[float, float]]:
    """Risk share and loss of every combination of levels."""

    def labels(row: Row, levels: tuple[int, ...]) -> Row:
        return tuple(LEVELS[n][v][at] for n, v, at in zip(NAMES, row, levels, strict=True))

    found = {}
    for levels in product(*(range(len(next(iter(LEVELS[n].values())))) for n in NAMES)):
        records = Counter(labels(row, levels) for row in rows())
        alike: Counter[Row] = Counter()
        for row, n in people.items():
            alike[labels(row, levels)] += n
        risk = fsum(f / alike[name] for name, f in records.items())
        losses = []
        for i, name in enumerate(NAMES):
            covered = Counter(texts[levels[i]] for texts in LEVELS[name].values())
            widest = len(LEVELS[name]) - 1
            each = [(covered[LEVELS[name][r[i]][levels[i]]] - 1) / widest for r in rows()]
            losses.append(fsum(each) / len(each))
        found[levels] = risk, prod(1 + loss for loss in losses) ** (1 / 3) - 1
    greatest = found[0, 0, 0][0]
    return {levels: (risk / greatest, loss) for levels, (risk, loss) in found.items()}


@pytest.mark.parametrize("known", [True, False])
def test_the_points_are_those_of_all_policies(folder: Path, known: bool) -> None:  # noqa: FBT001 - a case
    """None is missing, none is dominated by another, and each policy has its own risk and loss."""
    people = population() if known else Counter(rows())
    every = enumerated(people)
    best = {
        (round(r, 8), round(u, 8))
        for r, u in every.values()
        if not any(
            r2 <= r + 1e-9 and u2 <= u + 1e-9 and (r2 < r - 1e-9 or u2 < u - 1e-9)
            for r2, u2 in every.values()
        )
    }
    document = find(folder, people if known else None).to_dict()
    points = document["points"]
    assert {(round(p["risk"], 8), round(p["utility_loss"], 8)) for p in points} == best
    assert len(points) > 5
    for point in points:
        levels = tuple(point["policy"][name] for name in NAMES)
        assert every[levels] == pytest.approx((point["risk"], point["utility_loss"]), abs=1e-9)
    assert document["gap"] == 0
    assert document["boundaries"] is None
    assert document["safe_harbor"] is None
    assert document["dominating_safe_harbor"] == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("measure", ["population", "at-risk"])
def test_the_release_of_an_index_verifies(
    folder: Path,
    tmp_path: Path,
    known: bool,  # noqa: FBT001 - a case
    measure: str,
) -> None:
    """Also against a population of which many combinations have no record."""
    found = find(folder, population() if known else None, risk_measure=measure)
    for index in {len(found.members) // 2, len(found.members) - 1}:
        out = tmp_path / f"release{index}"
        release = found.choose(index, reason="These are made-up people of a test")
        assert release.to_dict()["levels"] == found.to_dict()["points"][index]["policy"]
        assert release.write(out).passed
        ran = run("verify", out)
        assert ran.code == 0, ran
        assert "population risk" in ran.out
