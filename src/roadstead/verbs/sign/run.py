"""Sign a release that passes verification."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.printable import printable
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import public_path, read_signing_key
from roadstead.release.signing.sign import require_unsigned, sign_release
from roadstead.release.signing.statement import LONGEST
from roadstead.reports.signature import signed_document, signed_lines
from roadstead.requests.checks import day, wrong
from roadstead.verbs.key.use import SIGNING, require_no_release
from roadstead.verbs.verify.folder import require_folder, today, verify_folder

if TYPE_CHECKING:
    from roadstead.verbs.sign.request import SignRequest


def deliver(request: SignRequest, observer: Observer) -> Delivery[SignatureFinding]:
    """Verify the release, sign it, and describe the signed files."""
    folder = require_folder(request.release)
    if request.key is None:
        raise wrong("key", "a signature requires a private key", f"give {option('key', 'FILE')}")
    if request.name is None:
        raise wrong("name", "the name of the signer is missing", f"give {option('name', 'WHO')}")
    name, role = _written(request.name, "name"), _role(request.role)
    now = today()
    expires = _expiry(request.expires, now)
    key_file = Path(request.key)
    require_no_release(key_file, folder, SIGNING)
    key = read_signing_key(key_file)
    require_unsigned(folder, force=request.force)
    _require_kept(folder, request, observer)
    signature = sign_release(
        folder, key, name, role=role, signed=now, expires=expires, force=request.force
    )
    observer.finished()
    lines = signed_lines(signature, folder, public_path(key_file))
    return Delivery(signature, lines, signed_document(signature, folder))


def _require_kept(folder: Path, request: SignRequest, observer: Observer) -> None:
    """Raise an error if a release fails verification, without checking an earlier signature."""
    found = verify_folder(
        folder, request.table, observer, signature=False, allowed=request.allow_plugin or ()
    )
    found.require(where=str(folder))


def _written(text: str, key: str) -> str:
    """Reject a name that others cannot read or that contains misleading characters."""
    plain = " ".join(text.split())
    if not plain:
        raise wrong(key, "the name is empty", "write a name such as Ana Ruiz")
    if len(plain) > LONGEST:
        raise wrong(key, f"the name has more than {LONGEST} characters", "write a shorter name")
    if printable(plain) != plain:
        raise wrong(key, "the name has invisible characters", "write it in letters")
    return plain


def _role(role: str | None) -> str | None:
    return None if role is None else _written(role, "role")


def _expiry(expires: date | str | None, now: date) -> date | None:
    last = None if expires is None else day(expires, "expires")
    if last is not None and last < now:
        what = f"{last.isoformat()} is in the past, so the signature would never be valid"
        raise wrong("expires", what, "choose a day in the future")
    return last
