"""Publish a release of any kind: write it to a hidden folder, check it, and rename the folder.

A release becomes visible only after Roadstead has checked it as a recipient would. A release can
replace only an earlier release. If a check fails, everything remains unchanged.
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
    """The hidden folder of a release.

    `report` waits for the HTML report, if there is one. `verifier` indicates whether to add the
    page that checks the release.
    """

    folder: Path
    report: Callable[[], str | None]
    verifier: bool

    def with_pages(self, *names: str) -> tuple[Fingerprint, ...]:
        """Write the pages, and return the fingerprints of the pages and of the files `names`."""
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
        """Write the certificate, and `check` the release.

        If a check fails, a `VerificationError` is raised. The method calls `complete` with the path
        of the certificate before the release is published.
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
    """Yield a folder that becomes `out` if the block ends without an error.

    If `force` is true, an earlier release of any kind may be replaced. A folder that contains
    anything else is never replaced. `report` generates the HTML report in another thread.
    `verifier` indicates whether to add the page that checks the release.
    """
    with staged(out, force=force, own=own) as folder, alongside(report) as made:
        yield UnseenRelease(folder, made, verifier)
