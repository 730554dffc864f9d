"""Find the hidden rows and columns of a sheet, which are read like all other rows and columns.

The library that reads workbooks does not report hidden parts, so this module searches the XML of an
Excel or OpenDocument file for the tags of hidden parts. The module does not find hidden parts in
the older binary formats.
"""

from __future__ import annotations

import html
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_CHUNK = 1 << 20
_TAG = re.compile(
    rb"<(/?)(?:\w+:)?(sheet|Relationship|row|col|table|table-row|table-column)(?=[\s/>])([^>]*)>"
)
_ATTRIBUTE = re.compile(rb"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_OPEN_DOCUMENT = "content.xml"
_YES = ("1", "true")


@dataclass(frozen=True)
class HiddenParts:
    """Hidden rows and columns, as pairs of the first and the last number. Numbers begin at 0."""

    rows: tuple[tuple[int, int], ...] = ()
    columns: tuple[tuple[int, int], ...] = ()


def hidden_parts(path: Path, sheet: str) -> HiddenParts:
    """Return the hidden rows and columns of a sheet. Files of other formats have none."""
    with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile), zipfile.ZipFile(path) as file:
        if _BOOK in file.namelist():
            return _of_excel(file, sheet)
        if _OPEN_DOCUMENT in file.namelist():
            return _of_open_document(file, sheet)
    return HiddenParts()


def said_of_hidden(parts: HiddenParts, rows: Iterable[int], columns: Iterable[int]) -> str:
    """Say how many of the rows and columns to read are hidden. If there are none, say nothing."""
    found = [
        f"{number} hidden {what}{'' if number == 1 else 's'}"
        for what, number in (
            ("column", _within(parts.columns, columns)),
            ("row", _within(parts.rows, rows)),
        )
        if number
    ]
    one = len(found) == 1 and not found[0].endswith("s")
    return f"{' and '.join(found)} {'is' if one else 'are'} read" if found else ""


def _within(ranges: Sequence[tuple[int, int]], read: Iterable[int]) -> int:
    """Count the numbers that are in one of the ranges."""
    if not ranges:  # the rows are not looked at
        return 0
    own = sorted(ranges)
    firsts = [first for first, _ in own]
    found = ((one, bisect_right(firsts, one) - 1) for one in read)
    return sum(at >= 0 and one <= own[at][1] for one, at in found)


def _of_excel(file: zipfile.ZipFile, sheet: str) -> HiddenParts:
    sheets = {
        own.get("name"): own.get("r:id") for _, kind, own in _tags(file, _BOOK) if kind == "sheet"
    }
    links = {
        own.get("Id"): own["Target"] for _, kind, own in _tags(file, _LINKS) if "Target" in own
    }
    target = links[sheets[sheet]]
    part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    rows, columns, number = [], [], 0
    for _, kind, own in _tags(file, part):
        hidden = own.get("hidden") in _YES
        if kind == "row":
            number = int(own.get("r", number + 1))
            if hidden:
                rows.append((number - 1, number - 1))
        elif kind == "col" and hidden:
            columns.append((int(own["min"]) - 1, int(own["max"]) - 1))
    return HiddenParts(tuple(rows), tuple(columns))


def _of_open_document(file: zipfile.ZipFile, sheet: str) -> HiddenParts:
    inside, row, column = False, 0, 0
    rows, columns = [], []
    for ends, kind, own in _tags(file, _OPEN_DOCUMENT):
        if kind == "table":
            inside = not ends and own.get("table:name") == sheet
        if not inside or ends:
            continue
        hidden = own.get("table:visibility") in ("collapse", "filter")
        if kind == "table-row":
            many = int(own.get("table:number-rows-repeated", 1))
            rows += [(row, row + many - 1)] if hidden else []
            row += many
        elif kind == "table-column":
            many = int(own.get("table:number-columns-repeated", 1))
            columns += [(column, column + many - 1)] if hidden else []
            column += many
    return HiddenParts(tuple(rows), tuple(columns))


def _tags(file: zipfile.ZipFile, part: str) -> Iterator[tuple[bool, str, dict[str, str]]]:
    """For each tag in `_TAG`, yield whether it is an end tag, its name, and its attributes."""
    left = b""
    with file.open(part) as stream:
        while chunk := stream.read(_CHUNK):
            text = left + chunk
            whole = text.rfind(b"<")
            for found in _TAG.finditer(text, 0, whole):
                yield _tag(found)
            left = text[whole:]
    for found in _TAG.finditer(left):
        yield _tag(found)


def _tag(found: re.Match[bytes]) -> tuple[bool, str, dict[str, str]]:
    own = {
        name.decode(): html.unescape((one or other).decode("utf-8", "replace"))
        for name, one, other in _ATTRIBUTE.findall(found[3])
    }
    return bool(found[1]), found[2].decode(), own
