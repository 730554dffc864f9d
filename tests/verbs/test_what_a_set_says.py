"""The messages about a set of tables say what is true, and show no text of a note."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from commands import run
from whole_cdm import tables_of, write_cdm, write_rows

_PROJECT = """data = "extract"

[privacy]
k = 3

[persons]
knows = "1"
shift_days = 20

[tables.patients]
data = "patients.csv"
person = "pid"
birth = "born"
quasi = ["sex"]

[tables.stays]
data = "stays.csv"
person = "pid"
dates = ["came"]
code = "kind"
empty = ["ward"]

[tables.deaths]
data = "deaths.csv"
person = "pid"
dates = ["died"]

[tables.periods]
data = "periods.csv"
person = "pid"
dates = ["start", "stop"]
periods = true
"""
_FIRST, _LAST = date(2015, 1, 5), date(2016, 12, 26)
_NOTE = "Seen on {} because of a cough that has lasted for several weeks, see {}."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write people, of whom all were observed from the first day on, and one in six died."""
    chance = random.Random(4)  # noqa: S311 - made-up people
    place = tmp_path_factory.mktemp("said")
    folder = place / "extract"
    folder.mkdir()
    patients, stays, deaths, periods = [], [], [], []
    length = (_LAST - _FIRST).days + 1
    for number in range(240):
        patients.append(f"p{number:03},{1950 + number % 3 * 10},{'FM'[number % 2]}")
        for _ in range(4):
            came = _FIRST + timedelta(chance.randrange(length))
            note = f'"{_NOTE.format(came, number)}"'
            other = f"Home of Anne Smith,{chance.randrange(9)},{chance.choice('NH')}"
            kind, mode = chance.choice("ab"), chance.choice("uv")
            stays.append(f"p{number:03},{came},{kind},w{number % 5},{note},{other},{mode}")
        if number % 6 == 0:
            deaths.append(f"p{number:03},{_FIRST + timedelta(chance.randrange(90, length - 90))}")
        periods.append(f"p{number:03},{_FIRST},{_LAST}")
    for name, head, rows in (
        ("patients", "pid,born,sex", patients),
        ("stays", "pid,came,kind,ward,note,sent_from,bed_id,ethnicity,mode", stays),
        ("deaths", "pid,died", deaths),
        ("periods", "pid,start,stop", periods),
    ):
        (folder / f"{name}.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    path = place / "set.toml"
    path.write_text(_PROJECT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def released(project: Path) -> tuple[str, Path]:
    """Release the set, and return the output and the folder."""
    out = project.parent / "out"
    done = run("anonymize", "--project", project, "--out", out)
    assert done.code == 0, done.err
    return done.out, out


def test_a_table_without_code_is_named_if_not_everyone_has_rows(
    released: tuple[str, Path],
) -> None:
    """Fault class: silence about deaths, which no group counts."""
    said, out = released
    warned = "Warning: not every person has rows in deaths. If a table has no code, the privacy"
    assert warned in said
    assert warned in (out / "report.html").read_text("utf-8")


def test_the_first_day_of_the_extract_is_no_weekly_pattern(released: tuple[str, Path]) -> None:
    """Periods begin on one Monday, but the release cuts them all to another day."""
    assert "periods.start" not in released[0]


def test_only_harmless_columns_are_offered(released: tuple[str, Path]) -> None:
    """Fault class: a key, a name in every row, and an ethnicity as columns that no one knows."""
    lines = released[0].splitlines()
    at = lines.index("To release columns unchanged, if no attacker knows them:")
    assert lines[at + 1] == '  below [tables.stays]: kept = ["mode"]'
    assert lines[-1] == "  stays: note"


def test_a_gate_accepts_a_column_that_is_empty(released: tuple[str, Path], tmp_path: Path) -> None:
    """Fault class: a rule that no release of a CDM could pass."""
    rules = tmp_path / "gate.toml"
    rules.write_text("[columns]\nabsent = ['ward', 'note']\n", encoding="utf-8")
    assert run("gate", released[1], "--rules", rules).code == 0
    rules.write_text("[columns]\nabsent = ['kind']\n", encoding="utf-8")
    assert "kind is released" in run("gate", released[1], "--rules", rules).out


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('empty = ["ward"]', 'kept = ["note"]', "it has long texts with dates that are not"),
        ('dates = ["came"]', 'dates = ["came", "note"]', "a value of long text is not a date"),
        ('birth = "born"', 'birth = "sex"', "value 'F' is not a year or a date of the form"),
    ],
)
def test_an_error_calls_texts_by_their_name(
    project: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    """Fault class: the advice to shift the dates of notes, which then shows a note."""
    text = project.read_text("utf-8").replace('"extract"', f'"{project.parent / "extract"}"')
    changed = tmp_path / "set.toml"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    refused = run("anonymize", "--project", changed, "--out", tmp_path / "out")
    assert said in refused.err
    assert "add it to dates" not in refused.err
    assert "Seen on" not in refused.err


def test_an_unknown_year_of_birth_is_no_year(tmp_path: Path) -> None:
    """A CDM has years, not dates of birth."""
    write_cdm(tmp_path / "cdm", persons=20)
    people = tables_of(tmp_path / "cdm")["person"]
    people[0]["year_of_birth"] = "unknown"
    write_rows(tmp_path / "cdm" / "PERSON.csv", people)
    asked = ("anonymize", f"omop:{tmp_path / 'cdm'}", "--tables", "measurement")
    assert "value 'unknown' is not a year;" in run(*asked, "--out", tmp_path / "out").err


def test_small_numbers_of_a_key_are_not_called_person_ids(tmp_path: Path) -> None:
    """Fault class: rooms 1 to 12 called person IDs, because people have the numbers 1 to 240.

    Many people share each ward, so wards are released. Few share each room.
    """
    folder = tmp_path / "extract"
    folder.mkdir()
    people = [f"{number},{1950 + number % 3 * 10},{'FM'[number % 2]}" for number in range(1, 241)]
    (folder / "patients.csv").write_text("\n".join(["pid,born,sex", *people, ""]))
    chance = random.Random(2)  # noqa: S311 - made-up people
    stays = [
        f"{number},{chance.randrange(1, 13)},{1 + number // 4}"
        for number in range(1, 241)
        for _ in range(3)
    ]
    (folder / "stays.csv").write_text("\n".join(["pid,ward_id,room_id", *stays, ""]))
    project = tmp_path / "set.toml"
    people_part = _PROJECT.split("[tables.stays]", maxsplit=1)[0]
    stays_part = (
        '[tables.stays]\ndata = "stays.csv"\nperson = "pid"\nkept = ["ward_id", "room_id"]\n'
    )
    project.write_text(f"{people_part}{stays_part}", encoding="utf-8")
    said = run("anonymize", "--project", project, "--out", tmp_path / "out").err
    assert (
        "its name looks like the name of a key, so it may contain person IDs: 61 of its 61 values "
        "are in pid"
    ) in said
    assert "ward_id" not in said
