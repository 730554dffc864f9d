"""A column that follows from a shifted date reveals the shift, however its values are written."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run
from small_tables import write_csv

from roadstead.tables.persons.dated_columns import columns_that_follow
from roadstead.tables.reading import read

HEAD = ("pid", "sex", "dx", "born", "seen", "more")
_FIRST = date(2020, 1, 1)
ROLES = ("--person", "pid", "--quasi", "sex", "--identifiers", "born", "--sensitive", "dx")
SHIFTED = ("--date", "seen=shift", "--suppression", "0.5", "--k", "2")


def as_strings(rows: Iterable[tuple[object, ...]]) -> list[tuple[str, ...]]:
    """Return the cells as strings, because a text file contains strings."""
    return [tuple(map(str, row)) for row in rows]


def visits(folder: Path, more: Callable[[date, random.Random], object], people: int = 300) -> Path:
    """Write visits of people, with one more column that a function makes from the date."""
    chance = random.Random(7)  # noqa: S311 - test data
    rows = []
    for person in range(people):
        sex, born = chance.choice("FM"), _FIRST - timedelta(days=chance.randrange(9_000, 20_000))
        for _ in range(chance.choice([1, 2, 4])):
            day = _FIRST + timedelta(days=chance.randrange(1_300))
            rows.append((f"p{person}", sex, chance.choice("xyz"), born, day, more(day, chance)))
    return write_csv(folder / "visits.csv", HEAD, as_strings(rows))


def _letters(number: int) -> str:
    """Write a period so that its form does not show that it is a period."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


FOLLOWING: dict[str, tuple[str, Callable[[date, random.Random], object]]] = {
    "quarter": ("month", lambda day, _: _letters(day.year * 4 + (day.month - 1) // 3)),
    "financial year": ("month", lambda day, _: f"{day.year - (day.month < 4)}/{day.year % 100}"),
    "side of a day": ("month", lambda day, _: int(day > date(2021, 10, 1))),
    "season": ("month", lambda day, _: "wwsssuuuaaaw"[day.month - 1]),
    "weekday": ("day of the week", lambda day, _: "abcdefg"[day.weekday()]),
    "week": ("week", lambda day, _: _letters(day.isocalendar().week)),
}
FREE: dict[str, Callable[[date, random.Random], object]] = {
    "chance": lambda _, chance: chance.choice("abc"),
    "rare": lambda _, chance: int(chance.random() < 0.03),
    "constant": lambda _, __: "a",
    "empty": lambda _, __: "",
    "mostly": lambda day, chance: day.year if chance.random() < 0.8 else 0,
}


@pytest.mark.parametrize("called", FOLLOWING)
def test_a_column_that_follows_is_found(called: str, tmp_path: Path) -> None:
    """In each form, with the unit in which it follows, and no other column."""
    unit, more = FOLLOWING[called]
    source = read(visits(tmp_path, more))
    found = [*columns_that_follow(source, "pid", ["seen"], ("more", "sex", "dx"))]
    assert found == [("more", "seen", unit)]


@pytest.mark.quick(1)
@pytest.mark.parametrize("called", FOLLOWING)
def test_a_column_that_follows_is_refused(called: str, tmp_path: Path) -> None:
    """Fault class: a quarter next to a shifted date left a few of the possible shifts."""
    unit, more = FOLLOWING[called]
    source = visits(tmp_path, more)
    asked = (*ROLES, *SHIFTED)
    ran = run("anonymize", source, *asked, "--release-anyway", "seen", "--unchanged", "more")
    assert ran.code == 2, ran.out
    assert "'more'" in ran.error
    assert f"of the same {unit} have the same value" in ran.error
    anyway = run("anonymize", source, *asked, "--release-anyway", "seen,more")
    assert anyway.code == 0, anyway.error


@pytest.mark.parametrize("called", FREE)
def test_other_columns_do_not_follow(called: str, tmp_path: Path) -> None:
    """Frequent, rare, and constant values, and a year with many exceptions, are not refused."""
    source = read(visits(tmp_path, FREE[called]))
    assert not [*columns_that_follow(source, "pid", ["seen"], ("more", "sex", "dx"))]


def test_rows_of_a_person_are_not_evidence(tmp_path: Path) -> None:
    """All rows of a month belong to one person, so their sex is the same for this reason."""
    rows = [
        (f"p{at}", "FM"[at % 2], "x", "", _FIRST + timedelta(days=32 * at + more), at % 2)
        for at in range(200)
        for more in range(4)
    ]
    source = read(write_csv(tmp_path / "t.csv", HEAD, as_strings(rows)))
    assert not [*columns_that_follow(source, "pid", ["seen"], ("sex", "more"))]


def test_few_rows_that_agree_are_not_evidence(tmp_path: Path) -> None:
    """Six pairs of people with the same value can occur by chance."""
    rows = [
        (f"p{at}{who}", "F", "x", "", _FIRST + timedelta(days=40 * at), at % 2)
        for at in range(6)
        for who in "ab"
    ]
    source = read(write_csv(tmp_path / "t.csv", HEAD, as_strings(rows)))
    assert not [*columns_that_follow(source, "pid", ["seen"], ("more",))]


def test_a_large_table_is_sampled(tmp_path: Path) -> None:
    """More records than are compared; the quarter is found all the same."""
    rows = [
        (f"p{at}", "FM"[at // 1_300 % 2], "x", "", day, (day.month - 1) // 3)
        for at in range(25_000)
        for day in [_FIRST + timedelta(days=at * 7 % 1_300)]
    ]
    source = read(write_csv(tmp_path / "t.csv", HEAD, as_strings(rows)))
    found = [*columns_that_follow(source, "pid", ["seen"], ("more", "sex"))]
    assert found == [("more", "seen", "month")]


def test_a_quasi_identifier_that_follows_needs_another_role(tmp_path: Path) -> None:
    """Fault class: the advice named a role next to the role that the column had already."""
    source = visits(tmp_path, FOLLOWING["quarter"][1])
    asked = ("--person", "pid", "--quasi", "sex,more", "--identifiers", "born,dx")
    ran = run("anonymize", source, *asked, "--date", "seen=shift", "--release-anyway", "seen")
    assert ran.code == 2
    assert "remove it from --quasi and release it anyway with --release-anyway more" in ran.error


def test_whole_weeks_keep_the_day_of_the_week(tmp_path: Path) -> None:
    """A date that is shifted by whole weeks shows the day of the week, too."""
    source = visits(tmp_path, FOLLOWING["weekday"][1])
    asked = (*ROLES, *SHIFTED, "--shift-weeks")
    ran = run("anonymize", source, *asked, "--release-anyway", "seen", "--unchanged", "more")
    assert ran.code == 0, ran.error


def test_a_policy_meets_a_column_that_follows(tmp_path: Path) -> None:
    """The column was harmless in the first table, but is a quarter in the next table."""
    source, out = visits(tmp_path, FREE["chance"]), tmp_path / "out"
    asked = (*ROLES, *SHIFTED, "--out", out)
    ran = run("anonymize", source, *asked, "--release-anyway", "seen", "--unchanged", "more")
    assert ran.code == 0, ran.error
    following = visits(tmp_path, FOLLOWING["quarter"][1])
    again = run("apply", out / "policy.json", following, "--out", tmp_path / "next")
    assert again.code == 2
    assert "follow from the dates in 'seen'" in again.error
    assert not (tmp_path / "next").exists()


def described(folder: Path, kept: str, *more: str) -> Path:
    """Describe a table of people and a table of visits, with columns to release unchanged."""
    chance = random.Random(3)  # noqa: S311 - test data
    people, rows = [], []
    for person in range(400):
        people.append((f"p{person}", 1950 + person % 5 * 10, "FM"[person % 2]))
        for _ in range(2):
            day = _FIRST + timedelta(days=chance.randrange(900))
            quarter = _letters(day.year * 4 + (day.month - 1) // 3)
            mail = f"ana{person}@example.org"
            rows.append((f"p{person}", day, chance.choice("xy"), quarter, day, mail, "a"))
    write_csv(folder / "people.csv", ("pid", "born", "sex"), as_strings(people))
    write_csv(
        folder / "visits.csv", ("pid", "day", "dx", "q", "again", "mail", "ward"), as_strings(rows)
    )
    lines = (
        f"data = '{folder}'",
        "[tables.people]\ndata = 'people.csv'\nperson = 'pid'\nbirth = 'born'\nquasi = ['sex']",
        "[tables.visits]\ndata = 'visits.csv'\nperson = 'pid'\ndates = ['day']\ncode = 'dx'",
        f"kept = ['{kept}']",
        *more,
    )
    project = folder / "set.toml"
    project.write_text("\n".join(lines), "utf-8")
    return project


@pytest.mark.parametrize(
    ("kept", "says"),
    [("q", "follow from the dates"), ("again", "not shifted"), ("mail", "email addresses")],
)
def test_a_set_of_tables_is_examined(kept: str, says: str, tmp_path: Path) -> None:
    """Fault class: a set released email addresses, and true dates next to shifted dates."""
    out = tmp_path / "out"
    asked = ("anonymize", "--tables", "all", "--shift-days", "30", "--k", "3", "--out", out)
    ran = run(*asked, "--project", described(tmp_path, kept))
    assert ran.code == 2, ran.out
    assert says in ran.error
    assert f'release_anyway = ["{kept}"]' in ran.error
    assert not out.exists()
    anyway = run(*asked, "--project", described(tmp_path, kept, f"release_anyway = ['{kept}']"))
    assert anyway.code == 0, anyway.error
    assert f"visits.{kept} is released although it looks like" in anyway.out
    assert run("verify", out).code == 0
    rules = tmp_path / "gate.toml"
    rules.write_text("[columns]\nidentifiers = 'none'\n", "utf-8")
    assert f"visits.{kept} looks like an identifier" in run("gate", out, "--rules", rules).out


def test_a_harmless_column_of_a_set_is_released(tmp_path: Path) -> None:
    """A ward is neither an identifier nor a date."""
    out = tmp_path / "out"
    asked = ("anonymize", "--tables", "all", "--shift-days", "30", "--k", "3", "--out", out)
    ran = run(*asked, "--project", described(tmp_path, "ward"))
    assert ran.code == 0, ran.error
