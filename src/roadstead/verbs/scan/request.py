"""Define the request to scan a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roadstead.requests.fields import VerbRequest, option, output_switch, request
from roadstead.requests.forms import NEW_FILE
from roadstead.requests.groups import CodebookOption, Reading, TableInput
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.verbs.scan.result import Proposal  # noqa: F401 - in a text below


@request
class ScanRequest(VerbRequest["Proposal"], TableInput, Reading, CodebookOption):
    """Suggest a role for each column, and write a project file.

    Raises
    ------
    SourceError
        When the table cannot be read.
    """

    verb: ClassVar = "scan"
    from_project: ClassVar = False
    example: ClassVar = "patients.csv {out=patients.toml}"
    out: Path | None = option(
        "New project file.",
        NEW_FILE,
        default=None,
        heading=Heading.OUTPUT,
        common=True,
        usual="DATA.toml",
    )
    force: bool = output_switch("Replace an existing project file.", default=False)
