"""Opening a file for what its first bytes say it is.

A name is a hint, the content decides: gzip is recognized by its magic bytes and Parquet by its
own, so ``visits.dat`` may be either. Formats that only look like tables from afar (a workbook,
an archive, a statistics package's file) are refused by name rather than read as garbled text.
"""

from __future__ import annotations

import contextlib
import difflib
import gzip
import zlib
from typing import IO, TYPE_CHECKING, cast

from roadstead.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"

_FOREIGN = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"ARROW1", "an Arrow file"),
    (b"$FL2", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
)


def existing_file(path: Path) -> Path:
    """Return the path if it is a readable file, and no folder or pipe."""
    with reading(path):
        is_folder, exists, is_file = path.is_dir(), path.exists(), path.is_file()
    if is_folder:
        raise SourceError("is a folder, not a table", where=str(path), fix="name one file in it")
    if not exists:
        raise SourceError("there is no such file", where=str(path), fix=_suggestion(path))
    if not is_file:
        raise SourceError(
            "is not a regular file, and it must be read twice",
            where=str(path),
            fix="save its content to a file first",
        )
    return path


def _suggestion(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean {near[0]}?" if near else "check its name and folder"


def first_bytes(path: Path, size: int) -> bytes:
    """Return the first bytes of a file as they lie on the disk."""
    with reading(path), path.open("rb") as stream:
        return stream.read(size)


def refuse_foreign(path: Path, head: bytes) -> None:
    """Raise SourceError if the first bytes are those of a format that is not a text table."""
    for magic, kind in _FOREIGN:
        if head.startswith(magic):
            raise SourceError(
                f"is {kind}, not a table that can be read here",
                where=path.name,
                fix="export it as CSV (plain or gzipped) or Parquet",
            )


@contextlib.contextmanager
def content(path: Path, *, compressed: bool) -> Iterator[IO[bytes]]:
    """Open a file for reading its bytes, unzipped if need be, with errors as `reading` has them."""
    with reading(path), path.open("rb") as raw:
        if compressed:
            with gzip.GzipFile(fileobj=raw) as unzipped:
                yield cast("IO[bytes]", unzipped)
        else:
            yield raw


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what can go wrong while reading a file into a SourceError."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(
            "the gzip stream is cut off or damaged",
            where=path.name,
            fix="get the file again, or unzip it to see what can be saved",
        ) from error
    except OSError as error:
        raise SourceError(
            f"cannot be read ({error.strerror or type(error).__name__})",
            where=str(path),
            fix="check the file and its permissions",
        ) from error
