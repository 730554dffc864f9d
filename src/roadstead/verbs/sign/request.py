"""Define the request to sign a release."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, released_table, request
from roadstead.requests.forms import FILE, FOLDER, SWITCH, TEXT
from roadstead.requests.groups import OtherPackages
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.release.signing.finding import SignatureFinding  # noqa: F401 - in a text below


@request
class SignRequest(VerbRequest["SignatureFinding"], OtherPackages):
    """Sign a release, so that recipients can see who made it.

    Raises
    ------
    VerificationError
        When the release does not meet its privacy requirements and should not be signed.
    SettingError
        When the key or the name is missing, the file is not a private key, or others can read it.
        Also when the key is in the folder of a release, or the last day is in the past.
    OutputError
        When the release is already signed, or its folder cannot be written to.
    """

    verb: ClassVar = "sign"
    example: ClassVar = "release {key=signing.key} {name=Ana Costa, registry office}"
    release: str | Path = option("Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE")
    key: str | Path | None = option(
        "Private key that signs the release. To make a private key, run roadstead key with "
        "{purpose=signing}.",
        FILE,
        default=None,
        heading=Heading.SIGNATURE,
        common=True,
    )
    name: str | None = option(
        "Name of the person or office that signs.",
        TEXT,
        default=None,
        heading=Heading.SIGNATURE,
        common=True,
        metavar="NAME",
    )
    role: str | None = option(
        "Role of the signer, for example 'privacy officer'.",
        TEXT,
        default=None,
        heading=Heading.SIGNATURE,
        common=True,
    )
    expires: date | str | None = option(
        "Last day on which the signature is valid, for example 2027-06-30 (UTC).",
        TEXT,
        default=None,
        heading=Heading.SIGNATURE,
        common=True,
        metavar="DATE",
        usual="no last day",
        check=checks.day,
    )
    table: Any = released_table(default=None)
    force: bool = option(
        "Replace an existing signature.",
        SWITCH,
        default=False,
        heading=Heading.SIGNATURE,
        common=True,
    )
