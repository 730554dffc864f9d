"""Read a text file with fields of fixed width at the places that its codebook gives.

Archives publish such files together with a DDI codebook that says where each field is. The codebook
of a delimited file can give these places, too. So Roadstead uses the places only if no delimiter
separates the cells, or if each line has exactly the length that the codebook describes. The lines
must also fit the places. A user who gives a layout or a delimiter has already decided.

If the codebook describes several types of records, such as households and people, the records are
joined (:mod:`roadstead.tables.formats.record_types`), also in a delimited file.
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
from roadstead.tables.formats.archive import unpacked
from roadstead.tables.formats.layouts import FieldLayout, layout_of_ddi
from roadstead.tables.formats.options import is_there, part_of, with_options
from roadstead.tables.formats.recognition import ARCHIVE, LAYOUT_OPTIONS, format_of
from roadstead.tables.formats.record_types import RECORDS, RECTYPE
from roadstead.tables.locations import FileLocation
from roadstead.tables.scratch import remove_scratch

_FEWEST = 2
"""The smallest number of fields that make a layout. One field is a table with one column."""
_NONE = FieldLayout(())


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
    if (options.keys() - {RECORDS} and not unnamed) or not (is_there(path) and path.is_file()):
        return data
    place = Path(codebook)
    lines, cells = _look(path, encoding)
    one_column, lengths = len(cells) == 1, {*map(len, lines)}
    header_names = {cell.strip().casefold() for cell in cells}
    needed = one_column or len(lengths) == 1 or RECTYPE in header_names
    layout = _layout(place, header_names, one_column=one_column) if needed else _NONE
    if layout.types is not None and not one_column and RECTYPE in header_names:
        own = layout.types.chosen(options.get(RECORDS), path)
        return FileLocation(Path(with_options(path, {RECORDS: own})))
    fields, end = layout.fields, layout.end
    described = one_column and header_names <= {one.name.casefold() for one in fields}
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
    kept = {key: options[key] for key in options.keys() & {RECORDS}}
    example = with_options(path, {"layout": place.name, **kept})
    if not max(one.start for one in fields) < max(lengths) <= end:
        raise SourceError(
            f"the codebook describes lines with {end:,} characters, but the longest of the first "
            f"lines of {path.name} has {max(lengths):,}",
            where=place.name,
            fix=f"use the codebook of {path.name}, or, to read only these characters, name the "
            f"codebook in the path of the table: {argument(Path(example).name)}",
        )
    if place.absolute().parent == path.absolute().parent:
        return FileLocation(Path(example))
    return FileLocation(Path(with_options(path, kept)), layout=place)


def _look(path: Path, encoding: str | None) -> tuple[list[str], tuple[str, ...]]:
    """Return the first lines of a delimited text file, and the cells of its first record.

    They are empty for a file that cannot be read, about which the reader itself raises an error.
    """
    try:
        kind = format_of(path, {})
        if kind == ARCHIVE:
            inner, folder = unpacked(path)
            try:
                return _look(inner, encoding)
            finally:
                remove_scratch(folder)
        if kind is not None or first_bytes(path, 4) == PARQUET_MAGIC:
            return [], ()
        cells = sniff(path, encoding=encoding, header=False).first_record
        return first_lines(path, encoding), cells
    except RoadsteadError:
        return [], ()


def _layout(codebook: Path, header: set[str], *, one_column: bool) -> FieldLayout:
    """Return the layout in a DDI codebook. It has no fields for other codebooks.

    Raises SourceError if the XML is damaged or declares entities, or if lines that are not split
    into cells need a layout that the codebook does not have.
    """
    try:
        document = document_at(codebook)
    except RoadsteadError:
        return _NONE  # the reader of codebooks raises an error about the file
    if not Ddi().recognizes(document):
        return _NONE
    try:
        return layout_of_ddi(document)
    except RoadsteadError:
        (notes,) = Ddi().read(document)
        if one_column and header.isdisjoint(map(str.casefold, notes.columns)):
            raise
        return _NONE
