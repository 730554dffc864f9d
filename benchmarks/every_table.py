"""Scan every table of a folder, accept the proposal, and list what would be released.

    python benchmarks/every_table.py DATA [--details]

For each table: how many columns scan proposes for each role, how many it leaves undecided, and
which columns a release of the proposal holds. It is what a hurried user does, so no identifier may
be among the released, and no date may be lost for being a date. With ``--details`` each column is
listed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tomlkit

ROLES = ("quasi", "sensitive", "identifiers", "unchanged", "undecided")
_COMMAND = (sys.executable, "-m", "roadstead")


@dataclass(frozen=True)
class Walk:
    """The result for one table.

    Attributes
    ----------
    name
        The table.
    roles
        Columns by role, as scan proposed them.
    released
        Columns of the release; empty where there is none.
    told
        The error on one line if there is no release; empty if there is one.
    """

    name: str
    roles: dict[str, list[str]]
    released: list[str]
    told: str


def tables(folder: Path) -> Iterator[str]:
    """Name the tables of a folder and its sub-folders, and the health schemas there."""
    for path in sorted(folder.rglob("*")):
        table = re.search(r"\.(csv|data|test)(\.gz)?$", path.name)
        if path.is_file() and table and "hierarchies" not in path.parent.name:
            yield str(path)
        if path.is_dir() and any(path.glob("PERSON.csv*")):
            yield f"omop:{path}"
        if path.is_dir() and any(path.glob("hospitalInformation*.json.gz")):
            yield f"fhir:{path}"


def walk(table: str, folder: Path) -> Walk:
    """Scan a table and anonymize it as proposed, in an empty folder."""
    project = folder / "project.toml"
    scanned = _run("scan", table, "--out", str(project))
    if scanned.returncode:
        return Walk(table, {}, released=[], told=_last(scanned.stderr))
    text = project.read_text(encoding="utf-8")
    listed = tomlkit.parse(text).unwrap()["roles"]
    roles = {role: list(listed.get(role, [])) for role in ROLES}
    done = _release(project, folder / "release")
    if done.returncode:
        return Walk(table, roles, [], _last(done.stderr))
    columns = json.loads((folder / "release" / "policy.json").read_text(encoding="utf-8"))
    kept = [a["name"] for a in columns["attributes"]]
    kept += [*columns["columns"]["sensitive"], *columns["columns"]["unchanged"]]
    return Walk(table, roles, kept, "")


def _release(project: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return _run("anonymize", "--project", str(project), "--time-limit", "20", "--out", str(out))


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=1800
    )


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def main() -> None:
    """Walk through every table and print what became of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    print(f"{'table':<46} " + " ".join(f"{role[:9]:>9}" for role in ROLES) + "  released")
    for table in tables(options.data):
        with tempfile.TemporaryDirectory() as folder:
            found = walk(table, Path(folder))
        counts = " ".join(f"{len(found.roles.get(role, [])):>9}" for role in ROLES)
        end = found.told or f"{len(found.released)} columns"
        name = table.replace(str(options.data), "").lstrip("/")
        print(f"{name[:46]:<46} {counts}  {end}", flush=True)
        if options.details:
            for role, columns in found.roles.items():
                shown = [f"{c}{'' if c in found.released else '-'}" for c in columns]
                print(f"    {role:<12} {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
