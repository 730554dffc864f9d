"""A person whose ID is written in two ways does not count as two people."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from commands import run
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import SourceError

Spelling = Callable[[str], Sequence[str]]
NEVER_TWO_PEOPLE: dict[str, Spelling] = {
    "full-width letters": lambda number: (f"A{number}", f"\uff21{number}"),
    "a letter that looks alike": lambda number: (f"A{number}", f"\u0410{number}"),
    "an apostrophe": lambda number: (number, f"'{number}"),
    "thousands": lambda number: (f"{int(number)}", f"{int(number):,}"),
    "Arabic digits": lambda number: (
        number,
        "".join(chr(0x660 + int(one)) for one in number),
    ),
}
TWO_SPELLINGS: dict[str, Spelling] = {
    "case": lambda number: (f"AB{number}", f"ab{number}"),
    "blank": lambda number: (f"AB{number}", f"AB {number}"),
    "hyphen": lambda number: (number, f"{number[:3]}-{number[3:]}"),
    "dots": lambda number: (f"{number[:3]}.{number[3:]}", f"{number[:3]}-{number[3:]}"),
    "exponent": lambda number: (str(int(number)), f"{int(number)}e0"),
    "letter": lambda number: (number, f"P{number}"),
    "path": lambda number: (number, f"Patient/{number}"),
    "site": lambda number: (number, f"UMICH|{number}"),
    "suffix": lambda number: (number, f"{number}-X"),
    "visits": lambda number: (f"{number}/1", f"{number}/2"),
}


def visits(spell: Spelling, *, lasting: bool = True, different: bool = False) -> pa.Table:
    """Make a table in which IDs have two spellings, of the same or of different people."""
    chance = random.Random(8)  # noqa: S311 - test data
    rows = []
    for number in chance.sample(range(100_000, 999_999), 200):
        born, sex = chance.randrange(1940, 2000), chance.choice("FM")
        for at, name in enumerate(spell(str(number))):
            if different and at:
                born, sex = chance.randrange(1940, 2000), chance.choice("FM")
            rows += [(name, chance.choice("xyz"), sex, born)] * chance.choice([1, 2])
    chance.shuffle(rows)
    columns = ("pid", "ward", "sex", "born") if lasting else ("pid", "ward")
    return pa.table({name: [str(row[at]) for row in rows] for at, name in enumerate(columns)})


def released(table: pa.Table) -> str:
    """Release wards, and return what the output says."""
    others = [one for one in table.column_names if one not in ("pid", "ward")]
    return str(rs.anonymize(table, quasi=["ward"], person="pid", k=2, identifiers=others))


@pytest.mark.parametrize("called", NEVER_TWO_PEOPLE)
def test_the_same_signs_in_another_form_are_one_person(called: str) -> None:
    """No property of the people is needed to refuse them."""
    with pytest.raises(SourceError, match="letters of the same shape"):
        released(visits(NEVER_TWO_PEOPLE[called], lasting=False))


@pytest.mark.parametrize("called", TWO_SPELLINGS)
def test_two_spellings_of_the_same_people_are_refused(called: str) -> None:
    """Fault class: groups of k had fewer than k people.

    The sex and the year of birth show that the people are the same. If they differ, the two IDs
    belong to two people, for example, of two hospitals with the same numbers.
    """
    with pytest.raises(SourceError, match="200 person IDs differ from another ID only") as caught:
        released(visits(TWO_SPELLINGS[called]))
    assert "one person would count as two people" in str(caught.value)
    assert "pid differ" not in released(visits(TWO_SPELLINGS[called], different=True))


@pytest.mark.quick(3)
@pytest.mark.parametrize("called", [one for one in TWO_SPELLINGS if one != "visits"])
def test_without_a_lifelong_property_there_is_a_warning(called: str) -> None:
    """Nobody knows whether the IDs belong to the same people."""
    table = visits(TWO_SPELLINGS[called], lasting=False)
    assert "Warning: 200 values of pid differ from another value only" in released(table)
    assert "200 values of pid differ" in str(rs.risk(table, quasi=["ward"], person="pid"))


def test_many_spellings_are_examined_once() -> None:
    """Fault class: each pair counted the letters of all IDs, which took minutes for many pairs."""
    names = [f"Ab{at}x" for at in range(30_000)] + [f"AB-{at}X" for at in range(30_000)]
    table = pa.table({"pid": names, "ward": ["x"] * len(names)})
    assert "pid differ" not in str(rs.risk(table, quasi=["ward"], person="pid"))


@pytest.mark.parametrize("lasting", [False, True])
def test_random_ids_with_letters_of_both_cases_are_different_people(*, lasting: bool) -> None:
    """Short random IDs differ only in their case by chance."""
    chance = random.Random(4)  # noqa: S311 - test data
    letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKMNOPQRSTUVWXYZ0123456789"
    names = sorted({"".join(chance.choices(letters, k=3)) for _ in range(3_000)})
    chance.shuffle(names)  # the order of a set is another in each process
    assert len({name.casefold() for name in names}) < len(names) - 20
    table = visits(lambda _: [names.pop()] * 2, lasting=lasting, different=True)
    more = visits(lambda _: [names.pop()] * 2, lasting=lasting, different=True)
    assert "pid differ" not in released(pa.concat_tables([table, more]))


def test_sites_with_the_same_numbers_are_different_people() -> None:
    """1-23 and 12-3 have the same digits, and A-7 and B-7 the same number."""
    names = [f"{site}-{number}" for site in range(1, 13) for number in range(1, 40)]
    names += [f"{site}-{number}" for site in "AB" for number in range(1, 40)]
    table = pa.table({"pid": names * 2, "ward": list("xy") * len(names)})
    assert "pid differ" not in released(table)


def test_people_of_a_set_of_tables_are_examined(tmp_path: Path) -> None:
    """Fault class: only the people of a single table were examined."""
    table = visits(TWO_SPELLINGS["case"]).to_pylist()
    people = {row["pid"]: (row["pid"], row["born"], row["sex"]) for row in table}
    write_csv(tmp_path / "people.csv", ("pid", "born", "sex"), [*people.values()])
    write_csv(
        tmp_path / "visits.csv", ("pid", "ward"), [(row["pid"], row["ward"]) for row in table]
    )
    lines = (
        f"data = '{tmp_path}'",
        "[tables.people]\ndata = 'people.csv'\nperson = 'pid'\nbirth = 'born'\nquasi = ['sex']",
        "[tables.visits]\ndata = 'visits.csv'\nperson = 'pid'\ncode = 'ward'",
    )
    (tmp_path / "set.toml").write_text("\n".join(lines), "utf-8")
    asked = ("--tables", "all", "--k", "3", "--out", tmp_path / "out")
    ran = run("anonymize", "--project", tmp_path / "set.toml", *asked)
    assert ran.code == 2
    assert "200 person IDs differ from another ID only" in ran.error
