"""Represent the layout of fields of fixed width, and read it from a DDI codebook.

IPUMS and other archives export such a codebook next to the data. It gives the first and the last
character of each variable, and the number of digits after a decimal point that is not written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from roadstead.tables.codebooks.document import MOST_COLUMNS, Document
from roadstead.tables.codebooks.xml_events import read_events

_WHOLE = re.compile(r"([+-]?)([0-9]+)", re.ASCII)
_PLACE = re.compile(r"[0-9]{1,7}", re.ASCII)
_MOST_DECIMALS = 20


class LayoutField(NamedTuple):
    """The name and the position of a field in each line. Characters are counted from 0.

    If a number in the field has no decimal point, its last `decimals` digits are decimals.
    """

    name: str
    start: int
    end: int
    decimals: int = 0

    def of(self, line: str) -> str | None:
        """Return the content of the field in a line, or None for a blank field."""
        text = line[self.start : self.end].strip()
        if self.decimals and (found := _WHOLE.fullmatch(text)) is not None:
            digits = found[2].zfill(self.decimals + 1)
            whole = digits[: -self.decimals].lstrip("0") or "0"
            return f"{found[1]}{whole}.{digits[-self.decimals :]}"
        return text or None


def layout_of_ddi(document: Document) -> tuple[LayoutField, ...]:
    """Return the fields of a DDI codebook. Raises SourceError if it lacks the places of fields."""
    places = _Places(document)
    read_events(document, places.begin, lambda _: None, lambda _: None)
    fix = "export the data with fields of fixed width and one kind of record, or as CSV"
    if places.kinds > 1:
        raise document.wrong("the data have several kinds of records", fix)
    if not places.fields:
        raise document.wrong("the codebook does not say where the fields of a line are", fix)
    return tuple(places.fields)


@dataclass
class _Places:
    """Collect the places of variables from the events of the parser."""

    document: Document
    fields: list[LayoutField] = field(default_factory=list)
    kinds: int = 0
    _variable: tuple[str, int] = ("", 0)
    _files: set[str] = field(default_factory=set)

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2].casefold()
        if name == "recgrp":
            self.kinds += 1
        elif name == "var":
            named = attributes.get("name") or attributes.get("ID", "")
            decimals = _whole(attributes.get("dcml", "")) or 0
            self._variable = (named.strip(), min(decimals, _MOST_DECIMALS))
        elif name == "location" and "StartPos" in attributes:
            self._files.add(attributes.get("fileid", ""))
            if len(self._files) > 1 or (_whole(attributes.get("RecSegNo", "")) or 1) > 1:
                what = "the codebook describes several files, or several lines for each record"
                raise self.document.wrong(what, "convert the file to CSV, with a line per record")
            self._add(attributes)

    def _add(self, attributes: dict[str, str]) -> None:
        start, end, width = (
            _whole(attributes.get(one, "")) for one in ("StartPos", "EndPos", "width")
        )
        called, decimals = self._variable
        if start and end is None and width:
            end = start + width - 1
        if not start or not end or end < start or not called or len(self.fields) >= MOST_COLUMNS:
            what = "the codebook has a variable whose place in a line cannot be read"
            raise self.document.wrong(what, "export the codebook again")
        self.fields.append(LayoutField(called, start - 1, end, decimals))


def _whole(text: str) -> int | None:
    return int(text) if _PLACE.fullmatch(text.strip()) else None
