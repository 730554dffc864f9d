"""Use hierarchy files in ARX's format.

The user uploads a file, chooses a folder that contains files, or downloads a file.

An uploaded file is stored in the folder of the piece of work. The project file refers to the stored
file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError
from roadstead.hierarchies.arx_csv import find_hierarchies
from roadstead.printable import named
from roadstead.regular_files import write_whole
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, page, to, with_form
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.questions import answer, declared_of
from roadstead.web.steps.columns.roles import (
    column_row,
    column_rows,
    require_quasi,
    set_hierarchy,
)

_FILES = "hierarchies"
_LARGEST = 64 << 20  # the largest hierarchy file, in bytes


def is_own(session: WorkSession, spec: Mapping[str, Any]) -> bool:
    """Return whether a declaration names a file that was uploaded on the page."""
    path = Path(str(spec.get("path", "/")))
    inside = spec.get("kind") == "file" and path.parent == Path(_FILES)
    return inside and (session.folder / path).is_file()


async def dropped(request: Request) -> Response:
    """Save a hierarchy file that was uploaded on the page."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _LARGEST:
            raise SettingError(
                "the file is too large", fix="drop a hierarchy file in the ARX format"
            )
    return await run_in_threadpool(_dropped, request, content)


def _dropped(request: Request, content: bytes) -> Response:
    session = session_of(request)
    choices = choices_of(session)
    number = request.path_params["number"]
    row = require_quasi(column_row(session, choices, number))
    path = Path(_FILES) / f"{number}.csv"
    spec = {"kind": "file"}
    new = Path(_FILES) / f"{number}.new.csv"
    (session.folder / _FILES).mkdir(mode=0o700, exist_ok=True)
    write_whole(session.folder / new, content)
    try:
        answer(request, choices, row, "levels", spec={**spec, "path": str(new)})
        (session.folder / new).replace(session.folder / path)
    finally:
        (session.folder / new).unlink(missing_ok=True)
    with session.changed() as document:
        set_hierarchy(document, row.name, {**spec, "path": str(path)})
    return to(request, f"{session.address}/columns/{number}")


def exported(request: Request) -> Response:
    """Return the hierarchy as a file in ARX's format."""
    session = session_of(request)
    choices = choices_of(session)
    row = require_quasi(column_row(session, choices, request.path_params["number"]))
    found = answer(request, choices, row, "exported", spec=declared_of(choices, row.name))
    return attachment(found["text"], f"{named(row.name)}.csv", "text/csv")


def attachment(text: str, name: str, kind: str) -> Response:
    """Return text as a download. The file name has no characters that are special in paths."""
    plain = "".join(sign if sign.isalnum() or sign in "._- " else "_" for sign in name)
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(plain)}"}
    return Response(text, media_type=kind, headers=headers)


@with_form
def found(request: Request, form: FormData) -> Response:
    """Use each hierarchy file in a folder for the column that is named in the file name."""
    (folder,) = every(form, "folder")
    folder = folder.strip()
    session, places = session_of(request), bench_of(request).places
    if not folder:
        raise SettingError(
            "the folder is missing", fix="enter the path of a folder with hierarchy files"
        )
    choices = choices_of(session)
    files = find_hierarchies(places.require(Path(folder)), choices.quasi)
    if not files:
        raise SettingError(
            "the folder does not contain a file with the name of a quasi-identifier",
            where=named(folder),
            fix="name the files COLUMN.csv or ANY_hierarchy_COLUMN.csv",
        )
    told: list[tuple[str, str | None]] = []
    for row in column_rows(session, choices):
        if row.name not in files:
            continue
        spec = {"kind": "file", "path": str(places.require(files[row.name]))}
        try:
            answer(request, choices, row, "levels", spec=spec)
        except RoadsteadError as error:
            told.append((row.name, error.message))
            continue
        told.append((row.name, None))
        with session.changed() as document:
            set_hierarchy(document, row.name, spec)
    return page(request, "columns/found.html", told=told)


ROUTES = (
    Route("/columns/hierarchies", found, methods=["POST"]),
    Route("/columns/{number:int}/file", dropped, methods=["PUT"]),
    Route("/columns/{number:int}/export", exported),
)
