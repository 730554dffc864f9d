"""Keep the table of a project file open between questions."""

from __future__ import annotations

from pathlib import Path

from roadstead.requests.groups import READING
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.tables.source import Source
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.opening import opened
from roadstead.verbs.scan.request import ScanRequest

_open: dict[tuple[str, str], Source] = {}
"""The open table, by project file and by the settings for reading the table."""


def source_of(project: str) -> Source:
    """Open the table of a project file."""
    request = joined(ScanRequest, {}, read_project(Path(project), REQUESTS))
    reading = [getattr(request, key) for key in (*READING, "codebook")]
    key = (project, repr((request.data, reading)))
    if key not in _open:
        for former in _open.values():
            former.close()
        _open.clear()
        _open[key] = opened(request.data, request, quietly=True)
    return _open[key]
