"""The attack on shifted dates, with dates in other forms, and with columns that count days."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run
from small_tables import write_csv

_FIRST = date(2021, 1, 4)
_ASKED = ("--person", "who", "--quasi", "sex", "--link", "pseudonym", "--k", "2")
_SHIFT = ("--shift-days", "30", "--suppression", "1")


def visits(folder: Path, form: str = "%Y-%m-%d") -> Path:
    """Write five visits of each person, with the days since enrollment."""
    chance = random.Random(3)  # noqa: S311 - test data
    rows = []
    for who in range(200):
        enrolled = _FIRST + timedelta(days=chance.randrange(600))
        for planned in (0, 28, 91, 182, 365):
            day = enrolled + timedelta(days=planned)
            rows.append((f"p{who}", "FM"[who % 2], f"{day:{form}}", str(planned)))
    return write_csv(folder / "visits.csv", ("who", "sex", "seen", "days"), rows)


def shifts_left(release: Path, original: Path) -> float:
    """Return how often the attack guesses a shift."""
    ran = run("attack", release, "--original", original, "--attacks", "scan", "--json")
    found = json.loads(ran.out)["attacks"]
    (own,) = [one for one in found if one["knowledge"]["looks_for"] == "shifts"]
    return float(own["successes"] / own["attempts"])


def test_the_anchor_of_dates_in_another_form_is_read(tmp_path: Path) -> None:
    """Fault class: "the release does not contain a shifted date", although it does."""
    table, out = visits(tmp_path, "%m/%d/%Y"), tmp_path / "out"
    asked = ("--person", "who", "--quasi", "sex,seen", "--link", "pseudonym", "--k", "2")
    dates = ("--date", "seen=shift:first", "--identifiers", "days")
    ran = run("anonymize", table, *asked, *_SHIFT, *dates, "--out", out)
    assert ran.code == 0, ran.err
    assert shifts_left(out, table) == pytest.approx(1 / 61)


def test_a_column_that_counts_excludes_shifts(tmp_path: Path) -> None:
    """Fault class: the attack saw only the dates, not the date of enrollment that they imply."""
    table = visits(tmp_path)
    rates = []
    for at, role in enumerate((("--identifiers", "days"), ("--release-anyway", "seen,days"))):
        anyway = () if at else ("--release-anyway", "seen")
        out = tmp_path / f"out{at}"
        asked = (*_ASKED, *_SHIFT, "--date", "seen=shift", *role, *anyway)
        ran = run("anonymize", table, *asked, "--out", out)
        assert ran.code == 0, ran.err
        rates.append(shifts_left(out, table))
    assert rates[1] > rates[0] == pytest.approx(1 / 61)
