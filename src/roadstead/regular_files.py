"""Safely read files that a user names.

A file name can refer to a pipe without a writer, an endless device, or a folder. In an untrusted
folder, the name can also be a link to a file elsewhere. This module rejects such names, and also
files above a size limit. It raises an `OSError` with the reason in `strerror`. All documents are
read through this module. The function `write_whole` writes a file completely or not at all, and
`locked` locks a file until the process ends.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import IO

MIB = 1 << 20
MOST_OF_DOCUMENT = 256 * MIB
"""The size limit for documents, in bytes."""

_AT_ONCE = (
    getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class UnfitFileError(OSError):
    """An error for a file that exists but must not be read. `strerror` contains the reason."""

    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(errno.EINVAL, reason, str(path))


def content_of(path: Path, *, most: int = MOST_OF_DOCUMENT, own: bool = False) -> bytes:
    """Return the whole content of a file that has at most `most` bytes.

    If `own` is true, the path must not be a symbolic link. The function raises an `OSError` if the
    file is missing, cannot be read, is not a regular file, or is too large.
    """
    with opened(path, own=own) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise UnfitFileError(f"it is larger than {most // MIB:,} MiB", path)
    return content


@contextlib.contextmanager
def opened(path: Path, *, own: bool = False) -> Iterator[IO[bytes]]:
    """Open a regular file for reading. Reject all other files, without waiting for a pipe."""
    require_regular(path, own=own)
    flags = os.O_RDONLY | _AT_ONCE | (getattr(os, "O_NOFOLLOW", 0) if own else 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        # The file may have been replaced since it was checked.
        _require(os.fstat(stream.fileno()), path)
        yield stream


def require_regular(path: Path, *, own: bool = False) -> None:
    """Reject a path that does not lead to a regular file, without opening it."""
    try:
        _require(path.lstat() if own else path.stat(), path)
    except ValueError:  # an impossible file name
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None


def _require(found: os.stat_result, path: Path) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISLNK(found.st_mode):
        raise UnfitFileError("it is a symbolic link to another place", path)
    if stat.S_ISDIR(found.st_mode):
        raise UnfitFileError("it is a folder", path)
    raise UnfitFileError("it is not a regular file", path)


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary file in the same folder, and rename it when it is complete."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}.part")
    stream = aside.open("xb")  # an existing file belongs to another run
    try:
        write_flushed(stream, content)
        aside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def write_flushed(stream: IO[bytes], content: bytes) -> None:
    """Write content to a file, flush it to the disk, and close the file."""
    with stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def flush_folder(folder: Path) -> None:
    """Flush the directory entries of a folder to the disk."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def locked(held: IO[bytes]) -> bool:
    """Lock a file. Return False if another run has the lock, or if locking is impossible."""
    import fcntl  # noqa: PLC0415 - not on every system

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def csv_bytes(rows: Iterable[Sequence[str]], delimiter: str) -> bytes:
    """Encode rows as CSV in UTF-8, with a line feed after each row."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode("utf-8")
