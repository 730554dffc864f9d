"""Define the request to make a release again and compare it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FOLDER, TABLE
from roadstead.requests.groups import CodebookOption, People, Reading
from roadstead.requests.headings import Heading
from roadstead.requests.persons import PseudonymKey

if TYPE_CHECKING:
    from roadstead.reports.repetition import Repetition  # noqa: F401 - in a text below


@request
class RepeatRequest(VerbRequest["Repetition"], PseudonymKey, People, Reading, CodebookOption):
    """Make a release again from its original table, and compare.

    Raises
    ------
    VerificationError
        When the folder does not have a readable certificate, or the release fails verification.
    SettingError
        When `original` is missing, or the release cannot be made again: a differentially private
        release, a set of tables, or a table in a database.
    SourceError
        When the folder or the original table does not exist.
    PolicyError
        When the policy does not cover a value of the original table.
    """

    verb: ClassVar = "repeat"
    example: ClassVar = "release {original=patients.csv}"
    release: str | Path = option("Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE")
    original: Any = option(
        "Original table from which the release was made.",
        TABLE,
        default=None,
        heading=Heading.COMPARISON,
        common=True,
    )
