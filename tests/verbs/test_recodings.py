"""Recodings on the command line: unsupported requests are refused in one line."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest
from commands import run, undrawn
from small_tables import PATIENTS, patients, read_csv, write_csv

import roadstead as rs
from roadstead.errors import HierarchyError

TABLE = ("--quasi", "age,sex,zip", "--unchanged", "record")
ROLES = (*TABLE, "--identifiers", "name", "--sensitive", "diagnosis")
PERSONS = (*TABLE, "--person", "name", "--unchanged", "diagnosis", "--recoding", "local")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred records of a hundred people; the columns called record have no meaning."""
    rows = [
        (f"P{number % 100}", str(number % 3), *row[2:]) for number, row in enumerate(patients(300))
    ]
    return write_csv(tmp_path_factory.mktemp("table") / "patients.csv", PATIENTS, rows)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((*ROLES, "--recoding", "some"), "use global or cells or local or intervals"),
        ((*ROLES, "--recoding", "cells", "--search", "flash"), "use cells"),
        ((*ROLES, "--recoding", "local", "--search", "mondrian"), "use local or first-fit"),
        ((*ROLES, "--recoding", "intervals", "--search", "first-fit"), "use intervals or mondrian"),
        ((*ROLES, "--recoding", "local", "--quality", "entropy"), "leave --quality out"),
        ((*ROLES, "--recoding", "local", "--aggregate", "geometric"), "leave --aggregate out"),
        ((*ROLES, "--recoding", "intervals", "--max-level", "age=1"), "leave the level limits out"),
        ((*ROLES, "--recoding", "local", "--combinations", "10"), "--recoding global"),
        (
            (*ROLES, "--recoding", "local", "--privacy", "average-risk:average=0.1"),
            "--recoding global",
        ),
        ((*PERSONS, "--knows", "2"), "--knows 1"),
        ((*PERSONS, "--knows", "all"), "--knows 1"),
        ((*PERSONS, "--knows", "1", "--leave-out", "persons"), "--knows 1"),
        ((*PERSONS, "--link", "pseudonym"), "--knows 1"),
        ((*PERSONS, "--average-over", "persons"), "leave --average-over out"),
    ],
)
def test_what_a_recoding_cannot_carry_is_refused(
    table: Path, more: tuple[str, ...], said: str
) -> None:
    """One line says what to do instead."""
    ran = run("anonymize", table, *more)
    assert ran.code == 2
    assert said in ran.error


def test_a_label_of_two_meanings_is_refused_before_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One word for one village, and for the villages of a county."""
    villages = pa.table({"village": ["Bath", "Wells", "Cheddar", "York"] * 10})
    levels = {
        "Bath": ["Bath", "south"],
        "Wells": ["Bath", "south"],
        "Cheddar": ["Cheddar", "south"],
        "York": ["York", "north"],
    }

    def never(*_: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr("roadstead.verbs.anonymize.recoding.find.solve", never)
    asked: dict[str, Any] = {"quasi": ["village"], "recoding": "local"}
    asked["declared"] = {"village": {"kind": "mapping", "levels": levels}}
    with pytest.raises(HierarchyError, match="'Bath' of 'village' represents different values at"):
        rs.anonymize(villages, **asked)
    with pytest.raises(AssertionError):  # from there on it is one word for one thing
        rs.anonymize(villages, **asked, min_level={"village": 1})


def test_a_population_is_refused(table: Path) -> None:
    """Groups consist of the table's records."""
    ran = run("anonymize", table, *ROLES, "--recoding", "local", "--population", table)
    assert ran.code == 2
    assert "--recoding global" in ran.error


def test_a_whole_database_is_refused(table: Path, tmp_path: Path) -> None:
    """Before any of its tables is read."""
    ran = run(
        *("anonymize", table.parent, "--tables", tmp_path / "none.toml"),
        *("--recoding", "local", "--out", tmp_path / "out"),
    )
    assert ran.code == 2
    assert "leave --recoding out" in ran.error


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("kind", "search"), [("cells", "cells"), ("local", "first-fit"), ("intervals", "mondrian")]
)
@pytest.mark.parametrize("limit", ["0.05", "1"])
def test_a_model_that_no_class_can_satisfy_is_said_in_one_line(
    table: Path, kind: str, search: str, limit: str
) -> None:
    """Three diagnoses are never nine."""
    ran = run(
        *("anonymize", table, *ROLES, "--recoding", kind, "--search", search),
        *("--privacy", "distinct-l-diversity:column=diagnosis,l=9", "--suppression", limit),
    )
    assert ran.code == 1
    assert "distinct 9-diversity of diagnosis" in ran.error


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("kind", "search"), [("cells", "cells"), ("local", "first-fit"), ("intervals", "mondrian")]
)
def test_classes_are_of_k_persons(
    table: Path, tmp_path: Path, kind: str, search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted by hand: the diagnoses and records identify people, in this test alone."""
    undrawn(monkeypatch)
    rows = [
        (*row[:2], str(int(row[2]) // 10 * 10), *row[3:4], "02130", f"{row[0]} {number}")
        for number, row in enumerate(read_csv(table)[1:])
    ]
    source = write_csv(tmp_path / "t.csv", PATIENTS, rows)
    arguments = (*("--person", "name", "--release-anyway", "diagnosis"), "--recoding", kind)
    ran = run(
        *("anonymize", source, *TABLE, *arguments, "--search", search, "--knows", "1"),
        *("--suppression", "0.5", "--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    persons = defaultdict(set)
    header, *released = read_csv(tmp_path / "out" / "t.csv")
    shown = [header.index(name) for name in ("age", "sex", "zip")]
    for row in released:
        persons[tuple(row[at] for at in shown)].add(row[header.index("diagnosis")].split()[0])
    assert min(map(len, persons.values())) >= 5
    assert run("verify", tmp_path / "out").code == 0
    recoding = json.loads((tmp_path / "out" / "policy.json").read_text())["recoding"]
    assert recoding["kind"] == kind
