"""Publish a release of any kind: write it to a hidden folder, check its files, and rename it.

Each kind decides what it writes. The rules here apply to all kinds. A release is visible only after
it has been checked as a recipient would check it. It replaces a former release and nothing else. A
failed check leaves everything unchanged.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.documents import Fingerprint, alongside, fingerprint
from roadstead.release.kind import files_of, verified
from roadstead.release.staging import Own, staged
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.files import VERIFIER_PAGE, verifier_page

FAILED = "the release was not published, because it failed verification"


@dataclass(frozen=True)
class UnseenRelease:
    """The hidden folder of a release; `report` waits for its HTML, if it has one.

    `verifier`: whether the release brings the page that checks it.
    """

    folder: Path
    report: Callable[[], str | None]
    verifier: bool

    def with_pages(self, *names: str) -> tuple[Fingerprint, ...]:
        """Write the pages of the release; return the fingerprints of them and of `names`."""
        html = self.report()
        if html is not None:
            (self.folder / REPORT).write_text(html, encoding="utf-8")
            names = (*names, REPORT)
        if self.verifier:
            (self.folder / VERIFIER_PAGE).write_bytes(verifier_page())
            names = (*names, VERIFIER_PAGE)
        return tuple(fingerprint(self.folder / name) for name in names)

    def certify(
        self,
        certificate: bytes,
        check: Callable[[Path], Verification] = verified,
        complete: Callable[[Path], None] | None = None,
        failed: str = FAILED,
    ) -> Verification:
        """Write the certificate and `check` the release; a `VerificationError` if it fails.

        `complete` is called with the certificate before the release is published.
        """
        path = self.folder / CERTIFICATE
        path.write_bytes(certificate)
        verification = check(self.folder)
        verification.require(where=failed)
        if complete is not None:
            complete(path)
        return verification


@contextlib.contextmanager
def unseen(
    out: Path,
    *,
    force: bool,
    report: Callable[[], str] | None = None,
    verifier: bool = False,
    own: Own = files_of,
) -> Iterator[UnseenRelease]:
    """Yield a folder that becomes `out` when the block ends without an error.

    `force` replaces a former release of any kind; a folder that contains more than its files stays.
    `report` makes the HTML in another thread meanwhile. `verifier`: whether to bring the page that
    checks the release.
    """
    with staged(out, force=force, own=own) as folder, alongside(report) as made:
        yield UnseenRelease(folder, made, verifier)
