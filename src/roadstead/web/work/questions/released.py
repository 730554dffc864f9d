"""Some rows of a release that was prepared, as whoever receives it will read them.

They are read from the release alone. A column that is released as it is although it identifies, or
may, is covered as everywhere on the page. Of a private release all is shown: its records are made
up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roadstead.jobs import Observer
from roadstead.release.certificate import CERTIFICATE, TableFingerprint, read_certificate
from roadstead.release.documents import read_back
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.private.certificate import is_private
from roadstead.release.private.tables import RECORDS
from roadstead.release.values_left import in_words, without_values
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.web.work.questions.rows import MOST, shown_rows


def released(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Give so many rows of a release from a place on; the last ones if it is beyond."""
    folder = Path(given["folder"])
    with _opened(folder) as source:
        many = min(int(given["many"]), MOST)
        records = int(source.table.count().to_pyarrow().as_py())
        first = min(max(int(given["first"]), 0), max(records - 1, 0) // many * many)
        found = shown_rows(source, _plain(folder, source, given["shown"]), first, many)
        return {**found, "records": records}


def words(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Say what becomes of each quasi-identifier, by its policy; nothing of a private release."""
    folder = Path(given["folder"])
    if is_private(folder):
        return {}
    _, policy = read_certificate(folder / CERTIFICATE)
    with _opened(folder) as source:
        table = summarize(with_joined_ends(source, policy), policy.quasi, may_be_empty=True)
        gone = without_values(with_plain_ends(table, policy))
    return {name: in_words(does, left=name not in gone) for name, does in policy.words.items()}


def _plain(folder: Path, source: Source, decided: Sequence[str]) -> set[str]:
    """Name the columns that are shown: made up, generalized, or shown as they are elsewhere."""
    if is_private(folder):
        return set(source.columns)
    _, policy = read_certificate(folder / CERTIFICATE)
    ends = (name for both in policy.two_columns.values() for name in both)
    return {*decided, *policy.quasi, *ends}


def _opened(folder: Path) -> Source:
    if is_private(folder):
        return read(folder / RECORDS)
    certificate, _ = read_certificate(folder / CERTIFICATE)
    assert not isinstance(certificate.table, TableFingerprint)  # noqa: S101 - no page makes one
    return read_back(folder / certificate.table.name, certificate.format)
