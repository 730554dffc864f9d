"""Tables and folders that an agent names: files below the allowed folders, and nothing else.

A text file without a header whose first record holds no number reads like one with a header. Its
first record would be taken for names of columns, and shown. So where no column tells, names are
believed only if the person who started the server said that files have them.
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
from roadstead.tables.reading import read
from roadstead.tables.source import Csv, Source
from roadstead.tables.texts import texts_of

_LOOKED_AT = 200
_NUMBER = re.compile(r"[+-]?[.,]?\d")


@dataclass(frozen=True)
class Allowed:
    """Folders that may be used, and whether a person said that text files have a header."""

    places: Places
    header: bool = False

    def existing(self, text: str) -> Path:
        """Give the real path of a file or folder that is there."""
        if is_address(text):
            raise ArgumentError("name a file or a folder in an allowed folder, not an address")
        try:
            real = self.places.require(Path(text))
            self.places.require_no_way_out(real)
        except SettingError as error:
            raise ArgumentError(error.what, where=error.where, fix=_FIX) from None
        if not (real.is_file() or real.is_dir()):
            raise ArgumentError("there is no such file or folder", fix=_FIX)
        return real

    def new(self, text: str) -> Path:
        """Give the real path of a folder that is to be made."""
        if is_address(text):
            raise ArgumentError("name a new folder in an allowed folder, not an address")
        try:
            real = self.places.require(Path(text))
        except SettingError as error:
            raise ArgumentError(error.what, where=error.where, fix=_FIX) from None
        if real.exists() or not real.parent.is_dir():
            raise ArgumentError("must be a new folder, in a folder that exists", where=real.name)
        return real

    def table(self, text: str, observer: Observer) -> Source:
        """Open a table; the observer hears of it, and closes it."""
        path = self.existing(text)
        source = read(path, header=True if self.header and not _is_binary(path) else None)
        observer.opened(source)
        if not self.header and _may_lack_a_header(source):
            raise ArgumentError(
                "every column has texts alone, so its first record may be a patient and no names",
                where=path.name,
                fix="have a person look, and start the server with "
                f"{option('header', True)} if files have one",
            )
        return source


_FIX = "name one in a folder that the server may use"


def _is_binary(path: Path) -> bool:
    return path.suffix == ".parquet"


def _may_lack_a_header(source: Source) -> bool:
    """Whether no column has numbers below a name without one."""
    if not isinstance(source.format, Csv) or not source.format.dialect.header:
        return False
    cells = texts_of(source, list(source.columns)).first(_LOOKED_AT)
    return not any(
        _is_of_numbers(name, own) for name, own in zip(source.columns, cells.values(), strict=True)
    )


def _is_of_numbers(name: str, cells: Sequence[str]) -> bool:
    texts = [text for cell in cells if cell and (text := cell.strip())]
    numbers = sum(_NUMBER.match(text) is not None for text in texts)
    return _NUMBER.match(name.strip()) is None and numbers * 2 > len(texts)
