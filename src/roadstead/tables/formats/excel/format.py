"""Define the formats of Excel and OpenDocument spreadsheets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.excel.reading import read_sheet
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.versions import version_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Spreadsheet:
    """A kind of workbook. A release is a workbook of the kind `written_as`."""

    label: str
    endings: tuple[str, ...]
    modules: tuple[str, ...]
    written_as: str | None
    extra: str | None = "excel"
    options: tuple[str, ...] = ("cells", "header", "sheet", "skip_rows")

    def read(self, path: Path, options: Options) -> Batches:
        """Read one sheet."""
        return read_sheet(path, options)

    @property
    def writer(self) -> str:
        """The library that writes the workbook."""
        return version_of("XlsxWriter" if self.written_as == "excel" else "odfpy")

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a workbook with one sheet."""
        if self.written_as == "excel":
            from roadstead.tables.formats.excel.writing import write_workbook  # noqa: PLC0415 - an extra

            write_workbook(rows, path, codebook)
        else:
            from roadstead.tables.formats.excel.opendocument import write_spreadsheet  # noqa: PLC0415 - an extra

            write_spreadsheet(rows, path)


EXCEL = Spreadsheet(
    "Excel",
    (".xlsx",),
    ("python_calamine", "xlsxwriter"),
    written_as="excel",
)
OPENDOCUMENT = Spreadsheet(
    "OpenDocument", (".ods",), ("python_calamine", "odf"), written_as="opendocument"
)
