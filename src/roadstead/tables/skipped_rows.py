"""Skip rows that the user specifies, such as titles, further headers, or totals.

``2-3,303-`` means the rows 2 and 3, and all rows from row 303 to the end. A text file is copied
with blank lines in place of the skipped lines, so that messages contain the line numbers of the
original file.
"""

from __future__ import annotations

import gzip
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables import files
from roadstead.tables.scratch import new_scratch, remove_scratch

_RANGE = re.compile(r"([1-9][0-9]{0,17})(-)?([1-9][0-9]{0,17})?", re.ASCII)


@dataclass(frozen=True)
class RowNumbers:
    """Ranges of rows, including both ends. A last row of None means an open range."""

    ranges: tuple[tuple[int, int | None], ...]

    def __contains__(self, row: int) -> bool:
        return any(first <= row and (last is None or row <= last) for first, last in self.ranges)


def row_numbers(text: str | None) -> RowNumbers:
    """Parse the rows in a string. Raises SettingError if the string is not a list of ranges."""
    ranges = []
    for part in text.split(",") if text else ():
        found = _RANGE.fullmatch(part.strip())
        first, dash, last = found.groups() if found is not None else ("", None, None)
        if not first or (last and not dash) or (last and int(last) < int(first)):
            raise SettingError(
                f"{quoted(part.strip())} is not a range of rows",
                where=option("skip_rows"),
                fix="write rows and ranges of rows, for example, 2-3, or 1-4,303- (row 303 and all "
                "later rows)",
            )
        ranges.append((int(first), int(last) if last else None if dash else int(first)))
    return RowNumbers(tuple(ranges))


def without_rows(path: Path, rows: RowNumbers, encoding: str | None) -> tuple[Path, Path, int]:
    """Copy a text file, except some lines.

    Returns the copy, the folder of the copy, and the number of omitted lines that were not blank.
    The caller must remove the folder.
    """
    head = files.first_bytes(path, 4)
    compressed = head.startswith(files.GZIP_MAGIC)
    folder, skipped = new_scratch(), 0
    copy = folder / path.name
    try:
        with files.content(path, compressed=compressed) as raw:
            chosen = files.encoding_of(raw.read(4), encoding, where=path.name)
            raw.seek(0)
            source = io.TextIOWrapper(raw, chosen, "surrogateescape", newline="")
            with (
                (gzip.open if compressed else open)(copy, "xb") as target,
                io.TextIOWrapper(cast("IO[bytes]", target), chosen, "surrogateescape", "") as out,
            ):
                for number, line in enumerate(source, 1):
                    left = number in rows
                    skipped += left and bool(line.strip())
                    out.write("\n" if left else line)
    except UnicodeError as error:
        remove_scratch(folder)
        fix = "name its encoding, or save it as UTF-8"
        what = "the file is not text in this encoding"
        raise SourceError(what, where=path.name, fix=fix) from error
    except BaseException:
        remove_scratch(folder)
        raise
    return copy, folder, skipped
