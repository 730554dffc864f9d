"""Reading a table wherever it lies, as an Ibis table that can be asked the same questions.

Files and tables in memory are read through a private engine; a table in a database, or one that
Ibis already knows, stays in its engine. Who opens what, :mod:`roadstead.tables.readers` says.

Nothing stands for a missing value unless it is named: what is one table's "None" for no test is
another's missing result. What is named, such as ``?``, is missing in every column and every kind of
table, and from then on in everything that is worked out or released.
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
        The path of a CSV, TSV or other delimited text file (plain or gzipped), of a Parquet file,
        or of a folder of such files; the address of a table in a database, as
        :mod:`roadstead.tables.addresses` has them; a pandas (without its index) or Polars data
        frame, a mapping of column names to lists, or any object that Arrow can read (a
        ``pyarrow.Table``, for one); an Ibis table; or a data frame of Spark or Spark Connect.
    delimiter, quote, encoding, header
        How a text file is written, where this is known; otherwise found out by the rules of
        :mod:`roadstead.tables.dialect`. Not used for other data.
    missing
        Texts that stand for a missing value, such as ``?``, in any kind of table.
    name
        What to call the table in messages.
    memory_limit
        How much memory the private engine may use.

    Returns
    -------
    Source
        The table, its columns and its form.

    Raises
    ------
    SourceError
        The file or table is missing, empty or malformed, has no records, or its columns cannot be
        told apart; an address holds a password.
    MissingExtraError
        A kind of database needs something that is not installed.
    SettingError
        The delimiter, quote, encoding or memory limit is not one.
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
    """Read a table so that no record decides how others are read, nor whether it can be read.

    A differentially private release is made of tables read so. How a text file is written, its
    first line alone says (`roadstead.tables.dialect`) unless the user does, a table may be without
    records, and Python objects are refused where one could change how others read.
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
