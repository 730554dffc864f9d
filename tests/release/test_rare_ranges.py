"""No kind of recoding names a range of numbers with fewer than k records."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from commands import run, undrawn
from small_tables import write_csv

K = 4
HEADER = ("age", "sex", "illness")
HIERARCHY = 'age = {kind = "ranges", widths = [20, 40]}'


def rows(seed: int) -> list[tuple[str, ...]]:
    """Draw stays; some ranges, the lowest and the highest among them, are of few records."""
    chance = Random(seed)  # noqa: S311 - of test cases
    usual = [f"{low}-{low + 9}" for low in range(10, 80, 10)]
    rare = ["1-3", "0-9", "33-34", "[40-45)", "81-83", "93+"]
    ages = [*(chance.choice(usual) for _ in range(150)), *(chance.choice(rare) for _ in range(12))]
    return [(age, chance.choice("fm"), chance.choice(("flu", "cold", "gout"))) for age in ages]


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["intervals", "local", "cells", "global"])
@pytest.mark.parametrize("seed", range(2))
def test_no_rare_range_is_named(
    kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in a released cell nor anywhere in the policy; and the release verifies."""
    undrawn(monkeypatch)
    made = rows(seed)
    table = write_csv(tmp_path / "stays.csv", HEADER, made)
    project = tmp_path / "p.toml"
    project.write_text(f"[hierarchies]\n{HIERARCHY}\n")
    out = tmp_path / "out"
    roles = ("--quasi", "age,sex", "--sensitive", "illness", "--k", str(K))
    ran = run("anonymize", table, *roles, "--project", project, "--recoding", kind, "--out", out)
    assert ran.code == 0, ran.err
    assert run("verify", out).code == 0
    rare = {age for age, number in Counter(row[0] for row in made).items() if number < K}
    assert rare
    assert not {own for own in rare if json.dumps(own) in (out / "policy.json").read_text()}
    with (out / "stays.csv").open(newline="") as file:
        cells = {cell["age"] for cell in csv.DictReader(file)}
    named = {end for cell in cells for end in cell.removeprefix("from ").split(" .. ")}
    assert not rare & {end.removeprefix("up to ") for end in named}
    assert run("apply", out / "policy.json", table, "--out", tmp_path / "again").code == 0
    again = (tmp_path / "again" / "stays.csv").read_bytes()
    assert again == (out / "stays.csv").read_bytes()
