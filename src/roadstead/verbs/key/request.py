"""Define the request to create a key."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import NEW_FILE, choice
from roadstead.requests.headings import Heading


@request
class KeyRequest(VerbRequest["Path"]):
    """Make a key file for pseudonyms or for signing releases.

    Raises
    ------
    OutputError
        When the file exists (it may be a key in use) or cannot be written.
    SettingError
        When the file would be in the folder of a release.
    """

    verb: ClassVar = "key"
    example: ClassVar = "pseudonyms.key"
    file: str | Path = option(
        "New file for the key. Only its owner can read it. Keep it, and do not share it.",
        NEW_FILE,
        kw_only=False,
    )
    purpose: Literal["pseudonyms", "signing"] = option(
        "Purpose of the key: to make pseudonyms (pseudonyms), or to sign releases (signing). For "
        "signing, the public key is written to FILE.pub.",
        choice("pseudonyms", "signing"),
        default="pseudonyms",
        heading=Heading.SIGNATURE,
        common=True,
        metavar="WORD",
        says="Purpose of the key: to make pseudonyms (``pseudonyms``), or to sign releases "
        "(``signing``). For signing, the public key is written to FILE.pub, in the same folder.",
    )
