"""Open the table of a request with the reading options of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from roadstead.front_end import option
from roadstead.jobs import SILENT, Observer
from roadstead.log import LOG
from roadstead.printable import named
from roadstead.reports.noticed.table import noticed_in_table
from roadstead.reports.wording import counted
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
    source, renamed = _shareable(source)
    observer.opened(source)
    LOG.info("opened %s: %s", source.name, source.format.describe())
    unnamed = "".join(
        f"; the first column has no name, so Roadstead calls it {x}" for x in source.named_by_us
    )
    columns = counted(len(source.columns), "column")
    skipped = f", {source.skipped}" if source.skipped else ""
    if source.from_folders:
        columns += f" ({', '.join(source.from_folders)} from the names of folders)"
    if not quietly:
        form = source.format.describe()
        observer.note(f"{source.name}: {form}, {columns}{skipped}{unnamed}{renamed}")
        for line in noticed_in_table(source):
            observer.note(line)
        if reading.missing and by is read:
            observer.note(_made_missing(source.made_missing))
        if source.codebook is not None:
            observer.note(described_by(source))
    return source


def described_by(source: Source) -> str:
    """Describe what information the codebook of a table provides."""
    codebook = source.codebook
    assert codebook is not None  # noqa: S101 - callers have checked
    columns = len(source.columns)
    found = columns - len(codebook.lacking(source.columns))
    labeled = sum(
        bool(one.notes.labels) for name, one in codebook.columns.items() if name in source.columns
    )
    return (
        f"{codebook.name}: {codebook.kind}, describes {found:,} of {counted(columns, 'column')}, "
        f"with labels in {counted(labeled, 'column')}"
    )


def _made_missing(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Describe how many values became missing, so that users notice if a code is a real value."""
    if not counts:
        return f"No column has a value that {option('missing')} lists."
    listed = (
        f"{sum(by_code.values()):,} in {named(name)}{_by_code(by_code)}"
        for name, by_code in counts.items()
    )
    return f"Values that you declared as missing: {', '.join(listed)}."


def _by_code(counts: Mapping[str, int]) -> str:
    """Describe how many values each code made missing, if a column has several codes."""
    listed = ", ".join(f"{code}: {number:,}" for code, number in counts.items())
    return f" ({listed})" if len(counts) > 1 else ""


def _shareable(source: Source) -> tuple[Source, str]:
    """Rename a table whose name contains an identifier, because documents contain the name.

    The function also returns a note about the new name.
    """
    held = held_by_file_name(source.name)
    if not held:
        return source, ""
    renamed = replace(source, name=shareable_name(source.name))
    return renamed, f"; the name of the table contains {held}, so documents call it {renamed.name}"
