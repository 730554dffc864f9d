"""Recognize the format of a codebook by its content, read it, and choose the notes for a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roadstead.errors import SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.tables.codebooks.described import TableNotes
from roadstead.tables.codebooks.document import Document, document_at
from roadstead.tables.codebooks.registry import FORMATS, CodebookFormat

_FORMAT = "?format="


def read_codebook(given: str | Path, columns: Sequence[str], table: str = "") -> TableNotes:
    """Read a codebook, and return its notes under the names of a table's columns.

    `given` is the file, or ``FILE?format=NAME`` for a format from another package. `table` is the
    name of the table's file. If a codebook describes several tables, Roadstead uses the notes on
    the table with this name. If no table has this name, Roadstead uses the notes that have the most
    columns in common with the table. Raises SourceError if the file is missing, too large, damaged,
    or not a codebook, or if it does not describe any column of the table. Raises SettingError if
    the requested format is unknown.
    """
    text, asked, name = str(given).partition(_FORMAT)
    document = document_at(Path(text))
    form = _named(name) if asked else _recognized(document)
    found = [notes.fitted(columns) for notes in form.read(document)]
    if not any(notes.columns for notes in found):
        raise document.wrong("the codebook does not describe any column", "name another file")

    def fit(notes: TableNotes) -> tuple[int, int]:
        same = bool(table) and notes.table.casefold() == table.casefold()
        return sum(one in notes.columns for one in columns), int(same)

    best = max(found, key=fit)
    if fit(best)[0] == 0:
        what = "the codebook does not describe any column of this table"
        fix = (
            f"use the codebook of {quoted(table) if table else 'the table'}, or give the columns "
            "the names that the codebook uses"
        )
        raise document.wrong(what, fix)
    named = next((one for one in found if table and one.table == table and fit(one)[0]), best)
    return replace(named, kind=form.label, name=document.name)


def _named(name: str) -> CodebookFormat:
    if name not in FORMATS:
        fix = did_you_mean(name, [*FORMATS], f"use one of {', '.join(FORMATS)}", show=quoted)
        what = f"there is no codebook format {quoted(name)}"
        raise SettingError(what, where="codebook", fix=fix)
    return FORMATS[name]


def _recognized(document: Document) -> CodebookFormat:
    for name in FORMATS.own:
        if (form := FORMATS[name]).recognizes(document):
            return form
    what = "this is not a codebook that Roadstead can read"
    fix = (
        "give a REDCap data dictionary, a DDI codebook, CSVW or Frictionless metadata, or a CSV "
        "file with the columns name, label, type, missing, role, values"
    )
    raise document.wrong(what, fix)
