"""Verification passes on an unchanged release, and fails after any change.

Two kinds of forgers are tested. One changes a file, and its fingerprint reveals the change. The
other also corrects the fingerprint in the certificate, so the contents of the table must reveal the
change.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run, undrawn
from small_tables import PATIENTS, QUASI, Row, patients, read_csv, write_csv

from roadstead import Verification, anonymize, verify
from roadstead.errors import VerificationError
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.verification.release import verify_table
from roadstead.tables.reading import read

TABLE = "patients.csv"
RARE = [(f"Rare{i}", f"R{i}", str(20 + 5 * i), "X", f"0213{i}", "flu") for i in range(8)]
"""Eight records that no class has room for; they are kept with ``*``."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 408 records: 5-anonymity, ages in tens, ZIP codes to four digits, 8 masked."""
    folder = tmp_path_factory.mktemp("original")
    write_csv(folder / TABLE, PATIENTS, [*patients(400), *RARE])
    result = anonymize(
        folder / TABLE,
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        suppression=0.03,
    )
    assert result.levels == {"age": 2, "sex": 0, "zip": 1}
    assert result.draft.counts.masked == len(RARE)
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        result.write(folder / "release")
    return folder / "release"


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of the release, to be tampered with."""
    return Path(shutil.copytree(original, tmp_path / "release"))


def failures(release: Path) -> set[str]:
    """Names of the checks that fail; the command's exit code says the same."""
    verification: Verification = verify(release)
    assert run("verify", release).code == (0 if verification.passed else 1)
    return {check.check for check in verification.failed}


def certificate(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    document: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return document


def certify(release: Path, document: dict[str, Any]) -> None:
    """Write a certificate with the fingerprints of the files as they are now."""
    document["table"] = vars(fingerprint(release / document["table"]["name"]))
    document["files"] = [vars(fingerprint(release / file["name"])) for file in document["files"]]
    (release / "certificate.json").write_text(json_text(document), "utf-8")


def test_a_release_passes_as_it_was_written(release: Path) -> None:
    """Also where it was moved to."""
    assert failures(release) == set()
    certify(release, certificate(release))
    assert failures(release) == set()


Rows = list[Row]
Change = Callable[[Rows], Rows]
"""From the rows of the table, the header first, to others."""


def masked_first(rows: Rows) -> Rows:
    """Move the suppressed records up, so that the last one is of a class."""
    return [rows[0], *sorted(rows[1:], key=lambda row: row[:3] != ("*", "*", "*"))]


def class_of(rows: Rows, at: int) -> list[int]:
    """Places of the rows that share the quasi-identifiers of one."""
    return [i for i, row in enumerate(rows) if row[:3] == rows[at][:3]]


def thin_out(rows: Rows) -> Rows:
    """Move all but four records of a class to another that is legal."""
    age, sex, *_ = rows[-1]
    assert sex != "*"
    other = next(row[0] for row in rows[1:] if row[0] not in ("*", age))
    moved = set(class_of(rows, -1)[4:])
    return [(other, *row[1:]) if i in moved else row for i, row in enumerate(rows)]


def at_last(column: int, cell: str) -> Change:
    """Put a cell into the last row, which is not masked."""

    def change(rows: Rows) -> Rows:
        assert rows[-1][column] not in ("*", cell)
        return [*rows[:-1], (*rows[-1][:column], cell, *rows[-1][column + 1 :])]

    return change


def with_column(name: str) -> Change:
    """Add a column."""
    return lambda rows: [(*rows[0], name), *((*row, "x") for row in rows[1:])]


def mask_last(rows: Rows) -> Rows:
    """Suppress one record more."""
    return [*rows[:-1], ("*", "*", "*", rows[-1][3])]


def unmask(rows: Rows) -> Rows:
    """Turn a suppressed record into one of a class that is there."""
    at = next(i for i, row in enumerate(rows) if row[:3] == ("*", "*", "*"))
    return [*rows[:at], (*rows[-1][:3], rows[at][3]), *rows[at + 1 :]]


CHANGES: dict[str, tuple[Change, str]] = {
    "a class made too small by legal labels": (thin_out, "5-anonymity"),
    "a row removed": (lambda rows: rows[:-1], "the number of records matches the certificate"),
    "a row added": (
        lambda rows: [*rows, rows[-1]],
        "the number of records matches the certificate",
    ),
    "an age as it was": (at_last(0, "47"), "age is generalized by its rule"),
    "a band of another width": (at_last(0, "40-44"), "age is generalized by its rule"),
    "a band of another origin": (at_last(0, "41-50"), "age is generalized by its rule"),
    "a star among what is kept": (at_last(0, "*"), "age is generalized by its rule"),
    "a ZIP code as it was": (at_last(2, "02139"), "zip is generalized by its rule"),
    "a ZIP code that is too long": (at_last(2, "02139*"), "zip is generalized by its rule"),
    "an identifying column": (with_column("name"), "no direct identifier is released"),
    "a column nobody knows": (with_column("remark"), "the columns match the policy"),
    "a column less": (
        lambda rows: [row[:-1] for row in rows],
        "the columns match the policy",
    ),
    "a record suppressed later": (
        mask_last,
        "the number of suppressed records matches the certificate",
    ),
    "a record no longer suppressed": (
        unmask,
        "the number of suppressed records matches the certificate",
    ),
    "no record left": (lambda rows: rows[:1], "the table can be read"),
    "a ragged row": (lambda rows: [*rows, ("30-39",)], "the table can be read"),
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("kind", CHANGES)
def test_a_table_that_was_changed_is_found_out(release: Path, kind: str) -> None:
    """By its fingerprint, and, with a forged fingerprint, by its contents."""
    change, check = CHANGES[kind]
    write_csv(release / TABLE, None, change(masked_first(read_csv(release / TABLE))))
    assert f"{TABLE} matches the certificate" in failures(release)
    certify(release, certificate(release))
    found = failures(release)
    assert f"{TABLE} matches the certificate" not in found
    assert check in found


@pytest.mark.parametrize("name", [TABLE, "policy.json", "report.html"])
def test_one_byte_changed_in_a_file_is_found_out(release: Path, name: str) -> None:
    """The byte may be anywhere."""
    content = (release / name).read_bytes()
    for at in (0, len(content) // 2, len(content) - 1):
        changed = bytearray(content)
        changed[at] ^= 1
        (release / name).write_bytes(bytes(changed))
        assert f"{name} matches the certificate" in failures(release)


@pytest.mark.parametrize("name", [TABLE, "policy.json", "report.html"])
def test_a_file_that_is_missing_is_found_out(release: Path, name: str) -> None:
    """A check that cannot be made has failed."""
    (release / name).unlink()
    assert f"{name} matches the certificate" in failures(release)


def test_a_policy_edited_beside_the_certificate_is_found_out(release: Path) -> None:
    """Though its fingerprint was forged, the certificate holds the policy too."""
    path = release / "policy.json"
    path.write_text(path.read_text("utf-8").replace('"k": 5', '"k": 2'), "utf-8")
    certify(release, certificate(release))
    assert failures(release) == {"the policy matches the certificate"}


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    """Change one entry of a document."""

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        assert document[path[-1]] != value
        document[path[-1]] = value

    return change


def test_a_file_added_to_a_release_is_found_out(release: Path) -> None:
    """It might be the original."""
    (release / "original.csv").write_text("name,age\nA,40\n")
    assert failures(release) == {"the folder contains no other files"}


EDITS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "fewer records": (put("counts", "records", value=407), "the certified counts add up"),
    "more released": (
        put("counts", "released", value=409),
        "the number of records matches the certificate",
    ),
    "fewer suppressed": (put("counts", "suppressed", value=0), "the certified counts add up"),
    "fewer masked": (
        put("counts", "masked", value=7),
        "the number of suppressed records matches the certificate",
    ),
    "some dropped": (put("counts", "dropped", value=1), "the certified counts add up"),
    "a lower risk": (put("risk", "maximum", value=0.01), "the risk matches the certificate"),
    "a lower mean risk": (put("risk", "average", value=0.01), "the risk matches the certificate"),
    "fewer classes": (put("risk", "classes", value=1), "the risk matches the certificate"),
    "larger classes": (put("risk", "smallest_class", value=50), "the risk matches the certificate"),
    "a stronger promise": (put("policy", "privacy", 0, "k", value=50), "50-anonymity"),
    "a lower limit": (
        put("policy", "suppression", "limit", value=0.001),
        "suppression is within the limit",
    ),
    "another width": (
        put("policy", "attributes", 0, "rule", "width", value="20"),
        "age is generalized by its rule",
    ),
    "a column less to be removed": (
        put("policy", "columns", "removed", value=["name"]),
        "the policy matches the certificate",
    ),
    "another delimiter": (put("format", "delimiter", value=";"), "the table can be read"),
    "another encoding": (put("format", "encoding", value="klingon"), "the table can be read"),
    "a promise in words": (
        lambda document: document.update(promise="Nobody can find anybody."),
        "the certificate has the format that Roadstead writes",
    ),
    "another setting": (
        put("settings", "privacy", 0, "k", value=50),
        "the privacy requirements match the policy",
    ),
    "another hash": (put("table", "sha256", value="0" * 64), f"{TABLE} matches the certificate"),
    "another size": (put("table", "bytes", value=1), f"{TABLE} matches the certificate"),
}


@pytest.mark.quick(9)
@pytest.mark.parametrize("kind", EDITS)
def test_a_certificate_that_was_edited_is_found_out(release: Path, kind: str) -> None:
    """By what the table says."""
    edit, check = EDITS[kind]
    document = certificate(release)
    edit(document)
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    found = failures(release)
    if kind == "another delimiter":
        assert found
    else:
        assert check in found


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "roadstead_certificate": put("roadstead_certificate", value="2"),
    "counts.records": put("counts", "records", value="many"),
    "risk": lambda document: document.pop("risk"),
    "table.name": put("table", "name", value="../patients.csv"),
    "files.0.sha256": put("files", 0, "sha256", value=5),
    "format.kind": put("format", "kind", value="tablet"),
    "policy": put("policy", "attributes", value=[]),
    "policy.privacy": put("policy", "privacy", 0, "k", value=1),
}


@pytest.mark.parametrize("place", DAMAGES)
def test_a_certificate_that_is_damaged_fails_and_names_the_entry(release: Path, place: str) -> None:
    """It is a release that does not keep its promises, not a wrong request."""
    document = certificate(release)
    DAMAGES[place](document)
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    with pytest.raises(VerificationError, match=f"damaged in the entry {place}"):
        verify(release)
    ran = run("verify", release)
    assert (ran.code, ran.out) == (1, "")
    assert "certificate.json" in ran.error


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"{}"])
def test_a_certificate_that_is_none_fails(release: Path, content: bytes) -> None:
    """Any other content in its place fails."""
    (release / "certificate.json").write_bytes(content)
    ran = run("verify", release)
    assert (ran.code, ran.out) == (1, "")
    assert "damaged" in ran.error


def test_a_release_without_certificate_fails(release: Path) -> None:
    """The file may be missing, or a folder."""
    (release / "certificate.json").unlink()
    ran = run("verify", release)
    assert (ran.code, ran.out) == (1, "")
    assert "the certificate is missing" in ran.error
    (release / "certificate.json").mkdir()
    assert run("verify", release).code == 1


def test_the_json_of_a_failure_names_what_failed(release: Path) -> None:
    """And the lines for people do too."""
    (release / "report.html").unlink()
    ran = run("verify", release, "--json")
    assert (ran.code, ran.err, ran.json["passed"]) == (1, "", False)
    failed = [check for check in ran.json["checks"] if not check["passed"]]
    assert [check["check"] for check in failed] == ["report.html matches the certificate"]
    assert failed[0]["detail"] == "the file is missing"
    lines = run("verify", release).out.splitlines()
    assert sum(line.startswith("  FAIL") for line in lines) == 1
    assert lines[-1] == "FAILED: 1 check"


def test_masked_records_do_not_make_up_for_others_in_a_mean() -> None:
    """Twelve that are alone, and sixty with a star: the mean risk of the twelve is 1."""
    values = [*(f"v{i:02}" for i in range(12)), *("*" for _ in range(60))]
    source = read(pa.table({"x": values}))
    checks = verify_table(source, ["x"], [AverageRisk(0.5)])
    assert not checks.passed
    rest = read(pa.table({"x": ["a", "a", "b", "b", *values[12:]]}))
    assert verify_table(rest, ["x"], [AverageRisk(0.5)]).passed
