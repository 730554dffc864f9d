"""Read and write Stata files (``.dta``), from Stata 8 on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.tables.formats.codebook import LETTERS, Codebook, letter_of
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.statistics.clocks import STATA_CLOCK
from roadstead.tables.formats.statistics.reading import PackageFile, PackageFormat, read_package
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import PackageColumns, columns_of, writing_package

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = re.compile(rb"<timestamp>\x11(.{17})</timestamp>", re.DOTALL)
_NO_STAMP = b"01 Jan 1970 00:00"


class Stata(PackageFormat):
    """A Stata file."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file with its labels. The values ``.a`` to ``.z`` are missing values."""
        import pyreadstat  # noqa: PLC0415 - an extra

        settings: dict[str, Any] = {"user_missing": True, **options}
        return read_package(
            PackageFile(path, pyreadstat.read_dta, STATA_CLOCK, settings, letters=True)
        )

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a file for Stata 15 and later."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, STATA_CLOCK, labels=True, stata=True)
        letters = _in_stata_terms(columns)
        with writing_package(path, self.label):
            pyreadstat.write_dta(
                columns.frame(),
                str(path),
                column_labels=columns.descriptions,
                version=15,
                variable_value_labels=columns.labels,  # type: ignore[arg-type] # only numbers are left
                variable_format=columns.shown,
                missing_user_values=letters,
            )
        stamp = _STAMP.search(path.read_bytes()[:4096])
        if stamp is not None:
            without_stamp(path, slice(*stamp.span(1)), _NO_STAMP)


def _in_stata_terms(columns: PackageColumns) -> dict[str, list[str]]:
    """Set display formats and labels that Stata accepts, and return the letters of missing values.

    Only whole numbers and letters can have labels.
    """
    used: dict[str, list[str]] = {}
    for name, shown in columns.shown.items():
        if not shown.startswith("%"):
            columns.shown[name] = "%8.0g"
    for name, given in columns.labels.items():
        columns.labels[name] = {
            letter_of(code) or int(code): text
            for code, text in given.items()
            if not isinstance(code, str)
        }
    for name, numbers in columns.values.items():
        large = numbers[numbers >= LETTERS[0]] if numbers.dtype == np.float64 else ()
        letters = {code: letter_of(code) for code in np.unique(large)}
        if letters:
            used[name] = sorted(filter(None, letters.values()))
            cells = numbers.astype(object)
            for code, letter in letters.items():
                cells[numbers == code] = letter or code
            columns.values[name] = cells
    return used


STATA = Stata("Stata", (".dta",), ("encoding",), "stata")
