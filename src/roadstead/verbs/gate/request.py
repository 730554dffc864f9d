"""Define the request to check a release against rules."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, released_table, request
from roadstead.requests.forms import FILE, FOLDER, TEXT
from roadstead.requests.groups import OtherPackages
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.release.gate.rules import GateFinding  # noqa: F401 - in a text below


@request
class GateRequest(VerbRequest["GateFinding"], OtherPackages):
    """Check that a release is verified and meets the rules in a file.

    Raises
    ------
    VerificationError
        When the folder does not have a readable certificate.
    SettingError
        When the rules are missing or wrong, or name a key that is not a public key.
    SourceError
        When the folder does not exist.
    """

    verb: ClassVar = "gate"
    example: ClassVar = "release {rules=gate.toml}"
    release: str | Path = option("Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE")
    rules: str | Path | None = option(
        "File with the rules that the release must meet, for example gate.toml.",
        FILE,
        default=None,
        heading=Heading.CHECKS,
        common=True,
    )
    table: Any = released_table(default=None)
    on: date | str | None = option(
        "Day for which the gate checks whether the signature and the certificate are recent "
        "enough, for example 2027-06-30 (UTC).",
        TEXT,
        default=None,
        heading=Heading.CHECKS,
        common=True,
        metavar="DATE",
        usual="today",
        check=checks.day,
    )
