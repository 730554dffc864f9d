"""Write and read keys of pseudonyms and signatures, in files that only their owner can read.

A key file is never replaced, because the key may be in use and cannot be generated again. A key
file that other users can read is rejected.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from roadstead.errors import OutputError, SettingError
from roadstead.regular_files import content_of, require_regular, write_flushed

_LONGEST = 4096
_OWNER, _EVERYBODY = 0o600, 0o644


def write_new(path: Path, content: bytes, *, taken: OutputError, secret: bool = True) -> None:
    """Write a new file, or raise `taken` if the file exists.

    If `secret` is true, only the owner can read the file. If the file cannot be written, an
    `OutputError` is raised.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags, _OWNER if secret else _EVERYBODY)
        try:
            write_flushed(os.fdopen(handle, "wb"), content)
        except BaseException:
            path.unlink(missing_ok=True)  # remove the incomplete key
            raise
    except FileExistsError:
        if path.is_dir():
            fix = "give the name of a new file in this folder"
            raise OutputError("is a folder", where=str(path), fix=fix) from None
        raise taken from None
    except FileNotFoundError:
        what = f"the file cannot be written: the folder {path.parent} does not exist"
        raise OutputError(
            what, where=str(path), fix="make the folder first, or use another file"
        ) from None
    except OSError as error:
        raise OutputError(
            f"the file cannot be written: {error.strerror}",
            where=str(path),
            fix="name another file",
        ) from None


def read_secret(path: Path, make: str) -> bytes:
    """Read a key from a file.

    If the file cannot be read, or if others can read the file, a `SettingError` is raised. The
    message does not contain the content of the file. `make` explains how to generate a key.
    """
    where = str(path)
    try:
        require_regular(path)
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SettingError(
                "the file can be read or changed by people other than its owner",
                where=where,
                fix=f"allow access to the owner only: chmod 600 {path.name}",
            )
        return content_of(path, most=_LONGEST)
    except OSError as error:
        raise SettingError(
            f"the key cannot be read: {error.strerror}",
            where=where,
            fix=f"give the file of the key, or make a key: {make}",
        ) from None
