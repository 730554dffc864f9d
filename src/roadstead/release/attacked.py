"""Write what attacks found into the certificate of a release that is there already.

A new folder is made aside, with the same files, the page of the attacks, a report that tells of
them and a new certificate. It is checked as a stranger would check it, and then both folders change
places in one step: whatever stops the work before leaves the release as it was. A signature is of
the former certificate, so it stays behind; whoever signed may sign anew.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.regular_files import content_of
from roadstead.release.certificate import (
    ATTACKS_PAGE,
    CERTIFICATE,
    REPORT,
    files_of,
    read_certificate,
    write_certificate,
)
from roadstead.release.documents import Fingerprint, fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.private.certificate import (
    is_private,
    private_files_of,
    read_private_certificate,
    rendered,
    sealed,
)
from roadstead.release.private.verify import verify_private
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import verify_release

UNCHANGED = "the release stays as it was, because it fails its check"


@dataclass(frozen=True)
class Certified:
    """A release with what attacks found in its certificate.

    `unsigned`: whether a signature was taken off.
    """

    verification: Verification
    unsigned: bool


def verified(folder: Path, allowed: Collection[str] = ()) -> Verification:
    """Check a release of either kind; nothing of other packages than the allowed ones is loaded."""
    if is_private(folder):
        return verify_private(folder)
    return verify_release(folder, allowed=allowed)


def certified_attacks(folder: Path) -> tuple[CertifiedAttack, ...]:
    """Give what a release's certificate has of attacks already."""
    path = folder / CERTIFICATE
    if is_private(folder):
        return tuple(read_private_certificate(path).attacks or ())
    return tuple(read_certificate(path)[0].attacks or ())


def certify_attacks(
    folder: Path,
    attacks: Sequence[CertifiedAttack],
    page: str,
    report: Callable[[str], str],
    *,
    allowed: Collection[str] = (),
) -> Certified:
    """Put what attacks found in a release's certificate, in the place of what it has of them.

    `report` makes of the release's report, if it has one, the one that tells of them. `allowed`:
    packages that are not Roadstead and whose models may check the release. A
    `VerificationError` if the release fails its check before or after; then nothing is changed.
    """
    verified(folder, allowed).require(where=str(folder))
    private = is_private(folder)
    signed = (folder / SIGNATURE).exists()
    with staged(folder, force=True, own=private_files_of if private else files_of) as aside:
        files = []
        for file in _others(folder, private=private):
            if file.name == REPORT:
                said = report(content_of(folder / REPORT, own=True).decode("utf-8"))
                (aside / REPORT).write_text(said, encoding="utf-8")
                files.append(fingerprint(aside / REPORT))
            else:
                _same_file(folder / file.name, aside / file.name)
                files.append(file)
        (aside / ATTACKS_PAGE).write_text(page, encoding="utf-8")
        files.append(fingerprint(aside / ATTACKS_PAGE))
        _certify(folder, aside, tuple(files), attacks, private=private)
        again = verified(aside, allowed)
        again.require(where=UNCHANGED)
    return Certified(again, signed)


def _others(folder: Path, *, private: bool) -> tuple[Fingerprint, ...]:
    """List the certified files but for the page of attacks."""
    if private:
        files = read_private_certificate(folder / CERTIFICATE).files
    else:
        files = read_certificate(folder / CERTIFICATE)[0].all_files
    return tuple(one for one in files if one.name != ATTACKS_PAGE)


def _certify(
    folder: Path,
    aside: Path,
    files: tuple[Fingerprint, ...],
    attacks: Sequence[CertifiedAttack],
    *,
    private: bool,
) -> None:
    if private:
        before = read_private_certificate(folder / CERTIFICATE)
        after = sealed(replace(before, files=files, attacks=tuple(attacks)))
        (aside / CERTIFICATE).write_bytes(rendered(after))
        return
    certificate, _ = read_certificate(folder / CERTIFICATE)
    table = certificate.table
    others = tuple(one for one in files if one != table)
    made = replace(certificate, files=others, attacks=tuple(attacks))
    write_certificate(made, aside / CERTIFICATE)


def _same_file(old: Path, new: Path) -> None:
    """Have a file in both folders; where the file system cannot, copy it."""
    if old.is_symlink():
        raise VerificationError("is a link", where=str(old))
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)
