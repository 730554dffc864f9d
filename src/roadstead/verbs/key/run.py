"""Make a key: for pseudonyms, or for signing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.persons.pseudonyms import write_key
from roadstead.release.signing.keys import public_path, write_signing_key
from roadstead.verbs.key.use import PSEUDONYMS, SIGNING, require_no_release

if TYPE_CHECKING:
    from roadstead.verbs.key.request import KeyRequest


def deliver(request: KeyRequest, observer: Observer) -> Delivery[Path]:
    """Write the key, and say what it is good for."""
    file = Path(request.file)
    signing = request.purpose == "signing"
    require_no_release(file, power=SIGNING if signing else PSEUDONYMS)
    delivery = _for_signing(file) if signing else _for_pseudonyms(file)
    observer.finished()
    return delivery


def _for_pseudonyms(file: Path) -> Delivery[Path]:
    write_key(file)
    lines = (
        f"Key written to {file}, which its owner alone can read. Releases made with "
        f"{option('key', str(file))} give the same person the same pseudonym.",
        "Keep it: nobody can make it again. Give it to nobody: whoever has it and a list of "
        "persons finds each of them in every such release.",
    )
    return Delivery(file, lines, {"key": str(file)})


def _for_signing(file: Path) -> Delivery[Path]:
    public = write_signing_key(file)
    lines = (
        f"Private key written to {file}, which its owner alone can read; whoever has it can sign "
        "in your name, so give it to nobody.",
        f"Public key written to {public_path(file)}. Give it to those who will check, by another "
        "way than your releases, and let them compare its SHA-256 with you:",
        f"  {public.id}",
    )
    document = {"key": str(file), "public_key": str(public_path(file)), "id": public.id}
    return Delivery(file, lines, document)
