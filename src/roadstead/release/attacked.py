"""Write the results of attacks into the certificate of an existing release.

The module creates a new folder with the same files, a page about the attacks, a report that
includes the attacks, and a new certificate. Roadstead checks the new folder as a recipient would.
Then the two folders are swapped in one step, so an interruption leaves the earlier release
unchanged. An existing signature is not copied, because it covers the earlier certificate.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.regular_files import content_of
from roadstead.release.certificate import ATTACKS_PAGE, REPORT
from roadstead.release.documents import fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.kind import files_of, release_of, verified
from roadstead.release.publishing import unseen
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.verification.checks import Verification

UNCHANGED = "the release is unchanged, because it fails verification"


@dataclass(frozen=True)
class Certified:
    """A release with attack results in its certificate, and whether a signature was removed."""

    verification: Verification
    unsigned: bool


def certify_attacks(
    folder: Path,
    attacks: Sequence[CertifiedAttack],
    page: str,
    report: Callable[[str], str],
    *,
    allowed: Collection[str] = (),
) -> Certified:
    """Write the results of attacks into a release's certificate, and replace earlier results.

    If the release has a report, `report` adds the attacks to this report. `allowed` lists packages
    other than Roadstead whose models may check the release. If the release fails its check before
    or after the change, the function raises a `VerificationError`, and the release stays unchanged.
    """
    verified(folder, allowed).require(where=str(folder))
    release, signed = release_of(folder, allowed), (folder / SIGNATURE).exists()
    with unseen(folder, force=True, own=partial(files_of, allowed=allowed)) as made:
        aside, files = made.folder, []
        for file in release.files:
            if file.name == ATTACKS_PAGE:
                continue
            if file.name == REPORT:
                said = report(content_of(folder / REPORT, own=True).decode("utf-8"))
                (aside / REPORT).write_text(said, encoding="utf-8")
                files.append(fingerprint(aside / REPORT))
            else:
                _same_file(folder / file.name, aside / file.name)
                files.append(file)
        (aside / ATTACKS_PAGE).write_text(page, encoding="utf-8")
        files.append(fingerprint(aside / ATTACKS_PAGE))
        again = made.certify(
            release.with_attacks(files, attacks),
            partial(verified, allowed=allowed),
            failed=UNCHANGED,
        )
    return Certified(again, signed)


def _same_file(old: Path, new: Path) -> None:
    """Link a file into the new folder, or copy the file if it cannot be linked."""
    if old.is_symlink():
        raise VerificationError("this file is a link to another file", where=str(old))
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)
