"""Read a released file again, as whoever checks it does: in the form that its certificate tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roadstead.release.certificate import TableForm
from roadstead.tables.sources import Source, read


def read_back(path: Path, form: TableForm) -> Source:
    """Read a released file; columns of one without a header get the names they had before.

    Raises
    ------
    SourceError
        It cannot be read.
    """
    source = read(
        path,
        delimiter=form.delimiter,
        quote=form.quote,
        encoding=form.encoding,
        header=form.header,
    )
    if form.columns is None or len(form.columns) != len(source.columns):
        return source
    names = dict(zip(form.columns, source.columns, strict=True))
    return replace(source, table=source.table.rename(names), columns=form.columns)
