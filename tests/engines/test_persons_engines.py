"""The person of each record is found, and counted, in every store of the table."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from commands import run, without_charts
from small_tables import write_csv
from stores import Duckdb

COLUMNS = ("patient_id", "zz", "sex", "birth_year::int", "ward")
HEADER = tuple(name.partition("::")[0] for name in COLUMNS)
ASKED = ("--quasi", "sex,birth_year,ward", "--suppression", "0.2", "--json")


def rows() -> list[tuple[str, ...]]:
    """Give one to three visits of each of 150 people, who have two numbers."""
    chance = random.Random(11)  # noqa: S311 - no secret
    people = [
        (f"{at * 7}", f"K{at * 31:05d}", chance.choice("FM"), str(chance.randint(1950, 1990)))
        for at in range(1, 151)
    ]
    return [(*one, chance.choice("abc")) for one in people for _ in range(chance.randint(1, 3))]


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.nightly)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Put the visits into each engine in turn."""
    if request.param == "duckdb":
        return Duckdb(tmp_path / "clinic.duckdb").load("visits", COLUMNS, rows())
    server: Any = request.getfixturevalue(request.param)
    server.load("visits", COLUMNS, rows())
    if request.param == "postgres":
        return str(server.address("visits", user="owner"))
    return str(server.address("visits"))


@pytest.mark.quick(1)
def test_a_scan_and_a_release_are_those_of_a_file(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposal with its reason, the withheld columns, and the number of people suppressed."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "visits.csv", HEADER, rows())
    wanted, found = (
        run("scan", place, "--out", f"{name}.toml", "--json").json
        for name, place in (("file", "visits.csv"), ("engine", address))
    )
    assert found["person"] == wanted["person"] == "patient_id"
    for document in (wanted, found):
        roles = {one["name"]: (one["role"], one["reason"]) for one in document["columns"]}
        assert roles["patient_id"][0] == "person"
        assert roles["zz"][0] == "identifiers"
        document["roles"] = roles
    assert found["roles"] == wanted["roles"]
    asked = {"counted", "withheld_because", "records", "suppressed", "levels", "loss"}
    for more in ((), ("--person", "patient_id")):
        told = [run("anonymize", place, *ASKED, *more).json for place in ("visits.csv", address)]
        assert {key: told[0][key] for key in asked} == {key: told[1][key] for key in asked}
        assert told[1]["counted"]["unit"] == ("persons" if more else "records")
        assert told[1]["counted"]["look_like_persons"] == ["patient_id", "zz"]
