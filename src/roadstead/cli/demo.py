"""The command ``demo``: the main job, end to end, on patients that do not exist."""

from __future__ import annotations

import shutil
from pathlib import Path

from roadstead.cli.show import note, show, show_json
from roadstead.cohort.writing import write_csv
from roadstead.errors import OutputError
from roadstead.tables.sources import read
from roadstead.verbs.anonymize import anonymize
from roadstead.verbs.project import read_project
from roadstead.verbs.scan import scan
from roadstead.verbs.verify import to_dict, verify
from roadstead.verbs.words import summary

_OWN = {"patients.csv", "patients.toml", "release"}


def demo(out: Path, patients: int, seed: int, *, force: bool, as_json: bool) -> int:
    """Run the command."""
    _make_way(out, force=force)
    out.mkdir(parents=True, exist_ok=True)
    table, project_file = out / "patients.csv", out / "patients.toml"
    write_csv(table, patients=patients, seed=seed)
    note(f"1. {patients:,} made-up patients: {table}")
    with read(table) as source:
        proposal = scan(source)
        proposal.write(project_file)
        note(f"2. Scanned; the proposal is accepted as it stands: {project_file}")
        project = read_project(project_file)
        result = anonymize(
            source,
            quasi=project.roles.quasi,
            sensitive=project.roles.sensitive,
            identifying=project.roles.identifying,
            insensitive=project.roles.insensitive,
            declared=project.hierarchies,
            k=5,
            suppression=0.05,
        )
        result.write(out / "release")
    note(f"3. De-identified: {out / 'release'}")
    verification = verify(out / "release")
    passed = sum(check.passed for check in verification.checks)
    note(
        f"4. Verified from the released files alone: {passed} of {len(verification.checks)} checks"
    )
    if as_json:
        show_json({**result.to_dict(), "out": str(out), "verification": to_dict(verification)})
    else:
        show([*summary(result), f"Read the report: {out / 'release' / 'report.html'}"])
    return 0 if verification.passed else 1


def _make_way(out: Path, *, force: bool) -> None:
    """Remove a former demonstration, and nothing else."""
    if not out.exists():
        return
    if not out.is_dir() or not {path.name for path in out.iterdir()} <= _OWN:
        raise OutputError(
            "exists, and is not a former demonstration", where=str(out), mend="choose another --out"
        )
    if not any(out.iterdir()):
        return
    if not force:
        raise OutputError("exists already", where=str(out), mend="give --force to replace it")
    shutil.rmtree(out)
