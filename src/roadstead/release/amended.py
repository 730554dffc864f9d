"""Add a reason to a prepared release before the release is moved to its final place.

The table and the policy do not change. Before the result is published, it is checked like any other
release.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from roadstead.errors import SettingError
from roadstead.regular_files import content_of, write_whole
from roadstead.release.below_promise import BelowPromise
from roadstead.release.certificate import (
    CERTIFICATE,
    REPORT,
    read_certificate,
    write_certificate,
)
from roadstead.release.documents import fingerprint

BEGIN: Final = "<!-- below-promise -->"
END: Final = "<!-- /below-promise -->"
"""`BEGIN` and `END` mark the part of the report that describes unmet privacy requirements."""


def with_reason(folder: Path, below: BelowPromise, block: str) -> None:
    """Write a reason into the certificate and the report, and replace any earlier reason.

    `block` is the report's text between `BEGIN` and `END`.
    """
    certificate, _ = read_certificate(folder / CERTIFICATE)
    files = certificate.files
    if any(one.name == REPORT for one in files):
        text = content_of(folder / REPORT, own=True).decode("utf-8")
        write_whole(folder / REPORT, _with_block(text, block).encode("utf-8"))
        new = fingerprint(folder / REPORT)
        files = tuple(new if one.name == REPORT else one for one in files)
    write_certificate(replace(certificate, files=files, below_promise=below), folder / CERTIFICATE)


def _with_block(report: str, block: str) -> str:
    before, begin, rest = report.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        what = "the report does not have a place for a reason"
        raise SettingError(what, where=REPORT, fix="prepare the release again")
    return f"{before}{BEGIN}{block}{END}{after}"
