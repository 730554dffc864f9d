"""The dates of a person are released as days, or shifted, as on the command line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from workbench import Bench, served

_NUMBERS = {"patient_id": 1, "admitted": 2, "discharged": 3, "sex": 4}


@pytest.fixture(scope="module")
def piece(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    """A workbench with a table of stays, of which people have two."""
    folder = tmp_path_factory.mktemp("dates")
    rows = [
        f"P{i // 2:04},2020-0{1 + i % 9}-1{i % 7},2020-0{1 + i % 9}-2{i % 8},{'fm'[i // 2 % 2]}"
        for i in range(240)
    ]
    (folder / "stays.csv").write_text("\n".join([",".join(_NUMBERS), *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        own = bench.begin()
        bench.open(own, "stays.csv")
        for name, number in _NUMBERS.items():
            role = "person" if name == "patient_id" else "quasi"
            assert bench.post(f"{own}/columns/{number}/role", role=role).status == 200
        yield bench, own


def persons(bench: Bench, piece: str) -> dict[str, Any]:
    """Read the project file's section on people."""
    found = tomllib.loads((bench.folder(piece) / "project.toml").read_text())
    own: dict[str, Any] = found.get("persons", {})
    return own


def test_days_are_kept_and_carried_out(piece: tuple[Bench, str]) -> None:
    """The command line reads the file that the page saves; the release has the days."""
    bench, own = piece
    text = bench.get(f"{own}/columns/3/dates").text
    assert "Days since admitted of the same record" in text
    answer = bench.post(f"{own}/columns/3/dates", form="since:admitted")
    assert "Saved in the project file" in answer.text
    assert persons(bench, own)["dates"] == {"discharged": "since:admitted"}
    bench.post(f"{own}/release/prepare")
    record = bench.wait(own, "prepare")
    assert record["state"] == "done", record["error"]
    (certificate,) = bench.folder(own).glob("releases/*/certificate.json")
    (made,) = json.loads(certificate.read_text())["policy"]["persons"]["dates"]
    assert (made["column"], made["form"], made["anchor"]) == ("discharged", "since", "admitted")
    bench.post(f"{own}/columns/3/dates", form="")
    assert "dates" not in persons(bench, own)


def test_an_age_is_offered_and_kept(piece: tuple[Bench, str]) -> None:
    """The page says that the levels of dates do not apply to ages."""
    bench, own = piece
    text = bench.get(f"{own}/columns/3/dates").text
    assert "Age in years at admitted" in text
    assert "Age in years at discharged" not in text
    answer = bench.post(f"{own}/columns/3/dates", form="age:admitted")
    assert 'value="age:admitted" selected' in answer.text
    assert "All ages of 90 and over are one range" in answer.text
    assert persons(bench, own)["dates"] == {"discharged": "age:admitted"}
    bench.post(f"{own}/columns/3/dates", form="")


def test_a_shift_needs_the_role_that_says_so(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    for form in ("shift", "shift-time"):
        refused = bench.post(f"{own}/columns/2/dates", form=form)
        assert (refused.status, "requires Released anyway" in refused.text) == (422, True)
    refused = bench.post(f"{own}/columns/2/dates", form="shift:first", days="0")
    assert (refused.status, "is not a number of days" in refused.text) == (422, True)
    bench.post(f"{own}/columns/2/dates", form="shift:first", days="90", weeks="yes")
    assert persons(bench, own) == {
        "dates": {"admitted": "shift:first"},
        "shift_days": 90,
        "shift_weeks": True,
    }
    assert "Dates of a person" not in bench.get(f"{own}/columns/4/dates").text


def test_a_time_of_day_is_kept_only_if_it_is_chosen(piece: tuple[Bench, str]) -> None:
    """The page offers both forms, saves the named one, and the first is without times."""
    bench, own = piece
    answer = bench.post(
        f"{own}/columns/2/role", role="release_anyway", reason="Agreed with the board"
    )
    assert answer.status == 200
    text = bench.get(f"{own}/columns/2/dates").text
    assert "The days without times, shifted" in text
    bench.post(f"{own}/columns/2/dates", form="shift-time", days="90")
    assert persons(bench, own)["dates"]["admitted"] == "shift-time"
    text = bench.get(f"{own}/columns/2/dates").text
    assert 'value="shift-time" selected' in text
    assert "The release has days in this column" not in text
