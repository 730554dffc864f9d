"""Show the sheets of a workbook and their sizes, and switch to another sheet."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError
from roadstead.tables.formats.excel.reading import SheetSize, likely_header, sheets_of
from roadstead.tables.formats.options import part_of, with_options
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, page, whole_number, with_form
from roadstead.web.steps.data import scanned
from roadstead.web.steps.file_parts import part_fields

_MOST_ROWS = 1 << 20
"""The number of rows that a sheet can have."""


class SheetChoice(NamedTuple):
    """A sheet of a workbook that the page offers."""

    name: str
    rows: int
    columns: int
    hidden: bool
    chosen: bool


def sheet_choices(data: str | None) -> list[SheetChoice]:
    """Return the sheets of a workbook with several sheets, or nothing for other tables."""
    if not any(one.key == "part-sheet" for one in part_fields(data)):
        return []
    file, options = part_of(Path(data or ""))
    try:
        found = file.stat()
        sheets = _sheets(file, found.st_mtime_ns, found.st_size)
    except (RoadsteadError, OSError):
        return []
    visible = [one for one in sheets if one.visible]
    requested = options.get("sheet") or (visible[0].name if len(visible) == 1 else None)
    choices = [
        SheetChoice(one.name, one.rows, one.columns, not one.visible, one.name == requested)
        for one in sheets
    ]
    return choices if len(choices) > 1 else []


@lru_cache(maxsize=8)
def _sheets(file: Path, _changed: int, _size: int) -> tuple[SheetSize, ...]:
    """Read the sizes of the sheets once, and again when the file changes."""
    return sheets_of(file)


def with_sheet(data: str, sheet: str) -> str:
    """Return the address of a workbook with a different sheet. A range of cells is removed."""
    file, options = part_of(Path(data))
    return with_options(
        file, {**{k: v for k, v in options.items() if k != "cells"}, "sheet": sheet}
    )


def header_row(data: str | None) -> int | None:
    """Return the row of a workbook's sheet that is probably the header, or None."""
    if not any(one.key == "part-cells" for one in part_fields(data)):
        return None
    file, options = part_of(Path(data or ""))
    try:
        return likely_header(file, options.get("sheet"))
    except (RoadsteadError, OSError):
        return None


def with_header_in(data: str, row: int) -> str:
    """Return the address of a workbook with the header in this row. The columns stay the same."""
    file, options = part_of(Path(data))
    first, colon, last = options.get("cells", "A1").partition(":")
    return with_options(
        file, {**options, "cells": f"{first.rstrip('0123456789')}{row}{colon}{last}"}
    )


def listed(request: Request) -> Response:
    """Show the sheets of a workbook with several sheets."""
    session = session_of(request)
    data = (session.state().get("table") or {}).get("data")
    return page(
        request,
        "sheets.html",
        base=session.address,
        sheets=sheet_choices(data),
        header_row=_suggested_row(request, data),
    )


def _suggested_row(request: Request, data: str | None) -> int | None:
    """If the sheet could not be read, return the row to suggest as the header."""
    scan = bench_of(request).desk.latest(session_of(request), "scan")
    return header_row(data) if scan is not None and scan.state == "failed" else None


@with_form
def headed(request: Request, form: FormData) -> Response:
    """Read the sheet again with the header in another row."""
    (text,) = every(form, "row")
    row, state = whole_number(text.strip()), session_of(request).state()
    data = (state.get("table") or {}).get("data")
    if data is None or header_row(data) is None:
        raise SettingError("this table is not a sheet of a workbook", fix="choose a table")
    if not 1 <= row <= _MOST_ROWS:
        raise SettingError(
            "this is not a row number", where="The header is in row", fix="enter a whole number"
        )
    reading = {key: one for key, one in (state.get("reading") or {}).items() if key != "header"}
    return scanned(request, {**state["table"], "data": with_header_in(data, row)}, reading)


@with_form
def chosen(request: Request, form: FormData) -> Response:
    """Read another sheet of the workbook with the same settings."""
    (name,) = every(form, "sheet")
    state = session_of(request).state()
    if "table" not in state:
        raise SettingError("this work does not have a table yet", fix="choose a table")
    table = {**state["table"], "data": with_sheet(state["table"]["data"], name)}
    return scanned(request, table, state.get("reading"))


ROUTES = (
    Route("/data/sheets", listed),
    Route("/data/sheet", chosen, methods=["POST"]),
    Route("/data/header", headed, methods=["POST"]),
)
