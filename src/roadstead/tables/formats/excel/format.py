"""Define the formats of Excel and OpenDocument spreadsheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.excel.reading import read_sheet
from roadstead.tables.formats.format import Batches, FileFormat, Options

if TYPE_CHECKING:
    import pyarrow as pa


class Spreadsheet(FileFormat):
    """A kind of workbook. A release is a workbook of the kind `written_as`."""

    def read(self, path: Path, options: Options) -> Batches:
        """Read one sheet."""
        return read_sheet(path, options)

    def write(self, rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
        """Write a workbook with one sheet."""
        if self.written_as == "excel":
            from roadstead.tables.formats.excel.writing import write_workbook  # noqa: PLC0415 - an extra

            write_workbook(rows, path, codebook)
        else:
            from roadstead.tables.formats.excel.opendocument import write_spreadsheet  # noqa: PLC0415 - an extra

            write_spreadsheet(rows, path, codebook)


_OPTIONS = ("cells", "header", "sheet", "skip_rows")
EXCEL = Spreadsheet(
    "Excel",
    (".xlsx",),
    _OPTIONS,
    written_as="excel",
    extra="excel",
    modules=("python_calamine", "xlsxwriter"),
    library="XlsxWriter",
)
OPENDOCUMENT = Spreadsheet(
    "OpenDocument",
    (".ods",),
    _OPTIONS,
    written_as="opendocument",
    extra="excel",
    modules=("python_calamine", "odf"),
    library="odfpy",
)
