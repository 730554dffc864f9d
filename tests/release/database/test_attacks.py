"""A changed released database with a matching certificate does not pass."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whole_cdm import LOCAL_CONCEPT, PRIVATE, write_cdm

import roadstead as rs
from roadstead.errors import SettingError, VerificationError
from roadstead.release.database.verify import verify_database
from roadstead.release.documents import json_text
from roadstead.release.verification.checks import Verification


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Release a CDM once."""
    folder = tmp_path_factory.mktemp("honest")
    write_cdm(folder / "cdm")
    tables = ["visit_occurrence", "condition_occurrence", "measurement"]
    rs.anonymize(f"omop:{folder / 'cdm'}", tables=tables, k=5, shift_days=60, out=folder / "out")
    return folder / "out"


@pytest.fixture
def release(honest: Path, tmp_path: Path) -> Path:
    """Copy the release."""
    return Path(shutil.copytree(honest, tmp_path / "release"))


def changed(release: Path, table: str, change: Callable[[list[list[str]]], None]) -> None:
    """Change the rows of a table, the header first, and certify what came of it."""
    path = release / f"{table.upper()}.csv"
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    change(rows)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    document = read(release)
    own = document["tables"][table]
    content = path.read_bytes()
    own["file"] |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    own["rows"] = len(rows) - 1
    if table == "person":
        document["persons"]["released"] = len(rows) - 1
    write(release, document)


def read(release: Path) -> dict[str, Any]:
    """Read the certificate."""
    found: dict[str, Any] = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    return found


def write(release: Path, document: dict[str, Any]) -> None:
    """Write the certificate."""
    (release / "certificate.json").write_text(json_text(document), encoding="utf-8")


def failed(verification: Verification) -> str:
    """Name the checks that fail."""
    return "; ".join(f"{one.check}: {one.detail}" for one in verification.failed)


def at(rows: list[list[str]], column: str) -> int:
    """Find a column."""
    return [name.lower() for name in rows[0]].index(column)


def set_cell(column: str, value: str, row: int = 1) -> Callable[[list[list[str]]], None]:
    """Change one cell."""

    def change(rows: list[list[str]]) -> None:
        rows[row][at(rows, column)] = value

    return change


def test_an_honest_release_passes_and_a_copy_too(release: Path) -> None:
    """All that was written is all that is needed."""
    assert not verify_database(release).failed


ATTACKS = [
    (
        "condition_occurrence",
        set_cell("visit_occurrence_id", "999999"),
        "1 key without a matching row",
    ),
    ("condition_occurrence", set_cell("person_id", "999999"), "belongs to a person in the release"),
    (
        "condition_occurrence",
        set_cell("condition_start_date", "1999-01-01"),
        "within the covered period",
    ),
    (
        "condition_occurrence",
        set_cell("condition_start_date", "2010-06-01T13:37:00"),
        "within the covered period",
    ),
    ("condition_occurrence", set_cell("condition_concept_id", "9"), "share each code"),
    (
        "condition_occurrence",
        set_cell("condition_concept_id", str(LOCAL_CONCEPT)),
        "every concept refers",
    ),
    ("condition_occurrence", set_cell("condition_source_value", PRIVATE), "certified columns"),
    ("measurement", set_cell("value_as_number", PRIVATE), "certified columns"),
    ("condition_occurrence", lambda rows: rows.append(rows[1]), "unique"),
    ("condition_occurrence", lambda rows: [row.append("x") for row in rows], "certified columns"),
    ("person", set_cell("year_of_birth", "1933"), "with the same known values"),
    ("person", lambda rows: rows.append(rows[1]), "missing or repeated key"),
    ("person", set_cell("person_source_value", PRIVATE), "certified columns"),
    (
        "visit_occurrence",
        lambda rows: rows.__delitem__(slice(1, None)),
        "without a matching row",
    ),
    (
        "concept",
        lambda rows: rows.append([str(LOCAL_CONCEPT), PRIVATE, "Condition"]),
        "no local concept of a site is released",
    ),
]


@pytest.mark.parametrize(("table", "change", "said"), ATTACKS)
def test_a_changed_table_is_convicted_whatever_its_certificate_says(
    release: Path, table: str, change: Callable[[list[list[str]]], None], said: str
) -> None:
    """A key, a date, a code or a person that was changed fails the check made for it."""
    changed(release, table, change)
    assert said in failed(verify_database(release))


def test_a_changed_table_without_its_certificate_is_convicted(release: Path) -> None:
    """The fingerprint alone shows the change."""
    path = release / "PERSON.csv"
    path.write_bytes(path.read_bytes() + b"\n")
    assert "changed after certification" in failed(verify_database(release))


def test_rules_that_release_a_source_value_are_convicted(release: Path) -> None:
    """A certificate cannot give a column of the CDM another use."""
    document = read(release)
    rules = document["tables"]["person"]["rules"]
    rules["empty"].remove("person_source_value")
    rules["kept"].append("person_source_value")
    write(release, document)
    changed(release, "person", set_cell("person_source_value", PRIVATE))
    assert "does not follow the rules of the CDM" in failed(verify_database(release))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(k=50), "a different k"),
        (lambda d: d["tables"].pop("visit_occurrence"), "the folder also contains"),
        (lambda d: d["persons"].update(released=1), "certified"),
        (lambda d: d["persons"].update(left_out=d["persons"]["left_out"] + 1), "add up"),
        (lambda d: d["persons"].update(source=1), "add up"),
        (
            lambda d: d["persons"].update(left_out=499, source=d["persons"]["released"] + 499),
            "suppression is within the limit",
        ),
        (
            lambda d: d["tables"]["person"].update(rows_of_source=9),
            "does not have one row per person",
        ),
        (lambda d: d["tables"]["measurement"].update(rows_of_source=9), "rows of measurement do"),
        (lambda d: d["tables"]["measurement"]["people"].update(source=1), "people of measurement"),
        (lambda d: d["tables"]["measurement"].update(left_out=["value_as_number"]), "as left out"),
        (
            lambda d: d["dates"].update(days=0),
            "the stated shift of dates, or the first and last day, cannot be true",
        ),
        (lambda d: d.update(tables_left_out=["person"]), "a table is listed both as released"),
        (lambda d: d.update(created="2199-01-01T00:00:00+00:00"), "in the future"),
    ],
)
def test_a_certificate_that_says_more_is_convicted(
    release: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    """Its claims follow from its rules, and its numbers are counted again."""
    document = read(release)
    change(document)
    write(release, document)
    assert said in failed(verify_database(release))


def test_rules_that_are_not_those_of_the_model_are_said_to_be(release: Path) -> None:
    """A sender who calls a CDM another database avoids the model's rules; the output says so."""
    check = "the rules allow every released column"

    def said() -> str:
        return next(one.detail for one in verify_database(release).checks if one.check == check)

    assert "by the rules of the OMOP CDM" in said()
    write(release, {**read(release), "numbered": False})
    assert "by the rules of the people who made the release" in said()


def test_a_date_of_the_certificate_is_a_date(release: Path) -> None:
    """Nothing that a stranger writes there reaches a query."""
    document = read(release)
    document["dates"]["first"] = "2005-01-01' OR true --"
    write(release, document)
    with pytest.raises(VerificationError, match=r"damaged in the entry dates\.first"):
        verify_database(release)


def test_another_file_in_the_folder_is_convicted(release: Path) -> None:
    """Notes added by a person are not part of the release."""
    (release / "NOTE.csv").write_text(PRIVATE, encoding="utf-8")
    assert "the folder also contains" in failed(verify_database(release))


def test_attacks_on_one_table_do_not_acquit_a_whole_database(release: Path) -> None:
    """Neither an attack nor a comparison is enough; the check of all tables is named."""
    for against in (None, release):
        with pytest.raises(
            SettingError, match="records of a person in all tables together"
        ) as refused:
            rs.attack(release, against=against)
        assert "roadstead verify" in str(refused.value.fix)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content + b"\n",
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: (
            content.replace(b"\n", b'\n"', 1).replace(b",", b'",', 1)
            if content.startswith(b'"')
            else b'"' + content.replace(b",", b'",', 1)
        ),
    ],
)
def test_a_file_that_is_written_otherwise_does_not_pass(
    release: Path, change: Callable[[bytes], bytes]
) -> None:
    """Though its cells are the same."""
    path = release / "PERSON.csv"
    path.write_bytes(change(path.read_bytes()))
    document = read(release)
    content = path.read_bytes()
    own = document["tables"]["person"]["file"]
    own |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    write(release, document)
    found = rs.verify(release)
    assert [one.check for one in found.failed] == [
        "each table has the format that Roadstead writes"
    ]


def test_a_certificate_that_says_more_does_not_pass(release: Path) -> None:
    """A blank in unread text is enough."""
    path = release / "certificate.json"
    path.write_text(path.read_text("utf-8").replace("\n", "\n ", 1), "utf-8")
    name = "the certificate has the format that Roadstead writes"
    assert [one.check for one in rs.verify(release).failed] == [name]
