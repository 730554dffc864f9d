"""Show the documents of a written release as pages, and send the folder as an archive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from roadstead.errors import SettingError
from roadstead.printable import named
from roadstead.regular_files import content_of
from roadstead.reports.wording import first_few
from roadstead.web.bench import bench_of, session_of
from roadstead.web.security.headers import DOCUMENT
from roadstead.web.sessions.declared_promise import CERTIFICATE
from roadstead.web.sessions.last_release import WRITTEN, changed_files, names_now
from roadstead.web.work.archive import zipped

_SHOWN = {
    "report.html": "text/html",
    "attacks.html": "text/html",
    CERTIFICATE: "application/json",
    "policy.json": "application/json",
}
"""The files of a release that a page displays. The table itself is only in the archive."""
_NAMED = 3
_AT_WORK = {"write": "written", "attack": "attacked"}


def is_at_work(request: Request) -> bool:
    """Return whether a job is changing the release."""
    session, desk = session_of(request), bench_of(request).desk
    return any(desk.at_work(session, kind) for kind in _AT_WORK)


def require_nobody_at_work(request: Request) -> None:
    """Raise an error if another job is changing the release."""
    session, desk = session_of(request), bench_of(request).desk
    for kind, done in _AT_WORK.items():
        if desk.at_work(session, kind):
            raise SettingError(f"the release is already being {done}", fix="wait, or stop the job")


def written_file(request: Request) -> Response:
    """Show a document of the written release."""
    out, name = written_folder(request), request.path_params["name"]
    if name in _SHOWN:
        _require_unchanged(name in changed_files(session_of(request).facts(WRITTEN)), name)
    return document(out, name)


def _require_unchanged(changed: object, names: str) -> None:
    """Refuse files that changed after the release was verified."""
    if changed:
        raise SettingError(
            "the release was changed after it was verified",
            where=names,
            fix="undo the change, or write the release again",
        )


def written_folder(request: Request) -> Path:
    """Return the folder of the written release."""
    written = session_of(request).facts(WRITTEN)
    if not written:
        raise HTTPException(404)
    out = bench_of(request).places.require(Path(written["out"]))
    if not (out / CERTIFICATE).is_file():
        raise SettingError(
            "this folder does not exist anymore",
            where=named(str(out)),
            fix="write the release again",
        )
    return out


def document(folder: Path, name: str) -> Response:
    """Show a document of a release in a way that is safe for any content."""
    if name not in _SHOWN:
        raise HTTPException(404)
    try:
        content = content_of(folder / name, own=True)
    except FileNotFoundError:
        raise HTTPException(404) from None
    except OSError as error:
        raise SettingError(
            f"cannot be read ({error.strerror})", where=name, fix="write the release again"
        ) from None
    headers = {"content-security-policy": DOCUMENT}
    return Response(content, media_type=_SHOWN[name], headers=headers)


def archive(request: Request) -> Response:
    """Send the folder of the release as an archive, which is created during the download."""
    out = written_folder(request)
    written: Mapping[str, Any] = session_of(request).facts(WRITTEN)
    changed = changed_files(written, whole=True)
    _require_unchanged(changed, first_few(tuple(map(named, changed)), _NAMED))
    names = names_now(written)
    headers = {"content-disposition": 'attachment; filename="release.zip"'}
    return StreamingResponse(zipped(out, names), media_type="application/zip", headers=headers)


ROUTES = (
    Route("/release/files/{name}", written_file),
    Route("/release/archive", archive),
)
