"""Define the request for a determination."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests.fields import (
    VerbRequest,
    new_folder,
    option,
    output_switch,
    released_table,
    request,
)
from roadstead.requests.forms import FILE, FOLDER, NEW_FILE, choice
from roadstead.requests.groups import OtherPackages
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.verbs.determine.result import (
        DeterminationFinding,  # noqa: F401 - in a text below
    )


@request
class DetermineRequest(VerbRequest["DeterminationFinding"], OtherPackages):
    """Write the documents that regulators require about a release.

    Raises
    ------
    VerificationError
        When the folder is not a release, or the release does not meet its privacy requirements.
    SettingError
        When the answers are about a different release or have an unknown key. Also when an output
        would be in the folder of a release.
    OutputError
        When an output cannot be written.
    MissingExtraError
        When a PDF is requested and Typst is not installed.
    """

    verb: ClassVar = "determine"
    example: ClassVar = "release {dialect=hipaa} {new=determination.toml}"
    release: Path = option("Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE")
    answers: Path | None = option(
        "File with the answers to the questions, for example determination.toml.",
        FILE,
        default=None,
        heading=Heading.DOCUMENTS,
        common=True,
    )
    dialect: Literal["hipaa", "ema", "iso27559", "ipc", "ehds", "all"] = option(
        "Regulator or standard: hipaa, ema, iso27559, ipc, ehds, or all.",
        choice("hipaa", "ema", "iso27559", "ipc", "ehds", "all"),
        default="all",
        heading=Heading.DOCUMENTS,
        common=True,
        metavar="NAME",
    )
    new: Path | None = option(
        "New file for the questions. Write your answers in this file, and then name it with "
        "{answers}.",
        NEW_FILE,
        default=None,
        heading=Heading.OUTPUT,
        common=True,
    )
    table: Any = released_table(default=None)
    signed_by: Path | None = option(
        "Public key of the expected signer.",
        FILE,
        default=None,
        heading=Heading.CHECKS,
        common=True,
        metavar="FILE.pub",
    )
    out: Path | None = new_folder("New folder for the documents.", default=None)
    pdf: bool = output_switch("Also write each document as a PDF.", default=False)
    force: bool = output_switch("Replace an earlier determination.", default=False)

    @property
    def writes(self) -> bool:
        """Return whether the request writes documents or questions."""
        return self.new is not None or self.out is not None
