"""The folder that a killed run spilled to is removed by the next run, and no other."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from signal import SIGKILL

import pytest

from roadstead.tables import scratch as folders
from roadstead.tables.scratch import new_scratch, remove_scratch, scratch

HOLDING = """
from roadstead.tables.scratch import new_scratch
folder = new_scratch()
(folder / "spilled").write_text("cells")
print(folder, flush=True)
input()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary files go to a folder of the test."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def started() -> tuple[subprocess.Popen[str], Path]:
    """Start a process that holds a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def swept() -> None:
    """Do what the first folder of a process does."""
    folders._remove_left.cache_clear()
    with scratch():
        pass


def test_what_a_killed_run_left_is_removed_and_what_a_run_holds_is_not(place: Path) -> None:
    """The system lets go of the lock of a process that was killed."""
    process, folder = started()
    with process:
        swept()
        assert (folder / "spilled").exists()
        process.send_signal(SIGKILL)
    assert (folder / "spilled").exists()
    swept()
    assert not [*place.iterdir()]


def test_a_folder_and_its_lock_go_together(place: Path) -> None:
    """Removing it twice is harmless."""
    folder = new_scratch()
    assert len([*place.iterdir()]) == 2
    remove_scratch(folder)
    remove_scratch(folder)
    assert not [*place.iterdir()]


def test_links_and_folders_without_a_lock_are_left_alone(place: Path) -> None:
    """They may belong to another program."""
    (place / "mine").mkdir()
    (place / "mine" / "notes").touch()
    (place / "roadstead-0123456789ab").symlink_to("mine")
    (place / "roadstead-0123456789ab.lock").touch()
    (place / "roadstead-ba9876543210").mkdir()
    swept()
    assert (place / "mine" / "notes").exists()
    assert (place / "roadstead-ba9876543210").exists()
