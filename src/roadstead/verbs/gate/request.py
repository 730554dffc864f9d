"""What a gate is asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, FOLDER, TABLE, TEXT
from roadstead.requests.groups import OtherPackages

if TYPE_CHECKING:
    from roadstead.release.gate.rules import GateFinding  # noqa: F401 - in a text below


@request
class GateRequest(VerbRequest["GateFinding"], OtherPackages):
    """Let a release pass only if it is verified and keeps the rules of a gate.

    Raises
    ------
    VerificationError
        When the folder has no certificate that can be read.
    SettingError
        When the rules are missing or not ones, or a key that they name is none.
    SourceError
        When there is no such folder.
    """

    verb: ClassVar = "gate"
    release: str | Path = option(
        "Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE", check=checks.path
    )
    rules: str | Path | None = option(
        "Rules of the gate, such as gate.toml.",
        FILE,
        default=None,
        metavar="FILE",
        check=checks.path,
    )
    table: Any = option(
        "Where the table of the release is, if it is in a database.",
        TABLE,
        default=None,
        metavar="ADDRESS",
    )
    on: date | str | None = option(
        "Day on which neither signature nor certificate may be too old, as 2027-06-30 (UTC).",
        TEXT,
        default=None,
        metavar="DATE",
        usual="today",
        check=checks.day,
    )
