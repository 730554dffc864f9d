"""Check the files of a release: each file must be certified and unchanged.

A release may contain `verify.html`, a page that checks the release in a browser. A forger could
replace this page with a page that accepts every release. So the page must be identical to the page
that belongs to the version of Roadstead that wrote the certificate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from roadstead import __version__
from roadstead.printable import named
from roadstead.release.documents import Fingerprint
from roadstead.release.verification.checks import Check, check_file, check_folder

VERIFIER_PAGE = "verify.html"
"""The page that checks a release in a browser, without Roadstead."""
_EARLIER_PAGES: dict[str, str] = {}
"""The SHA-256 hashes of the pages of earlier versions, by version."""


@cache
def verifier_page() -> bytes:
    """Return the page of this version. The page is the same in every release."""
    return (files("roadstead.standalone") / VERIFIER_PAGE).read_bytes()


def check_files(
    folder: Path,
    certified: Sequence[Fingerprint],
    needed: Sequence[str],
    allowed: Collection[str],
    software: str,
) -> list[Check]:
    """Check the files that a certificate lists.

    The certificate must list the names in `needed`, and may list the names in `allowed`. `software`
    is the version of Roadstead that wrote the certificate.
    """
    names = [one.name for one in certified]
    return [
        *(_check(folder, one, software) for one in certified),
        check_folder(folder, names, needed, {VERIFIER_PAGE, *allowed}),
    ]


def _check(folder: Path, file: Fingerprint, software: str) -> Check:
    """Check a file. A page must also be the page of the version that wrote the certificate."""
    found = check_file(folder, file)
    if not found.passed or file.name != VERIFIER_PAGE:
        return found
    expected = _EARLIER_PAGES.get(software)
    if software == __version__:
        expected = hashlib.sha256(verifier_page()).hexdigest()
    if expected is None:
        detail = f"this version cannot check the page of Roadstead {named(software)}"
    elif file.sha256 != expected:
        detail = f"the file is not the page of Roadstead {named(software)}, so do not open it"
    else:
        return found
    return replace(found, passed=False, detail=detail)
