"""Unpack the only table of a zip archive into a private folder."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path

from roadstead.errors import SourceError, quoted
from roadstead.tables.scratch import new_scratch, remove_scratch

_NOTES = ("readme", "license", "licence")


def unpacked(path: Path) -> tuple[Path, Path]:
    """Return the unpacked file, and its folder, which the caller removes.

    Raises SourceError: the archive is damaged, has a password, or has several tables.
    """
    fix = "unpack it, and name the table"
    folder = new_scratch()
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if _is_table(one)]
            if len(members) != 1:
                what = f"the archive has {len(members)} files that can be tables"
                if members:
                    what += f", such as {quoted(members[0].filename)}"
                raise SourceError(what, where=path.name, fix=fix)  # noqa: TRY301 - one way out
            (member,) = members
            if member.flag_bits & 1:
                what = "the archive has a password"
                raise SourceError(what, where=path.name, fix=fix)  # noqa: TRY301 - as above
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


def _is_table(member: zipfile.ZipInfo) -> bool:
    name = Path(member.filename).name.lower()
    hidden = name.startswith((".", "_")) or member.filename.startswith("__MACOSX/")
    return not member.is_dir() and not hidden and not name.startswith(_NOTES)
