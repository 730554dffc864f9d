"""Refusals: exit code 1, one line with the obstacle and the fix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import Ran, listing, run, without_charts
from small_tables import PATIENTS, QUASI, patients, write_csv

HELD = ("--max-level", "age=1,zip=0")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of patients."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(300))
    return tmp_path


def anonymize(*more: str) -> Ran:
    """Run a request without a solution, or with the suggested fix."""
    options = ("--identifiers", "name,record", "--out", "release")
    return run("anonymize", "patients.csv", "--quasi", QUASI, *options, *more)


@pytest.fixture
def refusal(place: Path) -> str:
    """The message if ages and ZIP codes may hardly be generalized."""
    before = listing(place)
    ran = anonymize(*HELD, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert listing(place) == before
    return ran.error


def test_the_refusal_names_attributes_and_records(refusal: str) -> None:
    """Those whose levels are limited, and how many records are too many."""
    assert refusal.startswith("no policy meets 5-anonymity: with these level limits, ")
    assert re.search(r"of 300 records \(\S+%\) would be removed, but at most 15 may be", refusal)
    assert "'zip'" in refusal
    assert "'age'" in refusal
    assert "'sex'" not in refusal


def test_the_columns_it_names_help(refusal: str) -> None:
    """Without the limits on them there is a release, with the same promise and limit."""
    assert set(re.findall(r"'(\w+)'", refusal)) <= {"zip", "age"}
    assert "suppression limit" not in refusal
    assert "k =" not in refusal
    assert anonymize().code == 0
    assert run("verify", "release").code == 0


@pytest.mark.usefixtures("place")
def test_no_limit_is_named_where_nothing_would_be_released() -> None:
    """Fault class: "a suppression limit of 1 would do", and with it "nothing to release"."""
    wanted = ("--sensitive", "diagnosis", "--privacy", "distinct-l-diversity:column=diagnosis,l=99")
    ran = anonymize(*wanted)
    assert ran.code == 1
    assert "of 300 records" in ran.error
    assert "would be removed and nothing would be left" in ran.error
    assert anonymize(*wanted, "--suppression", "1").code == 1


def test_lifting_the_limit_on_what_it_names_first_does(place: Path) -> None:
    """Where that alone is said to be enough."""
    held = {"age": "age=2", "zip": "zip=0"}
    ran = anonymize("--max-level", ",".join(held.values()))
    assert ran.code == 1
    told = r"'(\w+)' up to level (\d) instead of \d \(then (?:at least )?(\w+) records? must be"
    name, level, suppressed = re.findall(told, ran.error)[0]
    assert re.search(rf"must be removed; level {level}: \w+", ran.error), "what the level does"
    assert suppressed == "no" or int(suppressed) <= 15
    assert listing(place).keys() == {"patients.csv"}
    held[name] = f"{name}={level}"
    assert anonymize("--max-level", ",".join(held.values())).code == 0


def test_a_search_stopped_before_it_met_a_policy_says_so() -> None:
    """It does not claim that there is none."""
    ran = anonymize(*HELD, "--time-limit", "0")
    assert (ran.code, ran.out) == (1, "")
    assert "no policy meets" in ran.error or "time limit" in ran.error
