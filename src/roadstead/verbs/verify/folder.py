"""Check the folder of any kind of release, and its signature."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError, SourceError
from roadstead.jobs import Observer
from roadstead.release.kind import release_of
from roadstead.release.signing.check import with_signature
from roadstead.release.signing.keys import PublicKey, read_public_key
from roadstead.release.verification.checks import Verification
from roadstead.requests import checks
from roadstead.tables.kept_codes import with_all_codes
from roadstead.tables.reading import read
from roadstead.tables.source import Source


def today() -> date:
    """Return the current date in UTC."""
    return datetime.now(UTC).date()


def verify_folder(
    folder: Path,
    table: Any,  # noqa: ANN401 - an address, a path, or a table of any library
    observer: Observer,
    *,
    signed_by: Sequence[Path] = (),
    on: date | str | None = None,
    signature: bool = True,
    allowed: Sequence[str] = (),
) -> Verification:
    """Check a release with only its own files.

    `signed_by` lists key files. If the list is not empty, one of these keys must have signed the
    release. If `signature` is false, the signature is not checked. `allowed` lists other packages
    whose models may be loaded.
    """
    trusted = trusted_keys(signed_by, folder)
    found = _verified(folder, table, observer, allowed)
    if not signature:
        return found
    return with_signature(found, folder, trusted, today() if on is None else checks.day(on, "on"))


def require_folder(release: str | Path) -> Path:
    """Return the folder of a release. Raise a `SourceError` if it does not exist."""
    folder = Path(release)
    if not folder.is_dir():
        what = "this is not a folder" if folder.exists() else "there is no such folder"
        raise SourceError(what, where=str(folder), fix="give the folder of a release")
    return folder


def trusted_keys(files: Sequence[Path], folder: Path) -> tuple[PublicKey, ...]:
    """Return the trusted keys.

    The sender of a release could add a key to its folder, so keys inside the folder are rejected.
    """
    for file in files:
        if folder.resolve() in file.resolve().parents:
            raise SettingError(
                "this key came with the release, so the sender could have put it there",
                where=f"the public key {file}",
                fix="get the signer's public key from another source",
            )
    return tuple(map(read_public_key, files))


def _verified(
    folder: Path,
    table: Any,  # noqa: ANN401 - an address, a path, or a table of any library
    observer: Observer,
    allowed: Sequence[str],
) -> Verification:
    release = release_of(folder, allowed)
    if table is not None:
        release.table_elsewhere()
        if not isinstance(table, Source):
            table = with_all_codes(read(table))
            observer.opened(table)
    return release.verify(table, allowed)
