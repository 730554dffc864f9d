"""Read a released file again, as whoever checks it does: in the form that its certificate tells.

The file is the release's own: a link to one elsewhere, a pipe or a folder is not read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roadstead.errors import SourceError
from roadstead.regular_files import require_regular
from roadstead.release.certificate import TableForm
from roadstead.tables.reading import read
from roadstead.tables.source import Source


def read_back(path: Path, form: TableForm) -> Source:
    """Read a released file; columns of one without a header get the names they had before.

    Raises
    ------
    SourceError
        It cannot be read, or is no file of the release itself.
    """
    try:
        require_regular(path, own=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SourceError(f"cannot be read ({why})", where=path.name) from None
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
