"""Run all steps from a scan to a verified release on simulated patients."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.cohort import write_csv
from roadstead.jobs import Delivery, Observer
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.kind import files_of
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification
from roadstead.reports.terminal.anonymization import summary
from roadstead.reports.verification import document
from roadstead.reports.wording import counted
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.verify.request import VerifyRequest

if TYPE_CHECKING:
    from roadstead.verbs.demo.request import DemoRequest

PATIENTS, PROJECT, RELEASE = "patients.csv", "patients.toml", "release"
_DECIDED = {"length_of_stay": "unchanged"}
"""The column whose role the demonstration chooses, because a scan suggests no role."""
MADE = "demo.json"
"""The fingerprints of the generated files."""


def deliver(request: DemoRequest, observer: Observer) -> Delivery[Anonymization]:
    """Simulate patients, scan their table, release and verify it, and describe the steps."""
    out = request.out
    with staged(out, force=request.force, own=_former) as folder:
        result, verification = _play(folder, request, observer)
    return Delivery(
        result,
        (
            *summary(result),
            f"Read the report: {out / RELEASE / 'report.html'}",
            *result.ending(),
        ),
        {**result.to_dict(), "out": str(out), "verification": document(verification)},
        exit_code=0 if verification.passed else 1,
    )


def _play(
    folder: Path, request: DemoRequest, observer: Observer
) -> tuple[Anonymization, Verification]:
    """Run all steps in a temporary folder, and rename it to the requested folder at the end."""
    out, patients = request.out, request.patients
    write_csv(folder / PATIENTS, patients=patients, seed=request.seed)
    observer.note(f"1. {counted(patients, 'made-up patient')}: {out / PATIENTS}")
    proposal = ScanRequest(folder / PATIENTS).run().deciding(_DECIDED)
    observer.opened(proposal.source)
    proposal.write(folder / PROJECT)
    observer.note(
        "2. Scanned. The demo uses the proposed roles, and releases the length of stay unchanged: "
        f"{out / PROJECT}"
    )
    made = [asdict(fingerprint(folder / name)) for name in (PATIENTS, PROJECT)]
    write_json(made, folder / MADE)
    project = read_project(folder / PROJECT, [AnonymizeRequest])
    accepted = joined(AnonymizeRequest, {"data": proposal.source}, project)
    result = accepted.run()
    result.write(folder / RELEASE)
    observer.note(f"3. De-identified: {out / RELEASE}")
    verification = VerifyRequest(folder / RELEASE).run()
    passed = sum(check.passed for check in verification.checks)
    checks = counted(len(verification.checks), "check")
    observer.note(f"4. Verified with only the released files: {passed} of {checks}")
    return result, verification


def _former(folder: Path) -> frozenset[str]:
    try:
        made = [Fingerprint(**entry) for entry in json.loads((folder / MADE).read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return frozenset()
    own = {MADE, *(file.name for file in made if is_unchanged(folder, file))}
    release = folder / RELEASE
    if release.is_dir() and {entry.name for entry in release.iterdir()} <= files_of(release):
        own.add(RELEASE)
    return frozenset(own)
