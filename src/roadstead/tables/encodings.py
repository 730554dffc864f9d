"""Which encoding a text has, and proof that all of it is in that encoding.

A byte-order mark decides. Without one a text is UTF-8, or whatever the user says it is; it is
never guessed from letter frequencies, because a wrong guess turns ``Müller`` into a different
person without a word. So every byte is decoded once before anything is believed, and the first
that does not fit is reported with its line.
"""

from __future__ import annotations

import codecs
from typing import IO, TYPE_CHECKING

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables import files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = 1 << 22
UTF8 = ("utf-8", "utf-8-sig")

# The marks of UTF-32 begin with those of UTF-16, so they are tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ORDER_BY_MARK = ("utf-16", "utf-32")
"""Either byte order is called so, and the mark says which it is."""

_NOT_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape")
"""What Python counts among the text encodings, though it writes host names and source code."""
_NAME_ONE = "name one such as utf-8, utf-16, cp1252 or iso8859-15"


def canonical(encoding: str) -> str:
    """Return Python's own name of an encoding (``latin-1`` is ``iso8859-1``), if it is of files."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise SettingError(
            f"there is no encoding {quoted(encoding)}", where="encoding", fix=_NAME_ONE
        ) from error
    if name in _NOT_OF_FILES:
        raise SettingError(f"{name} is not an encoding of files", where="encoding", fix=_NAME_ONE)
    return name


def choose(head: bytes, given: str | None, *, where: str) -> str:
    """Return the encoding of a text from its first four bytes or more and what the user says.

    Raises SourceError: the byte-order mark contradicts the encoding given, or is missing where it
    alone would say which byte order it is. Raises SettingError: there is no such encoding.
    """
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if given is None:
        return marked or "utf-8"
    named = canonical(given)
    if marked is None:
        if head and named in _ORDER_BY_MARK:
            raise SourceError(
                f"does not begin with the byte-order mark of {named.upper()}",
                where=where,
                fix=f"say {option('encoding', f'{named}-le')} or {named}-be if it is of one of "
                "them, or leave the encoding out",
            )
        return named
    family = marked.removesuffix("-sig")
    if not named.startswith(family):
        raise SourceError(
            f"begins with the byte-order mark of {family.upper()}, but the encoding given is "
            f"{given}",
            where=where,
            fix="leave the encoding out, or remove the mark",
        )
    return marked


def shown(encoding: str) -> str:
    """Return the name of an encoding as a person writes it."""
    if encoding == "utf-8-sig":
        return "UTF-8 with byte-order mark"
    return encoding.upper() if encoding.startswith("utf") else encoding


def utf8_blocks(stream: IO[bytes], encoding: str, path: Path) -> Iterator[bytes]:
    """Yield a text as blocks of UTF-8 without a byte-order mark, every byte of it decoded.

    Raises SourceError: a byte is not valid in the encoding, or it stands for half a character,
    which UTF-7 can write and nothing else.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    passed = 0
    while True:
        block = stream.read(BLOCK)
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            offset = passed - waiting + error.start
            raise _undecodable(path, encoding, offset, error.object[error.start]) from None
        if not block:
            # What a decoder held back until the end (UTF-7, or nothing at all).
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
            f"there is half a character (a lone surrogate), which is not valid {shown(encoding)}",
            where=path.name,
            fix="save it as UTF-8",
        ) from None


def _undecodable(path: Path, encoding: str, offset: int, byte: int) -> SourceError:
    fix = (
        f"name its encoding, for instance {option('encoding', 'cp1252')}"
        if encoding in UTF8
        else "name the encoding it was written in, or save it as UTF-8"
    )
    return SourceError(
        f"the byte 0x{byte:02X} is not valid {shown(encoding.removesuffix('-sig'))}",
        where=f"{path.name}, line {_line_at(path, encoding, offset)}, byte {offset + 1}",
        fix=fix,
    )


def _line_at(path: Path, encoding: str, offset: int) -> int:
    compressed = files.first_bytes(path, 2) == files.GZIP_MAGIC
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    line = 1
    after_return = False
    with files.content(path, compressed=compressed) as stream:
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
