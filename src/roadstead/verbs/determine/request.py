"""What a determination is requested with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, FOLDER, NEW_FILE, NEW_FOLDER, SWITCH, TABLE, choice
from roadstead.requests.groups import OtherPackages

if TYPE_CHECKING:
    from roadstead.verbs.determine.result import (
        DeterminationFinding,  # noqa: F401 - in a text below
    )


@request
class DetermineRequest(VerbRequest["DeterminationFinding"], OtherPackages):
    """Write down what regulators ask about a release: figures, people's answers, what is missing.

    Raises
    ------
    VerificationError
        When the folder is no release, or the release does not keep what it promises.
    SettingError
        When the answers are about another release or have a key that is not known, or something
        would be written into the folder of a release.
    OutputError
        When it cannot be written there.
    MissingExtraError
        When a PDF is requested and Typst is not installed.
    """

    verb: ClassVar = "determine"
    release: Path = option(
        "Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE", check=checks.path
    )
    answers: Path | None = option(
        "File of what people answer, determination.toml.",
        FILE,
        default=None,
        metavar="FILE",
        check=checks.path,
    )
    dialect: Literal["hipaa", "ema", "iso27559", "ipc", "ehds", "all"] = option(
        "Who asks: hipaa, ema, iso27559, ipc, ehds or all.",
        choice("hipaa", "ema", "iso27559", "ipc", "ehds", "all"),
        default="all",
        metavar="DIALECT",
        usual="all",
    )
    new: Path | None = option(
        "New file of questions, to be filled in as {answers}.",
        NEW_FILE,
        default=None,
        metavar="FILE",
    )
    table: Any = option(
        "Where the table of the release is, if it is in a database.",
        TABLE,
        default=None,
        metavar="ADDRESS",
    )
    signed_by: Path | None = option(
        "Public key of whoever is to have signed the release.",
        FILE,
        default=None,
        metavar="FILE.pub",
        check=checks.path,
    )
    out: Path | None = option(
        "New folder for the documents.", NEW_FOLDER, default=None, metavar="DIR"
    )
    pdf: bool = option("Write each document as a PDF, too.", SWITCH, default=False)
    force: bool = option("Replace a former determination.", SWITCH, default=False)

    @property
    def writes(self) -> bool:
        """Whether it asks for documents or for questions."""
        return self.new is not None or self.out is not None
