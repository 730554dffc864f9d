"""Define the request to verify a release."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.checks import shown, wrong
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, TABLE, TEXT, WHOLE
from roadstead.requests.groups import OtherPackages, QuasiIdentifiers, Reading
from roadstead.requests.headings import Heading
from roadstead.requests.persons import PersonKnowledge

if TYPE_CHECKING:
    from roadstead.release.verification.checks import Verification  # noqa: F401 - in a text below


def _release(value: Any, key: str) -> Any:  # noqa: ANN401 - a path, or a table of any library
    if value is None or isinstance(value, int | float):
        fix = 'pass the folder of a release, for example "release", or a table'
        raise wrong(key, f"{shown(value)} is not a release", fix)
    return value


@request
class VerifyRequest(
    VerbRequest["Verification"], QuasiIdentifiers, PersonKnowledge, OtherPackages, Reading
):
    """Check a release against its certificate.

    Raises
    ------
    VerificationError
        When the folder does not have a readable certificate.
    SettingError
        When a table is given without `quasi` or `k`, or a folder is given with `quasi`, `k`,
        `person`, or `knows`. When `table` is given although the folder contains the released table,
        or is missing although the folder does not contain the table. When `signed_by` is not a
        public key, or is part of the release.
    SourceError
        When the file, folder, or table does not exist.
    """

    verb: ClassVar = "verify"
    example: ClassVar = "release"
    release: Any = option(
        "Folder of a release; or any table, with {quasi} and {k}.",
        TABLE,
        kw_only=False,
        metavar="RELEASE",
        check=_release,
        says="Folder of a release, which may be differentially private; or any table, with "
        "`quasi` and `k`.",
    )
    k: int | None = option(
        "Smallest group size that a table must have, 2 or more. Used only if the table is not a "
        "release.",
        WHOLE,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
    )
    table: Any = option(
        "Address of the released table, if it is in a database.",
        TABLE,
        default=None,
        heading=Heading.CHECKS,
        common=("verify",),
        metavar="ADDRESS",
        says="Released table, if it is in a database: its address, or an Ibis table.",
    )
    signed_by: str | Path | None = option(
        "Public key of the expected signer.",
        FILE,
        default=None,
        heading=Heading.CHECKS,
        common=True,
        metavar="FILE.pub",
        says="File with the public key of the expected signer. Get this file from the signer, not "
        "with the release.",
    )
    on: date | str | None = option(
        "Day on which the signature must still be valid, for example 2027-06-30 (UTC).",
        TEXT,
        default=None,
        heading=Heading.CHECKS,
        common=True,
        metavar="DATE",
        usual="today",
        check=checks.day,
    )
