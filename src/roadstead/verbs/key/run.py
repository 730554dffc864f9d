"""Generate a key for pseudonyms or for signatures."""

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
    """Write the key, and describe how to use it."""
    file = Path(request.file)
    signing = request.purpose == "signing"
    require_no_release(file, power=SIGNING if signing else PSEUDONYMS)
    delivery = _for_signing(file) if signing else _for_pseudonyms(file)
    observer.finished()
    return delivery


def _for_pseudonyms(file: Path) -> Delivery[Path]:
    write_key(file)
    lines = (
        f"Key written to {file}, which only its owner can read. Releases made with "
        f"{option('key', str(file))} give the same person the same pseudonym.",
        "Keep the key: it cannot be made again. Do not share it: anyone with the key and a list "
        "of people can find each of these people in every release made with the key.",
    )
    return Delivery(file, lines, {"key": str(file)})


def _for_signing(file: Path) -> Delivery[Path]:
    public = write_signing_key(file)
    lines = (
        f"Private key written to {file}, which only its owner can read. Do not share it: anyone "
        "who has it can sign in your name.",
        f"Public key written to {public_path(file)}. Give it to recipients, but not together with "
        "your releases. Ask them to check this SHA-256 with you:",
        f"  {public.id}",
    )
    document = {"key": str(file), "public_key": str(public_path(file)), "id": public.id}
    return Delivery(file, lines, document)
