"""Unpack the table in a zip archive or an ARX project into a private folder."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.tables.formats.options import next_to, with_options
from roadstead.tables.locations import FileLocation
from roadstead.tables.scratch import new_scratch, remove_scratch

if TYPE_CHECKING:
    from roadstead.tables.formats.format import Options
    from roadstead.tables.readers import Manner
    from roadstead.tables.source import Source

_NOTES = ("readme", "license", "licence")
ARX_TABLE = "data/input.csv"
"""The table of an ARX project."""
_ARX_ATTRIBUTES = "input/definition.xml"


def is_arx_project(names: Collection[str]) -> bool:
    """Return whether an archive with these file names is an ARX project."""
    return _ARX_ATTRIBUTES in names


def read_unpacked(
    path: Path, options: Options, manner: Manner, name: str, read: Callable[..., Source | None]
) -> Source:
    """Read the table in an archive with `read`. A layout is next to the archive.

    The unpacked file is removed when the source is closed.
    """
    own, layout = dict(options), manner.layout
    if "layout" in own:
        layout = next_to(path, own.pop("layout"), "layout")
    inner, folder = unpacked(path)
    found = FileLocation(Path(with_options(inner, own)), layout)
    try:
        source = read(found, replace(manner, name=name, layout=None))
    except BaseException:
        remove_scratch(folder)
        raise
    assert source is not None  # noqa: S101 - this is the path of a file
    source.kept_until_closed(partial(remove_scratch, folder))
    part = Path(with_options(path, options))
    return replace(source, path=path.with_name(inner.name), read_from=part)


def unpacked(path: Path) -> tuple[Path, Path]:
    """Return the unpacked file and its folder. The caller must remove the folder.

    Raises SourceError if the archive is damaged, has a password, does not fit on the disk, or does
    not have exactly one table.
    """
    fix = "unpack the archive, and use the table in it"
    folder = new_scratch()
    try:
        with zipfile.ZipFile(path) as archive:
            members = _tables(archive)
            if len(members) != 1:
                what = f"the archive contains {len(members)} files that could be the table"
                if members:
                    what += f", such as {quoted(members[0].filename)}"
                raise SourceError(what, where=path.name, fix=fix)  # noqa: TRY301 - one way out
            (member,) = members
            if member.flag_bits & 1:
                what = "the archive has a password"
                raise SourceError(what, where=path.name, fix=fix)  # noqa: TRY301 - as above
            if member.file_size > shutil.disk_usage(folder).free:
                what = "the unpacked table would not fit on the disk"
                raise SourceError(what, where=path.name, fix="free disk space")  # noqa: TRY301 - as above
            target = folder / Path(member.filename).name
            with archive.open(member) as inside, target.open("xb") as outside:
                shutil.copyfileobj(inside, outside)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        remove_scratch(folder)
        raise SourceError("the archive is damaged", where=path.name, fix=fix) from error
    except BaseException:
        remove_scratch(folder)
        raise
    return target, folder


def _tables(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files that can be tables. In an ARX project, only the input can be a table."""
    if not is_arx_project(archive.NameToInfo):
        return [one for one in archive.infolist() if _is_table(one)]
    return [one for one in (archive.NameToInfo.get(ARX_TABLE),) if one is not None]


def _is_table(member: zipfile.ZipInfo) -> bool:
    name = Path(member.filename).name.lower()
    hidden = name.startswith((".", "_")) or member.filename.startswith("__MACOSX/")
    return not member.is_dir() and not hidden and not name.startswith(_NOTES)
