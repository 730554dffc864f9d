"""The command starts a workbench that can be used, and ends it."""

from __future__ import annotations

import signal
from pathlib import Path

from workbench import served


def test_a_browser_is_let_in_and_begins(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age,sex\n" + "30,f\n40,m\n" * 20)
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        bench.open(piece, str(table))
        assert "40 records" in bench.get(f"{piece}/data").text
        assert bench.end(signal.SIGINT) == 0
