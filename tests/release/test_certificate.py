"""The certificate: everything that the recipient needs for a check, and no value of the data."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commands import without_charts
from promises import promise_in
from small_tables import PATIENTS, QUASI, patients, write_csv

from roadstead import Anonymization, __version__, anonymize, read
from roadstead.errors import VerificationError
from roadstead.quality.for_sharing import coarse
from roadstead.release.certificate import read_certificate, write_certificate
from roadstead.release.documents import Fingerprint, fingerprint, table_name
from roadstead.release.kind import files_of


@pytest.fixture
def result(tmp_path: Path) -> Anonymization:
    """The result for 200 patients."""
    data = write_csv(tmp_path / "patients.csv", PATIENTS, patients())
    return anonymize(
        data,
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        k=4,
        suppression=0.1,
        aggregate="arithmetic",
        weights={"age": 2},
        min_level={"zip": 1},
        time_limit=50,
        seed=7,
    )


@pytest.fixture
def release(result: Anonymization, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The release, written."""
    without_charts(monkeypatch)
    result.write(tmp_path / "release")
    return tmp_path / "release"


def document(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    found: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return found


def test_a_certificate_holds_the_fingerprint_of_every_file_beside_it(release: Path) -> None:
    """SHA-256 and size; and there are no other files."""
    found = document(release)
    files = [found["table"], *found["files"]]
    assert {file["name"] for file in files} == {
        *("patients.csv", "policy.json", "report.html", "verify.html")
    }
    assert {path.name for path in release.iterdir()} == {
        "certificate.json",
        *(file["name"] for file in files),
    }
    for file in files:
        content = (release / file["name"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["bytes"] == len(content)
    assert files_of(release) == {path.name for path in release.iterdir()}


def test_a_certificate_says_what_was_asked_for_and_how_it_was_found(
    release: Path, result: Anonymization
) -> None:
    """With the version and the time."""
    found = document(release)
    assert "4-anonymity" in promise_in(release)
    assert all(name in promise_in(release) for name in QUASI.split(","))
    settings = found["settings"]
    assert settings["privacy"] == [{"kind": "k-anonymity", "k": 4}]
    assert (settings["suppression"], settings["suppressed_records"]) == (0.1, "mask")
    assert settings["quality"] == {
        "kind": "loss",
        "aggregate": "arithmetic",
        "weights": [2.0, 1.0, 1.0],
    }
    assert (settings["search"], settings["time_limit"], found["seed"]) == ("exact", 50, 7)
    assert settings["levels_allowed"] == {"age": [0, 4], "sex": [0, 1], "zip": [1, 2]}
    assert found["search"]["optimal"] is True
    assert found["search"]["lower_bound"] == found["loss"]["loss"] == coarse(result.loss)
    assert found["policy"] == json.loads((release / "policy.json").read_text("utf-8"))
    assert found["software"] == __version__
    files = (path.stat().st_mtime for path in release.iterdir())
    created = datetime.fromisoformat(found["created"])
    assert created.tzinfo is not None
    assert min(files) - 600 <= created.timestamp() <= datetime.now(UTC).timestamp()


def test_a_certificate_is_read_as_it_was_written(release: Path, tmp_path: Path) -> None:
    """Byte for byte when written again."""
    certificate, policy = read_certificate(release / "certificate.json")
    assert policy.quasi == ("age", "sex", "zip")
    write_certificate(certificate, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (release / "certificate.json").read_bytes()


def test_a_certificate_of_a_later_version_may_say_more(release: Path, tmp_path: Path) -> None:
    """Unknown entries are ignored."""
    found = document(release) | {"signature": "abc"}
    (tmp_path / "later.json").write_text(json.dumps(found))
    assert read_certificate(tmp_path / "later.json")[0].counts.records == 200


def test_no_text_of_a_report_or_certificate_names_a_folder(release: Path) -> None:
    """Paths reveal names of people and machines."""
    folder = re.escape(str(release.parent))
    for name in ("certificate.json", "policy.json"):
        assert not re.search(folder, (release / name).read_text("utf-8"))


def test_a_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    """Of any size, read in blocks."""
    path = tmp_path / "file"
    for content in (b"", b"x", b"\0\xff" * 1_500_000):
        path.write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        assert fingerprint(path) == Fingerprint("file", sha256, len(content))


def test_files_belong_to_a_release_only_by_a_certificate(release: Path, tmp_path: Path) -> None:
    """One that can be read."""
    assert files_of(tmp_path) == frozenset()
    (release / "certificate.json").write_text("{}")
    assert files_of(release) == frozenset()
    with pytest.raises(VerificationError, match="damaged"):
        read_certificate(release / "certificate.json")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("stays.csv", "stays.csv"),
        ("stays.tsv", "stays.tsv"),
        ("stays.txt", "stays.txt"),
        ("stays", "stays.csv"),
        ("stays.dat", "stays.dat.csv"),
        ("policy.json", "policy.json.csv"),
        ("certificate.json", "certificate.json.csv"),
        ("report.html", "report.html.csv"),
    ],
)
def test_a_release_is_called_like_its_source(tmp_path: Path, name: str, expected: str) -> None:
    """With an ending that says what it is, and never like a document of the release."""
    with read(write_csv(tmp_path / name, ("a", "b"), [("x", "y")] * 5)) as source:
        assert table_name(source) == expected
    zipped = write_csv(tmp_path / f"{name}.gz", ("a", "b"), [("x", "y")] * 5, gzipped=True)
    with read(zipped) as source:
        plain = name if name.endswith((".csv", ".tsv", ".txt")) else None
        assert table_name(source) == (f"{plain}.gz" if plain else f"{name}.gz.csv.gz")
