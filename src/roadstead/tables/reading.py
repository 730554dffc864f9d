"""Read a table, wherever it is, as an Ibis table that supports the same queries.

Files and tables in memory are read through a private engine. A table in a database, or a table that
Ibis already knows, stays in its engine. :mod:`roadstead.tables.readers` decides which reader opens
which data.

No text represents a missing value unless you name it, because "None" can be a valid value in one
table and a missing result in another. A named text, such as ``?``, is a missing value in every
column and every kind of table, and in everything that is computed or released.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from roadstead.errors import SettingError
from roadstead.tables.addresses import locate
from roadstead.tables.arrow_tables import check_kinds, read_memory
from roadstead.tables.dialect import AsWritten
from roadstead.tables.file_tables import read_file
from roadstead.tables.health import readers as health
from roadstead.tables.readers import Manner, open_data, register
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.access import read_address, read_engine
from roadstead.tables.text import as_text

register(read_address, read_file, read_engine, read_memory)
health.register_health()


def read(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    name: str | None = None,
    memory_limit: str = "2GB",
) -> Source:
    r"""Read a table.

    Parameters
    ----------
    data
        The path of a CSV, TSV, or other delimited text file (plain or gzipped), of a Parquet file,
        or of a folder of such files; the address of a table in a database, in the form of
        :mod:`roadstead.tables.addresses`; a pandas (without its index) or Polars data frame, a
        mapping of column names to lists, or any object that Arrow can read (such as a
        ``pyarrow.Table``); an Ibis table; or a data frame of Spark or Spark Connect.
    delimiter, quote, encoding, header
        How a text file is written, if this is known; otherwise the rules of
        :mod:`roadstead.tables.dialect` decide. Not used for other data.
    missing
        Texts that represent a missing value, such as ``?``, in any kind of table.
    name
        The name of the table in messages.
    memory_limit
        How much memory the private engine may use.

    Returns
    -------
    Source
        The table, its columns, and its form.

    Raises
    ------
    SourceError
        The file or table is missing, empty, or malformed, has no records, or has columns that
        cannot be distinguished; or an address holds a password.
    MissingExtraError
        A kind of database needs a package that is not installed.
    SettingError
        The delimiter, quote, encoding, or memory limit is invalid.
    """
    written = AsWritten(delimiter=delimiter, quote=quote, encoding=encoding, header=header)
    return _read(data, Manner(memory_limit, written, name), missing)


def read_privately(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    missing: Sequence[str] = (),
    name: str | None = None,
    memory_limit: str = "2GB",
    **written: Unpack[AsWritten],
) -> Source:
    """Read a table so that no record decides how others are read, or whether they can be read.

    Differentially private releases read their tables in this way. Unless the user specifies it,
    only the first line of a text file determines how the file is written
    (`roadstead.tables.dialect`). A table may be without records. Python objects are refused if one
    could change how others are read.
    """
    check_kinds(data)
    return _read(data, Manner(memory_limit, written, name, private=True), missing)


def _read(data: Any, manner: Manner, missing: Sequence[str]) -> Source:  # noqa: ANN401 - any data
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    source = _without_markers(open_data(data, manner), missing)
    foreign = isinstance(source.format, Engine) and source.location is None
    again = (_read, None if foreign else data, (manner, tuple(missing)))
    return replace(source, _again=again)


def _without_markers(source: Source, markers: Sequence[str]) -> Source:
    """Make some texts missing values; blanks around a value do not count, capitals do."""
    if isinstance(markers, str):
        raise SettingError(
            "it is a single text, not a list", where="missing", fix=f"write [{markers!r}]"
        )
    texts = sorted({marker.strip() for marker in markers} - {""})
    if not texts:
        return source
    import ibis  # noqa: PLC0415 - heavy

    columns = {name: source.table[name] for name in source.columns}
    read = {
        name: ibis.ifelse(as_text(column).strip().isin(texts), ibis.null(column.type()), column)
        for name, column in columns.items()
        if not column.type().is_nested()
    }
    return replace(source, held=source.table.mutate(**read))
