"""Read serialized Java objects as plain values, without loading any Java class.

The Java Object Serialization Specification defines the grammar. Some classes write content that the
stream does not describe, and a stream with such a class is not read at all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_MAGIC: Final = b"\xac\xed\x00\x05"
_NUMBERS: Final[Mapping[str, str]] = {
    "B": ">b",
    "C": ">H",
    "D": ">d",
    "F": ">f",
    "I": ">i",
    "J": ">q",
    "S": ">h",
    "Z": ">?",
}
_END: Final = 0x78
_FIRST_HANDLE: Final = 0x7E0000
_WRITES, _PLAIN, _EXTERNAL, _BLOCKS = 1, 2, 4, 8
"""The flags that describe how a class writes its content."""


@dataclass
class JavaClass:
    """A class in a stream, with its name, flags, superclass, and the types of its fields."""

    name: str
    flags: int = 0
    fields: list[tuple[str, str]] = field(default_factory=list)
    above: JavaClass | None = None


@dataclass
class JavaObject:
    """An object, with its class, its fields, and other content that the class wrote."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)
    content: list[Any] = field(default_factory=list)


def java_objects(stream: bytes) -> list[JavaObject]:
    """Return all objects in a stream, or an empty list if the stream cannot be read."""
    if not stream.startswith(_MAGIC):
        return []
    reader = _Reader(stream)
    try:
        while reader.at < len(stream):
            reader.value()
    except (struct.error, ValueError, IndexError, UnicodeDecodeError, RecursionError):
        return []
    return [one for one in reader.handles if isinstance(one, JavaObject)]


class _Reader:
    """A reader that parses the values in a stream, and assigns numbers for later references."""

    def __init__(self, stream: bytes) -> None:
        self.stream, self.at, self.handles = stream, len(_MAGIC), list[Any]()
        self.kinds: Mapping[int, Callable[[], Any]] = {
            0x70: lambda: None,
            0x71: self._reference,
            0x72: self._class,
            0x73: self._object,
            0x74: lambda: self._kept(self._text(">H")),
            0x75: self._array,
            0x76: lambda: self._kept(self.value()),
            0x77: lambda: self._take(self._number(">B")),
            0x7A: lambda: self._take(self._number(">i")),
            0x7C: lambda: self._kept(self._text(">q")),
            0x7E: self._constant,
        }

    def value(self) -> Any:  # noqa: ANN401 - of any class
        """Read the next value. Raise a ValueError for an unknown kind."""
        kind = self._number(">B")
        if kind not in self.kinds:
            raise ValueError(kind)
        return self.kinds[kind]()

    def _take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.stream) - self.at:
            raise ValueError(size)
        self.at += size
        return self.stream[self.at - size : self.at]

    def _number(self, form: str) -> Any:  # noqa: ANN401 - of any of Java's types
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _text(self, size: str) -> str:
        return self._take(self._number(size)).decode("utf-8", "replace")

    def _kept(self, value: Any) -> Any:  # noqa: ANN401 - of any class
        self.handles.append(value)
        return value

    def _reference(self) -> Any:  # noqa: ANN401 - of any class
        number = self._number(">i") - _FIRST_HANDLE
        if number < 0:
            raise ValueError(number)
        return self.handles[number]

    def _contents(self) -> list[Any]:
        found = []
        while self.stream[self.at] != _END:
            found.append(self.value())
        self.at += 1
        return found

    def _class(self) -> JavaClass:
        found = JavaClass(self._text(">H"))
        self._take(8)  # the version of the class
        self._kept(found)
        found.flags = self._number(">B")
        for _ in range(self._number(">H")):
            kind, name = chr(self._number(">B")), self._text(">H")
            if kind in "[L":
                self.value()  # the name of the type
            found.fields.append((kind, name))
        self._contents()
        found.above = self.value()
        return found

    def _field(self, kind: str) -> Any:  # noqa: ANN401 - of any of Java's types
        return self._number(_NUMBERS[kind]) if kind in _NUMBERS else self.value()

    def _object(self) -> JavaObject:
        of = self.value()
        found: JavaObject = self._kept(JavaObject(of.name if isinstance(of, JavaClass) else ""))
        classes = []
        while isinstance(of, JavaClass):
            classes.append(of)
            of = of.above
        for one in reversed(classes):
            if one.flags & _PLAIN:
                found.fields |= {name: self._field(kind) for kind, name in one.fields}
            if one.flags & _EXTERNAL and not one.flags & _BLOCKS:
                raise ValueError(one.flags)
            if one.flags & (_WRITES | _EXTERNAL):
                found.content += self._contents()
        return found

    def _array(self) -> list[Any]:
        of = self.value()
        found: list[Any] = self._kept([])
        size, kind = self._number(">i"), of.name[1:2] if isinstance(of, JavaClass) else "L"
        if kind in _NUMBERS:
            self._take(size * struct.calcsize(_NUMBERS[kind]))  # not needed
        else:
            found += [self.value() for _ in range(size)]
        return found

    def _constant(self) -> str:
        self.value()  # its class
        at = len(self.handles)
        self._kept("")
        self.handles[at] = self.value()
        return str(self.handles[at])
