"""The dates of a person are released as days, or shifted, as on the command line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from workbench import Bench, served

_NUMBERS = {"patient_id": 1, "admitted": 2, "discharged": 3, "sex": 4}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench, and a table of stays, of which people have two."""
    folder = tmp_path_factory.mktemp("dates")
    rows = [
        f"P{i // 2:04},2020-0{1 + i % 9}-1{i % 7},2020-0{1 + i % 9}-2{i % 8},{'fm'[i // 2 % 2]}"
        for i in range(240)
    ]
    (folder / "stays.csv").write_text("\n".join([",".join(_NUMBERS), *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        yield bench


def _begun(bench: Bench) -> tuple[Bench, str]:
    own = bench.begin()
    bench.open(own, "stays.csv")
    for name, number in _NUMBERS.items():
        role = "person" if name == "patient_id" else "quasi"
        assert bench.post(f"{own}/columns/{number}/role", role=role).status == 200
    return bench, own


@pytest.fixture(scope="module")
def piece(started: Bench) -> tuple[Bench, str]:
    """A piece of work with the roles of the table."""
    return _begun(started)


@pytest.fixture(scope="module")
def tried(started: Bench) -> tuple[Bench, str]:
    """Another piece of work, in which discharges are released as days."""
    bench, own = _begun(started)
    assert bench.post(f"{own}/columns/3/dates", form="since:admitted").status == 200
    return bench, own


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
    assert "The levels below are ranges of ages." in answer.text
    assert persons(bench, own)["dates"] == {"discharged": "age:admitted"}
    bench.post(f"{own}/columns/3/dates", form="")


def test_a_shift_needs_the_role_that_says_so(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    for form in ("shift", "shift-time"):
        refused = bench.post(f"{own}/columns/2/dates", form=form)
        assert (refused.status, "requires Released anyway" in refused.text) == (422, True)
        assert "set its role to Not sensitive first" in refused.text  # the list has this role
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
    assert "Dates without times, with the same shift" in text
    bench.post(f"{own}/columns/2/dates", form="shift-time", days="90")
    assert persons(bench, own)["dates"]["admitted"] == "shift-time"
    text = bench.get(f"{own}/columns/2/dates").text
    assert 'value="shift-time" selected' in text
    assert "The release has days in this column" not in text


def _row_of(page: str, title: str) -> str:
    return next(one for one in page.split("<tr") if title in one and "explore/candidates/" in one)


def test_a_candidate_with_days_is_listed_and_can_be_chosen(tried: tuple[Bench, str]) -> None:
    """It is not on the map, because the table has dates, but its risk is shown."""
    bench, own = tried
    bench.post(f"{own}/explore/try", kind="global", k="5")
    assert bench.wait(own, "trial")["state"] == "done"
    page = bench.get(f"{own}/explore")
    assert page.status == 200
    row = _row_of(page.text, "One level per column, k = 5")
    assert "Not on the map: the released column" in row
    assert "days, but the original does not" in row
    assert str(bench.state) not in row
    assert "%</td>" in row
    (place,) = set(re.findall(r"explore/candidates/[\w-]+/choose", row))
    assert bench.post(f"{own}/{place}").status == 303
    assert "chosen for release" in bench.get(f"{own}/explore").text


def test_a_candidate_that_cannot_be_shown_leaves_the_page_usable(tried: tuple[Bench, str]) -> None:
    """The fault is named in the row of the candidate, which can be removed."""
    bench, own = tried
    for k in ("6", "7"):
        assert bench.post(f"{own}/explore/try", kind="global", k=k).status in (200, 303)
        assert bench.wait(own, "trial")["state"] == "done"
    row = _row_of(bench.get(f"{own}/explore").text, "k = 7")
    (name,) = set(re.findall(r"explore/candidates/([\w-]+)/drop", row))
    facts = bench.folder(own) / "facts" / f"tried-{name}.json"
    facts.write_text(json.dumps({"lines": []}))
    page = bench.get(f"{own}/explore")
    assert page.status == 200
    assert "Roadstead has a bug (UndefinedError) and cannot show" in _row_of(page.text, "k = 7")
    assert "cannot show" not in _row_of(page.text, "k = 6")
    assert bench.get(f"{own}/explore/points").status == 200
    assert bench.post(f"{own}/explore/candidates/{name}/drop").status == 303
    assert "k = 7" not in bench.get(f"{own}/explore").text
    assert bench.process.stderr is not None
    assert bench.process.stderr.readline().startswith("Roadstead has a bug (UndefinedError)")


def test_levels_of_days_are_ranges_of_days(tried: tuple[Bench, str]) -> None:
    """The editor offers, shows, and saves levels of the days, as the release has them."""
    bench, own = tried
    text = bench.get(f"{own}/columns/3/editor").text
    assert 'value="intervals" selected' in text
    assert 'value="dates"' not in text
    levels = bench.post(f"{own}/columns/3/levels", kind="intervals", widths="7, 14", most="1")
    assert "in bands of 7" in levels.text
    assert "2020" not in levels.text
    answer = bench.post(f"{own}/columns/3/hierarchy", kind="intervals", widths="7, 14", most="1")
    assert (answer.status, "Saved in the project file" in answer.text) == (200, True)
    text = (bench.folder(own) / "project.toml").read_text()
    assert tomllib.loads(text)["levels"] == {"max": {"discharged": 1}}
    bench.post(f"{own}/release/prepare")
    assert bench.wait(own, "prepare")["state"] == "done"
    # Levels and limits of days do not fit dates, so they end with the days.
    bench.post(f"{own}/columns/3/dates", form="")
    found = tomllib.loads((bench.folder(own) / "project.toml").read_text())
    assert "levels" not in found
    assert found["hierarchies"]["discharged"]["kind"] == "dates"
    levels = bench.post(f"{own}/columns/3/levels", kind="dates", units="day")
    assert "by day" in levels.text


def test_rows_that_cannot_be_joined_are_named_where_the_link_is_chosen(
    piece: tuple[Bench, str],
) -> None:
    """As long as the link between the rows of a person is not released."""
    bench, own = piece
    assert "cannot join the rows of a person" in bench.get(f"{own}/columns/promise").text
    linked = bench.post(f"{own}/columns/promise", link="pseudonym").text
    assert "cannot join the rows of a person" not in linked
    assert persons(bench, own)["link"] == "pseudonym"
    kinds = bench.get(f"{own}/explore").text
    for kind, usable in (("global", True), ("cells", False), ("local", False), ("k-map", False)):
        (box,) = re.findall(rf'<input type="radio" name="kind" value="{kind}"([^>]*)>', kinds)
        assert ("disabled" in box) != usable
    assert "cannot join the rows" in bench.post(f"{own}/columns/promise", link="").text
    kinds = bench.get(f"{own}/explore").text
    assert 'name="kind" value="local">' in kinds


def test_a_sensitive_column_without_a_model_is_named(piece: tuple[Bench, str]) -> None:
    """As soon as it has the role, and until a model protects its values."""
    bench, own = piece
    answer = bench.post(f"{own}/columns/4/role", role="sensitive")
    assert answer.status == 200
    assert answer.headers["HX-Trigger"] == "role-changed, values-changed"
    said = "No model protects the values of sex"
    text = bench.get(f"{own}/columns/promise").text
    assert said in text.partition('hx-trigger="values-changed from:body"')[2]
    settings = {
        "kind": "distinct-l-diversity",
        "distinct-l-diversity.column": "sex",
        "distinct-l-diversity.l": "2",
    }
    answer = bench.post(f"{own}/columns/promise/model", **settings)
    assert answer.status == 200
    assert said not in answer.text
