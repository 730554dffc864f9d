"""A set can have tables without people, such as places, to which rows and people refer.

Fault class: true keys, dates, or codes of such a table in a release that says otherwise.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from commands import run

_PROJECT = """data = "extract"

[privacy]
k = 3

[persons]
shift_days = 20

[tables.patients]
data = "patients.csv"
person = "pid"
birth = "born"
quasi = ["sex"]
keys = {place = "places"}
softly = {latest = "stays"}

[tables.stays]
data = "stays.csv"
person = "pid"
key = "stay"
keys = {ward = "wards"}
dates = ["came"]
code = "kind"

[tables.wards]
data = "wards.csv"
key = "ward"
keys = {place = "places"}
kept = ["specialty"]
empty = ["head"]

[tables.places]
data = "places.csv"
key = "place"
kept = ["city"]
"""

_CITIES = ("Aby", "Bygd", "Ceby")


def _write(path: Path, head: str, rows: list[str]) -> None:
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write people, stays, wards, and places; the keys of the places name a contact."""
    chance = random.Random(8)  # noqa: S311 - made-up people
    folder = tmp_path / "extract"
    folder.mkdir()
    places = [f"Karen Lind {at} 555-01{at:02},{_CITIES[at % 3]}" for at in range(30)]
    keys = [one.split(",")[0] for one in places]
    _write(folder / "places.csv", "place,city", places)
    wards = [f"W-{at},{keys[at]},{'xyz'[at % 3]},Dr Berg" for at in range(8)]
    _write(folder / "wards.csv", "ward,place,specialty,head", wards)
    stays, patients = [], []
    for number in range(120):
        for at in range(4):
            came = date(2015, 1, 1) + timedelta(chance.randrange(700))
            kind = "rare" if at == 3 and number % 20 == 0 else chance.choice("ab")
            stays.append(f"CSN{number:03}-{at},p{number:03},{came},{kind},W-{chance.randrange(8)}")
        patients.append(
            f"p{number:03},{1950 + number % 3 * 10},{'FM'[number % 2]},"
            f"{chance.choice(keys)},CSN{number:03}-3"
        )
    _write(folder / "patients.csv", "pid,born,sex,place,latest", patients)
    _write(folder / "stays.csv", "stay,pid,came,kind,ward", stays)
    path = tmp_path / "set.toml"
    path.write_text(_PROJECT, encoding="utf-8")
    return path


def test_every_key_is_new_and_leads_to_the_row_of_the_source(project: Path) -> None:
    """People, rows, and tables without people refer to places by the same new keys."""
    out, extract = project.parent / "out", project.parent / "extract"
    done = run("anonymize", "--project", project, "--knows", "1", "--out", out)
    assert done.code == 0, done.err
    written = "".join(path.read_text("utf-8") for path in out.glob("*.csv"))
    assert not any(old in written for old in ("Karen", "555-", "W-", "CSN", "Dr Berg"))
    tables = {path.stem: _rows(path) for path in out.glob("*.csv")}
    city = {row["place"]: row["city"] for row in tables["places"]}
    ward = {row["ward"]: row for row in tables["wards"]}
    assert Counter(city.values()) == dict.fromkeys(_CITIES, 10)
    own = {row["place"]: row["city"] for row in _rows(extract / "places.csv")}
    before = Counter((r["born"], own[r["place"]]) for r in _rows(extract / "patients.csv"))
    assert Counter((r["born"], city[r["place"]]) for r in tables["patients"]) == before
    special = {(r["specialty"], own[r["place"]]) for r in _rows(extract / "wards.csv")}
    assert {(r["specialty"], city[r["place"]]) for r in ward.values()} == special
    assert {row["ward"] for row in tables["stays"]} <= ward.keys()
    stays = {row["stay"]: row["pid"] for row in tables["stays"]}
    latest = [(row["latest"], row["pid"]) for row in tables["patients"] if row["latest"]]
    assert latest
    assert all(stays[stay] == pid for stay, pid in latest)
    assert len(latest) < len(tables["patients"])  # rare stays are left out
    assert run("verify", out).code == 0


def test_the_order_of_the_rows_is_not_that_of_the_source(project: Path) -> None:
    """A place to which no row refers is numbered by its content, not by its row in the source."""
    text = _PROJECT.replace('keys = {place = "places"}\n', "")
    project.write_text(text.replace('softly = {latest = "stays"}\n', ""), encoding="utf-8")
    out = project.parent / "out"
    done = run("anonymize", "--project", project, "--out", out)
    assert done.code == 0, done.err
    places = _rows(out / "places.csv")
    assert [row["place"] for row in places] == [str(at) for at in range(1, 31)]
    assert [row["city"] for row in places] == sorted(row["city"] for row in places)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("table", "column"), [("patients", "place"), ("wards", "place"), ("places", "place")]
)
def test_verify_follows_keys_of_people_and_of_tables_without_people(
    project: Path, table: str, column: str
) -> None:
    """A release with a true key is refused, even if its certificate has the right hashes."""
    out = project.parent / "out"
    assert run("anonymize", "--project", project, "--out", out).code == 0
    path = out / f"{table}.csv"
    cell = _rows(path)[0][column]
    path.write_text(path.read_text("utf-8").replace(cell, "W-1"), encoding="utf-8")
    certificate = out / "certificate.json"
    document = json.loads(certificate.read_text("utf-8"))
    content = path.read_bytes()
    document["tables"][table]["file"] |= {
        "sha256": sha256(content).hexdigest(),
        "bytes": len(content),
    }
    certificate.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    checked = run("verify", out)
    assert checked.code != 0
    assert f"every key has the form of a new key: {table}, column {column}: " in checked.out
    assert "every key refers to an existing row" in checked.out


def test_the_warning_names_what_people_refer_to(project: Path) -> None:
    """A city of a place to which people refer is a column that no group counts."""
    out = project.parent / "out"
    done = run("anonymize", "--project", project, "--out", out)
    warned = (
        "Warning: wards.specialty, places.city are released unchanged.",
        "Warning: patients.place, stays.ward show which people share a row of places, wards.",
    )
    for said in warned:
        assert said in done.out
        assert said in (out / "report.html").read_text("utf-8")


def test_a_place_of_one_person_is_examined_like_a_column_of_people(project: Path) -> None:
    """Fault class: a table of one row per person that repeats what the release generalizes."""
    extract = project.parent / "extract"
    people = [line.split(",") for line in (extract / "patients.csv").read_text().splitlines()]
    for number, row in enumerate(people[1:]):
        row[1], row[3] = str(1950 + number % 40), f"place {number}"
    (extract / "patients.csv").write_text("".join(f"{','.join(row)}\n" for row in people))
    places = [f"place {number},{row[1]}" for number, row in enumerate(people[1:])]
    _write(extract / "places.csv", "place,city", places)
    refused = run("anonymize", "--project", project, "--out", project.parent / "out")
    assert "tables.places (patients.place): " in refused.err
    assert "patients.born" in refused.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'empty = ["head"]',
            'dates = ["head"]',
            "tables.wards: this table has dates, but no person ID",
        ),
        (
            'empty = ["head"]',
            'code = "head"',
            "tables.wards: this table has code, but no person ID",
        ),
        (
            'kept = ["city"]',
            'details = ["city"]',
            "tables.places: this table has details, but no person",
        ),
        ('place = "places"}\nkept', 'head = "stays"}\nkept', "whose rows belong to people, but"),
        ('{latest = "stays"}', '{pid = "stays"}', "'pid' also has another role"),
        ('quasi = ["sex"]', 'quasi = ["sex"]\ncode = "sex"', "this table has one row per person"),
        ('softly = {latest = "stays"}', "", ""),
        (
            'keys = {place = "places"}\nsoftly = {latest = "stays"}',
            'keys = {latest = "stays"}',
            'use softly = {latest = "stays"}',
        ),
        ('keys = {ward = "wards"}', 'keys = {ward = "patients"}', "which is the table of people"),
    ],
)
def test_what_a_table_cannot_have_is_refused(project: Path, old: str, new: str, said: str) -> None:
    """With the table, the reason, and what to write instead."""
    assert old in _PROJECT
    text = _PROJECT.replace("[tables.patients]", '[tables.patients]\nkey = "pid"')
    project.write_text(text.replace(old, new), encoding="utf-8")
    out = project.parent / "out"
    refused = run("anonymize", "--project", project, "--out", out)
    assert said in refused.err
    assert out.exists() == (refused.code == 0) == (not said)
