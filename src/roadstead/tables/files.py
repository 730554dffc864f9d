"""Open files according to their first bytes rather than their names.

Gzip and Parquet are recognized by their magic bytes. :mod:`roadstead.tables.formats.recognition`
recognizes all other kinds of files, so Roadstead does not read them as garbled text.

A byte-order mark determines the encoding of a text file. Without a mark, the encoding is UTF-8 or
the user's choice. Roadstead never guesses the encoding, because a wrong guess silently turns
``Müller`` into a different person. Every byte is decoded once before the file is used. An error
gives the line of the first invalid byte.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"

BLOCK = 1 << 22
UTF8 = ("utf-8", "utf-8-sig")

# The marks of UTF-32 are tried first, because they begin with the marks of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ORDER_BY_MARK = ("utf-16", "utf-32")
"""Encodings with two byte orders, of which a byte-order mark selects one."""

_NOT_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape")
"""Python's text encodings for host names and source code rather than for files."""
_NAME_ONE = "use an encoding such as utf-8, utf-16, cp1252, or iso8859-15"


def existing_file(path: Path) -> Path:
    """Return the path of a readable file, and raise an error for a folder or a pipe."""
    with reading(path):
        is_folder, exists, is_file = path.is_dir(), path.exists(), path.is_file()
    if is_folder:
        raise SourceError(
            "this is a folder, not a table", where=str(path), fix="use one file in this folder"
        )
    if not exists:
        raise SourceError("there is no such file", where=str(path), fix=_suggestion(path))
    if not is_file:
        what = "this is not a regular file, but Roadstead must read the table twice"
        raise SourceError(what, where=str(path), fix="save its content to a file first")
    return path


def _suggestion(path: Path) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist either"
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    return did_you_mean(path.name, names, "check its name and folder")


def first_bytes(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, without decompression."""
    with reading(path), path.open("rb") as stream:
        return stream.read(size)


@contextlib.contextmanager
def content(path: Path, *, compressed: bool) -> Iterator[IO[bytes]]:
    """Open a file to read its bytes, and decompress the bytes if necessary."""
    with reading(path), path.open("rb") as raw:
        if compressed:
            with gzip.GzipFile(fileobj=raw) as unzipped:
                yield cast("IO[bytes]", unzipped)
        else:
            yield raw


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert errors that occur during the reading of a file to a SourceError."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = "the gzip file is damaged or incomplete"
        fix = "get the file again, or unzip it to see what can be recovered"
        raise SourceError(what, where=path.name, fix=fix) from error
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or type(error).__name__})"
        fix = "check the file and its permissions"
        raise SourceError(what, where=str(path), fix=fix) from error


def canonical_encoding(encoding: str) -> str:
    """Return Python's name for an encoding of files. ``latin-1`` becomes ``iso8859-1``."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise SettingError(
            f"there is no encoding {quoted(encoding)}", where="encoding", fix=_NAME_ONE
        ) from error
    if name in _NOT_OF_FILES:
        raise SettingError(f"{name} is not a file encoding", where="encoding", fix=_NAME_ONE)
    return name


def encoding_of(head: bytes, given: str | None, *, where: str) -> str:
    """Return the encoding of a text file. `head` contains at least its first four bytes."""
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if given is None:
        return marked or "utf-8"
    named = canonical_encoding(given)
    if marked is None:
        if head and named in _ORDER_BY_MARK:
            raise SourceError(
                f"the file does not start with the byte-order mark of {named.upper()}",
                where=where,
                fix=f"give {option('encoding', f'{named}-le')} or {named}-be if the file has that "
                "encoding, or leave the encoding out",
            )
        return named
    family = marked.removesuffix("-sig")
    if not named.startswith(family):
        raise SourceError(
            f"the file starts with the byte-order mark of {family.upper()}, but the given "
            "encoding is "
            f"{given}",
            where=where,
            fix="leave the encoding out, or remove the mark",
        )
    return marked


def shown_encoding(encoding: str) -> str:
    """Return the name of an encoding in its usual spelling."""
    if encoding == "utf-8-sig":
        return "UTF-8 with byte-order mark"
    return encoding.upper() if encoding.startswith("utf") else encoding


def utf8_blocks(stream: IO[bytes], encoding: str, path: Path) -> Iterator[bytes]:
    """Decode a text file, and yield blocks of UTF-8 without a byte-order mark.

    Raises SourceError for invalid bytes and, in UTF-7, for half a character.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    passed = 0
    while True:
        block = stream.read(BLOCK)
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            offset, byte = passed - waiting + error.start, error.object[error.start]
            expected = shown_encoding(encoding.removesuffix("-sig"))
            raise SourceError(
                f"the byte 0x{byte:02X} is not valid {expected}",
                where=f"{path.name}, line {_line_at(path, encoding, offset)}, byte {offset + 1}",
                fix=f"name its encoding, for example, {option('encoding', 'cp1252')}"
                if encoding in UTF8
                else "name the encoding of the file, or save it as UTF-8",
            ) from None
        if not block:
            # The bytes that a decoder kept back until the end (only for UTF-7).
            yield b"" if encoding in UTF8 else _encoded(text, path, encoding)
            return
        if encoding in UTF8:
            yield block.removeprefix(codecs.BOM_UTF8) if passed == 0 else block
        else:
            yield _encoded(text, path, encoding)
        passed += len(block)


def _encoded(text: str, path: Path, encoding: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise SourceError(
            "the file contains half a character (a lone surrogate), which is not valid "
            f"{shown_encoding(encoding)}",
            where=path.name,
            fix="save it as UTF-8",
        ) from None


def _line_at(path: Path, encoding: str, offset: int) -> int:
    compressed = first_bytes(path, 2) == GZIP_MAGIC
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    line = 1
    after_return = False
    with content(path, compressed=compressed) as stream:
        while offset > 0:
            block = stream.read(min(offset, BLOCK))
            if not block:
                break
            offset -= len(block)
            text = decoder.decode(block)
            line += text.count("\n") + text.count("\r") - text.count("\r\n")
            line -= after_return and text.startswith("\n")
            after_return = text.endswith("\r") or (after_return and not text)
    return line
