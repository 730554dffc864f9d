"""Represent the layout of fields of fixed width, and read it from a DDI codebook.

IPUMS and other archives export such a codebook next to the data. It gives the first and the last
character of each variable, and the number of digits after a decimal point that is not written. In a
hierarchical file, it also gives the types of records (households and people), and the variables of
each type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from roadstead.tables.codebooks.document import MOST_COLUMNS, Document, clean
from roadstead.tables.codebooks.xml_events import read_events
from roadstead.tables.formats.record_types import RecordTypes

_WHOLE = re.compile(r"([+-]?)([0-9]+)", re.ASCII)
_PLACE = re.compile(r"[0-9]{1,7}", re.ASCII)
_MOST_DECIMALS = 20
_SEVERAL = 2


class LayoutField(NamedTuple):
    """The name and the position of a field in each line. Characters are counted from 0.

    If a number in the field has no decimal point, its last `decimals` digits are decimals. `types`
    are the types of records that have the field; it is empty if all records have the field.
    """

    name: str
    start: int
    end: int
    decimals: int = 0
    types: tuple[str, ...] = ()

    def of(self, line: str) -> str | None:
        """Return the content of the field in a line, or None for a blank field."""
        text = line[self.start : self.end].strip()
        if self.decimals and (found := _WHOLE.fullmatch(text)) is not None:
            digits = found[2].zfill(self.decimals + 1)
            whole = digits[: -self.decimals].lstrip("0") or "0"
            return f"{found[1]}{whole}.{digits[-self.decimals :]}"
        return text or None


@dataclass(frozen=True)
class FieldLayout:
    """The fields of each line, and the types of records if the file has several types."""

    fields: tuple[LayoutField, ...]
    types: RecordTypes | None = None

    @cached_property
    def end(self) -> int:
        """The length of the longest line that the layout describes."""
        return max((field.end for field in self.fields), default=0)

    @cached_property
    def type_field(self) -> LayoutField | None:
        """The field with the type of each record, if there are several types."""
        column = None if self.types is None else self.types.column
        return next((field for field in self.fields if field.name == column), None)


def layout_of_ddi(document: Document) -> FieldLayout:
    """Return the layout in a DDI codebook. Raises SourceError if it lacks the places of fields."""
    places = _Places(document)
    read_events(document, places.begin, lambda _: None, lambda _: None)
    if not places.fields:
        what = "the codebook does not say where the fields of a line are"
        raise document.wrong(what, "export the data with fields of fixed width, or as CSV")
    return FieldLayout(tuple(places.fields), places.types())


@dataclass
class _Places:
    """Collect the places of variables from the events of the parser."""

    document: Document
    fields: list[LayoutField] = field(default_factory=list)
    _groups: list[dict[str, str]] = field(default_factory=list)
    _variable: tuple[str, int, tuple[str, ...]] = ("", 0, ())
    _files: set[str] = field(default_factory=set)

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2].casefold()
        if name == "recgrp":
            self._groups.append(attributes)
        elif name == "var":
            named = attributes.get("name") or attributes.get("ID", "")
            decimals = min(_whole(attributes.get("dcml", "")) or 0, _MOST_DECIMALS)
            self._variable = (named.strip(), decimals, (*attributes.get("rectype", "").split(),))
        elif name == "location" and "StartPos" in attributes:
            self._files.add(attributes.get("fileid", ""))
            if len(self._files) > 1 or (_whole(attributes.get("RecSegNo", "")) or 1) > 1:
                what = "the codebook describes several files, or several lines for each record"
                raise self.document.wrong(what, "convert the file to CSV, with a line per record")
            self._add(attributes)

    def types(self) -> RecordTypes | None:
        """Return the types of records, or None if all records have the same type."""
        if len(self._groups) < _SEVERAL:
            return None
        codes = {clean(one.get("rectype", "")): not one.get("keyvar") for one in self._groups}
        named = {one.get("recidvar", "") for one in self._groups}
        column = named.pop() if len(named) == 1 else ""
        if "" in codes or column not in {one.name for one in self.fields}:
            what = "the codebook has several types of records, but does not say which field is the"
            raise self.document.wrong(f"{what} type", "export the data with one type of records")
        top = [code for code, is_top in codes.items() if is_top]
        return RecordTypes(column, (*codes,), top[0] if len(top) == 1 else None)

    def _add(self, attributes: dict[str, str]) -> None:
        start, end, width = (
            _whole(attributes.get(one, "")) for one in ("StartPos", "EndPos", "width")
        )
        called, decimals, types = self._variable
        if start and end is None and width:
            end = start + width - 1
        if not start or not end or end < start or not called or len(self.fields) >= MOST_COLUMNS:
            what = "the codebook has a variable whose place in a line cannot be read"
            raise self.document.wrong(what, "export the codebook again")
        self.fields.append(LayoutField(called, start - 1, end, decimals, types))


def _whole(text: str) -> int | None:
    return int(text) if _PLACE.fullmatch(text.strip()) else None
