"""Serve the files that pages load: styles, the workbench's script, and htmx.

Another Python package includes htmx. The workbench serves htmx only if the file is identical to the
file that was tested.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from roadstead.errors import MissingExtraError

_HTMX_PACKAGE = "django-js-lib-htmx"  # only the files of the package, without Django
_HTMX_FILE = "js_lib_htmx/static/htmx/htmx.min.js"
_HTMX_SHA256 = "491955cd1810747d7d7b9ccb936400afb760e06d25d53e4572b64b6563b2784e"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_OWN = ("workbench.css", "workbench.js", "explore.css", "explore.js", "grouping.js", "icon.svg")
_SHARED = ("report.css",)


def asset(request: Request) -> Response:
    """Return the file that has the given name."""
    name = request.path_params["name"]
    kind = _TYPES.get(name.rpartition(".")[2])
    if kind is None:
        raise HTTPException(404)
    return Response(content(name), media_type=kind, headers={"cache-control": "max-age=3600"})


@cache
def content(name: str) -> bytes:
    """Read a file that pages load."""
    if name == "htmx.js":
        return _htmx()
    if name in _SHARED:
        return (resources.files("roadstead.reports") / "templates" / name).read_bytes()
    if name in _OWN:
        return (resources.files("roadstead.web") / "static" / name).read_bytes()
    raise HTTPException(404)


def _htmx() -> bytes:
    try:
        found = metadata.distribution(_HTMX_PACKAGE).locate_file(_HTMX_FILE)
        script = found.read_bytes()  # type: ignore[attr-defined] # a path, says importlib's page
    except (metadata.PackageNotFoundError, OSError):
        script = b""
    if hashlib.sha256(script).hexdigest() != _HTMX_SHA256:
        raise MissingExtraError(
            "the script of the workbench is missing or has the wrong version",
            fix="install it with: pip install 'roadstead[web]'",
        )
    return bytes(script)
