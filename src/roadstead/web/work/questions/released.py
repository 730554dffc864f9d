"""Some rows of a release that was prepared, as whoever receives it will read them.

They are read from the release alone. A column that is released as it is although it identifies, or
may, is covered as everywhere on the page. Of a private release all is shown: its records are made
up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roadstead.jobs import Observer
from roadstead.release.certificate import CERTIFICATE, TableFingerprint, read_certificate
from roadstead.release.documents import read_back
from roadstead.release.private.certificate import is_private
from roadstead.release.private.tables import RECORDS
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.web.work.questions.rows import MOST, shown_rows


def released(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Give so many rows of a release from a place on."""
    folder = Path(given["folder"])
    with _opened(folder) as source:
        first, many = max(int(given["first"]), 0), min(int(given["many"]), MOST)
        plain = set(source.columns) if is_private(folder) else set(given["shown"])
        found = shown_rows(source, plain, first, many)
        return {**found, "records": source.table.count().to_pyarrow().as_py()}


def _opened(folder: Path) -> Source:
    if is_private(folder):
        return read(folder / RECORDS)
    certificate, _ = read_certificate(folder / CERTIFICATE)
    assert not isinstance(certificate.table, TableFingerprint)  # noqa: S101 - no page makes one
    return read_back(folder / certificate.table.name, certificate.format)
