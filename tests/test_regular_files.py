"""Files are written whole, and files of others are never removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roadstead.regular_files import write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """No temporary file is left."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")
    write_whole(path, b"after")
    assert path.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what others write aside under a name like it."""
    path, other = tmp_path / "a.csv", tmp_path / ".a.csv.1.part"
    path.write_bytes(b"before")
    other.write_bytes(b"of another")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("roadstead.regular_files.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert sorted(tmp_path.iterdir()) == sorted([path, other])
