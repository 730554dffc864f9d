"""Find the rows that an ARX project selects for release (its research subset).

ARX stores the selection as a serialized Java object. Roadstead does not load the object. Instead,
this module finds the bits after the class name, and uses these bits only if the number of selected
rows equals the size that the object stores.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np

from roadstead.errors import SourceError
from roadstead.printable import printable
from roadstead.tables.formats.archive import ARX_TABLE

NAME = "selected_rows.csv"
"""The name of the file with the selected rows."""
_ROW_SET = re.compile(
    rb"org\.deidentifier\.arx\.RowSet.{8}\x02\0\x03I\0\x06lengthI\0\x04size\[\0\x05array"
    rb"(?:t\0\x02\[J|q.{4})xp(.{4})(.{4})(?:ur\0\x02\[J.{8}\x02\0\0xp|uq.{4})(.{4})",
    re.DOTALL,
)
"""The pattern matches the start of a serialized set of rows."""


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """The rows that an ARX project releases, as one Boolean for each row of the table."""

    project: Path
    delimiter: str
    rows: list[bool]

    def write(self, path: Path) -> None:
        """Write the selected rows as a CSV file.

        The method raises a SourceError if the table is not in UTF-8 or has a different number of
        rows. It raises an OSError if the file cannot be written.
        """
        try:
            with zipfile.ZipFile(self.project) as archive, archive.open(ARX_TABLE) as stream:
                text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
                table = csv.reader(text, delimiter=self.delimiter, strict=True)
                with path.open("x", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
                    writer.writerow(next(table))
                    writer.writerows(compress(table, self.rows))
        except (UnicodeDecodeError, csv.Error, StopIteration) as error:
            what = "the table of the ARX project is damaged, or is not in UTF-8"
            fix = "open the project in ARX, and save it again"
            raise SourceError(what, where=printable(self.project.name), fix=fix) from error


def selection_in(config: bytes) -> list[bool] | None:
    """Return whether each row is selected, or None if the object is missing or damaged."""
    if (match := _ROW_SET.search(config)) is None:
        return None
    length, size, words = (int.from_bytes(one, "big", signed=True) for one in match.groups())
    content = config[match.end() : match.end() + 8 * max(words, 0)]
    if not 0 < size < length <= 8 * len(content) == 64 * words:
        return None
    bits = np.frombuffer(content, ">u8").astype("<u8").view(np.uint8)
    rows = np.unpackbits(bits, bitorder="little")[:length].astype(bool)
    return rows.tolist() if int(rows.sum()) == size else None
