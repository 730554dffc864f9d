"""Columns that link the rows of a person unintentionally: found, withheld, refused, reported."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from person_tables import write_visits

from roadstead import Anonymization, anonymize, apply
from roadstead.errors import RoleError
from roadstead.tables.persons.linking_columns import LinkedRowsShare, linked_rows
from roadstead.tables.reading import read

NAMES = ("patient", "age", "sex", "stay", "row", "seconds", "drug", "town")
QUASI = ("age", "sex")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prescriptions of 400 people in their stays, in the order of the people."""
    chance = random.Random(2)  # noqa: S311 - a table of a test
    rows: list[tuple[str, ...]] = []
    for person in range(400):
        town = str(person) if person % 4 == 0 else "city"
        for stay in range(chance.choice((1, 1, 2))):
            began = chance.randrange(10**7)
            for at in range(chance.choice((1, 2, 3))):
                rows.append(
                    (
                        f"P{person:04}",
                        chance.choice(("30", "40", "50")),
                        "FM"[person % 2],
                        f"{person:04}{stay}",
                        str(len(rows)),
                        str(began + 60 * at),
                        chance.choice("ABC"),
                        town,
                    )
                )
    return write_visits(tmp_path_factory.mktemp("stays") / "stays.csv", rows, NAMES)


def released(table: Path, **more: Any) -> Anonymization:  # noqa: ANN401 - fields of a request
    """Release without links."""
    return anonymize(table, quasi=QUASI, person="patient", **more)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("column", "how", "named"),
    [
        ("stay", "stay determines patient", "release_anyway"),
        ("row", "next to each other", "unchanged"),
        ("seconds", "next to each other", "unchanged"),
    ],
)
def test_what_works_as_a_key_is_refused(table: Path, column: str, how: str, named: str) -> None:
    """A number of a stay, of a row, and a time to the second, which many rows are close in."""
    with pytest.raises(RoleError, match=how) as refusal:
        released(table, unchanged=[column])
    assert "release_anyway" in str(refusal.value.fix)
    assert [*refusal.value.refused] == [column]  # for the decision on the page
    with pytest.raises(RoleError, match="An attacker can know several") as refusal:
        released(table, release_anyway=[column])
    assert 'knows="all"' in str(refusal.value.fix)
    forced = released(table, release_anyway=[column], knows=1)
    assert [one.names for one in forced.decided.linking] == [(column,)]
    assert (f"Warning: {column} is released and shows which records belong to one person") in str(
        forced
    )
    assert "cannot join" not in str(forced)
    linked = released(table, **{named: [column]}, link="pseudonym", suppression=1.0)
    assert not linked.decided.linking


def test_a_column_that_links_a_few_is_told_or_withheld(table: Path) -> None:
    """A user who names the column gets a warning; otherwise it is withheld."""
    told = released(table, unchanged=["town"])
    assert [one.names for one in told.decided.linking] == [("town",)]
    assert "Warning: town" in str(told)
    assert "of the people who have several records in the original table)" in str(told)
    assert any(note.startswith("town is released and shows") for note in told.content.notes)
    assert not released(table, unchanged=["drug"]).decided.linking
    free = released(table, identifiers=["stay", "row", "seconds"], undecided="release")
    assert "town" not in free.policy.columns.released


def test_nobody_decided_on_a_column_that_links(tmp_path: Path) -> None:
    """It has no rare values, for many rows of one person share each, and is withheld."""
    rows = [
        (f"P{person:03}", str(30 + person % 3), "F", f"{'abcdefgh'[person % 8]}{person // 8}")
        for person in range(120)
        for _ in range(9)
    ]
    path = write_visits(tmp_path / "own.csv", rows, ("patient", "age", "sex", "colour"))
    result = released(path, undecided="release")
    (withheld,) = result.decided.withheld
    assert (withheld.name, withheld.why) == ("colour", "objection")
    assert "colour determines patient" in withheld.reason
    assert str(result).endswith('even though they may identify a person: release_anyway=["colour"]')


def test_columns_that_are_harmless_alone_may_link_together(tmp_path: Path) -> None:
    """Three columns of ten values have a thousand combinations: most people have a unique one."""
    chance = random.Random(3)  # noqa: S311 - a table of a test
    rows = []
    for person in range(500):
        own = [f"{which}{chance.randrange(10)}" for which in "xyz"]
        rows += [
            (f"P{person:03}", str(30 + chance.randrange(2)), *own, f"d{at % 5}") for at in range(3)
        ]
    names = ("patient", "age", "x", "y", "z", "drug")
    path = write_visits(tmp_path / "own.csv", rows, names)
    result = anonymize(path, quasi=["age"], person="patient", unchanged=names[2:])
    (together,) = result.decided.linking
    assert together.names == ("x", "y", "z")
    assert together.share > 0.5
    assert "Warning: x, y and z are released and together show which records" in str(result)
    own = ["x", "drug"]
    two = anonymize(path, quasi=["age"], person="patient", unchanged=own, undecided="release")
    assert not two.decided.linking
    withheld = {one.name: one.reason for one in two.decided.withheld}
    assert withheld.keys() == {"y", "z"}
    assert all(reason.startswith("together with other columns") for reason in withheld.values())


@pytest.mark.nightly
def test_new_data_are_looked_at_too(table: Path, tmp_path: Path) -> None:
    """A column that was harmless when the policy was made is refused where it is a key."""
    policy = released(table, unchanged=["drug"]).policy
    assert not apply(policy, table).decided.linking
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT * REPLACE (row AS drug) FROM "  # noqa: S608 - paths of a test
            f"read_csv('{table}', all_varchar = true)) TO '{tmp_path / 'new.csv'}'"
        )
    with pytest.raises(RoleError, match="this column shows which records belong to one person"):
        apply(policy, tmp_path / "new.csv")


@examples(40)
@given(
    rows=st.lists(st.tuples(st.sampled_from("pqrstu"), st.sampled_from("abcdefghi")), min_size=1),
    k=st.integers(2, 4),
)
def test_persons_linked_by_a_value_are_those_of_the_definition(
    rows: list[tuple[str, str]], k: int
) -> None:
    """Two rows of a person share a value of fewer than k people."""
    found = counted(rows, k)
    who = defaultdict(set)
    for person, value in rows:
        who[value].add(person)
    often = Counter(rows)
    expected = {
        person for (person, value), times in often.items() if times > 1 and len(who[value]) < k
    }
    assert found.by_value == len(expected)
    assert found.persons == sum(times > 1 for times in Counter(p for p, _ in rows).values())


@pytest.mark.nightly
@examples(40)
@given(persons=st.lists(st.sampled_from("pqrs"), min_size=2, max_size=30), chance=st.randoms())
def test_persons_linked_by_order_are_neighbors_in_it(
    persons: list[str], chance: random.Random
) -> None:
    """In whatever order the rows come, sorted as numbers."""
    rows = [(person, str(at)) for at, person in enumerate(persons)]
    neighbors = {a for a, b in pairwise(persons) if a == b}
    chance.shuffle(rows)
    assert counted(rows, 2).by_order == len(neighbors)


def counted(rows: Sequence[tuple[str, str]], k: int) -> LinkedRowsShare:
    """Give the answer for a table with person IDs and one other column."""
    import pyarrow as pa  # noqa: PLC0415 - as the table is made

    persons, values = zip(*rows, strict=True)
    source = read(pa.table({"person": list(persons), "value": list(values)}))
    return linked_rows(source, "person", ["value"], k=k, small=0)["value"]


def test_a_value_of_two_persons_is_withheld_from_linked_rows_too() -> None:
    """Each club has two members, of ten records or more each: rare by people, not by records.

    Fault class: rarity counted in records, although a release shows the rows of each person.
    """
    rows = [at for at in range(120) for _ in range(10 + at * 7 % 31)]
    clubs = pa.table(
        {
            "patient": [f"P{at}" for at in rows],
            "sex": ["FM"[at // 60] for at in rows],
            "club": [f"club of {chr(97 + at % 60 // 26)}{chr(97 + at % 60 % 26)}" for at in rows],
        }
    )
    asked: dict[str, Any] = {"quasi": ["sex"], "person": "patient", "link": "pseudonym", "k": 5}
    result = anonymize(clubs, **asked, undecided="release")
    assert {"patient", "sex"} == set(result.to_arrow().column_names)
    (reason,) = [one.reason for one in result.decided.withheld if one.name == "club"]
    assert "fewer than 5 people have" in reason
    named = anonymize(clubs, **asked, unchanged=["club"])
    assert "club" in named.to_arrow().column_names
