"""What a verification is asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, TABLE, TEXT, WHOLE
from roadstead.requests.groups import OtherPackages, QuasiIdentifiers, Reading
from roadstead.requests.persons import PersonKnowledge

if TYPE_CHECKING:
    from roadstead.release.verification.checks import Verification  # noqa: F401 - in a text below


@request
class VerifyRequest(
    VerbRequest["Verification"], QuasiIdentifiers, PersonKnowledge, OtherPackages, Reading
):
    """Check a release against its certificate, from the released table alone.

    Raises
    ------
    VerificationError
        When the folder has no certificate that can be read.
    SettingError
        When a table is given without `quasi` or `k`, or a folder with them, `person` or `knows`;
        when `table` is given and the release has its table in the folder, or is not given and the
        release has not; when `signed_by` is no public key, or came with the release.
    SourceError
        When there is no such file, folder or table.
    """

    verb: ClassVar = "verify"
    release: Any = option(
        "Folder of a release, or any table.",
        TABLE,
        kw_only=False,
        metavar="RELEASE",
        says="The folder of a release, be it differentially private or not; or, with `quasi` and "
        "`k`, any table.",
    )
    k: int | None = option("Smallest class allowed.", WHOLE, default=None)
    table: Any = option(
        "Where the table of the release is, if it is in a database.",
        TABLE,
        default=None,
        metavar="ADDRESS",
        says="Where the table of the release is, if it is in a database: its address, or an Ibis "
        "table.",
    )
    signed_by: str | Path | None = option(
        "Public key of whoever is to have signed the release.",
        FILE,
        default=None,
        metavar="FILE.pub",
        check=checks.path,
        says="The file of the public key of whoever is to have signed the release, got by another "
        "way than the release.",
    )
    on: date | str | None = option(
        "Day on which a signature must not have expired, as 2027-06-30 (UTC).",
        TEXT,
        default=None,
        metavar="DATE",
        usual="today",
        check=checks.day,
    )
