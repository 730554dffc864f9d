"""The package works without any of the rooms that can be taken out."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

import roadstead
from roadstead import registry, rooms
from roadstead.errors import MissingExtraError, VerificationError
from roadstead.release.kind import release_of
from roadstead.rooms import ROOMS
from roadstead.schemas.documents import schema_names
from roadstead.web.sessions.candidate_requests import USUAL
from roadstead.web.sessions.prepared import Prepared

PACKAGE = Path(roadstead.__file__).parent
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
ALL = tuple(ROOMS)
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


def gone_with(room: str) -> list[str]:
    """Name a room and the rooms that do not work without it."""
    found = [room]
    for one in found:
        found += [name for name, other in ROOMS.items() if one in other.needs and name not in found]
    return found


def places_of(rooms: Collection[str]) -> list[str]:
    return [place for room in rooms for place in ROOMS[room].places]


def starts(package: Path, gone: Collection[str]) -> None:
    """Everything imports, and there is no command, function, or schema of a room that is gone."""
    assert int(run(package, "-c", IMPORT_ALL, str(package))) > 100
    text = run(package, "-m", "roadstead", "--help")
    exported = run(package, "-c", "import roadstead; print(*roadstead.__all__)").split()
    documents = run(package, "-m", "roadstead", "schema").split()
    missing = {command for room in gone for command in ROOMS[room].commands}
    for command in (command for room in ROOMS.values() for command in room.commands):
        shown = re.search(rf"^\W*{command} ", text, re.MULTILINE)
        assert (shown is None) == (command in missing)
        if command in roadstead.__all__:
            assert (command in exported) == (command not in missing)
        if command in schema_names():
            assert (command in documents) == (command not in missing)


def imported_by(node: ast.AST) -> Iterator[str]:
    """Paths of what a module imports when it runs, also in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "").startswith("roadstead."):
            home = str(child.module).removeprefix("roadstead.").replace(".", "/")
            yield from (f"{home}/{one.name}" for one in child.names)
        yield from imported_by(child)


def test_no_other_module_imports_a_room() -> None:
    """A module that uses a room gets a part of it by name, and works without it."""
    files = {str(file.relative_to(PACKAGE)): file for file in PACKAGE.rglob("*.py")}
    del files["cli/app.py"]  # a command of a room imports it when the command runs
    names = {
        name: set(imported_by(ast.parse(file.read_text(encoding="utf-8"))))
        for name, file in files.items()
    }
    wrong = set()
    for room in ROOMS:
        inside = tuple(f"{place.removesuffix('.py')}/" for place in places_of(gone_with(room)))
        for name, found in names.items():
            if not f"{name.removesuffix('.py')}/".startswith(inside):
                wrong |= {(name, one) for one in found if one.startswith(inside)}
    assert not wrong


@pytest.mark.parametrize("room", [name for name, one in ROOMS.items() if one.mark])
def test_a_release_that_needs_a_missing_room_is_refused(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line that names the room, and never as the release of a table."""
    (tmp_path / "certificate.json").write_text(json.dumps({ROOMS[room].mark: 1}))
    assert release_of(tmp_path).mark == ROOMS[room].mark
    monkeypatch.setattr(rooms, "has", lambda name: name != room)
    with pytest.raises(VerificationError, match=f"is not installed: {room}") as refused:
        release_of(tmp_path)
    assert "\n" not in str(refused.value)


def test_work_that_needs_a_missing_room_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of a room that is here is imported."""
    place = "verbs.apply.as_sql:as_sql"
    assert registry.required("SQL statements of policies", place) is roadstead.as_sql
    monkeypatch.setattr(registry, "has", lambda _: False)
    with pytest.raises(MissingExtraError, match="is not installed: SQL statements of policies"):
        registry.required("SQL statements of policies", place)


def test_the_workbench_names_the_missing_room_of_a_private_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a release that was prepared with the room, and is shown without it."""
    nothing: Any = {}
    prepared = Prepared(USUAL, tmp_path, nothing, nothing, current=True, said={})
    monkeypatch.setattr(registry, "has", lambda _: False)
    with pytest.raises(MissingExtraError, match="is not installed: private releases"):
        _ = prepared.unit


def test_the_package_starts_without_all_rooms_that_can_be_taken_out(tmp_path: Path) -> None:
    """The rest is as docs/design.md says, to a thousand lines."""
    starts(without(places_of(ALL), tmp_path), ALL)
    out = [PACKAGE / place for place in places_of(ALL)]
    left = [
        file for file in PACKAGE.rglob("*.py") if not any(file.is_relative_to(one) for one in out)
    ]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in left)
    told = re.search(r"Roadstead has about ([\d,]+) lines", DESIGN.read_text(encoding="utf-8"))
    assert told is not None
    assert abs(lines - int(told[1].replace(",", ""))) <= 1_000


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration of the whole package."""
    folder = tmp_path_factory.mktemp("whole") / "demo"
    run(PACKAGE.parent, "-m", "roadstead", "demo", "--out", str(folder))
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize("gone", [*map(gone_with, ROOMS), ALL], ids=[*ROOMS, "all"])
def test_the_package_works_without_a_room(
    gone: Collection[str], demo: Path, tmp_path: Path
) -> None:
    """A table can be released and checked, and the demonstration of the whole package, too."""
    package = without(places_of(gone), tmp_path)
    starts(package, gone)
    run(package, "-m", "roadstead", "verify", f"{demo}/release")
    table = (f"{demo}/patients.csv", "--quasi", "sex,race,zip", "--sensitive", "outcome")
    run(package, "-m", "roadstead", "anonymize", *table, "--k", "5", "--out", "own")
    run(package, "-m", "roadstead", "verify", "own")
