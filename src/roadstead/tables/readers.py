"""Who opens what: readers, each of which takes the data that are its own and leaves all others.

A reader is asked with the data and with how they are to be read, and gives a `Source`, or None for
data that are not its own. Special readers are asked before general ones: models of health data,
which :mod:`roadstead.tables.health.readers` registers, before files, tables of stores and tables in
memory, which :mod:`roadstead.tables.reading` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from roadstead.errors import SourceError
from roadstead.tables.dialect import Sniffed
from roadstead.tables.source import Source


@dataclass(frozen=True)
class Manner:
    """How data are to be read.

    `dialect`: finds out how a text file is written. `without_records`: called with the name of a
    table that has no records. `header_again`: called with the name of a file, and the line that
    repeats its header; 0 if none does. `memory_limit`: how much memory the private engine may use.
    `name`: what to call the table in messages; None for a name of its own.
    """

    dialect: Callable[[Path], Sniffed]
    without_records: Callable[[str], None]
    header_again: Callable[[str, int], None]
    memory_limit: str
    name: str | None = None


Reader: TypeAlias = Callable[[Any, Manner], Source | None]

_SPECIAL: list[Reader] = []
_GENERAL: list[Reader] = []


def register(*readers: Reader, special: bool = False) -> None:
    """Ask readers from now on, in their order; special ones before all others."""
    known = _SPECIAL if special else _GENERAL
    known += [reader for reader in readers if reader not in known]


def open_data(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - whatever has a reader
    """Open data by the first reader that takes them.

    Raises SourceError: None does.
    """
    for reader in (*_SPECIAL, *_GENERAL):
        if (source := reader(data, manner)) is not None:
            return source
    raise SourceError(f"a {type(data).__name__} cannot be read as a table", fix="pass a path")


def refuse_empty(name: str) -> None:
    """Refuse a table without records."""
    raise SourceError("there are no records", where=name, fix="name a table that has some")


def allow_empty(_name: str) -> None:
    """Say nothing: a refusal would tell of the first record of a table."""


def refuse_header_again(name: str, line: int) -> None:
    """Refuse a record that repeats the header."""
    if line:
        raise SourceError(
            "this record repeats the header, as in files that were put together",
            where=f"{name}, line {line}",
            fix="remove the line, or put the files into a folder and name that",
        )


def allow_header_again(_name: str, _line: int) -> None:
    """Say nothing, as of empty tables."""
