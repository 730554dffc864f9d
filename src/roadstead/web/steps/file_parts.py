"""Choose the part of a file that is the table, such as a sheet of a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from roadstead.errors import RoadsteadError
from roadstead.tables.files import PARQUET_MAGIC, first_bytes
from roadstead.tables.formats.options import OF_DATABASES, part_of, with_options
from roadstead.tables.formats.recognition import ARCHIVE, FIXED_WIDTH, format_of
from roadstead.tables.formats.registry import FORMATS

_LABELS = {
    "sheet": ("Sheet of the workbook", "the only sheet with cells"),
    "cells": ("Cells", "for example, A3, or A3:F200"),
    "table": ("Table or data frame", "the only one"),
    "widths": ("Widths of the fields, for a file with fixed widths", "for example, 10,3,1"),
    "names": ("Names of these fields", "for example, id,age,sex"),
    "catalog": ("SAS catalog, in the folder of the table", "none"),
}
"""The labels and hints of format options. Other options already have fields on the page."""


class PartField(NamedTuple):
    """A field on the page for an option of a file format."""

    key: str
    label: str
    hint: str
    value: str


def part_fields(data: str | None) -> list[PartField]:
    """Return the fields for a table. Only some file formats have fields."""
    if not data:
        return []
    try:
        file, options = part_of(Path(data))
        if not file.is_file():
            return []
        kind = format_of(file, options) or _of_texts(file)
    except (RoadsteadError, OSError, ValueError):
        return []
    if kind in (None, ARCHIVE):
        return []
    known = FORMATS[kind].options if kind in FORMATS else OF_DATABASES
    return [
        PartField(f"part-{key}", *_LABELS[key], options.get(key, ""))
        for key in _LABELS
        if key in known
    ]


def _of_texts(file: Path) -> str | None:
    """Return the format that defines the options of a text file, or None for Parquet."""
    return None if first_bytes(file, 4).startswith(PARQUET_MAGIC) else FIXED_WIDTH


def with_parts(data: str, form: Mapping[str, object]) -> str:
    """Return the address of a table, including the parts of the file that the form names."""
    fields = part_fields(data)
    if not fields:
        return data
    file, options = part_of(Path(data))
    given = {one.key.removeprefix("part-"): str(form.get(one.key, "")).strip() for one in fields}
    return with_options(file, {key: text for key, text in {**options, **given}.items() if text})


def file_of(data: str | None) -> Path:
    """Return the file that contains a table, without the name of the part."""
    return part_of(Path(data or ""))[0]
