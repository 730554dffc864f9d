"""A table of counts is recognized, and no table of people is taken for one."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.tables.counts import count_table
from roadstead.tables.reading import read

_SIDES = ("ABCD", "MF", ("0-17", "18-64", "65+"))


def _grid(name: str, *sides: tuple[str, ...] | str) -> tuple[list[str], list[list[str]]]:
    made = random.Random(3)  # noqa: S311 - reproducible test data
    rows = [[*one, str(made.randrange(300))] for one in itertools.product(*sides)]
    return [*(f"side{at}" for at in range(len(sides))), name], rows


def _found(path: Path, header: list[str], rows: list[list[str]]) -> tuple[str, ...] | None:
    with read(write_csv(path, header, rows)) as source:
        found = count_table(source)
    return None if found is None else found.counts


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", ["n", "Anzahl", "N_cases", "count", "Fälle", "number of patients"])
def test_counts_of_a_grid_are_found(name: str, tmp_path: Path) -> None:
    header, rows = _grid(name, *_SIDES)
    assert _found(tmp_path / "t.csv", header, rows) == (name,)
    wide = [
        [*row[:-1], "<5" if int(row[-1]) < 9 else row[-1], f"{at}.5"] for at, row in enumerate(rows)
    ]
    labeled = [[f"region {row[0]}", str(at), *row] for at, row in enumerate(wide)]
    more = ["label", "row", *header, "rate"]
    assert _found(tmp_path / "t.csv", more, labeled) == (name,)


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "name",
    [
        *("Total", "Number", "# patients", "admissions", "Patientenzahl", "Besuche", "personnes"),
        *("nombre de séjours", "número de pacientes", "Nº", "óbitos", "numero di ricoveri"),
        "aantal opnames",
    ],
)
def test_names_that_can_also_describe_a_person_need_most_combinations(
    name: str, tmp_path: Path
) -> None:
    """Fault class: a table with a column Total passed, with counts of 2."""
    header, rows = _grid(name, *_SIDES)
    assert _found(tmp_path / "t.csv", header, rows) == (name,)
    assert _found(tmp_path / "t.csv", header, [*rows[:7], *rows[9:]]) == (name,)
    floats = [[*row[:-1], f"{row[-1]}.0" if int(row[-1]) > 20 else ""] for row in rows]
    assert _found(tmp_path / "t.csv", header, floats) == (name,), "as pandas writes numbers"


def test_numbers_of_any_name_are_counts_if_each_combination_occurs(tmp_path: Path) -> None:
    """In a small table, next to labels; people with such numbers share combinations."""
    header, rows = _grid("Liczebnosc", *_SIDES)
    assert _found(tmp_path / "t.csv", header, rows) == ("Liczebnosc",)
    assert _found(tmp_path / "t.csv", header, [*rows[:-2], rows[0]]) is None
    chance = random.Random(5)  # noqa: S311 - reproducible test data
    for name in ("number_of_visits", "n_children", "total", "Liczebnosc"):
        people = [[*map(chance.choice, _SIDES), str(chance.randrange(40))] for _ in range(24)]
        assert _found(tmp_path / "t.csv", [*header[:-1], name], people) is None


@pytest.mark.parametrize(
    ("name", "more", "change"),
    [
        ("weight", "", "incomplete"),
        ("total", "", "few"),
        ("weight", "", "near"),
        ("visits", "subject", "near"),
        ("n", "patient_id", None),
        ("n", "", "twice"),
        ("n", "", "sparse"),
        ("n", "", "fractions"),
    ],
)
def test_tables_of_people_are_not(name: str, more: str, change: str | None, tmp_path: Path) -> None:
    header, rows = _grid(name, *_SIDES)
    if more:
        header, rows = [more, *header], [[str(at % 9), *row] for at, row in enumerate(rows)]
    if change == "twice":
        rows = [*rows, rows[0]]
    if change == "sparse":
        rows = [[f"{row[0]}{at % 8}", *row[1:]] for at, row in enumerate(rows[::2])]
    if change == "incomplete":
        rows = rows[:-1]
    if change == "few":
        rows = random.Random(1).sample(rows, 12)  # noqa: S311 - reproducible test data
    if change == "near":
        rows = [[*row[:-1], str(60 + int(row[-1]) % 60)] for row in rows]
    if change == "fractions":
        rows = [[*row[:-1], f"{row[-1]}.5"] for row in rows]
    assert _found(tmp_path / "t.csv", header, rows) is None


def test_a_request_that_needs_people_refuses_counts(tmp_path: Path) -> None:
    header, rows = _grid("n", *_SIDES)
    path = write_csv(tmp_path / "t.csv", header, rows)
    quasi = ["side0", "side1"]
    for call in (rs.anonymize, rs.frontier, rs.risk):
        with pytest.raises(RoleError, match="table of counts, not of people") as refused:
            call(path, quasi=quasi)
        assert "n is a count" in refused.value.message
    rs.anonymize(path, quasi=quasi, identifiers=["n"], k=2)
    rs.anonymize(path, quasi=quasi, release_anyway=["n"], k=2)
    assert rs.risk(path, quasi=quasi, identifiers=["n"]).records == len(rows)
    assert rs.risk(path, quasi=quasi, release_anyway=["n"]).records == len(rows)
    scanned = rs.scan(path)
    assert "table of counts" in scanned.noticed[0]
    assert f"# {scanned.noticed[0]}" in scanned.to_toml()


def test_people_with_distinct_combinations_are_not_counts(tmp_path: Path) -> None:
    """In a small registry with many possible combinations, no two people need to be alike."""
    rows = [[str(at), str(at * 7 % 20 + at // 20), str(at)] for at in range(20)]
    rows += [[str(at), str((at * 7 + 3) % 20), str(at)] for at in range(20)]
    assert len({tuple(row[:2]) for row in rows}) == 40
    assert _found(tmp_path / "t.csv", ["month", "ward", "n"], rows) is None
