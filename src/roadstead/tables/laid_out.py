"""Read a text file with fields of fixed width at the places that its codebook gives.

Archives publish such files together with a DDI codebook that says where each field is. The codebook
of a delimited file can give these places, too. So Roadstead uses the places only if no delimiter
separates the cells, or if each line has exactly the length that the codebook describes. The lines
must also fit the places. A user who gives a layout or a delimiter has already decided.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from roadstead.errors import RoadsteadError, SettingError, SourceError
from roadstead.front_end import argument
from roadstead.tables.addresses import locate
from roadstead.tables.codebooks.ddi import Ddi
from roadstead.tables.codebooks.document import document_at
from roadstead.tables.dialect import first_lines, sniff
from roadstead.tables.files import PARQUET_MAGIC, first_bytes
from roadstead.tables.formats.layouts import LayoutField, layout_of_ddi
from roadstead.tables.formats.options import is_there, part_of, with_options
from roadstead.tables.formats.recognition import LAYOUT_OPTIONS, format_of
from roadstead.tables.locations import FileLocation

_FEWEST = 2
"""The smallest number of fields that make a layout. One field is a table with one column."""


def laid_out(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    codebook: str | Path | None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Any:  # noqa: ANN401 - the same data, or its location
    """Return the data, or the location of the same file with the codebook as its layout.

    Raises SourceError if the lines need a layout and do not fit the codebook. Raises SettingError
    if the file is read with widths but without names, although the codebook gives the places.
    """
    found = locate(data) if isinstance(data, str | os.PathLike) else data
    if codebook is None or delimiter is not None or not isinstance(found, FileLocation):
        return data
    path, options = part_of(found.path)
    unnamed = options.keys() & LAYOUT_OPTIONS == {"widths"} and not ("names" in options or header)
    if (options and not unnamed) or not (is_there(path) and path.is_file()):
        return data
    place = Path(codebook)
    lines, cells = _look(path, encoding)
    one_column, lengths = len(cells) == 1, {*map(len, lines)}
    fields = _fields(place) if one_column or len(lengths) == 1 else ()
    end = max((one.end for one in fields), default=0)
    described = one_column and cells[0].strip().casefold() in {x.name.casefold() for x in fields}
    if len(fields) < _FEWEST or described or not (one_column or lengths == {end}):
        return data
    if unnamed:
        raise SettingError(
            "the table is read with widths but without names, so the codebook cannot describe its "
            "columns",
            where=place.name,
            fix=(
                "leave out the widths of the fields (the codebook says where the fields are), or "
                "give the names as well"
            ),
        )
    layout = with_options(path, {"layout": place.name})
    if not max(one.start for one in fields) < max(lengths) <= end:
        raise SourceError(
            f"the codebook describes lines with {end:,} characters, but the longest of the first "
            f"lines of {path.name} has {max(lengths):,}",
            where=place.name,
            fix=f"use the codebook of {path.name}, or, to read only these characters, name the "
            f"codebook in the path of the table: {argument(Path(layout).name)}",
        )
    if place.absolute().parent == path.absolute().parent:
        return FileLocation(Path(layout))
    return FileLocation(path, layout=place)


def _look(path: Path, encoding: str | None) -> tuple[list[str], tuple[str, ...]]:
    """Return the first lines of a delimited text file, and the cells of its first record.

    They are empty for a file that cannot be read, about which the reader itself raises an error.
    """
    try:
        if first_bytes(path, 4) == PARQUET_MAGIC or format_of(path, {}) is not None:
            return [], ()
        cells = sniff(path, encoding=encoding, header=False).first_record
        return first_lines(path, encoding), cells
    except RoadsteadError:
        return [], ()


def _fields(codebook: Path) -> tuple[LayoutField, ...]:
    """Return the fields of a DDI codebook, or nothing for other codebooks."""
    try:
        document = document_at(codebook)
        return layout_of_ddi(document) if Ddi().recognizes(document) else ()
    except RoadsteadError:
        return ()
