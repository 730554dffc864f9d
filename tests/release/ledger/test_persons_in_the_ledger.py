"""People who came and left, counted over all possible cases."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from person_tables import write_visits

import roadstead as rs
from roadstead.errors import Refusal
from roadstead.release.ledger.classes import PersonsOfClasses, persons_of_classes
from roadstead.release.ledger.folder import read_entries
from roadstead.release.persons.pseudonyms import write_key
from roadstead.tables.persons.profiles import Persons

VISITS = ("patient", "ward", "drug")


@examples(60)
@given(
    st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=5), min_size=1, max_size=3),
    st.data(),
)
def test_the_fewest_persons_are_those_of_the_smallest_set_with_so_many_records(
    classes: list[list[int]], data: st.DataObject
) -> None:
    """All sets of people are tried."""
    in_class, records, persons = [], [], []
    for at, own in enumerate(classes):
        for number in sorted(set(own), reverse=True):
            in_class.append(at)
            records.append(number)
            persons.append(own.count(number))
    kept = PersonsOfClasses(tuple(in_class), tuple(records), tuple(persons))
    wanted = [data.draw(st.integers(0, sum(own))) for own in classes]
    fewest = [
        min(
            size
            for size in range(len(own) + 1)
            for some in combinations(own, size)
            if sum(some) >= number
        )
        for own, number in zip(classes, wanted, strict=True)
    ]
    assert kept.fewest(np.array(wanted)).tolist() == fewest
    assert kept.by_class(len(classes)).tolist() == [len(own) for own in classes]


def test_records_of_each_person_are_added_up_by_class() -> None:
    """Two profiles, the first of two people; two rows are of one class, one is not released."""
    persons = Persons(
        "p",
        np.array([0, 0, 1, 1], dtype=np.uint32),
        np.array([1, 2, 1, 5]),
        np.array([2, 1]),
        np.array([0, 0, 1]),
        ("a", "b", "c"),
    )
    found = persons_of_classes(persons, np.array([0, 0, 0, 1]), np.array([True, True, True, False]))
    assert found == PersonsOfClasses((0, 0), (3, 1), (2, 1))


def visits(persons: int, times: int = 1, first: int = 0) -> list[tuple[str, ...]]:
    """Give visits of both wards, so many of each person."""
    return [
        (f"P{number:03}", "AB"[number % 2], "xyz"[(number + at) % 3])
        for number in range(first, first + persons)
        for at in range(times)
    ]


def first(folder: Path, rows: list[tuple[str, ...]], link: Any = "none", **more: Any) -> Path:  # noqa: ANN401 - fields
    """Release visits of people who may have several; give the policy."""
    (folder / "ledger").mkdir()
    rs.anonymize(
        write_visits(folder / "first.csv", rows, VISITS),
        quasi=["ward"],
        sensitive=["drug"],
        person="patient",
        link=link,
        k=3,
        out=folder / "first",
        ledger=folder / "ledger",
        **more,
    )
    return folder / "first" / "policy.json"


def later(folder: Path, policy: Path, rows: list[tuple[str, ...]], **more: Any) -> None:  # noqa: ANN401 - fields
    """Apply it to a later extract."""
    data = write_visits(folder / "later.csv", rows, VISITS)
    rs.apply(policy, data, out=folder / "later", ledger=folder / "ledger", **more)


@pytest.mark.nightly
def test_many_records_may_be_of_few_persons(tmp_path: Path) -> None:
    """Six visits came, and two people may have them all; for nine visits it is three."""
    before = visits(40)
    policy = first(tmp_path, before)
    (entry,) = read_entries(tmp_path / "ledger")
    two = [*before, *visits(4, 3, 100)]
    with pytest.raises(Refusal, match=r"may belong to fewer than 3 people; .* has 2"):
        later(tmp_path, policy, two)
    later(tmp_path, policy, [*before, *visits(6, 3, 100)])
    assert entry.classes is not None
    assert entry.classes.persons == PersonsOfClasses((0, 1), (1, 1), (20, 20))
    assert entry.classes.pseudonyms is None
    text = (tmp_path / "later" / "report.html").read_text("utf-8")
    assert "belong to as few people as possible" in " ".join(text.split())


def test_keyed_pseudonyms_say_whose_records_came(tmp_path: Path) -> None:
    """Three people with one more visit each are enough, and two are not; the count is exact."""
    write_key(tmp_path / "key")
    before = [*visits(40, 3), *visits(40, 1, 40)]
    policy = first(tmp_path, before, "pseudonym", key=tmp_path / "key")
    (entry,) = read_entries(tmp_path / "ledger")
    assert entry.classes is not None
    assert entry.classes.pseudonyms is not None
    assert len(entry.classes.pseudonyms.values[0]) == 80
    more = [*before, *visits(4, 2, 40)]
    with pytest.raises(Refusal, match="fewer than 3 people; the smallest has 2"):
        later(tmp_path, policy, more, key=tmp_path / "key")
    # As many left as came: no count says so, and pseudonyms do.
    moved = [*visits(40, 3), *visits(40, 1, 44)]
    with pytest.raises(Refusal, match="fewer than 3 people; the smallest has 2"):
        later(tmp_path, policy, moved, key=tmp_path / "key")
    later(tmp_path, policy, [*before, *visits(6, 2, 40)], key=tmp_path / "key")


def test_two_policies_are_alike_in_persons(tmp_path: Path) -> None:
    """Four visits in both releases are of one person."""
    rows = [(f"P{at}", "A", "x") for at in range(9)] + [("Q", "A", "z")] * 4
    rows += [(f"R{at}", "B", "z") for at in range(9)]
    data = write_visits(tmp_path / "data.csv", rows, VISITS)
    (tmp_path / "ledger").mkdir()
    asked: dict[str, Any] = {
        "person": "patient",
        "link": "none",
        "k": 3,
        "ledger": tmp_path / "ledger",
    }
    rs.anonymize(data, quasi=["ward"], identifiers=["drug"], out=tmp_path / "one", **asked)
    with pytest.raises(Refusal, match="1 group of fewer than 3 people is identical in both"):
        rs.anonymize(data, quasi=["drug"], identifiers=["ward"], out=tmp_path / "two", **asked)
