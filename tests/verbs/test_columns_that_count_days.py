"""A column that counts from a fixed date of a person shows that date next to a shifted date."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run
from small_tables import write_csv

from roadstead.tables.persons.counted_columns import columns_that_count
from roadstead.tables.reading import read

_FIRST = date(2021, 1, 4)
_VISITS = (0, 28, 91, 182, 365)
HEAD = ("pid", "sex", "seen", "more")
SHIFTED = ("--person", "pid", "--quasi", "sex", "--date", "seen=shift", "--shift-days", "30")
ASKED = (*SHIFTED, "--suppression", "0.5", "--k", "2", "--link", "pseudonym")
ANYWAY = ("--release-anyway", "seen")

Made = Callable[[date, date, date, random.Random], object]
"""Makes a value from the date of birth, the date of consent, and the date of the visit."""


def visits(folder: Path, more: Made, people: int = 150, *, seed: int = 3) -> Path:
    """Write visits of people, with one more column that a function makes."""
    chance = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for person in range(people):
        consent = _FIRST + timedelta(days=chance.randrange(700))
        born, sex = consent - timedelta(days=chance.randrange(9_000, 30_000)), chance.choice("FM")
        for planned in _VISITS[: chance.randrange(1, 6)]:
            day = consent + timedelta(days=planned + chance.randint(-3, 3) * (planned > 0))
            rows.append((f"p{person}", sex, str(day), str(more(born, consent, day, chance))))
    return write_csv(folder / "visits.csv", HEAD, rows)


COUNTING: dict[str, tuple[str, Made]] = {
    "study day": ("days", lambda _, consent, day, __: (day - consent).days + 1),
    "no day zero": (
        "days",
        lambda _, consent, day, __: (day - consent).days - 30 + ((day - consent).days >= 30),
    ),
    "days to the end": ("days", lambda _, consent, day, __: 400 - (day - consent).days),
    "some errors": (
        "days",
        lambda _, consent, day, chance: (day - consent).days if chance.random() < 0.97 else 999,
    ),
    "weeks": ("weeks", lambda _, consent, day, __: (day - consent).days // 7),
    "hours": ("hours", lambda _, consent, day, __: (day - consent).days * 24 + 5),
    "decimal comma": (
        "years",
        lambda born, _, day, __: f"{(day - born).days / 365.25:.1f}".replace(".", ","),
    ),
    "words": ("days", lambda _, consent, day, __: f"Day {(day - consent).days - 7}"),
    "letter": ("days", lambda _, consent, day, __: f"D{(day - consent).days + 1}"),
    "unit": ("weeks", lambda _, consent, day, __: f"{(day - consent).days // 7} wk"),
    "thousands": ("minutes", lambda _, consent, day, __: f"{(day - consent).days * 1440:,}"),
    "points": ("hours", lambda _, c, day, __: f"{(day - c).days * 24:,}".replace(",", ".")),
    "thousands and decimals": (
        "hours",
        lambda _, consent, day, __: f"{(day - consent).days * 24 + 0.5:,}",
    ),
    "seconds": ("seconds", lambda _, consent, day, __: (day - consent).days * 86_400 + 60),
    "quarters": ("time", lambda _, consent, day, __: f"{(day - consent).days / 91.31:.2f}"),
    "milliseconds": ("time", lambda _, consent, day, __: (day - consent).days * 86_400_000),
    "exact age": ("years", lambda born, _, day, __: f"{(day - born).days / 365.25:.1f}"),
}
FREE: dict[str, Made] = {
    "measurement": lambda _, __, ___, chance: chance.randint(95, 180),
    "constant of a person": lambda born, *_: born.year,
    "visit number": lambda _, consent, day, __: sum((day - consent).days > x for x in _VISITS),
    "age in years": lambda born, _, day, __: (day - born).days // 365,
    "visit of a plan": lambda _, consent, day, __: f"V{round((day - consent).days / 91.3)}",
    "cumulated": lambda _, c, day, chance: f"{(day - c).days / 30 * chance.uniform(0.7, 1.3):.2f}",
    "text": lambda *_: "ward",
    "empty": lambda *_: "",
}


@pytest.mark.quick(9)
@pytest.mark.parametrize("called", COUNTING)
def test_a_column_that_counts_is_found(called: str, tmp_path: Path) -> None:
    """In each form of a count, with its unit."""
    unit, more = COUNTING[called]
    source = read(visits(tmp_path, more))
    found = columns_that_count(source, "pid", ["seen"], ("more", "sex"), 30)
    assert [one[:3] for one in found] == [("more", "seen", unit)]


@pytest.mark.quick(2)
@pytest.mark.parametrize("called", COUNTING)
def test_a_column_that_counts_is_refused(called: str, tmp_path: Path) -> None:
    """Fault class: a study day gave back the ends that were cut off the shifted dates."""
    unit, more = COUNTING[called]
    source = visits(tmp_path, more)
    ran = run("anonymize", source, *ASKED, *ANYWAY, "--unchanged", "more")
    assert ran.code == 2, ran.out
    assert f"column 'more': its values count the {unit} between a fixed date" in ran.err
    assert "--release-anyway more" in ran.err


@pytest.mark.parametrize("called", FREE)
def test_other_columns_do_not_count(called: str, tmp_path: Path) -> None:
    """Neither other numbers nor a coarse age show a date more exactly than the shift hides it."""
    source = read(visits(tmp_path, FREE[called]))
    assert not [*columns_that_count(source, "pid", ["seen"], ("more", "sex"), 30)]


def test_the_column_can_be_released_anyway(tmp_path: Path) -> None:
    """The custodian decides with the reason at hand."""
    source = visits(tmp_path, COUNTING["study day"][1])
    ran = run("anonymize", source, *ASKED, "--release-anyway", "seen,more")
    assert ran.code == 0, ran.error


def test_the_people_of_a_large_table_are_sampled(tmp_path: Path) -> None:
    """More records than are compared; a sample of records would have few pairs of a person."""
    source = read(visits(tmp_path, COUNTING["study day"][1], people=9_000))
    found = [*columns_that_count(source, "pid", ["seen"], ("more", "sex"), 30)]
    assert found == [("more", "seen", "days", 1.0)]


def test_a_policy_meets_a_column_that_counts(tmp_path: Path) -> None:
    """The column was harmless in the first table, but counts days in the next table."""
    out = tmp_path / "out"
    ran = run(
        "anonymize",
        visits(tmp_path, FREE["measurement"]),
        *ASKED,
        *(*ANYWAY, "--unchanged", "more", "--out", out),
    )
    assert ran.code == 0, ran.error
    counting = visits(tmp_path, COUNTING["study day"][1])
    again = run("apply", out / "policy.json", counting, "--out", tmp_path / "next")
    assert again.code == 2
    assert "count the days between a fixed date" in again.error


def described(folder: Path, people: str, visits_of: str, *anyway: str) -> Path:
    """Describe a table of people and a table of visits, with columns to release unchanged."""
    chance = random.Random(5)  # noqa: S311 - test data
    persons, rows = [], []
    for person in range(400):
        consent = _FIRST + timedelta(days=chance.randrange(700))
        born = date(1927, 1, 1) + timedelta(days=chance.randrange(26_000))
        age = (consent - born).days * 4 // 1461
        persons.append((f"p{person}", str(born), "FM"[person % 2], str(age)))
        for planned in (0, 28, 91, 182):
            day, days = consent + timedelta(days=planned), (consent - born).days + planned
            near = chance.randrange(88, 95)
            cells = (day, planned + 1, f"{days / 365.25:.1f}", near, chance.randint(95, 180))
            rows.append((f"p{person}", *map(str, cells)))
    write_csv(folder / "people.csv", ("pid", "born", "sex", "age_enrol"), persons)
    write_csv(
        folder / "visits.csv", ("pid", "day", "study_day", "age", "age_of_mother", "sbp"), rows
    )
    project = folder / "set.toml"
    project.write_text(
        f"data = '{folder}'\n"
        "[tables.people]\ndata = 'people.csv'\nperson = 'pid'\nbirth = 'born'\nquasi = ['sex']\n"
        f"kept = [{people}]\nrelease_anyway = [{', '.join(anyway) if people else ''}]\n"
        "[tables.visits]\ndata = 'visits.csv'\nperson = 'pid'\ndates = ['day']\n"
        f"kept = [{visits_of}]\nrelease_anyway = [{', '.join(anyway) if visits_of else ''}]\n",
        "utf-8",
    )
    return project


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("people", "visits_of", "says"),
    [
        ("", "'study_day'", "count the days between a fixed date of each person"),
        ("", "'age'", "count the years between a fixed date of each person"),
        (
            "",
            "'age_of_mother'",
            "named like ages, with some values over 89, but Safe Harbor requires one",
        ),
        ("'age_enrol'", "", "age_enrol almost determines born"),
    ],
)
def test_a_set_of_tables_is_examined(
    people: str, visits_of: str, says: str, tmp_path: Path
) -> None:
    """Fault class: a set released exact ages over 89, and dates of consent that were left out."""
    asked = ("anonymize", "--tables", "all", "--shift-days", "30", "--k", "5")
    project = described(tmp_path, people, visits_of)
    ran = run(*asked, "--out", tmp_path / "out", "--project", project)
    assert ran.code == 2, ran.out
    assert says in ran.error
    column = people or visits_of
    assert f"release_anyway = [{column}]".replace("'", '"') in ran.error
    project = described(tmp_path, people, visits_of, column)
    anyway = run(*asked, "--out", tmp_path / "out", "--project", project)
    assert anyway.code == 0, anyway.error


def test_a_measurement_of_a_set_is_released(tmp_path: Path) -> None:
    """The check of ages says only what it computes."""
    out, project = tmp_path / "out", described(tmp_path, "", "'sbp'")
    asked = ("anonymize", "--tables", "all", "--shift-days", "30", "--k", "5", "--out", out)
    ran = run(*asked, "--project", project)
    assert ran.code == 0, ran.error
    assert "Rows whose dates show an age of 90 or more are left out." in ran.out
    assert "no dates show an age of 90 or more" in run("verify", out).out
    rules = tmp_path / "gate.toml"
    rules.write_text("[columns]\nidentifiers = 'none'\n", "utf-8")
    gated = run("gate", out, "--rules", rules)
    assert gated.code == 1
    assert "no identifier is released: cannot be judged" in gated.out


def test_shifted_days_begin_at_the_first_date_that_is_left(tmp_path: Path) -> None:
    """Fault class: output and verify named the first date, but records near the ends are gone."""
    rows = [
        (f"p{who}", "FM"[who % 2], str(_FIRST + timedelta(days=7 * at + who % 5)))
        for who in range(60)
        for at in range(60)
    ]
    table = write_csv(tmp_path / "visits.csv", ("who", "sex", "seen"), rows)
    asked = ("--person", "who", "--quasi", "sex,seen", "--link", "pseudonym", "--k", "2")
    dates = ("--date", "seen=shift:first", "--shift-days", "30", "--suppression", "1")
    ended = run("anonymize", table, *asked, *dates, "--out", tmp_path / "out", "--json")
    assert ended.code == 0, ended.err
    later = json.loads(ended.out)["dates"]["persons_counted_from_a_later_date"]
    assert 50 < later <= 60
    said = run("anonymize", table, *asked, *dates).out
    assert "people, days are counted from a later date than their first date in the table" in said
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "For some people, days are counted from a later date" in report
    checked = run("verify", tmp_path / "out").out
    assert "days since the person's earliest seen that is not left out" in checked


def test_a_set_is_neither_applied_nor_compared(tmp_path: Path) -> None:
    """Fault class: the message was about attacks, or about fields that a policy lacks."""
    out, project = tmp_path / "out", described(tmp_path, "", "'sbp'")
    asked = ("anonymize", "--tables", "all", "--shift-days", "30", "--k", "5", "--out", out)
    assert run(*asked, "--project", project).code == 0
    for policy in (out, out / "certificate.json"):
        ran = run("apply", policy, tmp_path / "visits.csv", "--out", tmp_path / "next")
        assert ran.code == 2
        assert "release the new tables with roadstead anonymize and the same settings" in ran.error
    ran = run("evaluate", out, "--original", tmp_path)
    assert "the release of a whole database cannot be compared" in ran.error


def test_a_release_with_shifted_dates_is_not_compared(tmp_path: Path) -> None:
    """Fault class: the advice was to name the table that was named."""
    out, table = tmp_path / "out", visits(tmp_path, FREE["measurement"])
    ran = run("anonymize", table, *ASKED, *ANYWAY, "--unchanged", "more", "--out", out)
    assert ran.code == 0, ran.error
    ran = run("evaluate", out, "--original", table)
    assert ran.code == 2
    assert "the dates were shifted, and the records near the first" in ran.error
