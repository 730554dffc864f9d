"""Handle the buttons that read the table again with the setting that a finding suggests."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.tables.formats.options import part_of, with_options
from roadstead.web.bench import session_of
from roadstead.web.pages import every, with_form
from roadstead.web.steps.data import reads_a_file, scanned, table_as_read
from roadstead.web.suggested import LAYOUT, SETTINGS, WIDTHS


@with_form
def accepted(request: Request, form: FormData) -> Response:
    """Read the table again with a suggested setting."""
    key, value, refused = every(form, "key", "value", "refused")
    session = session_of(request)
    if key not in SETTINGS or not value:
        raise SettingError("this setting does not exist", fix="use the fields of the Data step")
    if not reads_a_file(session):
        raise SettingError("this table is not in a file", fix="change its values in the database")
    table, reading = table_as_read(request, refused=refused == "yes")
    if key == WIDTHS:
        file, options = part_of(Path(table["data"]))
        table["data"] = with_options(file, {**options, WIDTHS: value})
    elif key == LAYOUT:
        file, options = part_of(Path(table["data"]))
        kept = {one: text for one, text in options.items() if one not in (WIDTHS, "names")}
        table["data"] = with_options(file, kept)
    elif key == "missing":
        codes = [one.strip() for one in value.split(",")]
        reading[key] = list(dict.fromkeys([*reading.get(key, ()), *codes]))
    elif key == "skip_rows":
        reading[key] = ", ".join(filter(None, (reading.get(key, ""), value)))
    else:
        reading[key] = value == "yes" if key == "header" else value
    return scanned(request, table, reading)


ROUTES = (Route("/data/suggestion", accepted, methods=["POST"]),)
