"""The package works without any of the rooms that can be taken out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

import roadstead
from roadstead.rooms import ROOMS

PACKAGE = Path(roadstead.__file__).parent
ALL = tuple(place for places in ROOMS.values() for place in places)
IMPORT_ALL = """
import importlib, pkgutil, sys
import roadstead
assert roadstead.__file__.startswith(sys.argv[1]), roadstead.__file__
names = [module.name for module in pkgutil.walk_packages(roadstead.__path__, "roadstead.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
"""
DESIGN = PACKAGE.parent.parent / "docs" / "design.md"


def without(places: Collection[str], folder: Path) -> Path:
    """Make a package of links to all of ours but some places; compiled loops need no compiling."""

    def link(source: Path, target: Path) -> None:
        name = str(source.relative_to(PACKAGE))
        if name in places:
            return
        if any(place.startswith(f"{name}/") for place in places) or source == PACKAGE:
            target.mkdir()
            for child in source.iterdir():
                link(child, target / child.name)
        else:
            target.symlink_to(source)

    link(PACKAGE, folder / "roadstead")
    return folder


def run(package: Path, *words: str) -> str:
    """Run Python with that package in the place of ours."""
    ran = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def starts(package: Path, gone: Collection[str]) -> None:
    """Everything imports, and the help has no command of a room that is gone."""
    assert int(run(package, "-c", IMPORT_ALL, str(package))) > 100
    text = run(package, "-m", "roadstead", "--help")
    commands = {"web": "explore", "mcp_server": "serve-mcp"}
    for place, command in commands.items():
        assert (re.search(rf"^\W*{command} ", text, re.MULTILINE) is None) == (place in gone)


def test_the_package_starts_without_all_rooms_that_can_be_taken_out(tmp_path: Path) -> None:
    """The rest is as docs/design.md says, to a thousand lines."""
    starts(without(ALL, tmp_path), ALL)
    out = [PACKAGE / place for place in ALL]
    left = [
        file for file in PACKAGE.rglob("*.py") if not any(file.is_relative_to(one) for one in out)
    ]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in left)
    told = re.search(r"Roadstead has about ([\d,]+) lines", DESIGN.read_text(encoding="utf-8"))
    assert told is not None
    assert abs(lines - int(told[1].replace(",", ""))) <= 1_000


@pytest.mark.nightly
@pytest.mark.parametrize("gone", [*ROOMS.values(), ALL], ids=[*ROOMS, "all"])
def test_the_package_works_without_a_room(gone: Collection[str], tmp_path: Path) -> None:
    """Nothing but the room itself imports it, and the demonstration can be made and checked."""
    package = without(gone, tmp_path)
    starts(package, gone)
    run(package, "-m", "roadstead", "demo", "--out", "demo")
    run(package, "-m", "roadstead", "verify", "demo/release")
