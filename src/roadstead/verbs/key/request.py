"""What making a key is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import NEW_FILE, choice


@request
class KeyRequest(VerbRequest["Path"]):
    """Make a key, for pseudonyms or for signing: a new file that its owner alone can read.

    Raises
    ------
    OutputError
        When there is something already, which may be a key in use, or it cannot be written.
    SettingError
        When the file would lie in the folder of a release.
    """

    verb: ClassVar = "key"
    file: str | Path = option(
        "New file for the key; keep it, and give it to nobody.",
        NEW_FILE,
        kw_only=False,
        metavar="FILE",
    )
    purpose: Literal["pseudonyms", "signing"] = option(
        "What the key is for: pseudonyms, or signing releases.",
        choice("pseudonyms", "signing"),
        default="pseudonyms",
        usual="pseudonyms",
        says="What the key is for: ``pseudonyms``, or ``signing`` releases; then a public key is "
        "written next to it, to FILE.pub.",
    )
