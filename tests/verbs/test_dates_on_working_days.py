"""Dates that are nearly all on working days reveal the shift, unless it is in whole weeks."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run
from small_tables import write_csv

HEAD = ("pid", "sex", "dx", "seen")
ASKED = ("--person", "pid", "--quasi", "sex", "--sensitive", "dx", "--suppression", "0.5")
SHIFT = ("--date", "seen=shift", "--release-anyway", "seen")
LINK = ("--link", "pseudonym")


def visits(folder: Path, weekend: float, people: int = 200) -> Path:
    """Write visits. `weekend` is the probability that a visit on a weekend takes place."""
    chance = random.Random(5)  # noqa: S311 - test data
    rows = []
    for person in range(people):
        sex = chance.choice("FM")
        for _ in range(4):
            day = date(2019, 1, 1) + timedelta(days=chance.randrange(1_500))
            if day.weekday() < 5 or chance.random() < weekend:
                rows.append((f"p{person}", sex, chance.choice("xyz"), str(day)))
    return write_csv(folder / "visits.csv", HEAD, rows)


@pytest.mark.quick(1)
@pytest.mark.parametrize("weekend", [0.05, 0])
def test_a_weekly_pattern_is_reported(weekend: float, tmp_path: Path) -> None:
    """Fault class: without a word, the shift modulo 7 was certain for most people."""
    source, out = visits(tmp_path, weekend), tmp_path / "out"
    ran = run("anonymize", source, *ASKED, *SHIFT, *LINK, "--out", out)
    assert ran.code == 0, ran.error
    assert "Warning: seen has few or no dates on 2 of 7 days of the week" in ran.out
    assert "by whole weeks with --shift-weeks" in ran.out
    assert "on 2 of 7 days of the week" in (out / "report.html").read_text("utf-8")
    asked = ("sex,seen" if one == "sex" else one for one in ASKED)
    again = run("anonymize", source, *asked, "--date", "seen=shift:first", *LINK)
    assert "on 2 of 7 days of the week" in again.out


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("weekend", "more"), [(0, (*LINK, "--shift-weeks")), (0, ()), (0.6, LINK), (1, LINK)]
)
def test_other_dates_do_not_reveal_it(
    weekend: float, more: tuple[str, ...], tmp_path: Path
) -> None:
    """Shifts of whole weeks, unlinked rows, and dates on all days of the week."""
    ran = run("anonymize", visits(tmp_path, weekend), *ASKED, *SHIFT, *more)
    assert ran.code == 0, ran.error
    assert "days of the week" not in ran.out


def test_few_people_are_not_evidence(tmp_path: Path) -> None:
    """Thirty people can miss a day by chance."""
    ran = run("anonymize", visits(tmp_path, 0, people=30), *ASKED, *SHIFT, *LINK, "--k", "2")
    assert ran.code == 0, ran.error
    assert "days of the week" not in ran.out


def test_a_set_of_tables_with_a_weekly_pattern(tmp_path: Path) -> None:
    """All dates of a set of tables are shifted, and its rows are linked."""
    visits(tmp_path, 0, people=600)
    people = [(f"p{at}", str(1950 + at % 5 * 10), "FM"[at % 2]) for at in range(600)]
    write_csv(tmp_path / "people.csv", ("pid", "born", "sex"), people)
    lines = (
        f"data = '{tmp_path}'",
        "[tables.people]\ndata = 'people.csv'\nperson = 'pid'\nbirth = 'born'\nquasi = ['sex']",
        "[tables.visits]\ndata = 'visits.csv'\nperson = 'pid'\ndates = ['seen']\ncode = 'dx'",
    )
    (tmp_path / "set.toml").write_text("\n".join(lines), "utf-8")
    asked = ("anonymize", "--project", tmp_path / "set.toml", "--tables", "all", "--k", "3")
    ran = run(*asked, "--out", tmp_path / "out")
    assert ran.code == 0, ran.error
    assert "visits.seen has few or no dates on 2 of 7 days of the week" in ran.out
    weeks = run(*asked, "--shift-weeks", "--out", tmp_path / "weeks")
    assert "days of the week" not in weeks.out
    shifted = (tmp_path / "weeks" / "visits.csv").read_text("utf-8").splitlines()[1:]
    days = Counter(
        date.fromisoformat(next(c for c in row.split(",") if c[4:5] == "-")).weekday()
        for row in shifted
    )
    assert set(days) <= {0, 1, 2, 3, 4}
