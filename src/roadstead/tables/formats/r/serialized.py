"""Read R's serialized objects, which ``.rds`` and ``.RData`` files contain.

The format is described in the chapter "Serialization Formats" of "R Internals". Vectors, lists, and
their attributes are read. Other objects, such as functions, are only skipped.

We compared this module with the library rdata (version 1.1). The library does not read a file with
compiled functions, writes some numbers in texts differently than R (such as ``-0``),
and needs eleven times as long for a data frame with a million records.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

NA_INTEGER = -(2**31)
NA_REAL = 0x7FF0_0000_0000_07A2
"""The bits of a missing number. The word before the last can contain the letter of a tagged NA."""
_OPENERS: Mapping[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
}
LOGICAL, INTEGER, REAL, TEXT, LIST = 10, 13, 14, 16, 19
_ENCODINGS = ((4, "cp1252"), (8, "utf-8"), (64, "ascii"))
"""The flags of a string that state its encoding."""
_TYPES = {LOGICAL: ">i4", INTEGER: ">i4", REAL: ">f8", 15: ">c16", 24: "u1"}
_LONGEST = 2**31
"""A compact sequence of at least this many numbers does not fit a data frame."""
_DIGITS = 15
"""The number of digits of a number that R writes as text."""
_COMPILED, _REFERENCE, _REFERRED = 21, 243, 244
"""The types of compiled functions, and of cells of calls to which other cells refer."""
_CALLS, _CALLS_WITH_ATTRIBUTES = (2, 6, 239, 240), (239, 240)
_PAIRS = (2, 3, 5, 6, 17, 239, 240)
_CONSTANTS = (25, 242, 241, 251, 252, 253, 250, 254)
"""The types of objects without content. An S4 object (25) has attributes only."""
DAMAGE: tuple[type[Exception], ...] = (
    *(ValueError, LookupError, TypeError, AttributeError, struct.error, RecursionError),
    *(OSError, EOFError, zlib.error, lzma.LZMAError),
)
"""The errors that a damaged file causes."""


@dataclass
class RObject:
    """A vector, list, or other object of R.

    `kind` is the number of its type. `values` is None if the object is not a vector or a list.
    """

    kind: int
    values: Any = None
    attributes: dict[str, Any] = field(default_factory=dict)

    def texts(self, attribute: str) -> list[str]:
        """Return an attribute that is a vector of strings, or an empty list."""
        found = self.attributes.get(attribute)
        given = found.values if isinstance(found, RObject) else None
        return [one or "" for one in given] if isinstance(given, list) else []


def read_objects(path: Path) -> dict[str | None, RObject]:
    """Return the objects in a file by name. The object in an ``.rds`` file has no name."""
    content = path.read_bytes()
    for magic, opened in _OPENERS.items():
        if content.startswith(magic):
            content = opened(content)
    named = content.startswith((b"RDX2\n", b"RDX3\n"))
    stream = _Stream(content, 5 if named else 0)
    found = stream.whole()
    if not named:
        return {None: found}
    return {name: one for name, one in found.attributes.items() if isinstance(one, RObject)}


class _Stream:
    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at
        self.known: list[Any] = []
        self.encoding = "utf-8"

    def whole(self) -> RObject:
        """Read the header and the object after it."""
        if self.raw(2) != b"X\n":
            raise ValueError
        version, _, _ = self.number(), self.number(), self.number()
        if version == 3:  # noqa: PLR2004 - of the format
            self.encoding = self.raw(self.number()).decode("ascii")
        found: RObject = self.item()
        return found

    def raw(self, size: int) -> bytes:
        start, self.at = self.at, self.at + size
        if size < 0 or self.at > len(self.content):
            raise ValueError
        return self.content[start : self.at]

    def number(self) -> int:
        return int.from_bytes(self.raw(4), "big", signed=True)

    def size(self) -> int:
        size = self.number()
        return size if size != -1 else (self.number() << 32) + self.number()

    def item(self) -> Any:  # noqa: ANN401 - an object or the name of a symbol
        """Read one object."""
        flags = self.number()
        kind, with_attributes, with_tag = flags & 0xFF, flags & 0x200, flags & 0x400
        if kind in (1, 255):
            if kind == 1:
                self.known.append(self.text()[0])
            return self.known[-1 if kind == 1 else (flags >> 8 or self.number()) - 1]
        if kind in _PAIRS:
            return self.pairs(with_attributes, with_tag, kind)
        if kind == 238:  # noqa: PLR2004 - a compact form
            return self.compact()
        if kind in (4, 22, 23, 247, 248, 249):
            return self.referred(kind, with_attributes)
        if kind == _COMPILED:
            self.number()
            self.compiled()
        found = RObject(kind, None if kind == _COMPILED else self.vector(kind))
        if with_attributes:
            found.attributes = self.item().attributes
        return found

    def vector(self, kind: int) -> Any:  # noqa: ANN401 - an array or a list
        if kind in _TYPES:
            size, form = self.size(), np.dtype(_TYPES[kind])
            return np.frombuffer(self.raw(size * form.itemsize), form)
        if kind == TEXT:
            return self.text(self.size())
        if kind in (LIST, 20):
            return tuple(self.item() for _ in range(self.size()))
        if kind == 9:  # noqa: PLR2004 - a single string
            self.at -= 4
            return self.text()[0]
        if kind in (7, 8):
            self.raw(self.number())
        elif kind not in _CONSTANTS:
            raise ValueError
        return None

    def text(self, size: int = 1) -> list[str | None]:
        """Read strings. A missing string is None."""
        found: list[str | None] = []
        content, at, read = self.content, self.at, struct.Struct(">ii").unpack_from
        for _ in range(size):
            flags, length = read(content, at)
            at += 8
            if length < 0:
                found.append(None)
                continue
            own = (coding for flag, coding in _ENCODINGS if flags >> 12 & flag)
            coding = next(own, self.encoding)
            if at + length > len(content):
                raise ValueError
            found.append(content[at : at + length].decode(coding))
            at += length
        self.at = at
        return found

    def pairs(self, with_attributes: int, with_tag: int, kind: int) -> RObject:
        """Read a linked list, whose elements become attributes by their tags."""
        found = RObject(kind)
        items = []
        while True:
            if with_attributes:
                self.item()
            tag = self.item() if with_tag else None
            items.append(self.item())
            if isinstance(tag, str):
                found.attributes[tag] = items[-1]
            flags = self.number()
            kind, with_attributes, with_tag = flags & 0xFF, flags & 0x200, flags & 0x400
            if kind not in _PAIRS:
                self.at -= 4
                items.append(self.item())
                found.values = tuple(items)
                return found

    def referred(self, kind: int, with_attributes: int) -> RObject:
        """Read an object to which later objects can refer, such as an environment."""
        found = RObject(kind)
        self.known.append(found)
        if kind in (247, 248, 249):
            self.number()
            self.text(self.number())
        elif kind == 4:  # noqa: PLR2004 - an environment
            self.number()
            for _ in range(4):
                self.item()
            return found
        elif kind == 22:  # noqa: PLR2004 - a pointer
            self.item(), self.item()
        if with_attributes:
            self.item()
        return found

    def compiled(self) -> None:
        """Skip the compiled body of a function, which is a vector of codes with its constants."""
        self.item()
        for _ in range(self.number()):
            kind = self.number()
            if kind == _COMPILED:
                self.compiled()
            else:
                self.call(kind)

    def call(self, kind: int) -> None:
        """Skip a constant of a compiled function. The cells of a call may refer to each other."""
        while kind != _REFERENCE:
            if kind == _REFERRED:
                self.number()
                kind = self.number()
            if kind not in _CALLS:
                self.item()
                return
            if kind in _CALLS_WITH_ATTRIBUTES:
                self.item()
            self.item()  # the tag
            self.call(self.number())
            kind = self.number()  # of the rest of the call
        self.number()

    def compact(self) -> RObject:
        """Read a vector in one of R's compact forms."""
        info, state, more = self.item(), self.item(), self.item()
        name = info.values[0]
        if name in ("compact_intseq", "compact_realseq"):
            size, first, step = state.values
            if not 0 <= size < _LONGEST:
                raise ValueError
            kind = INTEGER if name == "compact_intseq" else REAL
            values = (first + step * np.arange(size)).astype(_TYPES[kind])
            return RObject(kind, values, more.attributes)
        if name == "deferred_string":
            own, penalty = state.values
            return RObject(TEXT, _texts(own, int(penalty.values[0])), more.attributes)
        if name.startswith("wrap_"):
            own = state.values[0]
            return RObject(own.kind, own.values, more.attributes or own.attributes)
        raise ValueError


def _texts(numbers: RObject, penalty: int) -> list[str | None]:
    """Write numbers as R's function ``as.character`` does. `penalty` is R's option ``scipen``."""
    values = numbers.values
    if numbers.kind == INTEGER:
        return [None if one == NA_INTEGER else str(one) for one in values.tolist()]
    missing = np.isnan(values) & ((values.view(">u8") & 0xFFFF_FFFF) == NA_REAL & 0xFFFF_FFFF)
    return [
        None if gone else _shown(one, penalty)
        for one, gone in zip(values.tolist(), missing.tolist(), strict=True)
    ]


def _shown(number: float, penalty: int) -> str:
    """Write a number with at most 15 digits, in the shorter of its two notations."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Inf" if number > 0 else "-Inf"
    if number == 0:
        return "0"
    digits, _, power = f"{number:.{_DIGITS - 1}e}".partition("e")
    digits = digits.rstrip("0").removesuffix(".")
    exponent = int(power)
    scientific = f"{digits}e{exponent:+03}"
    places = max(len(digits.lstrip("-").replace(".", "")) - 1 - exponent, 0)
    fixed = f"{number:.{places}f}"
    return fixed if len(fixed) <= len(scientific) + penalty else scientific
