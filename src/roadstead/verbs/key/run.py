"""Make a key for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.persons.pseudonyms import write_key
from roadstead.verbs.key.use import require_no_release

if TYPE_CHECKING:
    from roadstead.verbs.key.request import KeyRequest


def deliver(request: KeyRequest, observer: Observer) -> Delivery[Path]:
    """Write the key, and say what it is good for."""
    file = Path(request.file)
    require_no_release(file)
    write_key(file)
    observer.finished()
    lines = (
        f"Key written to {file}, which its owner alone can read. Releases made with "
        f"{option('key', str(file))} give the same person the same pseudonym.",
        "Keep it: nobody can make it again. Give it to nobody: whoever has it and a list of "
        "persons finds each of them in every such release.",
    )
    return Delivery(file, lines, {"key": str(file)})
