"""Declare the fields for the output of a request, such as a folder or a database table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.requests.fields import new_folder, option, output_switch, request
from roadstead.requests.forms import FOLDER, NEW_TABLE, SETTING, SWITCH, TEXT, YES_OR_NO
from roadstead.requests.headings import Heading


@request
class NewTable:
    """The database that receives the released table."""

    LAST = True
    into: str | None = option(
        "Address of a new database table for the released records, in the form "
        "DATABASE://...?table=NAME. The documents are written to {out}.",
        NEW_TABLE,
        default=None,
        heading=Heading.OUTPUT,
        place="into",
    )


@request
class EarlierReleases:
    """The ledger of releases, and the name of the group of people in the table."""

    LAST = True
    ledger: Path | None = option(
        "Folder with the ledger of releases. Roadstead refuses a release that would single out "
        "people if combined with an earlier release.",
        FOLDER,
        default=None,
        heading=Heading.EARLIER,
        place="release.ledger",
        says="Folder with the ledger of releases. The folder must exist; an empty folder is a new "
        "ledger. Roadstead compares the release with all earlier releases of the same people. It "
        "refuses a release that would single out people if combined with an earlier release. "
        "When a release is complete, Roadstead records it in the ledger.",
    )
    ledger_people: str | None = option(
        "Name that the ledger uses for the group of people in this table.",
        TEXT,
        default=None,
        heading=Heading.EARLIER,
        metavar="NAME",
        usual="the people of all releases in the ledger",
        place="release.people",
    )
    ledger_warn: bool = option(
        "Release the table despite a warning from the ledger. The report and the certificate show "
        "the warning.",
        SWITCH,
        default=False,
        heading=Heading.EARLIER,
    )


@request
class EarlierPrivateReleases(EarlierReleases):
    """The ledger of releases, and the budget of all private releases."""

    LAST = True
    ledger_epsilon: Any = option(
        "Largest total epsilon of all private releases of these people.",
        SETTING,
        default=None,
        heading=Heading.EARLIER,
        metavar="E",
        usual="the value that was set last",
        place="release.epsilon",
        says="Largest total epsilon of all private releases of these people, in any form that "
        "`epsilon` accepts. The default is the value that was set last.",
    )


@request
class VerifierPage:
    """The page with which a recipient checks a release."""

    LAST = True
    verifier: bool = option(
        "Whether the release includes verify.html, a page that checks the release in a browser "
        "without Roadstead.",
        YES_OR_NO,
        default=True,
        heading=Heading.OUTPUT,
        place="release.verifier",
    )


@request
class NewRelease(EarlierReleases, NewTable, VerifierPage):
    """The folder of a new release."""

    LAST = True
    out: Path | None = new_folder("New folder for the release.", default=None, place="out")
    force: bool = output_switch("Replace an existing release.", default=False)
