"""Read the file of a codebook once, and clean its strings.

The file may come from an unknown source. Roadstead limits the size of the file, of its lists, and
of its strings. HTML is removed, and invisible characters, such as control characters, are made
visible. Errors never quote the file.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from roadstead.errors import SourceError
from roadstead.printable import printable
from roadstead.regular_files import MIB, content_of

MOST_BYTES = 256 * MIB
"""The size of the largest codebook that Roadstead reads."""
MOST_COLUMNS = 100_000
MOST_LABELS = 20_000
"""The maximum number of labels per column; further labels are not read."""
LONGEST_TEXT = 200
_LONGEST_RAW = 10_000
_TAG = re.compile(r"<[^<>]{0,2000}>")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class Document:
    """The content of a codebook file, available as bytes, as JSON, or as rows of a CSV file."""

    name: str
    content: bytes

    @cached_property
    def text(self) -> str:
        """The content as text, decoded as UTF-16 (with a mark), UTF-8, or else Windows-1252."""
        if self.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return self.content.decode("utf-16", errors="replace")
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.content.decode("cp1252", errors="replace")

    @property
    def start(self) -> str:
        """The first character that is not blank."""
        return self.text.lstrip()[:1]

    @cached_property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        """The content as JSON; None if it is not JSON."""
        if self.start not in ("{", "["):
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows of a CSV file by column; `header_name` converts the names."""
        if self.start in ("{", "[", "<", "") or "\0" in self.text:
            return []
        head = self.text.lstrip("\r\n").partition("\n")[0]
        delimiter = max(",;\t|", key=head.count)
        try:
            reader = csv.reader(
                io.StringIO(self.text.lstrip("\r\n"), newline=""), delimiter=delimiter
            )
            names = [header_name(cell) for cell in next(reader)]
            return [dict(zip(names, row, strict=False)) for row in reader if any(row)]
        except (csv.Error, StopIteration):
            return []

    def wrong(self, what: str, fix: str) -> SourceError:
        """Return an error about the file."""
        return SourceError(what, where=self.name, fix=fix)


def document_at(path: Path) -> Document:
    """Read a codebook file. Raises SourceError if there is no such file, or if it is too large."""
    try:
        return Document(printable(path.name), content_of(path, most=MOST_BYTES))
    except OSError as error:
        what = f"the codebook cannot be read ({error.strerror or type(error).__name__})"
        fix = "use a codebook file"
        raise SourceError(what, where=printable(str(path)), fix=fix) from None


def header_name(text: str) -> str:
    """Return a column name in lowercase letters and digits: ``fieldtype`` for ``Field Type``."""
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def clean(value: object) -> str:
    """Return a shortened string on one line, without HTML or invisible characters."""
    if isinstance(value, Mapping):  # text in several languages
        value = next(iter(value.values()), "")
    if isinstance(value, list | tuple):
        value = value[0] if value else ""
    if value is None or isinstance(value, Mapping | list | tuple):
        return ""
    text = html.unescape(_TAG.sub(" ", str(value)[:_LONGEST_RAW]))
    text = printable(_BLANKS.sub(" ", _TAG.sub(" ", text)).strip())
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def code_of(value: object) -> str:
    """Return a code in the form that tables use, such as ``true`` for true and ``1`` for 1.0."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()[:LONGEST_TEXT] if isinstance(value, str | int | float) else ""
