"""What signing a release is asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, FOLDER, SWITCH, TABLE, TEXT
from roadstead.requests.groups import OtherPackages

if TYPE_CHECKING:
    from roadstead.release.signing.finding import SignatureFinding  # noqa: F401 - in a text below


@request
class SignRequest(VerbRequest["SignatureFinding"], OtherPackages):
    """Sign a release, so that others see who stands behind it and that nothing was changed.

    Raises
    ------
    VerificationError
        When the release does not keep its promises, so that nobody should stand behind it.
    SettingError
        When the key or the name is missing, the key is none, others can read it, or it lies in the
        folder of a release; when the last day is past.
    OutputError
        When the release is signed already, or its folder cannot be written to.
    """

    verb: ClassVar = "sign"
    release: str | Path = option(
        "Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE", check=checks.path
    )
    key: str | Path | None = option(
        "Private key to sign with.", FILE, default=None, metavar="FILE", check=checks.path
    )
    name: str | None = option(
        "Who signs: a person or an office.",
        TEXT,
        default=None,
        metavar="WHO",
        check=checks.text,
    )
    role: str | None = option(
        "In what role, such as privacy officer.",
        TEXT,
        default=None,
        check=checks.text,
    )
    expires: date | str | None = option(
        "Last day that the signature counts, as 2027-06-30 (UTC).",
        TEXT,
        default=None,
        metavar="DATE",
        usual="it does not expire",
        check=checks.day,
    )
    table: Any = option(
        "Where the table of the release is, if it is in a database.",
        TABLE,
        default=None,
        metavar="ADDRESS",
    )
    force: bool = option("Put this signature in place of a former one.", SWITCH, default=False)
