"""Every attack ends in figures or reasons if a release shows ``*`` in all quasi-identifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_tables import write_csv

import roadstead as rs

PEOPLE = 40


def visits() -> list[tuple[str, str, str]]:
    """Give two visits of each person on days that nobody shares, and an outcome."""
    return [
        (f"P{person}", f"code {person}-{visit}", "home" if person % 3 else "died")
        for person in range(PEOPLE)
        for visit in range(2)
    ]


@pytest.mark.quick(2)
@pytest.mark.parametrize("errors", [0.0, 0.2])
@pytest.mark.parametrize(
    "roles",
    [
        {"identifiers": ["person"]},
        {"person": "person"},
        {"person": "person", "link": "pseudonym"},
    ],
)
@pytest.mark.parametrize("sensitive", [[], ["outcome"]])
def test_all_attacks_end(
    tmp_path: Path, roles: dict[str, Any], sensitive: list[str], errors: float
) -> None:
    """Fault class: arrays without classes in an attack that expected a class."""
    header = ("person", "code", "outcome")
    write_csv(tmp_path / "visits.csv", header, visits())
    write_csv(tmp_path / "others.csv", header, [("Q1", "code x", "home"), ("Q2", "code y", "died")])
    unnamed = [] if sensitive else ["outcome"]
    rs.anonymize(
        tmp_path / "visits.csv",
        quasi=["code"],
        sensitive=sensitive,
        hierarchies={"code": {"kind": "flat"}},
        out=tmp_path / "release",
        **{**roles, "identifiers": [*roles.get("identifiers", []), *unnamed]},
    )
    released = (tmp_path / "release" / "visits.csv").read_text().splitlines()
    at = released[0].split(",").index("code")
    assert {line.split(",")[at] for line in released[1:]} == {"*"}
    found = rs.attack(
        tmp_path / "release",
        original=tmp_path / "visits.csv",
        held_out=tmp_path / "others.csv",
        errors=errors,
    )
    (linkage, *_) = [one for one in found.facts.found if one.attack == "linkage"]
    assert linkage.successes == pytest.approx(1.0)  # a pick among all records
