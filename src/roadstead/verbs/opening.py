"""Open the table of a request with the reading options of the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from roadstead.errors import RoadsteadError
from roadstead.jobs import SILENT, Observer
from roadstead.log import LOG
from roadstead.release.certificate import (
    CERTIFICATE,
    MISSING_CODES,
    RARE_MISSING,
    read_certificate,
)
from roadstead.release.staging import require_outside
from roadstead.reports.noticed.table import noticed_in_table
from roadstead.reports.opened import (
    codebook_lines,
    made_missing,
    opened_table,
    recorded_codes,
)
from roadstead.requests.groups import READING, Reading
from roadstead.tables.codebooks.missing import with_codebook
from roadstead.tables.codebooks.reading import read_codebook
from roadstead.tables.identifiers.titles import held_by_file_name, shareable_name
from roadstead.tables.laid_out import laid_out
from roadstead.tables.missing_codes import OptionalCode
from roadstead.tables.reading import read
from roadstead.tables.source import Source

R = TypeVar("R", bound=Reading)


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
    codebook = getattr(reading, "codebook", None)
    source = by(laid_out_for(data, reading), **{**settings, "missing": reading.missing or ()})
    listed = source.made_missing
    if codebook is not None:
        table = source.name if source.path is None else source.path.name
        notes = read_codebook(codebook, source.columns, table)
        source = with_codebook(source, notes, reading.missing or ())
    held = held_by_file_name(source.name)
    if held:  # documents contain the name
        source = replace(source, name=shareable_name(source.name))
    observer.opened(source)
    for key in ("out", "proof"):
        if (new := getattr(reading, key, None)) is not None:
            require_outside(new, source)
    LOG.info("opened %s: %s", source.name, source.format.describe())
    if not quietly:
        observer.note(opened_table(source, held))
        for line in noticed_in_table(source):
            observer.note(line)
        if reading.missing and by is read:
            observer.note(made_missing(listed))
        for line in codebook_lines(source):
            observer.note(line)
    return source


def laid_out_for(data: Any, reading: Reading) -> Any:  # noqa: ANN401 - as above
    """Return the data, or the location of a file whose fields are at places in the codebook."""
    codebook = getattr(reading, "codebook", None)
    return laid_out(
        *(data, codebook),
        delimiter=reading.delimiter,
        encoding=reading.encoding,
        header=reading.header,
    )


def with_recorded_missing(request: R, folder: Path, observer: Observer) -> R:
    """Add the missing codes of a release to a request, and report this.

    If the table were read with other missing codes, a comparison with the release would count other
    records. The certificate lists the declared codes of the released columns. A request that names
    missing codes is returned unchanged.
    """
    if request.missing:
        return request
    codes, rare = _recorded(folder)
    if codes or rare:
        observer.note(recorded_codes(codes, rare))
    return replace(request, missing=codes) if codes else request


def _recorded(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the codes in a certificate, and the columns with codes that it does not list.

    The certificate is not trusted. Each returned code includes its column, so that it cannot be the
    name of a file of codes.
    """
    if not (folder / CERTIFICATE).is_file():
        return (), ()
    try:
        certificate, _ = read_certificate(folder / CERTIFICATE)
    except RoadsteadError:
        return (), ()  # a private release, a set of tables, or a damaged certificate
    columns = certificate.settings.get(MISSING_CODES)
    codes = (
        OptionalCode(f"{column}={code}")
        for column, listed in (columns if isinstance(columns, dict) else {}).items()
        for code in _texts(listed)
    )
    return tuple(codes), tuple(_texts(certificate.settings.get(RARE_MISSING)))


def _texts(listed: object) -> list[str]:
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
