"""A column whose values are concentrated in time reveals the shift of dates next to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import run
from honest_columns import COLUMNS, hospital
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.tables.persons.concentrated_columns import columns_that_narrow
from roadstead.tables.reading import read

_FIRST, _DAYS = date(2019, 1, 1), 1_825
HEAD = ("pid", "sex", "dx", "seen", "more")
ASKED = (
    *("--person", "pid", "--link", "pseudonym", "--quasi", "sex", "--sensitive", "dx"),
    *("--date", "seen=shift", "--suppression", "0.5"),
)


def _winter(day: int) -> bool:
    return (_FIRST + timedelta(days=day)).month in (12, 1, 2)


def _lot(day: int, chance: random.Random) -> str:
    """Each of three sites changes its lot at other times."""
    site = chance.randrange(3)
    return f"{'ABC'[site]}{(day + 17 * site) // 45 * 37 % 97}"


REVEALING: dict[str, Callable[[int, random.Random], object]] = {
    "lot of a site": _lot,
    "month of a later result": lambda day, chance: "".join(
        "abcdefghij"[int(digit)] for digit in str((day + chance.randrange(46)) // 30)
    ),
    "version with exceptions": lambda day, chance: (day + chance.randrange(90)) // 200 % 7,
    "winter": lambda day, chance: "flu" if _winter(day) and chance.random() < 0.9 else "other",
    "number that increases": lambda day, chance: day + chance.randrange(30) + chance.random() / 2,
    "missing at first": lambda day, chance: "" if day < 600 else chance.choice("xy"),
}
HONEST: dict[str, Callable[[int, random.Random], object]] = {
    "slow drift": lambda day, chance: "new" if chance.random() < day / _DAYS else "old",
    "new site": lambda day, chance: chance.choice("ABC" if day > 700 else "AB"),
    "a little seasonal": lambda day, chance: int(chance.random() < (0.15 + 0.1 * _winter(day))),
    "rare wave": lambda day, chance: int(400 < day < 450 and chance.random() < 0.4),
}


def visits(folder: Path, more: Callable[[int, random.Random], object], people: int = 500) -> Path:
    """Write visits of people, with one more column that a function makes from the day."""
    chance = random.Random(11)  # noqa: S311 - test data
    rows = []
    for person in range(people):
        sex = chance.choice("FM")
        for _ in range(chance.choice([1, 2, 4])):
            day = chance.randrange(_DAYS)
            seen = _FIRST + timedelta(days=day)
            rows.append(
                (f"p{person}", sex, chance.choice("xyz"), str(seen), str(more(day, chance)))
            )
    return write_csv(folder / "visits.csv", HEAD, rows)


@pytest.mark.parametrize("called", REVEALING)
def test_a_column_that_narrows_the_shift_is_found(called: str, tmp_path: Path) -> None:
    """In each form, and no other column."""
    source = read(visits(tmp_path, REVEALING[called]))
    found = columns_that_narrow(source, "pid", ["seen"], ("more", "sex", "dx"), 182)
    assert [one[:2] for one in found] == [("more", "seen")]


@pytest.mark.quick(1)
@pytest.mark.parametrize("called", REVEALING)
def test_a_column_that_narrows_the_shift_is_refused(called: str, tmp_path: Path) -> None:
    """Fault class: the lots of three sites revealed most of the shift of most people."""
    source = visits(tmp_path, REVEALING[called])
    refused = run(*("anonymize", source, *ASKED, "--release-anyway", "seen", "--unchanged", "more"))
    assert refused.code == 2, refused.out
    assert "column 'more'" in refused.error
    assert "concentrated in time" in refused.error
    assert "--release-anyway more" in refused.error
    anyway = run("anonymize", source, *ASKED, "--release-anyway", "seen,more")
    assert anyway.code == 0, anyway.error


@pytest.mark.parametrize("called", HONEST)
def test_a_column_that_excludes_few_shifts_is_released(called: str, tmp_path: Path) -> None:
    """Slow changes, and values that concern few people, leave most of the shifts."""
    source = read(visits(tmp_path, HONEST[called], people=1_000))
    assert not [*columns_that_narrow(source, "pid", ["seen"], ("more", "sex", "dx"), 182)]


@pytest.mark.quick(1)
@pytest.mark.parametrize("most", [20, 182])
def test_clinical_columns_do_not_narrow_a_shift(most: int, tmp_path: Path) -> None:
    """Laboratory values, codes, scores, and wards do not depend on the date."""
    chance, people = random.Random(5), 400  # noqa: S311 - test data
    rows = [
        (
            f"p{chance.randrange(people)}",
            str(_FIRST + timedelta(days=chance.randrange(_DAYS))),
            *("" if row[name] is None else str(row[name]) for name in COLUMNS),
        )
        for row in hospital(1_500, 8)
    ]
    source = read(write_csv(tmp_path / "stays.csv", ("pid", "seen", *COLUMNS), rows))
    assert not [*columns_that_narrow(source, "pid", ["seen"], tuple(COLUMNS), most)]


def test_the_share_that_is_left_is_measured(tmp_path: Path) -> None:
    """A month leaves about a twelfth of the shifts of a year, and less if two visits differ."""
    source = read(visits(tmp_path, lambda day, _: day // 30))
    ((column, shifted, left),) = columns_that_narrow(source, "pid", ["seen"], ("more",), 182)
    assert (column, shifted) == ("more", "seen")
    assert 0.02 < left < 0.25


@pytest.mark.quick(1)
@pytest.mark.parametrize("people", [2_000, 20_000])
def test_a_longer_table_is_examined_by_whole_people(people: int, tmp_path: Path) -> None:
    """Fault class: of a long table, the sample had one record of each person and found nothing."""
    chance = np.random.default_rng(3)
    day = chance.integers(0, _DAYS, people * 10)
    value = chance.normal(size=day.size) + 0.6 * np.cos(2 * np.pi * day / 365.25)
    table = {
        "pid": pa.array(np.repeat(np.arange(people), 10)).cast(pa.string()),
        "seen": pa.array(np.datetime64(_FIRST) + day),
        "more": np.round(value / 3, 1),
    }
    pq.write_table(pa.table(table), tmp_path / "visits.parquet")
    source = read(tmp_path / "visits.parquet")
    ((_, _, left),) = columns_that_narrow(source, "pid", ["seen"], ("more",), 182)
    assert left < 0.85


def test_the_order_of_the_records_does_not_matter(tmp_path: Path) -> None:
    """The same records in another order give the same share."""
    path = visits(tmp_path, REVEALING["lot of a site"])
    head, *rows = path.read_text("utf-8").splitlines(keepends=True)
    turned = tmp_path / "turned.csv"
    turned.write_text(head + "".join(reversed(rows)), "utf-8")
    found = [
        [*columns_that_narrow(read(one), "pid", ["seen"], ("more",), 182)] for one in (path, turned)
    ]
    assert found[0]
    assert found[0][0][:2] == found[1][0][:2]
    assert found[0][0][2] == pytest.approx(found[1][0][2])


def test_a_policy_meets_a_lot_and_python_refuses_it(tmp_path: Path) -> None:
    """The column was harmless in the first table, but is a lot in the next table."""
    source, out = visits(tmp_path, lambda _, chance: chance.choice("ab")), tmp_path / "out"
    asked = (*ASKED, "--release-anyway", "seen", "--unchanged", "more", "--out", out)
    ran = run("anonymize", source, *asked)
    assert ran.code == 0, ran.error
    following = visits(tmp_path, _lot)
    again = run("apply", out / "policy.json", following, "--out", tmp_path / "next")
    assert again.code == 2
    assert "concentrated in time" in again.error
    assert not (tmp_path / "next").exists()
    with pytest.raises(RoleError, match="concentrated in time"):
        rs.anonymize(
            following,
            person="pid",
            link="pseudonym",
            quasi=["sex", "seen"],
            dates={"seen": "shift:first"},
            sensitive=["dx", "more"],
            suppression=0.5,
        )


def test_a_lot_in_a_set_of_tables_is_refused(tmp_path: Path) -> None:
    """A set of tables shifts all dates, so a lot must not be kept."""
    visits(tmp_path, _lot, people=1_000)
    people = [(f"p{at}", str(1950 + at % 5 * 10), "FM"[at % 2]) for at in range(1_000)]
    write_csv(tmp_path / "people.csv", ("pid", "born", "sex"), people)
    project = tmp_path / "set.toml"
    lines = (
        f"data = '{tmp_path}'",
        "[tables.people]\ndata = 'people.csv'\nperson = 'pid'\nbirth = 'born'\nquasi = ['sex']",
        "[tables.visits]\ndata = 'visits.csv'\nperson = 'pid'\ndates = ['seen']\ncode = 'dx'",
        "kept = ['more']",
    )
    project.write_text("\n".join(lines), "utf-8")
    asked = ("anonymize", "--tables", "all", "--k", "3", "--out", tmp_path / "out")
    ran = run(*asked, "--project", project)
    assert ran.code == 2, ran.out
    assert "the values of 'more' are concentrated in time" in ran.error
    project.write_text("\n".join((*lines, "release_anyway = ['more']")), "utf-8")
    assert run(*asked, "--project", project).code == 0
