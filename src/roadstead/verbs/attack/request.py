"""Define the request to attack a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.attacks.catalog import ATTACKS
from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import COLUMNS, FOLDER, NAMES, NUMBER, SWITCH, TABLE, WHOLE
from roadstead.requests.groups import OtherPackages, Reading
from roadstead.requests.headings import Heading

if TYPE_CHECKING:
    from roadstead.verbs.attack.result import AttackFinding  # noqa: F401 - in a text below


@request
class AttackRequest(VerbRequest["AttackFinding"], OtherPackages, Reading):
    """Test a release with published attacks.

    Raises
    ------
    VerificationError
        When the folder does not have a readable certificate, or the table in the folder differs
        from the certified table.
    SettingError
        When an attack is not known, or the original is not the table that the release was made
        from. Also when the results must be certified, but the attacks did not use the original.
    SourceError
        When the folder or a table does not exist.
    """

    verb: ClassVar = "attack"
    example: ClassVar = "release {original=patients.csv} {out=attacks}"
    release: str | Path = option(
        "Folder of the release to test.",
        FOLDER,
        kw_only=False,
        metavar="RELEASE",
    )
    original: Any = option(
        "Table that the release was made from. Most attacks need this table to count their "
        "successes.",
        TABLE,
        default=None,
        heading=Heading.ATTACKER,
        common=("attack",),
    )
    register: Any = option(
        "Table of people with the columns that an attacker knows. Attacks match this table with "
        "the release.",
        TABLE,
        default=None,
        heading=Heading.ATTACKER,
        common=("attack",),
        usual="people from the original",
    )
    held_out: Any = option(
        "Table with a control group: similar records that are not in the release.",
        TABLE,
        default=None,
        heading=Heading.ATTACKER,
        common=("attack",),
    )
    against: str | Path | None = option(
        "Folder of a second release of the same people.",
        FOLDER,
        default=None,
        heading=Heading.ATTACKER,
        common=("attack",),
        metavar="RELEASE2",
    )
    attacks: Sequence[str] | None = option(
        "Attacks to run, for example scan,linkage.",
        NAMES,
        default=None,
        heading=Heading.CHECKS,
        common=("attack",),
        usual="all",
        more=f"Attacks: {', '.join(ATTACKS.own)}.",
        says=f"Attacks to run: {', '.join(ATTACKS.own)}.",
    )
    known: Sequence[str] = option(
        "Columns that an attacker knows about people.",
        COLUMNS,
        default=(),
        heading=Heading.ATTACKER,
        common=("attack",),
        usual="the quasi-identifiers",
    )
    secrets: Sequence[str] = option(
        "Columns that an attacker wants to learn.",
        COLUMNS,
        default=(),
        heading=Heading.ATTACKER,
        common=("attack",),
        usual="the sensitive columns",
    )
    overlap: float | None = option(
        "Share of the attacker's targets who are in the release, above 0 and at most 1. Used only "
        "without {register}.",
        NUMBER,
        default=None,
        heading=Heading.ATTACKER,
        metavar="SHARE",
        usual="1",
        check=checks.overlap,
    )
    errors: float | None = option(
        "Share of the attacker's known values that are wrong, 0 to 1. The attack that looks for "
        "the most similar record uses this share; 0 turns this attack off.",
        NUMBER,
        default=None,
        heading=Heading.ATTACKER,
        metavar="SHARE",
        usual="0.1",
        check=checks.part,
    )
    attempts: int | None = option(
        "Largest number of targets, or guesses, per attack.",
        WHOLE,
        default=None,
        heading=Heading.CHECKS,
        common=("attack",),
        usual="2000",
    )
    certify: bool = option(
        "Add the results to the certificate and the report of the release, and add a page with "
        "the results.",
        SWITCH,
        default=False,
        heading=Heading.OUTPUT,
        common=("attack",),
    )
    seed: int | None = option(
        "Seed of the random choices. The results record the seed.",
        WHOLE,
        default=None,
        heading=Heading.CHECKS,
        usual="0",
        check=checks.seed,
    )
    out: Path | None = new_folder("New folder for the figures and the page.", default=None)
    force: bool = output_switch("Replace the results of an earlier attack.", default=False)

    @property
    def writes(self) -> bool:
        """Return whether the request writes files or adds to the certificate."""
        return self.certify or self.out is not None
