"""Correct what a library reads in OpenDocument files, and write a release as such a file.

A release has one sheet of values.

The library adds the time of writing to a document, so Roadstead packs the document again without
properties and with a fixed time.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.tables.formats.excel.writing import SHEET, require_size, time_of

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.formats.codebook import Codebook

_CONTENT = "content.xml"
_KEPT = ("mimetype", _CONTENT, "styles.xml", "META-INF/manifest.xml")
_MOST_CELLS = 1_000_000
"""The maximum number of cells. The library needs about 2 KB of memory per cell."""
_DAY, _TIME, _TRUTH = "day", "time", "truth"
_CLOCK, _CLOCK_PARTS = "clock", "clock-parts"
_PLACES = 6
_FIXED = (1980, 1, 1, 0, 0, 0)
_PROPERTIES = b'<manifest:file-entry manifest:full-path="meta.xml" manifest:media-type="text/xml"/>'
_SETTINGS = (
    b'<manifest:file-entry manifest:full-path="settings.xml" manifest:media-type="text/xml"/>'
)
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, ValueError, KeyError, RuntimeError),
)
_BREAK = re.compile(rb"<text:(tab|line-break)\b[^<>]*?(?:/>|>\s*</text:\1>)")
_DURATION = re.compile(r"PT(\d{1,7})H(\d\d)M(\d\d(?:\.\d+)?)S")


def with_breaks(path: Path) -> io.BytesIO | None:
    """Return a spreadsheet with tabs and line breaks in its texts, or None if it has no tags.

    The library that reads spreadsheets leaves out the tags of tabs and line breaks. It reports
    damage, so this function does not.
    """
    with contextlib.suppress(*_DAMAGE), zipfile.ZipFile(path) as file:
        content = file.read(_CONTENT)
        if _BREAK.search(content) is None:
            return None
        corrected = io.BytesIO()
        with zipfile.ZipFile(corrected, "w") as copy:
            for name in file.namelist():
                own = _BREAK.sub(_character, content) if name == _CONTENT else file.read(name)
                copy.writestr(name, own)
        corrected.seek(0)
        return corrected
    return None


def _character(tag: re.Match[bytes]) -> bytes:
    return b"&#9;" if tag[1] == b"tab" else b"&#10;"


def with_durations(cells: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column with durations, which the library reads as texts from 24 hours.

    Columns with cells other than times and texts are returned unchanged.
    """
    texts = {cell: _DURATION.fullmatch(cell) for cell in cells if isinstance(cell, str) and cell}
    others = (cell for cell in cells if not isinstance(cell, str | dt.time))
    if not any(texts.values()) or any(True for _ in others):
        return cells
    durations = {
        text: dt.timedelta(hours=int(part[1]), minutes=int(part[2]), seconds=float(part[3]))
        for text, part in texts.items()
        if part is not None
    }
    return [durations.get(cell, cell) for cell in cells]


def write_spreadsheet(rows: pa.RecordBatchReader, path: Path, codebook: Codebook) -> None:
    """Write a spreadsheet. If the rows are the same, the bytes are the same."""
    from odf import element, opendocument, table  # noqa: PLC0415 - an extra

    element.Element.namespaces.clear()  # odfpy keeps these elements from document to document
    document = opendocument.OpenDocumentSpreadsheet()
    _add_styles(document)
    sheet = table.Table(name=SHEET)
    header = table.TableRow()
    for name in rows.schema.names:
        header.addElement(_cell(name))
    sheet.addElement(header)
    clocks = [codebook.of(name).shown for name in rows.schema.names]
    written = 1
    for batch in rows:
        written += batch.num_rows
        require_size(path, written, batch.num_columns)
        _require_memory(path, written * batch.num_columns)
        for record in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            row = table.TableRow()
            for value, clock in zip(record, clocks, strict=True):
                row.addElement(_cell(value, clock))
            sheet.addElement(row)
    document.spreadsheet.addElement(sheet)
    whole = io.BytesIO()
    document.write(whole)
    _packed(whole, path)


def _add_styles(document: Any) -> None:  # noqa: ANN401 - of odfpy
    """Declare the formats of days, times, and truth values. Otherwise, they look like numbers."""
    from odf import number, style  # noqa: PLC0415 - an extra

    def day(name: str) -> Any:  # noqa: ANN401 - of odfpy
        form = number.DateStyle(name=name)
        parts = (number.Year(style="long"), number.Month(style="long"), number.Day(style="long"))
        for at, part in enumerate(parts):
            if at:
                form.addElement(number.Text(text="-"))
            form.addElement(part)
        return form

    def with_clock(form: Any, places: int = 0) -> Any:  # noqa: ANN401 - of odfpy
        seconds = {"decimalplaces": places} if places else {}
        form.addElement(number.Hours(style="long"))
        form.addElement(number.Text(text=":"))
        form.addElement(number.Minutes(style="long"))
        form.addElement(number.Text(text=":"))
        form.addElement(number.Seconds(style="long", **seconds))
        return form

    time, truth = day(f"{_TIME}-form"), number.BooleanStyle(name=f"{_TRUTH}-form")
    time.addElement(number.Text(text=" "))
    truth.addElement(number.Boolean())
    forms = {_DAY: day(f"{_DAY}-form"), _TIME: with_clock(time), _TRUTH: truth}
    for name, places in ((_CLOCK, 0), (_CLOCK_PARTS, _PLACES)):
        # More than 24 hours are hours, not days.
        form = number.TimeStyle(name=f"{name}-form", truncateonoverflow="false")
        forms[name] = with_clock(form, places)
    for name, form in forms.items():
        document.automaticstyles.addElement(form)
        shown = style.Style(name=name, family="table-cell", datastylename=f"{name}-form")
        document.automaticstyles.addElement(shown)


def _require_memory(path: Path, cells: int) -> None:
    """Reject a table that is too large for the library, which keeps all cells as objects."""
    if cells > _MOST_CELLS:
        what = f"an .ods file that Roadstead writes has at most {_MOST_CELLS:,} cells"
        raise OutputError(what, where=path.name, fix="save the source as .xlsx, CSV, or Parquet")


def _cell(value: Any, clock: str | None = None) -> Any:  # noqa: ANN401 - of odfpy
    from odf import table, text  # noqa: PLC0415 - an extra

    match value:
        case None:
            return table.TableCell()
        case bool():
            truth = str(value).lower()
            return table.TableCell(valuetype="boolean", booleanvalue=truth, stylename=_TRUTH)
        case int() | float() if value == value and abs(value) != float("inf"):  # noqa: PLR0124 - not NaN
            shown = repr(value)
            cell = table.TableCell(valuetype="float", value=shown)
        case dt.datetime():
            shown = value.isoformat(sep=" ")
            cell = table.TableCell(valuetype="date", datevalue=value.isoformat(), stylename=_TIME)
        case dt.date():
            shown = value.isoformat()
            cell = table.TableCell(valuetype="date", datevalue=shown, stylename=_DAY)
        case float():
            return table.TableCell()
        case str() if clock and time_of(value) is not None:
            shown = value
            hours, minutes, seconds = value.split(":")
            style = _CLOCK_PARTS if "." in seconds else _CLOCK
            stored = f"PT{hours}H{minutes}M{seconds}S"
            cell = table.TableCell(valuetype="time", timevalue=stored, stylename=style)
        case _:
            shown = str(value)
            cell = table.TableCell(valuetype="string")
    for line in shown.split("\n"):
        paragraph = text.P()
        _add_text(paragraph, line)
        cell.addElement(paragraph)
    return cell


def _add_text(paragraph: Any, line: str) -> None:  # noqa: ANN401 - of odfpy
    """Add a string to a cell, with elements for tabs and for repeated blanks."""
    from odf.teletype import addTextToElement  # noqa: PLC0415 - an extra

    addTextToElement(paragraph, line)


def _packed(whole: io.BytesIO, path: Path) -> None:
    with zipfile.ZipFile(whole) as made, zipfile.ZipFile(path, "w") as packed:
        for name in _KEPT:
            content = made.read(name)
            if name.startswith("META-INF"):
                content = content.replace(_PROPERTIES, b"").replace(_SETTINGS, b"")
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            packed.writestr(zipfile.ZipInfo(name, _FIXED), content, compress_type=stored)
