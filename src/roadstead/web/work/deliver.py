"""For a page, run a request with the same project file and fields as on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.jobs import Observer
from roadstead.requests.fields import options_of
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.catalog import REQUESTS

_ELSEWHERE = "into"
"""The key of a target table in a project file. Pages do not use this key."""
_LEDGER = "release.ledger"
"""The key of the ledger. Pages reject the key, because some prepared releases are never written."""
_CHOICE = ("choose", "risk")
"""The fields that choose one policy of a frontier for release."""


def request_of(given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any request
    """Create a request from a verb, an optional project file, and fields by key."""
    kind = next(one for one in REQUESTS if one.verb == given["verb"])
    path = given.get("project")
    project = read_project(None if path is None else Path(path), REQUESTS)
    own = given.get("given", {})
    releases = kind.verb != "frontier" or any(own.get(key) is not None for key in _CHOICE)
    if _LEDGER in project.values and "ledger" in options_of(kind) and releases:
        raise SettingError(
            "the workbench does not record releases in a ledger",
            where=_LEDGER,
            fix="make this release on the command line, or remove the ledger from the project file",
        )
    kept = {place: value for place, value in project.values.items() if place != _ELSEWHERE}
    fields = {
        key: Path(value) if key in ("out", "release") and isinstance(value, str) else value
        for key, value in given.get("given", {}).items()
    }
    return joined(kind, fields, replace(project, values=kept))


def deliver(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Run a request. Return its lines and its document, as on the command line."""
    delivery = request_of(given).deliver(observer)
    return {
        "lines": list(delivery.lines),
        "notes": list(delivery.notes),
        "document": dict(delivery.document),
        "exit_code": delivery.exit_code,
    }
