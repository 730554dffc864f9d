"""Read one sheet of a workbook. The user can specify the sheet, the range, and the header.

By default, Roadstead reads the only visible sheet that has cells. The first row that has cells is
the header if :mod:`roadstead.tables.first_record` recognizes column names, as in a text file. A
merged range has a value only in its first cell, so a sheet is rejected if its records contain
merged cells.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import argument, option, worded
from roadstead.near_names import did_you_mean
from roadstead.tables import names
from roadstead.tables.extra_rows import SuspectRows, TextRow, further_headers, totals_and_notes
from roadstead.tables.first_record import empty_cell, is_header, place_of_header
from roadstead.tables.formats.codebook import Codebook, ColumnNotes
from roadstead.tables.formats.excel.cells import clock_form, column_of, said_of_times, text_of
from roadstead.tables.formats.excel.hidden import hidden_parts, said_of_hidden
from roadstead.tables.formats.excel.opendocument import with_breaks, with_durations
from roadstead.tables.formats.format import Batches, Options
from roadstead.tables.formats.options import with_options
from roadstead.tables.skipped_rows import row_numbers

_RANGE = re.compile(
    r"\$?([A-Z]{1,3})\$?([1-9]\d*)(?::\$?([A-Z]{1,3})\$?([1-9]\d*))?", re.IGNORECASE
)
_BATCH = 1 << 16
_FEW = 8
_FIRST_ROWS = 50
"""The number of rows, from the first row down, that may contain a header."""


def read_sheet(path: Path, options: Options) -> Batches:
    """Read one sheet. Raises SourceError for damaged files, merged cells, or an unclear header."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra

    with _reading(path):
        book = CalamineWorkbook.from_object(with_breaks(path) or str(path))
        name, details = _sheet(path, book, options.get("sheet"))
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=False)
        merged = _merged(sheet)
    if any(isinstance(cell, str) and "\0" in cell for row in rows for cell in row):
        what = "some texts contain zero bytes, so they may be in another encoding"
        fix = "open the workbook in Excel, and save it again as .xlsx"
        raise SourceError(what, where=path.name, fix=fix)
    skipped = row_numbers(options.get("skip_rows"))
    rows = [[""] * len(row) if at in skipped else row for at, row in enumerate(rows, 1)]
    top, left, cells = _part(rows, options.get("cells"))
    named = _has_header(path, options, cells, (top, left))
    header, records = _header(path, cells, named=named)
    bottom, right = top + len(cells), left + len(header)
    inside = [
        (first, last)
        for first, last in merged
        if top < last[0] and first[0] < bottom and left <= last[1] and first[1] < right
    ]
    if inside:
        (row, column), _ = inside[0]
        raise SourceError(
            "records have merged cells, so other cells are empty",
            where=f"{path.name}, sheet {quoted(name)}, cell {_address(row, column)}",
            fix="split the merged cells in Excel, and write the value into each cell",
        )
    said = said_of_hidden(
        hidden_parts(path, name),
        (at for at, row in enumerate(cells, top) if any(cell != "" for cell in row)),
        range(left, right),
    )
    columns = [with_durations([row[at] for row in records]) for at in range(len(header))]
    unnamed = "" if named else "no header"
    details = (*details, *filter(None, (unnamed, said, said_of_times(columns))))
    table = pa.table([column_of(cells) for cells in columns], names=list(header))
    forms = zip(header, map(clock_form, columns), strict=True)
    notes = {name: ColumnNotes(shown=form) for name, form in forms if form is not None}
    if len(records) and details:
        details = (f"sheet {quoted(name)}", *details)
    suspects = _suspect_rows(cells, top, named=named)
    batches = iter(table.to_batches(_BATCH))
    return Batches(table.schema, batches, Codebook(notes, details), suspects)


@dataclass(frozen=True)
class SheetSize:
    """A sheet of a workbook, and the size of the range that contains its cells."""

    name: str
    rows: int
    columns: int
    visible: bool


def sheets_of(path: Path) -> tuple[SheetSize, ...]:
    """Return the nonempty sheets of a workbook. Raises SourceError if the file is damaged."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum  # noqa: PLC0415 - an extra

    with _reading(path):
        book = CalamineWorkbook.from_path(str(path))
        found = [
            (one, book.get_sheet_by_name(one.name))
            for one in book.sheets_metadata
            if one.typ == SheetTypeEnum.WorkSheet
        ]
        return tuple(
            SheetSize(one.name, sheet.height, sheet.width, one.visible == SheetVisibleEnum.Visible)
            for one, sheet in found
            if sheet.height
        )


def likely_header(path: Path, sheet: str | None) -> int | None:
    """Return the number of the row that is probably the header.

    Unless a row differs from all rows below it, this is the first row that fills the most columns.
    Raises SourceError if the file is damaged.
    """
    from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra

    with _reading(path):
        book = CalamineWorkbook.from_path(str(path))
        name, _ = _sheet(path, book, sheet)
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False, nrows=_FIRST_ROWS)
    top, _, cells = _part(rows, None)
    place = place_of_header(_texts(cells))
    if place is None:
        filled = [sum(cell != "" for cell in row) for row in cells]
        return top + filled.index(max(filled)) + 1 if filled else None
    return top + place + 1


def _sheet(path: Path, book: Any, requested: str | None) -> tuple[str, tuple[str, ...]]:  # noqa: ANN401 - of calamine
    """Return the sheet to read, and messages about the other sheets."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum  # noqa: PLC0415 - an extra

    sheets = {
        one.name: one.visible == SheetVisibleEnum.Visible
        for one in book.sheets_metadata
        if one.typ == SheetTypeEnum.WorkSheet
    }
    hidden = sum(not visible for visible in sheets.values())
    said = (f"{hidden} hidden sheet{'' if hidden == 1 else 's'} not read",) if hidden else ()
    if requested is not None:
        if requested not in sheets:
            fix = did_you_mean(requested, sheets, _choices([*sheets]), show=quoted)
            raise SettingError(f"there is no sheet {quoted(requested)}", where=path.name, fix=fix)
        others = sum(sheets.values()) - sheets[requested]
        return requested, (f"one of {others + 1} visible sheets", *said) if others else said
    visible = [name for name, seen in sheets.items() if seen]
    filled = [name for name in visible if book.get_sheet_by_name(name).height]
    if not filled:
        what = "no visible sheet has cells"
        fix = "add ?sheet=NAME to the file name to read a hidden sheet, or use another file"
        raise SourceError(what, where=path.name, fix=fix)
    if len(filled) > 1:
        what = f"{len(filled)} sheets have cells: {', '.join(map(quoted, filled[:_FEW]))}"
        example = argument(f"{path.name}?sheet={filled[0]}")
        written = f"add the name of the sheet to the file name, for example: {example}"
        fix = worded(command=written, python=written, page="use one of the sheets below")
        raise SourceError(what, where=path.name, fix=fix)
    return filled[0], said


def _has_header(
    path: Path, options: Options, cells: Sequence[list[Any]], corner: tuple[int, int]
) -> bool:
    """Return whether the first row is the header, according to the user or to the row itself."""
    written = options.get("header")
    if written not in (None, "yes", "no"):
        what = f"{quoted(written)} does not say whether the sheet has a header"
        raise SettingError(what, where=path.name, fix="write header=yes or header=no")
    if written is not None or not cells:
        return written != "no"
    first = _texts(cells[:_FIRST_ROWS])
    blank, place = empty_cell(first[0]), place_of_header(first)
    found = None if blank is not None and place else is_header([row for row in first if any(row)])
    if found is not None:
        return found
    name = f"write a name for the column into the sheet, give {option('header', True)} or "
    fix = f"{name}{option('header', False)}"
    if place:
        kept = {key: text for key, text in options.items() if key == "sheet"}
        _, colon, last = options.get("cells", "").partition(":")
        part = f"{_address(corner[0] + place, corner[1])}{colon}{last}"
        address = with_options(Path(path.name), {**kept, "cells": part})
        cell = "add the first cell of the header to the file name, as in "
        fix = worded(
            command=f"{cell}{argument(address)}",
            python=f"{cell}{address}",
            page="enter the number of the header row",
        )
        fix += f", or give {option('header', False)} if the sheet does not have a header"
    raise SourceError(
        f"cell {blank} of the first row is empty, so it is not clear that the row is a header",
        where=f"{path.name}, row {corner[0] + 1}",
        fix=fix,
    )


def _texts(cells: Sequence[list[Any]]) -> list[list[str]]:
    """Return the cells of rows as strings."""
    return [["" if cell == "" else text_of(cell) for cell in row] for row in cells]


def _choices(sheets: Sequence[str]) -> str:
    return f"its sheets are {', '.join(map(quoted, sheets[:_FEW]))}"


def _merged(sheet: Any) -> list[tuple[tuple[int, int], tuple[int, int]]]:  # noqa: ANN401 - of calamine
    """Return the first and last cell of each merged range that the file declares."""
    with contextlib.suppress(Exception):
        return [*(sheet.merged_cell_ranges or [])]
    return []


def _part(rows: list[list[Any]], requested: str | None) -> tuple[int, int, list[list[Any]]]:
    """Return the cells of a range or of the whole sheet, and the position of the first cell."""
    top, left, bottom, right = 0, 0, len(rows), max(map(len, rows), default=0)
    if requested is not None:
        found = _RANGE.fullmatch(requested.strip())
        if found is None:
            fix = "write the first and the last cell, as in A3:F200, or only the first, as in A3"
            raise SettingError(
                f"{quoted(requested)} is not a range of cells", where="cells", fix=fix
            )
        first, top_text, last, bottom_text = found.groups()
        top, left = int(top_text) - 1, _column(first)
        if last is not None:
            bottom, right = min(bottom, int(bottom_text)), min(right, _column(last) + 1)
    cells = [row[left:right] for row in rows[top:bottom]]
    while cells and all(cell == "" for cell in cells[-1]):
        cells.pop()
    skipped = next((at for at, row in enumerate(cells) if any(c != "" for c in row)), len(cells))
    cells = cells[skipped:]
    if requested is None and cells:
        cells, left = _without_empty_edges(cells, left)
    return top + skipped, left, cells


def _without_empty_edges(cells: list[list[Any]], left: int) -> tuple[list[list[Any]], int]:
    used = [at for at in range(len(cells[0])) if any(row[at] != "" for row in cells)]
    first, last = used[0], used[-1] + 1
    return [row[first:last] for row in cells], left + first


def _header(
    path: Path, cells: list[list[Any]], *, named: bool
) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the column names, and the records below the header, excluding empty rows."""
    if not cells:
        fix = "use a sheet with records"
        raise SourceError("the sheet has no cells", where=path.name, fix=fix)
    if not named:
        return names.numbered(len(cells[0])), [row for row in cells if any(c != "" for c in row)]
    header = names.checked(names.filled(_texts(cells[:1])[0]), path.name)
    return header, [row for row in cells[1:] if any(cell != "" for cell in row)]


def _suspect_rows(cells: list[list[Any]], top: int, *, named: bool) -> tuple[SuspectRows, ...]:
    """Return the rows that do not look like records. `named` means that there is a header."""
    filled = [at for at, row in enumerate(cells) if any(cell != "" for cell in row)]

    def texts(places: Sequence[int]) -> list[TextRow]:
        return [
            TextRow(top + at + 1, tuple(text_of(cell).replace("\n", " ") for cell in cells[at]))
            for at in places
        ]

    found = (
        further_headers(texts(filled[:_FIRST_ROWS])) if named else None,
        totals_and_notes(texts(filled[-_FEW:]), len(filled)),
    )
    return tuple(one for one in found if one is not None)


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def _address(row: int, column: int) -> str:
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Convert an error of the library to one line that does not quote a cell of the file."""
    import python_calamine  # noqa: PLC0415 - an extra

    try:
        yield
    except python_calamine.PasswordError:
        fix = "open it in Excel, and save it without a password"
        raise SourceError("the workbook has a password", where=path.name, fix=fix) from None
    except (python_calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        what = "the workbook is damaged, or in a form that Roadstead cannot read"
        fix = "open it in Excel and save it again, or save the sheet as CSV"
        raise SourceError(what, where=path.name, fix=fix) from error
