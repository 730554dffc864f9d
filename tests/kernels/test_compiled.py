"""Loops are compiled where nothing can be cached, too.

Fault class: a machine that is not ours. On it neither the installation nor HOME can be written.
"""

from __future__ import annotations

import subprocess
import sys
from errno import ENOSPC
from typing import TYPE_CHECKING

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from roadstead.kernels.compiled import compiled

if TYPE_CHECKING:
    from pathlib import Path

_NO_PLACE = """
import sys
from numba.core.caching import CacheImpl
for one in CacheImpl._locator_classes:
    one.from_function = classmethod(lambda *_: None)
from roadstead.cli.run import run
sys.exit(run(sys.argv[1:]))
"""
"""As where no folder for a cache can be written, which the superuser could not try otherwise."""


@pytest.mark.nightly
def test_a_command_runs_where_no_folder_can_be_written(tmp_path: Path) -> None:
    """And says nothing of a defect."""
    (tmp_path / "t.csv").write_text("age,sex\n" + "30,f\n" * 5 + "40,m\n" * 5)
    ran = subprocess.run(
        [sys.executable, "-c", _NO_PLACE, "risk", tmp_path / "t.csv", "--quasi", "age,sex"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert "defect" not in ran.stderr
    assert ran.returncode == 0, ran.stderr


def test_another_failure_of_the_compiler_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the missing folder is passed over."""

    def fail(**_: object) -> None:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(numba, "njit", fail)
    with pytest.raises(RuntimeError, match="no compiler"):
        compiled(abs)


def test_a_full_disk_stops_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be cached is compiled and run."""
    refused = []

    def full(*_: object) -> None:
        refused.append("no room")
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    assert compiled(_twice)(21) == 42
    assert refused


def _twice(number: int) -> int:
    return 2 * number
