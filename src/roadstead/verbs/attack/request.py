"""What an attack on a release is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    COLUMNS,
    FOLDER,
    NAMES,
    NEW_FOLDER,
    NUMBER,
    SWITCH,
    TABLE,
    WHOLE,
)
from roadstead.requests.groups import OtherPackages, Reading

if TYPE_CHECKING:
    from roadstead.verbs.attack.result import AttackFinding  # noqa: F401 - in a text below


@request
class AttackRequest(VerbRequest["AttackFinding"], OtherPackages, Reading):
    """Attack a release as others might, and count how often that is right.

    Raises
    ------
    VerificationError
        When the folder has no certificate that can be read, or its table is not the one certified.
    SettingError
        When an attack is not known, the original is not the table that the release was made of, or
        attacks are to be certified that did not have it.
    SourceError
        When there is no such folder or table.
    """

    verb: ClassVar = "attack"
    release: str | Path = option(
        "Folder of a release.", FOLDER, kw_only=False, metavar="RELEASE", check=checks.path
    )
    original: Any = option(
        "The table that the release was made of, to judge by; most attacks need it.",
        TABLE,
        default=None,
        metavar="DATA",
    )
    register: Any = option(
        "People of whom an attacker knows some columns, to link with.",
        TABLE,
        default=None,
        metavar="DATA",
        usual="records of the original",
    )
    held_out: Any = option(
        "Records of the same kind that are not in the release: the control group.",
        TABLE,
        default=None,
        metavar="DATA",
    )
    against: str | Path | None = option(
        "Folder of a second release of the same people.",
        FOLDER,
        default=None,
        metavar="RELEASE2",
        check=checks.path,
    )
    attacks: Sequence[str] | None = option(
        "Attacks to try.", NAMES, default=None, metavar="A,B", usual="all"
    )
    known: Sequence[str] = option(
        "Columns that an attacker knows of people.",
        COLUMNS,
        default=(),
        metavar="A,B",
        usual="the quasi-identifiers",
    )
    secrets: Sequence[str] = option(
        "Columns that an attacker wants to know.",
        COLUMNS,
        default=(),
        metavar="A,B",
        usual="the sensitive ones",
    )
    overlap: float | None = option(
        "Share of the people known to an attacker who are in the release, without {register}.",
        NUMBER,
        default=None,
        metavar="SHARE",
        usual="1",
        check=checks.overlap,
    )
    errors: float | None = option(
        "Share of what an attacker knows that is wrong, where the nearest is looked for.",
        NUMBER,
        default=None,
        metavar="SHARE",
        usual="0.1",
        check=checks.part,
    )
    attempts: int | None = option(
        "Most people, or guesses, that an attack is tried on.",
        WHOLE,
        default=None,
        metavar="N",
        usual="2000",
    )
    certify: bool = option(
        "Put what was found into the certificate of the release, with a page.",
        SWITCH,
        default=False,
    )
    seed: int | None = option(
        "Seed of the random choices; recorded.", WHOLE, default=None, usual="0", check=checks.seed
    )
    out: Path | None = option(
        "New folder for the figures and the page.", NEW_FOLDER, default=None, metavar="DIR"
    )
    force: bool = option("Replace a former folder of figures.", SWITCH, default=False)

    @property
    def writes(self) -> bool:
        """Whether it asks for files or for a certificate."""
        return self.certify or self.out is not None
