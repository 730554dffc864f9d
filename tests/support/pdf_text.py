"""The text of a PDF from Typst, read by hand: enough to check whether it contains a sentence."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

# Compressed data may end with any byte, so only Typst's own line feed is removed from the end.
_STREAM = re.compile(rb"stream\n(.*?)\nendstream", re.DOTALL)
_PAIR = re.compile(rb"<([0-9A-F]{4})> <([0-9A-F]+)>")
_END_OR_ESCAPED = re.compile(rb"[()]|\\.", re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def texts_of(pdf: bytes) -> list[str]:
    """Read the text with each font by turns, without blanks; what is of another font is noise."""
    streams = [_plain(one) for one in _STREAM.findall(pdf)]
    fonts = [dict(_PAIR.findall(one)) for one in streams if b"begincmap" in one]
    codes = [
        [code[at : at + 2].hex().upper().encode() for at in range(0, len(code), 2)]
        for one in streams
        if b"BT" in one and b"begincmap" not in one
        for code in map(_unescaped, _shown(one))
    ]
    return ["".join(_letter(font, code) for run in codes for code in run) for font in fonts]


def _plain(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return stream


def _shown(stream: bytes) -> Iterator[bytes]:
    """Give the text in parentheses; a pair of them within need not be escaped."""
    depth = begins = 0
    for found in _END_OR_ESCAPED.finditer(stream):
        if found[0] == b"(":
            begins = begins if depth else found.end()
            depth += 1
        elif found[0] == b")":
            depth -= 1
            if not depth:
                yield stream[begins : found.start()]


def _unescaped(shown: bytes) -> bytes:
    def letter(found: re.Match[bytes]) -> bytes:
        own = found[1]
        return bytes([int(own, 8)]) if len(own) > 1 else _LETTERS.get(own, own)

    return _ESCAPED.sub(letter, shown)


def _letter(font: dict[bytes, bytes], code: bytes) -> str:
    text = bytes.fromhex(font.get(code, b"").decode()).decode("utf-16-be")
    return "".join(text.split())
