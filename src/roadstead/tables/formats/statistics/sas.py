"""Read SAS tables (``.sas7bdat``) with catalogs, and read and write transport files (``.xpt``).

No library can write SAS tables. A release is a transport file of version 8, which SAS reads
directly. Transport files cannot store labels of codes, so the release contains labels instead of
codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.options import next_to
from roadstead.tables.formats.statistics.clocks import SAS_CLOCK
from roadstead.tables.formats.statistics.reading import PackageFile, read_package
from roadstead.tables.formats.statistics.stamps import without_stamp
from roadstead.tables.formats.statistics.writing import columns_of, writing_package
from roadstead.tables.formats.versions import version_of

if TYPE_CHECKING:
    import pyarrow as pa

_STAMP = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_NO_STAMP = b"01JAN70:00:00:00"
_HEADER = 800
_TABLE = "RELEASE"


@dataclass(frozen=True)
class Sas:
    """A SAS file: a transport file if `transport` is true, or a table otherwise."""

    label: str
    endings: tuple[str, ...]
    options: tuple[str, ...]
    transport: bool = False
    extra: str | None = "stats"
    modules: tuple[str, ...] = ("pyreadstat", "pandas")
    written_as: str | None = "sas-transport"

    def read(self, path: Path, options: Options) -> Batches:
        """Read a file. The option ``catalog`` names a file with the labels of codes."""
        import pyreadstat  # noqa: PLC0415 - an extra

        settings: dict[str, Any] = {key: options[key] for key in ("encoding",) if key in options}
        reader: Callable[..., Any] = pyreadstat.read_xport
        if not self.transport:
            reader = pyreadstat.read_sas7bdat
            settings["user_missing"] = True
            if "catalog" in options:
                settings["catalog_file"] = str(next_to(path, options["catalog"], "catalog"))
        return read_package(PackageFile(path, reader, SAS_CLOCK, settings, letters=True))

    @property
    def writer(self) -> str:
        """The library that writes the file."""
        return version_of("pyreadstat")

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a transport file of version 8."""
        import pyreadstat  # noqa: PLC0415 - an extra

        columns = columns_of(rows, codebook, SAS_CLOCK, labels=False)
        shown = {name: one for name, one in columns.shown.items() if one[:1].isalpha()}
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


SAS = Sas("SAS", (".xpt",), ("catalog", "encoding"))
TRANSPORT = Sas("SAS transport", (".xpt",), ("encoding",), transport=True)
