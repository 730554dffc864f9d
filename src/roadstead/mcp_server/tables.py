"""Open the tables and folders that an agent names and that are inside the allowed folders.

If a text file or a sheet has no header, its first record could be read as column names and sent to
the agent. So the server rejects a file in which no column has numbers, unless the person who
started the server has stated that files have a header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Observer
from roadstead.mcp_server.refusals import ArgumentError
from roadstead.places import Places
from roadstead.tables.addresses import is_address
from roadstead.tables.formats.registry import format_named
from roadstead.tables.names import numbered
from roadstead.tables.reading import read
from roadstead.tables.source import Csv, ProgramFile, Source
from roadstead.tables.texts import texts_of

_LOOKED_AT = 200
_NUMBER = re.compile(r"[+-]?[.,]?\d")


@dataclass(frozen=True)
class Allowed:
    """The allowed folders, and whether a person has stated that all files have a header."""

    places: Places
    header: bool = False

    def existing(self, text: str) -> Path:
        """Return the real path of an existing file or folder."""
        if is_address(text):
            raise ArgumentError("give a file or a folder in an allowed folder, not an address")
        try:
            real = self.places.require(Path(text))
            self.places.require_no_way_out(real)
        except SettingError as error:
            raise ArgumentError(error.what, where=error.where, fix=_FIX) from None
        if not (real.is_file() or real.is_dir()):
            raise ArgumentError("this file or folder does not exist", fix=_FIX)
        return real

    def new(self, text: str) -> Path:
        """Return the real path of a new folder."""
        if is_address(text):
            raise ArgumentError("give a new folder in an allowed folder, not an address")
        try:
            real = self.places.require(Path(text))
        except SettingError as error:
            raise ArgumentError(error.what, where=error.where, fix=_FIX) from None
        if real.exists() or not real.parent.is_dir():
            raise ArgumentError(
                "this folder must be new, and its parent folder must exist", where=real.name
            )
        return real

    def table(self, text: str, observer: Observer) -> Source:
        """Open a table. The observer closes the table later."""
        path = self.existing(text)
        source = read(path, header=True if self.header and not _is_binary(path) else None)
        observer.opened(source)
        if not self.header and _may_lack_a_header(source):
            raise ArgumentError(
                "no column has numbers, so the first row may contain a patient's data instead of "
                "column names",
                where=path.name,
                fix="ask a person to check the file; if all files have column names in the first "
                f"row, start the server with {option('header', True)}",
            )
        return source


_FIX = "give a file or a folder in an allowed folder"


def _is_binary(path: Path) -> bool:
    return path.suffix == ".parquet"


def _may_lack_a_header(source: Source) -> bool:
    """Return whether the first row may be a record instead of a header.

    The result is False if at least one column contains numbers and has a name without a number.
    """
    form = source.format
    text = isinstance(form, Csv) and form.dialect.header
    sheet = isinstance(form, ProgramFile) and "header" in format_named(form.kind).options
    if not text and not (sheet and source.columns != numbered(len(source.columns))):
        return False
    cells = texts_of(source, list(source.columns)).first(_LOOKED_AT)
    return not any(
        _is_of_numbers(name, own) for name, own in zip(source.columns, cells.values(), strict=True)
    )


def _is_of_numbers(name: str, cells: Sequence[str]) -> bool:
    texts = [text for cell in cells if cell and (text := cell.strip())]
    numbers = sum(_NUMBER.match(text) is not None for text in texts)
    return _NUMBER.match(name.strip()) is None and numbers * 2 > len(texts)
