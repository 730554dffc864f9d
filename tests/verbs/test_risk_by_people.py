"""If records are counted and a column behaves like a person ID, the risk by people is shown."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.verbs.persons.by_people import released_risk_by_people

QUASI = ["age", "area"]
SEEMS = "The column zz looks like a person ID"
BOTH = (
    "If records are counted, the risk is at most 20%. "
    "If zz is the person ID and people are counted, the risk is at most 100%."
)


def visits(people: int = 60, rows: int = 5) -> dict[str, list[str]]:
    """Give some rows of each person, of whom the age and the area are always the same."""
    chance = random.Random(4)  # noqa: S311 - no secret
    table: dict[str, list[str]] = defaultdict(list)
    for at in range(people):
        for _ in range(rows):
            table["zz"].append(str(70_000 + 37 * at))
            table["age"].append(str(20 + at))
            table["area"].append("NSEW"[at % 4])
            table["seen"].append(str(chance.randint(0, 3)))
    return dict(table)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The same in a file."""
    table = visits()
    rows = list(zip(*table.values(), strict=True))
    write_csv(tmp_path / "visits.csv", tuple(table), rows)
    return tmp_path / "visits.csv"


def test_anonymize_risk_and_frontier_name_the_column_in_their_first_lines(file: Path) -> None:
    """And both risks, on the terminal and in JSON."""
    asked = ("--quasi", "age,area")
    for command, more in (("anonymize", ["--k", "5"]), ("risk", [])):
        said = run(command, str(file), *asked, *more).out
        first = "\n".join(said.split("\n")[:4])
        assert SEEMS in first
        assert BOTH in first
        assert (
            run(command, str(file), *asked, *more, "--json").json["counted"]["risk_by_people"] == 1
        )
    frontier = run("frontier", str(file), *asked, "--evaluations", "5")
    assert SEEMS in "\n".join(frontier.out.split("\n")[:4])


def test_a_scan_names_it_in_its_first_lines(file: Path) -> None:
    """And leaves the role to a person, who knows what it numbers."""
    ran = run("scan", str(file), "--out", str(file.parent / "p.toml"))
    assert "People: zz may be the person ID" in "\n".join(ran.out.split("\n")[:3])


def test_it_is_not_released(file: Path) -> None:
    """It is withheld without a role, and refused if it is named for release."""
    result = rs.anonymize(file, quasi=QUASI, k=5)
    assert "zz" in result.policy.columns.removed
    with pytest.raises(RoleError, match="zz"):
        rs.anonymize(file, quasi=QUASI, k=5, unchanged=["zz"])


def test_an_identifying_column_that_numbers_fewer_than_k_people_is_refused(file: Path) -> None:
    """With the advice to name it as the person ID; records are counted if that is said."""
    asked = ("--quasi", "age,area", "--k", "5", "--identifiers", "zz")
    ran = run("anonymize", str(file), *asked)
    assert ran.code == 2
    assert "one group has only 1 person; name it with --person zz instead" in ran.err
    assert run("anonymize", str(file), *asked, "--count-records").code == 0
    told = run("anonymize", str(file), *asked, "--count-records").out
    assert BOTH in told
    people = run("anonymize", str(file), "--quasi", "age,area", "--k", "5", "--person", "zz")
    assert people.code == 0
    assert "This counts people" in people.out


def test_a_person_id_that_is_different_in_all_records_is_not_believed(file: Path) -> None:
    """If another column looks like a person ID: then visits would be counted as people."""
    lines = file.read_text().splitlines()
    rows = [f"{line},{f'V{at:04}' if at else 'visit'}" for at, line in enumerate(lines)]
    file.write_text("\n".join([*rows, ""]))
    asked = ("--quasi", "age,area", "--person", "visit")
    told = run("anonymize", str(file), *asked, "--k", "5", "--identifiers", "zz").out
    assert f"{SEEMS}, too. {BOTH} To count people by zz, use --person zz." in told
    # A column that repeats may belong to something else, if nothing says that it is about people.
    assert SEEMS not in run("anonymize", str(file), *asked, "--k", "5").out
    named = file.with_name("named.csv")
    named.write_text(file.read_text().replace("zz", "patient_id", 1))
    seems = "The column patient_id looks like a person ID, too."
    assert seems in run("anonymize", str(named), *asked, "--k", "5").out
    for command, more in (("risk", ()), ("frontier", ("--evaluations", "5"))):
        assert seems in run(command, str(named), *asked, *more).out
    ran = run("anonymize", str(named), *asked, "--k", "5", "--identifiers", "patient_id")
    assert ran.code == 2
    assert "one group has only 1 person; use --person patient_id instead of visit" in ran.err
    found = rs.risk(named, quasi=QUASI, person="visit").to_dict()["counted"]
    assert (found["unit"], found["look_like_persons"]) == ("persons", ["patient_id"])
    assert rs.risk(file, quasi=QUASI, person="zz").to_dict()["counted"]["look_like_persons"] == []


def test_a_column_that_repeats_is_released_next_to_a_person_id() -> None:
    """The beds of a hospital are the same in all its records, and so is what it teaches."""
    chance = random.Random(4)  # noqa: S311 - no secret
    table = {
        "patient_id": [f"P{at:03}" for at in range(300)],
        "beds": [100 + 7 * (at % 30) for at in range(300)],
        "teaching": ["yn"[at % 30 % 2] for at in range(300)],
        "sex": [chance.choice("FM") for _ in range(300)],
    }
    roles: dict[str, Any] = {"person": "patient_id", "unchanged": ["beds", "teaching"]}
    assert "beds looks like" not in str(rs.anonymize(table, quasi=["sex"], k=5, **roles))


def test_with_enough_people_in_each_group_it_is_only_said() -> None:
    """No promise is broken then."""
    table = pa.table(visits(people=200, rows=3))
    table = table.set_column(
        1, "age", pa.array([f"{int(age) // 40}" for age in visits(200, 3)["age"]])
    )
    result = rs.anonymize(table, quasi=QUASI, k=5, identifiers=["zz"])
    assert result.counted.by_people is not None
    assert result.counted.by_people.records < result.counted.by_people.people <= 1 / 5


@examples(25)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 5), st.sampled_from("ab")),
        min_size=12,
        max_size=50,
    ),
    k=st.integers(2, 4),
    recoding=st.sampled_from(["global", "cells"]),
)
def test_the_risk_is_that_of_the_group_with_the_fewest_people(
    rows: list[tuple[int, int, str]], k: int, recoding: Literal["global", "cells"]
) -> None:
    """Counted by hand from the rows; a row without an ID is of another person."""
    whose = ["" if one == 8 else f"p{one}" for one, _, _ in rows]
    table = pa.table(
        {"own": whose, "age": [str(a) for _, a, _ in rows], "area": [b for _, _, b in rows]}
    )
    result = rs.anonymize(
        table,
        quasi=QUASI,
        k=k,
        suppression=1,
        identifiers=["own"],
        recoding=recoding,
        count_records=True,
    )
    made = result.generalized
    found = released_risk_by_people(result.source, "own", made)
    domains = made.table.domains
    rows_of = [
        tuple(domain[code] for domain, code in zip(domains, codes, strict=True))
        for codes in zip(*(own.tolist() for own in made.table.codes), strict=True)
    ]
    where = {values: at for at, values in enumerate(rows_of)}
    groups: dict[object, list[str]] = defaultdict(list)
    for at, (own, age, area) in enumerate(zip(*table.to_pydict().values(), strict=True)):
        row = where[age, area]
        group: object = (
            int(made.row_of[row])
            if made.row_of is not None
            else tuple(
                labels[domain.index(value)]
                for labels, domain, value in zip(made.labels, domains, (age, area), strict=True)
            )
        )
        groups[group].append(own or f"row {at}")
    sizes = Counter(np.asarray(made.sizes).tolist())
    kept = [len(set(own)) for own in groups.values() if len(own) in sizes]
    assert found == (1 / min(kept) if kept else None)
