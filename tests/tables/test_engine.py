"""The private engine's temporary folder goes when the engine does, whatever ends the command."""

from __future__ import annotations

import gc
import shutil
import tempfile
from pathlib import Path
from signal import SIGINT, default_int_handler, raise_signal, signal

import pytest

from roadstead.tables.engine import start


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_signal_at_the_start_leaves_no_folder(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes right after the folder was made, when no code knows of it yet."""
    made = Path.mkdir

    def struck(folder: Path, mode: int) -> None:
        made(folder, mode)
        raise_signal(SIGINT)

    monkeypatch.setattr(Path, "mkdir", struck)
    before = signal(SIGINT, default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start("1GB")
    finally:
        signal(SIGINT, before)
    gc.collect()  # as at the end of a process
    assert list(scratch.iterdir()) == []


def test_a_signal_at_the_end_leaves_no_folder(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Struck right before the folder is removed."""
    engine = start("1GB")
    removed = shutil.rmtree

    def struck(folder: Path, *, ignore_errors: bool) -> None:
        raise_signal(SIGINT)
        removed(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", struck)
    before = signal(SIGINT, default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.close()
    finally:
        signal(SIGINT, before)
    assert list(scratch.iterdir()) == []
