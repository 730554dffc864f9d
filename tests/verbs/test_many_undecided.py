"""Tables with very many columns without a role: they are withheld with few queries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.verbs import columns as decisions

QUASI = ("sex", "age")
MAIL = "mara.lind@clinic.example"


def _table(path: Path, *, width: int, records: int = 200) -> Path:
    """Write two quasi-identifiers, a contact, a number of each two records, and many more."""
    chance = random.Random(7)  # noqa: S311 - no secret
    kinds = (
        lambda: f"{80 + 20 * chance.random():.2f}",
        lambda: chance.choice(("no", "no", "yes")),
        lambda: f"seen on ward {chance.randrange(9)} by nobody",
    )
    names = [*QUASI, "remark", "pupil", *(f"h{at}" for at in range(width))]
    people = [(chance.choice("FM"), 20 + chance.randrange(60)) for _ in range(records // 2)]
    lines = [",".join(names)]
    for at in range(records):
        sex, age = people[at // 2]
        remark = MAIL if at == records - 1 else "none given"
        rest = (kinds[place % 3]() for place in range(width))
        lines.append(",".join((sex, str(age), remark, f"P{7919 * (at // 2) + 10000}", *rest)))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_many_columns_without_a_role_are_withheld_for_want_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a number of columns without a role the values of these are not counted."""
    table = _table(tmp_path / "t.csv", width=9)
    monkeypatch.setattr(decisions, "MANY", 5)

    result = rs.anonymize(table, quasi=QUASI, k=2, person="pupil")

    because = result.to_dict()["withheld_because"]
    assert {one["reason"] for name, one in because.items() if name.startswith("h")} == {
        "it has no role"
    }
    assert set(because) == {"remark", *(f"h{at}" for at in range(9))}


def test_a_column_named_for_release_is_looked_at_in_full_among_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address in the last record stops a column that is named, however many others there are."""
    table = _table(tmp_path / "t.csv", width=9)
    monkeypatch.setattr(decisions, "MANY", 5)

    with pytest.raises(RoleError) as refused:
        rs.anonymize(table, quasi=QUASI, k=2, unchanged=["remark"], person="pupil")

    assert "remark" in str(refused.value)
    assert MAIL not in str(refused.value)


def test_columns_are_looked_at_in_full_where_those_without_a_role_are_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where columns without a role leave, their number saves them nothing."""
    table = _table(tmp_path / "t.csv", width=9)
    monkeypatch.setattr(decisions, "MANY", 5)

    result = rs.anonymize(table, quasi=QUASI, k=2, undecided="release", person="pupil")

    told = result.to_dict()
    assert "h1" in told["released_without_a_role"]
    assert "remark" in told["withheld_because"]


def test_a_person_id_is_found_among_many_columns_without_a_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each value of the column has constant attributes, so it is named as the person ID."""
    table = _table(tmp_path / "t.csv", width=9)
    monkeypatch.setattr(decisions, "MANY", 5)

    told = rs.anonymize(table, quasi=QUASI, k=2).to_dict()

    assert told["withheld_because"]["pupil"]["why"] == "person"


@pytest.mark.nightly
def test_two_thousand_columns_without_a_role_fit_the_default_memory(tmp_path: Path) -> None:
    """The table is released, and each of its columns that has no role is withheld."""
    table = _table(tmp_path / "t.csv", width=2_000, records=2_000)

    result = rs.anonymize(table, quasi=QUASI, k=2)
    result.write(tmp_path / "release")

    assert len(result.to_dict()["withheld"]) == 2_002
