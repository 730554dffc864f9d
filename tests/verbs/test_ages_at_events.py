"""A birth date that is released as the age in years at an event of the same record."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from commands import run
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import Refusal, RoleError
from roadstead.policies.document import from_json, read_policy, to_json
from roadstead.standalone import roadstead_verify as SECOND  # noqa: N812 - a second verifier
from roadstead.verbs.released import ReleaseResult

DATES = {"admitted": "interval:first", "discharged": "since:admitted", "birth_date": "age:admitted"}
ASKED: dict[str, Any] = {
    "person": "patient",
    "quasi": ["sex", "birth_date", "admitted", "discharged"],
    "identifiers": ["number"],
    "dates": DATES,
    "k": 3,
    "suppression": 0.4,
}
AGE_ALONE: dict[str, Any] = {
    **ASKED,
    "quasi": ["sex", "birth_date"],
    "identifiers": ["number", "admitted", "discharged"],
    "dates": {"birth_date": "age:admitted"},
}


def stays(
    patients: int = 120, oldest: int = 1932, later: tuple[int, ...] = (0, 25, 200)
) -> pd.DataFrame:
    """Make stays of each patient, of whom some are admitted on the birthday."""
    rows: list[tuple[Any, ...]] = []
    for patient in range(patients):
        born = date(oldest + patient * 7 % 70, 1 + patient % 12, 1 + patient % 28)
        first = date(2021, 1 + patient * 5 % 12, 1 + patient % 28)
        for days in later:
            admitted = first + timedelta(days)
            gone = admitted + timedelta(1 + patient % 2)
            rows.append((f"p{patient}", f"n{len(rows)}", "FM"[patient % 2], born, admitted, gone))
    names = ("patient", "number", "sex", "birth_date", "admitted", "discharged")
    return pd.DataFrame(rows, columns=names)


def ages(table: pd.DataFrame) -> Counter[int]:
    """Compute the ages by Python's calendar, where 90 means 90 and over."""
    pairs = zip(table["birth_date"], table["admitted"], strict=True)
    years = (
        day.year - born.year - ((day.month, day.day) < (born.month, born.day))
        for born, day in pairs
    )
    return Counter(min(one, 90) for one in years)


def column(found: ReleaseResult, name: str = "birth_date") -> list[Any]:
    """Return the released cells of a column."""
    cells: list[Any] = found.table().to_pyarrow().column(name).to_pylist()
    return cells


def labels(table: pd.DataFrame) -> list[set[str]]:
    """Return the labels that all possible ages have at each level of the hierarchy but the last."""
    found: list[set[str]] = []
    level = 0
    while True:
        exact = {"birth_date": level}
        made = rs.anonymize(
            table, **{**AGE_ALONE, "suppression": 0.99}, min_level=exact, max_level=exact
        )
        (own,) = (one for one in made.policy.attributes if one.name == "birth_date")
        if level == own.levels - 1:
            return found
        found.append({str(own.rule.label(str(age))) for age in range(91)})
        level += 1


def test_a_release_with_ages_is_verified_and_repeated(tmp_path: Path) -> None:
    """Several rows of a patient; groups of three patients; both verifiers; and the next extract."""
    table = tmp_path / "stays.csv"
    stays().to_csv(table, index=False)
    found = rs.anonymize(table, **ASKED, link="pseudonym", out=tmp_path / "out")
    said = "birth_date: age in years at admitted, 90 for 90 and over."
    assert said in str(found)
    assert said in (tmp_path / "out" / "report.html").read_text()
    with (tmp_path / "out" / "stays.csv").open() as file:
        rows = [*csv.DictReader(file)]
    groups: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        key = tuple(row[name] for name in ASKED["quasi"])
        groups.setdefault(key, set()).add(row["patient"])
    assert min(map(len, groups.values())) >= 3
    assert rs.verify(tmp_path / "out").passed
    assert SECOND.verify(tmp_path / "out").verdict == "verified"
    policy = read_policy(tmp_path / "out" / "policy.json")
    assert policy.persons is not None
    assert policy.persons.ages == {"birth_date": "admitted"}
    assert from_json(to_json(policy), where="") == policy

    following = tmp_path / "following.csv"
    stays(150).to_csv(following, index=False)
    again = rs.apply(tmp_path / "out" / "policy.json", following, suppression=0.9)
    assert said in str(again)
    assert set(column(again)) <= {row["birth_date"] for row in rows} | {"*"}
    risk = rs.risk(following, policy=tmp_path / "out" / "policy.json").to_dict()
    assert (risk["person"], risk["persons"]) == ("patient", 150)
    attacked = rs.attack(tmp_path / "out", original=table)
    assert "None reveals more than the privacy requirements allow" in str(attacked)


def test_exact_ages_are_the_completed_years() -> None:
    """At level 0, all ages below 90 are exact, and all others are one category."""
    exact: dict[str, Any] = {"min_level": {"birth_date": 0}, "max_level": {"birth_date": 0}}
    table = stays(700, oldest=1915)
    found = rs.anonymize(
        table,
        **{
            **AGE_ALONE,
            "k": 2,
            "quasi": ["birth_date"],
            "identifiers": [*AGE_ALONE["identifiers"], "sex"],
        },
        **exact,
    )
    expected = Counter({str(age): many for age, many in ages(table).items()})
    expected["90+"] = expected.pop("90")
    assert expected["90+"] > 5
    assert Counter(column(found)) == expected


@pytest.mark.quick(1)
@pytest.mark.parametrize("oldest", [1915, 1950])
def test_every_level_has_the_band_of_90_and_over(oldest: int) -> None:
    """Also if nobody in this extract is so old, because somebody in the next one may be."""
    levels = labels(stays(oldest=oldest))
    assert len(levels) > 2
    for own in levels:
        assert "90+" in own
        assert not any(label.startswith("9") for label in own - {"90+"} if label != "9")
    assert levels[0] == {*map(str, range(90)), "90+"}


@pytest.mark.nightly
def test_the_next_extract_may_have_the_first_old_age(tmp_path: Path) -> None:
    """Its ages over 89 are in the band, too."""
    rs.anonymize(stays(oldest=1950), **AGE_ALONE, out=tmp_path / "out")
    later = rs.apply(tmp_path / "out" / "policy.json", stays(300, oldest=1915), suppression=0.9)
    assert "90+" in column(later)


def test_an_age_that_is_released_anyway_ends_at_90() -> None:
    """No privacy model covers it, but Safe Harbor's category is kept."""
    table = stays(oldest=1915)
    roles = {"quasi": ["sex"], "release_anyway": ["birth_date"]}
    found = rs.anonymize(table, **{**AGE_ALONE, **roles})
    assert Counter(map(int, column(found))) == ages(table)


def old(later: int, years: int) -> pd.DataFrame:
    """Make patients of one age, with a second stay after some days."""
    table = stays(40, later=(0, later))
    days = [date(2010, 1, 1) + timedelta(later * (at % 2)) for at in range(len(table))]
    return table.assign(
        birth_date=date(2010 - years, 1, 1), admitted=days, discharged=days, sex="F"
    )


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("years", "later", "refused"),
    [(89, 365, False), (89, 366, True), (95, 365, False), (95, 366, True), (70, 3_650, False)],
)
def test_an_age_and_the_days_until_a_later_stay_are_no_age_over_89(
    years: int, later: int, *, refused: bool
) -> None:
    """More than one year after an age of 89 or of 90 and over, the age would be over 89."""
    exact = {"birth_date": 0, "admitted": 0, "discharged": 0}
    asked: dict[str, Any] = {**ASKED, "min_level": exact, "max_level": exact, "link": "pseudonym"}
    table = old(later, years)
    if not refused:
        rs.anonymize(table, **asked)
        return
    with pytest.raises(Refusal, match=r"(?s)computed from 'birth_date' and 'admitted'.*top = 80"):
        rs.anonymize(table, **asked)
    bands = {"kind": "intervals", "widths": [1, 5], "top": 80, "bands_only": True}
    found = rs.anonymize(table, **asked, declared={"birth_date": bands})
    assert set(column(found)) == {"80+"}
    # Without links, the two stays cannot be added up.
    rs.anonymize(table, **{**asked, "link": "none"})


@pytest.mark.nightly
def test_the_year_of_an_event_and_an_age_are_compared_with_later_years() -> None:
    """The release has the years of the stays instead of days since the first."""
    years = {"kind": "dates", "units": ["year"]}
    asked: dict[str, Any] = {
        **ASKED,
        "quasi": ["birth_date", "admitted"],
        "identifiers": ["number", "discharged", "sex"],
        "dates": {"birth_date": "age:admitted"},
        "declared": {"admitted": years},
        "max_level": {"admitted": 0, "birth_date": 0},
        "link": "pseudonym",
    }
    rs.anonymize(old(700, 89), **asked)  # 2010 and 2011 may be a day apart
    with pytest.raises(Refusal, match="computed from 'birth_date' and 'admitted'"):
        rs.anonymize(old(800, 89), **asked)


@pytest.mark.nightly
def test_ages_are_computed_from_shifted_dates(tmp_path: Path) -> None:
    """As days are; only near a birthday can the age differ, by one year, because of leap days."""
    table = stays(150)
    table["sex"] = ["FM"[at // 36 % 2] for at in range(len(table))]  # in every month
    shifted = {**DATES, "admitted": "shift:first"}
    exact = {"birth_date": 0}
    asked: dict[str, Any] = {**ASKED, "dates": shifted, "min_level": exact, "max_level": exact}
    asked |= {"link": "pseudonym", "shift_days": 20, "k": 2, "suppression": 0.9}
    found = rs.anonymize(table, **asked, out=tmp_path / "out")
    assert "birth_date: age in years at admitted, 90 for 90 and over." in str(found)
    assert found.records > 20
    assert {"80+"} != set(column(found)) <= {*map(str, ages(table)), "90+", "*"}
    assert rs.verify(tmp_path / "out").passed


def test_a_year_of_birth_next_to_an_age_and_a_shifted_date_reveals_the_shift() -> None:
    """The year and the age give the year of the stay, so the release is refused."""
    table = stays(150)
    table["birth_year"] = [born.year for born in table["birth_date"]]
    table["sex"] = ["FM"[at // 36 % 2] for at in range(len(table))]  # in every month
    asked: dict[str, Any] = {**ASKED, "link": "pseudonym", "shift_days": 20, "suppression": 0.9}
    asked["dates"] = {"admitted": "shift:first", "discharged": "since:admitted"}
    asked |= {"quasi": ["sex", "admitted", "discharged"], "release_anyway": ["birth_year"]}
    asked["identifiers"] = ["number", "birth_date"]
    rs.anonymize(table, **asked)
    asked |= {"dates": {**DATES, "admitted": "shift:first"}, "quasi": ASKED["quasi"]}
    with pytest.raises(RoleError, match=r"(?s)birth_year.*not shifted, but other dates are"):
        rs.anonymize(table, **{**asked, "identifiers": ["number"]})


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["xlsx", "sav"])
def test_dates_of_a_spreadsheet_and_of_spss_give_the_same_ages(kind: str, tmp_path: Path) -> None:
    """They are numbers in the file."""
    table, path = stays(), tmp_path / f"stays.{kind}"
    if kind == "xlsx":
        table.to_excel(path, index=False)
    else:
        pyreadstat.write_sav(table, path)
    text = tmp_path / "stays.csv"
    table.to_csv(text, index=False)
    found, expected = (rs.anonymize(one, **AGE_ALONE) for one in (path, text))
    assert Counter(map(str, column(found))) == Counter(map(str, column(expected)))
    assert found.policy.attributes == expected.policy.attributes


@pytest.mark.nightly
def test_the_command_and_a_project_file_have_the_form(tmp_path: Path) -> None:
    """With the same policy."""
    stays().to_csv(tmp_path / "stays.csv", index=False)
    project = tmp_path / "project.toml"
    project.write_text(
        'data = "stays.csv"\n[roles]\nperson = "patient"\nquasi = ["sex", "birth_date"]\n'
        'identifiers = ["number", "admitted", "discharged"]\n[privacy]\nk = 3\n'
        '[persons.dates]\nbirth_date = "age:admitted"\n'
    )
    typed = ["--person", "patient", "--quasi", "sex,birth_date", "--k", "3"]
    typed += ["--identifiers", "number,admitted,discharged", "--date", "birth_date=age:admitted"]
    made = []
    for at, words in enumerate(
        ([str(tmp_path / "stays.csv"), *typed], ["--project", str(project)])
    ):
        ended = run("anonymize", *words, "--out", str(tmp_path / f"out{at}"))
        assert ended.code == 0, ended.err
        assert "birth_date: age in years at admitted, 90 for 90 and over." in ended.out
        made.append((tmp_path / f"out{at}" / "policy.json").read_text())
    assert made[0] == made[1]


def test_ages_in_a_band_at_the_lowest_level_follow_their_date_rule(tmp_path: Path) -> None:
    """Fault class: an honest release was refused, because its lowest level writes 90+."""
    rows = [
        (f"p{at}", "FM"[at // 60 % 2], f"{1920 + at % 30}-06-05", f"2015-07-{1 + at % 28:02}")
        for at in range(1500)
    ]
    source = write_csv(tmp_path / "t.csv", ("who", "sex", "born", "seen"), rows)
    asked = ("--person", "who", "--quasi", "sex,born", "--identifiers", "seen", "--k", "2")
    ran = run("anonymize", source, *asked, "--date", "born=age:seen", "--out", tmp_path / "out")
    assert ran.code == 0, ran.error
    assert ",90+" in (tmp_path / "out" / "t.csv").read_text()
    assert run("verify", tmp_path / "out").code == 0
    assert SECOND.main([str(tmp_path / "out")]) == 0
