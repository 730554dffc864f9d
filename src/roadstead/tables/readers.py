"""Who opens what: readers, each of which takes the data that are its own and leaves all others.

A reader is asked with the data and with how they are to be read, and gives a `Source`, or None for
data that are not its own. Special readers are asked before general ones: those of health data
(:mod:`roadstead.tables.health.readers`) before those of files, of tables of stores and of tables
in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from roadstead.errors import SourceError
from roadstead.tables.dialect import AsWritten, Sniffed, dialect_of_header, sniff
from roadstead.tables.source import Source


@dataclass(frozen=True)
class Manner:
    """How data are to be read.

    `written`: how a text file is written, as far as the user knows. `name`: what to call the table
    in messages; None for a name of its own. `private`: whether no record may decide how others are
    read, nor whether they are: a refusal would tell of it.
    """

    memory_limit: str
    written: AsWritten = field(default_factory=AsWritten)
    name: str | None = None
    private: bool = False

    def dialect(self, path: Path) -> Sniffed:
        """Find out how a text file is written."""
        return (dialect_of_header if self.private else sniff)(path, **self.written)

    def without_records(self, name: str) -> None:
        """Refuse a table that has no records, if that may be told."""
        if not self.private:
            raise SourceError(
                "there are no records", where=name, fix="name a table that has records"
            )

    def header_again(self, name: str, line: int) -> None:
        """Refuse a record, on this line of a file, that repeats the header; 0 if none does."""
        if line and not self.private:
            what = "this record repeats the header, as in files that were joined together"
            fix = "remove the line, or put the files into a folder and name the folder"
            raise SourceError(what, where=f"{name}, line {line}", fix=fix)


Reader: TypeAlias = Callable[[Any, Manner], Source | None]

_SPECIAL: list[Reader] = []
_GENERAL: list[Reader] = []


def register(*readers: Reader, special: bool = False) -> None:
    """Ask readers from now on, in their order; special ones before all others."""
    known = _SPECIAL if special else _GENERAL
    known += [reader for reader in readers if reader not in known]


def open_data(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - whatever has a reader
    """Open data by the first reader that takes them."""
    for reader in (*_SPECIAL, *_GENERAL):
        if (source := reader(data, manner)) is not None:
            return source
    raise SourceError(f"a {type(data).__name__} cannot be read as a table", fix="pass a path")
