"""Show, download, and load the project file of a piece of work.

A loaded file may belong to another table, or come from another author. Its columns must be the
columns of this table, and this page must be allowed to read its paths. The table, its reading
settings, and the folder of the release do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tomlkit.exceptions import TOMLKitError

from roadstead.errors import SettingError
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.places import Places
from roadstead.printable import named, printable_toml
from roadstead.regular_files import MIB, content_of, write_whole
from roadstead.requests.project import with_current_names
from roadstead.web.bench import WorkbenchState, bench_of, session_of
from roadstead.web.pages import every, to, with_form
from roadstead.web.security.addresses import file_of, table_of, taxonomy_of
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.files import attachment, is_own
from roadstead.web.steps.columns.roles import set_hierarchy
from roadstead.web.work.exporting import PathKind, full_path, name_dropped, paths_in

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_MOST = 4 * MIB
_STAYS = ("data", "reading", "out", "into", "tables")
"""The keys of a loaded file that are ignored, because they name the table and the release."""
_ALLOWED: Mapping[PathKind, Callable[[Places, str], str]] = {
    "table": table_of,
    "file": file_of,
    "taxonomy": taxonomy_of,
}
"""The functions that return a path if the page may use it."""
_CANDIDATE = "the project file"
"""The name of the copy that is checked, because errors name it. It is next to the session's file,
so that relative paths lead to the same files."""


def text(request: Request) -> Response:
    """Show the file unchanged."""
    document = session_of(request).choices()
    shown = printable_toml(tomlkit.dumps(document))
    return PlainTextResponse(shown.replace("&", "&amp;").replace("<", "&lt;"))


def downloaded(request: Request) -> Response:
    """Return the file in a version that works in any folder on this machine.

    Hierarchies that were uploaded on the page are written into the file. If a table or a codebook
    was uploaded, the project file expects this file in its own folder. The first lines of the
    project file say so.
    """
    session = session_of(request)
    document = session.choices()
    base = session.folder
    for name, spec in [*document.get("hierarchies", {}).items()]:
        if is_own(session, spec):
            set_hierarchy(document, name, _listed(name, base / spec["path"]))
    for holder, key, kind in paths_in(document):
        holder[key] = full_path(str(holder[key]), kind, base)
    head = name_dropped(document, base, session.state().get("dropped"))
    title = choices_of(session).title.partition(".")[0] or "project"
    written = printable_toml("\n".join((*head, tomlkit.dumps(document))))
    return attachment(written, f"{title}.toml", "application/toml")


def _listed(name: str, path: Path) -> dict[str, Any]:
    """Declare a hierarchy file as a list of labels for each value."""
    hierarchy = read_hierarchy(path, name)
    coarser = hierarchy.levels[1:]
    return {
        "kind": "mapping",
        "levels": {
            value: [level.label(row) for level in coarser]
            for row, value in enumerate(hierarchy.values)
        },
    }


@with_form
def taken(request: Request, form: FormData) -> Response:
    """Load a project file from a path."""
    (path,) = every(form, "path")
    path = path.strip()
    if not path:
        raise SettingError("the file is missing", fix="enter the path of a project file")
    real = bench_of(request).places.require(Path(path))
    try:
        content = content_of(real, most=_MOST)
    except OSError as error:
        raise SettingError(
            f"cannot be read ({error.strerror})", where=named(path), fix="choose another"
        ) from None
    return _taken(request, content, real.parent)


async def dropped(request: Request) -> Response:
    """Load a project file that was uploaded on the page."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _MOST:
            raise SettingError("the file is too large", fix="drop a project file")
    return await run_in_threadpool(_taken, request, content, None)


def _taken(request: Request, content: bytes, base: Path | None) -> Response:
    session = session_of(request)
    take(bench_of(request), session, content, base)
    return to(request, f"{session.address}/columns?loaded=yes")


def take(bench: WorkbenchState, session: WorkSession, content: bytes, base: Path | None) -> None:
    """If the choices in a file fit the table, replace the current choices with these choices.

    Relative paths in the file start at `base`. Without `base`, paths start at the first folder that
    this page may use.
    """
    columns = [one["name"] for one in choices_of(session).columns]
    if not columns:
        raise SettingError("this work does not have a table yet", fix="choose a table first")
    candidate = session.folder / _CANDIDATE
    try:
        document = _document(content)
        _adapted(document, session, bench, base)
        write_whole(candidate, printable_toml(tomlkit.dumps(document)).encode("utf-8"))
        found = bench.desk.answer(
            session, "taken", project=str(candidate), candidate=str(candidate), columns=columns
        )
    finally:
        candidate.unlink(missing_ok=True)
    with session.changed() as own:
        own.clear()
        own.update(document)
        for role, names in found["roles"].items():
            if names or role in own.get("roles", {}):
                own.setdefault("roles", tomlkit.table())[role] = names


def _document(content: bytes) -> TOMLDocument:
    try:
        return with_current_names(tomlkit.parse(content.decode("utf-8-sig")), "the project file")
    except UnicodeDecodeError:
        what = "its encoding is not UTF-8"
    except TOMLKitError as error:
        what = str(error)
    except RecursionError:
        what = "it is nested too deeply"
    raise SettingError(
        f"the project file cannot be read ({what})", fix="use a file that roadstead scan wrote"
    )


def _adapted(
    document: TOMLDocument, session: WorkSession, bench: WorkbenchState, base: Path | None
) -> None:
    """Adapt a document to the current table, and check that this page may read its files."""
    for key in _STAYS:
        document.pop(key, None)
    for holder, key, kind in paths_in(document):
        if key != "path" or not is_own(session, holder):
            text = str(holder[key])
            text = text if base is None else full_path(text, kind, base)
            holder[key] = _ALLOWED[kind](bench.places, text)
    before = session.choices()
    for key in ("data", "reading"):
        if key in before:
            document[key] = before[key]


ROUTES = (
    Route("/columns/project/text", text),
    Route("/columns/project/file", downloaded),
    Route("/columns/project/take", taken, methods=["POST"]),
    Route("/columns/project/drop", dropped, methods=["PUT"]),
)
