"""How a released table is written, and how its reader reads it again.

The certificate holds the form, so that somebody else reads the file as it was meant. The file is
the release's own: a link to one elsewhere, a pipe or a folder is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import SourceError
from roadstead.regular_files import require_regular
from roadstead.release.documents import STRICT
from roadstead.tables.reading import read
from roadstead.tables.source import Csv, Format, Parquet, Source

TABLE_FILES = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.txt", "*.txt.gz", "*.parquet")


@checked_dataclass(frozen=True, config=STRICT)
class TableForm:
    """The kind of file, or ``table`` for one in a database, and the dialect of a text file."""

    kind: Literal["csv", "parquet", "table"]
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    compressed: bool | None = None
    newline: str | None = None
    columns: tuple[str, ...] | None = None  # of a text file without a header


def file_format(format: Format) -> Csv | Parquet:  # noqa: A002 - its plain name
    """Give the format a release is written in: the source's, Parquet for tables without a file."""
    return format if isinstance(format, Csv) else Parquet()


def table_name(source: Source) -> str:
    """Name the released table like the source's file, with an ending that fits its form."""
    if source.path is None:
        return "release.parquet"
    name = source.path.name
    if any(source.path.match(pattern) for pattern in TABLE_FILES):
        return name
    if isinstance(source.format, Csv):
        return f"{name}.csv.gz" if source.format.dialect.compressed else f"{name}.csv"
    return f"{name}.parquet"


def table_form(format: Csv | Parquet, columns: Sequence[str]) -> TableForm:  # noqa: A002 - its name
    """Say how the table is written; where it does not name its columns, the certificate does."""
    if isinstance(format, Parquet):
        return TableForm(kind="parquet")
    unnamed = None if format.dialect.header else tuple(columns)
    written = replace(format.dialect, newline="\n")  # whatever ended the source's lines
    return TableForm(kind="csv", **asdict(written), columns=unnamed)


def read_back(path: Path, form: TableForm) -> Source:
    """Read a released file; columns of one without a header get the names they had before."""
    try:
        require_regular(path, own=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SourceError(f"cannot be read ({why})", where=path.name) from None
    dialect = {name: getattr(form, name) for name in ("delimiter", "quote", "encoding", "header")}
    source = read(path, **dialect)
    if form.columns is None or len(form.columns) != len(source.columns):
        return source
    names = dict(zip(form.columns, source.columns, strict=True))
    return replace(source, held=source.table.rename(names), columns=form.columns)
