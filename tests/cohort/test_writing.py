from __future__ import annotations

import csv
import errno
from pathlib import Path

import pytest

from roadstead.cohort import generate, write_csv
from roadstead.errors import OutputError, SettingError


def test_the_file_holds_the_cohort(tmp_path: Path) -> None:
    """A header and one line a patient, comma-separated, read back as generated."""
    path = write_csv(tmp_path / "patients.csv", patients=50, seed=3)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    columns = generate(50, seed=3)
    assert rows[0] == list(columns)
    assert [list(values) for values in zip(*rows[1:], strict=True)] == list(columns.values())


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    """Two files of one seed are equal, with bare line feeds on every platform."""
    one = write_csv(tmp_path / "one.csv", patients=20, seed=5).read_bytes()
    two = write_csv(tmp_path / "two.csv", patients=20, seed=5).read_bytes()
    assert one == two
    assert b"\r" not in one
    assert one.count(b"\n") == 21


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    """The file it was written to aside is gone, and the result is as readable as any new file."""
    path = write_csv(tmp_path / "patients.csv", patients=5)
    other = tmp_path / "other"
    other.touch()
    assert {entry.name for entry in tmp_path.iterdir()} == {"patients.csv", "other"}
    assert path.stat().st_mode == other.stat().st_mode


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    """It is refused with the path and the fix, and the file keeps its content."""
    path = tmp_path / "patients.csv"
    path.write_text("mine")
    with pytest.raises(OutputError, match="already exists") as caught:
        write_csv(path, patients=5)
    assert str(path) in caught.value.message
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there_is_an_output_error(tmp_path: Path) -> None:
    """A path that cannot be written is named, in one line."""
    path = tmp_path / "nowhere" / "patients.csv"
    with pytest.raises(OutputError, match="cannot be written") as caught:
        write_csv(path, patients=5)
    assert "\n" not in caught.value.message


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails half way, neither the file nor its part remains."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        write_csv(tmp_path / "patients.csv", patients=5)
    assert list(tmp_path.iterdir()) == []


def test_a_senseless_number_of_patients_writes_nothing(tmp_path: Path) -> None:
    """The settings are checked before a file is begun."""
    with pytest.raises(SettingError):
        write_csv(tmp_path / "patients.csv", patients=0)
    assert list(tmp_path.iterdir()) == []
