"""Read a table from any place as a source that supports the same queries.

Files and tables in memory are read through a private engine. A table in a database and an Ibis
table stay in their engine. :mod:`roadstead.tables.readers` decides which reader opens which data.

No text represents a missing value unless you name it, because "None" can be a valid value in one
table and a missing result in another. A named text, such as ``?``, is a missing value in every
column, or in the column that is named with it (:mod:`roadstead.tables.missing_codes`). It is
missing in every kind of table, and in everything that is computed or released.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from roadstead.tables.addresses import locate
from roadstead.tables.arrow_tables import check_kinds, read_memory
from roadstead.tables.decimal_commas import with_known_commas, with_plain_numbers
from roadstead.tables.dialect import AsWritten
from roadstead.tables.file_tables import read_file
from roadstead.tables.health import readers as health
from roadstead.tables.missing_codes import missing_codes, taken, without_codes
from roadstead.tables.readers import Manner, open_data, register
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.access import read_address, read_engine

register(read_address, read_file, read_engine, read_memory)
health.register_health()


def read(  # noqa: PLR0913 - the settings of a user
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    skip_rows: str | None = None,
    missing: Sequence[str] = (),
    decimal: str | Sequence[str] | None = None,
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
        How a text file is written, if you know it; otherwise, the rules of
        :mod:`roadstead.tables.dialect` decide. These settings are not used for other data.
    skip_rows
        Rows of a text file or a sheet to leave out, counted from 1: ``2-3``, or ``1-4,303-``.
    missing
        Texts that represent a missing value, such as ``?``, in any kind of table; ``age=999`` or
        ``age=900..999`` in one column; or the paths of files with lines ``column,code``
        (:mod:`roadstead.tables.missing_file`).
    decimal
        The sign between a number and its decimals, ``comma`` or ``point``; None recognizes it
        (:mod:`roadstead.tables.decimal_commas`). A list names the columns with commas.
    name
        The name of the table in messages.
    memory_limit
        The memory limit of the private engine.

    Returns
    -------
    Source
        The table, its columns, and its form.

    Raises
    ------
    SourceError
        If the file or table is missing, empty, or malformed, has no records, or has columns that
        cannot be distinguished; or if an address contains a password.
    MissingExtraError
        If a kind of database needs a package that is not installed.
    SettingError
        If the delimiter, quote, encoding, or memory limit is invalid.
    """
    written = AsWritten(delimiter=delimiter, quote=quote, encoding=encoding, header=header)
    return _read(data, Manner(memory_limit, written, name, skip_rows=skip_rows), missing, decimal)


def read_privately(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    skip_rows: str | None = None,
    missing: Sequence[str] = (),
    decimal: str | None = None,
    name: str | None = None,
    memory_limit: str = "2GB",
    **written: Unpack[AsWritten],
) -> Source:
    """Read a table so that no record affects how, or whether, other records are read.

    Differentially private releases read their tables in this way. If the user does not specify how
    a text file is written, only the first line of the file determines this
    (`roadstead.tables.dialect`). A table may have no records. Python objects are refused if one
    object could change how other objects are read.
    """
    check_kinds(data)
    manner = Manner(memory_limit, written, name, private=True, skip_rows=skip_rows)
    return _read(data, manner, missing, decimal)


def _read(
    data: Any,  # noqa: ANN401 - any data
    manner: Manner,
    missing: Sequence[str],
    decimal: str | Sequence[str] | None = None,
) -> Source:
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    source = open_data(data, manner)
    # Codes are compared with the texts as written in the file.
    source = without_markers(source, missing, private=manner.private)
    if decimal is None or isinstance(decimal, str):
        source = with_plain_numbers(source, decimal, private=manner.private)
    else:
        source = with_known_commas(source, decimal)
    foreign = isinstance(source.format, Engine) and source.location is None
    again = (_read, None if foreign else data, (manner, tuple(missing), decimal))
    return replace(source, _again=again)


def without_markers(source: Source, markers: Sequence[str], *, private: bool) -> Source:
    """Replace codes with missing values, and count them, unless the counts are private."""
    codes = missing_codes(markers, source.columns)
    if not codes:
        return source
    counts = {} if private else taken(source, codes)
    held = source.table.mutate(**without_codes(source, codes))
    return replace(source, held=held, made_missing=counts)
