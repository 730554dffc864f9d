"""Files of Stata (``.dta``), from Stata 8 on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.statistics.clocks import STATA_CLOCK
from roadstead.tables.formats.statistics.reading import PackageFile, read_package
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import Columns, columns_of, require_short_names

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = re.compile(rb"<timestamp>\x11(.{17})</timestamp>", re.DOTALL)
_NO_STAMP = b"01 Jan 1970 00:00"
_LONGEST_NAME = 128
_WHOLE = 2.0**31 - 101


@dataclass(frozen=True)
class Stata:
    """A file of Stata."""

    label: str = "Stata"
    endings: tuple[str, ...] = (".dta",)
    extra: str | None = "stats"
    modules: tuple[str, ...] = ("pyreadstat", "pandas")
    options: tuple[str, ...] = ("encoding",)
    written_as: str | None = "stata"

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file with its labels; ``.a`` to ``.z`` are missing values."""
        import pyreadstat  # noqa: PLC0415 - an extra

        settings: dict[str, Any] = {"user_missing": True, **options}
        return read_package(PackageFile(path, pyreadstat.read_dta, STATA_CLOCK, settings))

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a file for Stata 15 and later."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, STATA_CLOCK, labels=True)
        require_short_names([*columns.values], _LONGEST_NAME, path, self.label)
        _in_stata_terms(columns)
        pyreadstat.write_dta(
            columns.frame(),
            str(path),
            column_labels=columns.descriptions,
            version=15,
            variable_value_labels=columns.labels,
            variable_format=columns.shown,
        )
        stamp = _STAMP.search(path.read_bytes()[:4096])
        if stamp is not None:
            without_stamp(path, slice(*stamp.span(1)), _NO_STAMP)


def _in_stata_terms(columns: Columns) -> None:
    """Give groups and times a display format of Stata; only whole numbers can have labels."""
    for name, shown in columns.shown.items():
        if not shown.startswith("%"):
            columns.shown[name] = "%tc" if shown == "" else "%8.0g"
    for name in [*columns.labels]:
        if all(float(code).is_integer() and abs(code) < _WHOLE for code in columns.labels[name]):
            columns.labels[name] = {int(code): text for code, text in columns.labels[name].items()}


STATA = Stata()
