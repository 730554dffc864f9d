"""Open the table of a request with the reading options of the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roadstead.jobs import SILENT, Observer
from roadstead.log import LOG
from roadstead.reports.noticed.table import noticed_in_table
from roadstead.reports.opened import described_by, made_missing, opened_table
from roadstead.requests.groups import READING, Reading
from roadstead.tables.codebooks.reading import read_codebook
from roadstead.tables.identifiers.titles import held_by_file_name, shareable_name
from roadstead.tables.reading import read
from roadstead.tables.source import Source


def opened(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    reading: Reading,
    observer: Observer = SILENT,
    by: Callable[..., Source] = read,
    *,
    quietly: bool = False,
) -> Source:
    """Open a table with the reading options, unless it is already open.

    The table is passed to the observer, which must close it. `by` is the function that opens the
    table, such as `read`.
    """
    if isinstance(data, Source):
        return data
    settings = {key: getattr(reading, key) for key in READING}
    source = by(data, **{**settings, "missing": reading.missing or ()})
    if (codebook := getattr(reading, "codebook", None)) is not None:
        table = source.name if source.path is None else source.path.name
        source = replace(source, codebook=read_codebook(codebook, source.columns, table))
    held = held_by_file_name(source.name)
    if held:  # documents contain the name
        source = replace(source, name=shareable_name(source.name))
    observer.opened(source)
    LOG.info("opened %s: %s", source.name, source.format.describe())
    if not quietly:
        observer.note(opened_table(source, held))
        for line in noticed_in_table(source):
            observer.note(line)
        if reading.missing and by is read:
            observer.note(made_missing(source.made_missing))
        if source.codebook is not None:
            observer.note(described_by(source))
    return source
