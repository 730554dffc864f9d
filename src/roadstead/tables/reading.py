"""Reading a table wherever it lies, as an Ibis table that can be asked the same questions.

Files and tables in memory are read through a private engine; a table in a database, or one that
Ibis already knows, stays in its engine. Who opens what, :mod:`roadstead.tables.readers` says.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from roadstead.tables.addresses import locate
from roadstead.tables.dialect import sniff
from roadstead.tables.file_tables import read_file
from roadstead.tables.formats import Engine
from roadstead.tables.from_memory import read_memory
from roadstead.tables.header_dialect import dialect_of_header
from roadstead.tables.health import readers as health
from roadstead.tables.missing_markers import without_markers
from roadstead.tables.python_objects import check_kinds
from roadstead.tables.readers import (
    Manner,
    allow_empty,
    allow_header_again,
    open_data,
    refuse_empty,
    refuse_header_again,
    register,
)
from roadstead.tables.stores.access import read_address, read_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.source import Source

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
    dialect = partial(sniff, delimiter=delimiter, quote=quote, encoding=encoding, header=header)
    manner = Manner(dialect, refuse_empty, refuse_header_again, memory_limit, name)
    return _read(data, manner, missing)


def read_privately(
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
    r"""Read a table so that no record decides how others are read, nor whether it can be read.

    A differentially private release is made of tables read so. How a text file is written, its
    first line alone says, a table may be without records, and Python objects are refused where
    one could change how others read.

    Parameters
    ----------
    data, missing, name, memory_limit
        As for `read`.
    delimiter, quote, encoding, header
        How a text file is written, where this is not what
        :mod:`roadstead.tables.header_dialect` says.

    Returns
    -------
    Source
        The table, its columns and its form.

    Raises
    ------
    SourceError
        As for `read`, but not for a table without records; or a column of Python objects has
        values of several kinds.
    MissingExtraError, SettingError
        As for `read`.
    """
    check_kinds(data)
    dialect = partial(
        dialect_of_header, delimiter=delimiter, quote=quote, encoding=encoding, header=header
    )
    manner = Manner(dialect, allow_empty, allow_header_again, memory_limit, name)
    return _read(data, manner, missing)


def _read(data: Any, manner: Manner, missing: Sequence[str]) -> Source:  # noqa: ANN401 - any data
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    source = without_markers(open_data(data, manner), missing)
    foreign = isinstance(source.format, Engine) and source.location is None
    again = (_read, None if foreign else data, (manner, tuple(missing)))
    return replace(source, _again=again)
