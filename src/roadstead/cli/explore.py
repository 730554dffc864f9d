"""The command ``explore``: the workbench, a page on this machine."""

from __future__ import annotations

from pathlib import Path

from roadstead.cli.show import note
from roadstead.web.serve import default_state, explore


def serve(allow: list[Path] | None, state: Path | None, port: int, *, browser: bool) -> int:
    """Run the command."""
    folders = tuple(allow) if allow else (Path.cwd(),)
    explore(folders, state or default_state(), port, note, browser=browser)
    return 0
