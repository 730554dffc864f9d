"""What making a key is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import NEW_FILE


@request
class KeyRequest(VerbRequest[Path]):
    """Make a key for pseudonyms: a new file that its owner alone can read."""

    verb: ClassVar = "key"
    file: Path = option(
        "New file for the key; keep it, and give it to nobody.",
        NEW_FILE,
        kw_only=False,
        metavar="FILE",
    )
