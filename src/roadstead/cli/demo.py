"""The command ``demo``: the main job, end to end, on patients that do not exist."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from roadstead.cli.show import note, show, show_json
from roadstead.cohort.writing import write_csv
from roadstead.release.certificate import files_of
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification
from roadstead.reports.verification import document
from roadstead.reports.wording import counted
from roadstead.requests.former_project import read_project
from roadstead.tables.reading import read
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.anonymize.run import anonymize
from roadstead.verbs.anonymize.words import summary
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.verify.request import VerifyRequest

PATIENTS, PROJECT, RELEASE = "patients.csv", "patients.toml", "release"
_DECIDED = {"length_of_stay": "insensitive"}
"""Nothing suggests a role of it, so a person has to decide; the demonstration does."""
MADE = "demo.json"
"""Fingerprints of the files made up, so that no other is ever taken for them."""


def demo(out: Path, patients: int, seed: int, *, force: bool, as_json: bool) -> int:
    """Run the command."""
    with staged(out, force=force, own=_former) as folder:
        result, verification = _play(folder, out, patients, seed)
    if as_json:
        show_json({**result.to_dict(), "out": str(out), "verification": document(verification)})
    else:
        show([*summary(result), f"Read the report: {out / RELEASE / 'report.html'}"])
    return 0 if verification.passed else 1


def _play(folder: Path, out: Path, patients: int, seed: int) -> tuple[Anonymization, Verification]:
    """Go through the main job in a folder that becomes `out`."""
    write_csv(folder / PATIENTS, patients=patients, seed=seed)
    note(f"1. {counted(patients, 'made-up patient')}: {out / PATIENTS}")
    with read(folder / PATIENTS) as source:
        ScanRequest(source).run().deciding(_DECIDED).write(folder / PROJECT)
        note(f"2. Scanned; accepted, with the stay decided to be insensitive: {out / PROJECT}")
        made = [asdict(fingerprint(folder / name)) for name in (PATIENTS, PROJECT)]
        write_json(made, folder / MADE)
        project = read_project(folder / PROJECT)
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
        result.write(folder / RELEASE)
    note(f"3. De-identified: {out / RELEASE}")
    verification = VerifyRequest(folder / RELEASE).run()
    passed = sum(check.passed for check in verification.checks)
    checks = counted(len(verification.checks), "check")
    note(f"4. Verified from the released files alone: {passed} of {checks}")
    return result, verification


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former demonstration left it."""
    try:
        made = [Fingerprint(**entry) for entry in json.loads((folder / MADE).read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return frozenset()
    own = {MADE, *(file.name for file in made if is_unchanged(folder, file))}
    release = folder / RELEASE
    if release.is_dir() and {entry.name for entry in release.iterdir()} <= files_of(release):
        own.add(RELEASE)
    return frozenset(own)
