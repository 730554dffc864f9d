"""Wildcards in lists of columns: matches, precedence, and messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import run, undrawn, without_charts
from small_tables import patients, write_csv

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.tables.names import matching
from roadstead.tables.roles import Roles

COLUMNS = ("name", "record", "known_age", "known_sex", "known_zip", "a*b")


def test_an_exact_name_goes_before_a_pattern() -> None:
    """The pattern may be for the same role or for another, and the name may contain a star."""
    given = Roles(("known_zip", "known_*"), sensitive=("known_sex",), unchanged=("a*b",))
    roles, matched = given.matched(COLUMNS)
    assert roles == Roles(("known_zip", "known_age"), sensitive=("known_sex",), unchanged=("a*b",))
    assert matched == {"known_*": ("known_age",)}
    assert Roles(("known_age",)).matched(COLUMNS) == (Roles(("known_age",)), {})


def test_two_patterns_of_one_role_may_overlap_and_of_two_may_not() -> None:
    """The second contradict each other."""
    assert matching(("known_*", "*_zip"), COLUMNS)[0] == ("known_age", "known_sex", "known_zip")
    roles, _ = Roles(("known_*",), identifiers=("*e*",)).matched(COLUMNS)
    with pytest.raises(RoleError, match="listed as a quasi-identifier and as a direct identifier"):
        roles.check(COLUMNS)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [("knwon_*", "did you mean 'known_"), ("x?", "no column matches it; its columns are name")],
)
def test_a_pattern_that_matches_nothing_is_refused(pattern: str, says: str) -> None:
    """With the nearest column.

    Fault class: a list of columns that is silently empty.
    """
    with pytest.raises(RoleError, match=says.replace("?", r"\?")):
        matching((pattern,), COLUMNS)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Patients whose quasi-identifiers have names with the same beginning."""
    without_charts(monkeypatch)
    undrawn(monkeypatch)
    rows = [(row[0], row[1], row[2], row[3], row[4]) for row in patients(200)]
    return write_csv(tmp_path / "patients.csv", COLUMNS[:5], rows)


@pytest.mark.nightly
def test_patterns_are_taken_everywhere_and_told(table: Path, tmp_path: Path) -> None:
    """On the command line, in a project file and in Python; the output says what they matched."""
    told = "known_* matches 3 columns: known_age, known_sex, known_zip."
    hidden = ("--identifiers", "name,rec*", "--suppression", "0.3")
    ran = run("anonymize", table, "--quasi", "known_*", *hidden)
    assert ran.code == 0, ran
    assert told in ran.out
    assert "rec* matches 1 column: record." in ran.out
    project = tmp_path / "p.toml"
    project.write_text(
        'data = "patients.csv"\n[roles]\nquasi = ["known_*"]\nidentifiers = ["name", "record"]\n'
        'undecided = "withhold"\n'
    )
    document = run("anonymize", "--project", project, "--suppression", "0.3", "--json").json
    assert document["matched"] == {"known_*": ["known_age", "known_sex", "known_zip"]}
    assert [a["name"] for a in document["policy"]["attributes"]] == list(COLUMNS[2:5])
    python: dict[str, Any] = {"quasi": ["known_*"]}
    for found in (
        rs.anonymize(table, **python, identifiers=["name", "record"], suppression=0.3),
        rs.risk(table, **python),
        rs.frontier(table, **python, identifiers=["name", "record"], evaluations=10),
    ):
        assert told in str(found)
    assert rs.verify(table, **python, k=2) == rs.verify(table, quasi=COLUMNS[2:5], k=2)
