"""Read a table from any origin as a source that supports the same queries.

A private engine reads files and tables in memory. A database table or an Ibis table stays in its
engine. A string means a missing value only if the user lists the string. For example, "None" can
also be a valid value.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from roadstead.errors import SourceError
from roadstead.tables.addresses import locate
from roadstead.tables.arrow_tables import check_kinds, read_memory
from roadstead.tables.decimal_commas import with_known_commas, with_plain_numbers
from roadstead.tables.dialect import AsWritten
from roadstead.tables.file_tables import read_file
from roadstead.tables.formats.record_types import require_one_type
from roadstead.tables.health.readers import read_health
from roadstead.tables.kept_codes import codes_of_labels, declared_codes_of, without_listed
from roadstead.tables.missing_codes import listed_codes, missing_codes, taken, without_codes
from roadstead.tables.readers import Manner
from roadstead.tables.source import Engine, Source
from roadstead.tables.stores.access import read_address, read_engine

_READERS = (read_health, read_address, read_file, read_engine, read_memory)
"""The readers in the order in which they are tried. Each returns None for data of other kinds."""


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
        One of the following: the path of a delimited text file, such as CSV or TSV (plain or
        gzipped), of a Parquet file, or of a folder of such files; the address of a database table,
        in the form of :mod:`roadstead.tables.addresses`; a pandas data frame (without its index) or
        a Polars data frame; a mapping of column names to lists; any object that Arrow can read,
        such as a ``pyarrow.Table``; an Ibis table; or a data frame of Spark or Spark Connect.
    delimiter, quote, encoding, header
        The format of a text file. By default, the rules of :mod:`roadstead.tables.dialect` decide.
        The settings are ignored for other kinds of files, and refused for tables in memory.
    skip_rows
        The rows of a text file or a sheet to skip, such as ``2-3`` or ``1-4,303-``. Rows are
        counted from 1.
    missing
        Strings that represent a missing value: ``?`` for all columns, ``age=999`` or
        ``age=900..999`` for one column; or the paths of files with lines ``column,code``
        (:mod:`roadstead.tables.missing_file`). Codes can also be numbers, or a mapping such as
        ``{"age": [998, 999]}`` from columns to codes.
    decimal
        The decimal separator, ``comma`` or ``point``. By default, Roadstead recognizes the
        separator (:mod:`roadstead.tables.decimal_commas`). A list contains the columns with decimal
        commas.
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
        If the file or table is missing, empty, or malformed; if it has no records or has columns
        whose names cannot be distinguished; or if an address contains a password.
    MissingExtraError
        If the database needs a package that is not installed.
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
    programs: bool = False,
    **written: Unpack[AsWritten],
) -> Source:
    """Read a table so that no record affects how, or whether, other records are read.

    Differentially private releases read tables in this way. Unless the user specifies the dialect
    of a text file, only the first line of the file determines the dialect
    (`roadstead.tables.dialect`). The table may have no records. Python objects are rejected if one
    object could change how other objects are read.

    The files of programs such as Excel and SPSS are read only if `programs` is set.
    """
    check_kinds(data)
    manner = Manner(
        memory_limit, written, name, private=True, programs=programs, skip_rows=skip_rows
    )
    return _read(data, manner, missing, decimal)


read_original = partial(read_privately, programs=True)
"""Read an original table, to compare it with a release of any kind.

A release without differential privacy can come from a file of a program such as Excel.
"""


def _read(
    data: Any,  # noqa: ANN401 - any data
    manner: Manner,
    missing: Sequence[str],
    decimal: str | Sequence[str] | None = None,
) -> Source:
    if isinstance(data, str | os.PathLike):
        data = locate(data)
    source = _open(data, manner)
    if not manner.private:
        require_one_type(source)
    # Codes are compared with the strings as written in the file.
    missing = listed_codes(missing)
    source = without_markers(source, missing, private=manner.private)
    if decimal is None or isinstance(decimal, str):
        source = with_plain_numbers(source, decimal, private=manner.private)
    else:
        source = with_known_commas(source, decimal)
    foreign = isinstance(source.format, Engine) and source.location is None
    again = (_read, None if foreign else data, (manner, missing, decimal))
    return replace(source, _again=again)


def _open(data: Any, manner: Manner) -> Source:  # noqa: ANN401 - any data with a reader
    for reader in _READERS:
        if (source := reader(data, manner)) is not None:
            return source
    raise SourceError(f"a {type(data).__name__} cannot be read as a table", fix="pass a path")


def without_markers(source: Source, markers: Sequence[str], *, private: bool) -> Source:
    """Replace codes with missing values, and count these values unless counts are private."""
    codes = missing_codes(markers, source.columns, codes_of_labels(source))
    if not codes:
        return source
    counts = {} if private else taken(source.table, codes, source.name)
    if (declared := declared_codes_of(source)) is not None:
        for name, by_code in ({} if private else declared.listed(codes)).items():
            counts[name] = dict(Counter(counts.get(name, {})) + Counter(by_code))
        return replace(without_listed(source, declared, codes), made_missing=counts)
    columns = {name: source.table[name] for name in source.columns}
    held = source.table.mutate(**without_codes(columns, codes))
    return replace(source, held=held, made_missing=counts)
