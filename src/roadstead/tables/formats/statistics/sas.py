"""Read SAS tables (``.sas7bdat``) with catalogs, and read and write transport files (``.xpt``).

No library can write SAS tables. A release is a transport file of version 8, which SAS reads
directly. Transport files cannot store labels of codes, so the release contains labels instead of
codes. The library does not write types of missing values, such as ``.a``, so Roadstead writes the
letter to the first byte of the number.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.formats.codebook import Codebook, letter_of
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.options import next_to
from roadstead.tables.formats.statistics.clocks import SAS_CLOCK
from roadstead.tables.formats.statistics.reading import (
    PackageFile,
    PackageFormat,
    read_package,
    reader_with_codes,
)
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import PackageColumns, columns_of, writing_package

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_NO_STAMP = b"01JAN70:00:00:00"
_HEADER = 800
_NAMES, _NAME = 640, 140
"""The place and the length of the descriptions of columns."""
_WIDTH, _PLACE = 4, 84
"""The places in such a description that contain the column's width and place in a record."""
_RECORD = 80
"""The length of which the records are a multiple."""
_TABLE = "RELEASE"


@dataclass(frozen=True)
class Sas(PackageFormat):
    """A SAS file: a transport file if `transport` is true, or a table otherwise."""

    transport: bool = False

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file. The option ``catalog`` specifies a file with the labels of codes."""
        import pyreadstat  # noqa: PLC0415 - an extra

        settings: dict[str, Any] = {key: options[key] for key in ("encoding",) if key in options}
        reader: Callable[..., Any] = reader_with_codes("xport")
        if not self.transport:
            reader = pyreadstat.read_sas7bdat
            settings["user_missing"] = True
        named = options.get("catalog")
        catalog = None if named is None else next_to(path, named, "catalog")
        return read_package(
            PackageFile(path, reader, SAS_CLOCK, settings, letters=True, catalog=catalog)
        )

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a transport file of version 8."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, SAS_CLOCK, labels=False)
        shown = {name: one for name, one in columns.shown.items() if one[:1].isalpha()}
        letters = _letters(columns)
        with writing_package(path, self.label):
            pyreadstat.write_xport(
                columns.frame(),
                str(path),
                column_labels=columns.descriptions,
                table_name=_TABLE,
                file_format_version=8,
                variable_format=shown,
            )
        for stamp in _STAMP.finditer(path.read_bytes()[:_HEADER]):
            without_stamp(path, slice(*stamp.span()), _NO_STAMP)
        _write_letters(path, letters, len(columns.values))


def _letters(columns: PackageColumns) -> dict[int, NDArray[np.uint8]]:
    """Replace lettered missing values with plain missing values, and return letters by column.

    The letter is 0 in all other cells.
    """
    found = {}
    for at, (name, cells) in enumerate(columns.values.items()):
        letters = np.zeros(len(cells), dtype=np.uint8)
        codes = np.unique(cells) if cells.dtype == np.float64 else ()
        for code, letter in ((code, letter_of(code)) for code in codes):
            if letter is not None:
                letters[cells == code] = ord(letter.upper())
        if letters.any():
            columns.values[name] = np.where(letters > 0, np.nan, cells)
            found[at] = letters
    return found


def _write_letters(path: Path, letters: Mapping[int, NDArray[np.uint8]], columns: int) -> None:
    """Write the letters of missing values to the first bytes of their numbers."""
    if not letters:
        return
    with path.open("rb") as file:
        file.seek(_NAMES)
        names = [file.read(_NAME) for _ in range(columns)]
    width = sum(struct.unpack_from(">h", name, _WIDTH)[0] for name in names)
    rows = len(next(iter(letters.values())))
    start = path.stat().st_size - -(-rows * width // _RECORD) * _RECORD
    cells = np.memmap(path, np.uint8, "r+", start, (rows, width))
    for at, own in letters.items():
        (place,) = struct.unpack_from(">i", names[at], _PLACE)
        cells[own > 0, place] = own[own > 0]
    cells.flush()


SAS = Sas("SAS", (".xpt",), ("catalog", "encoding"), "sas-transport")
TRANSPORT = Sas("SAS transport", (".xpt",), ("encoding",), "sas-transport", transport=True)
