"""Recognize the kind of a file by its first bytes rather than by its name.

This module does not import slow packages, because every file is recognized before it is read. Kinds
that Roadstead cannot read are also recognized, so that a message can name them.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from roadstead.errors import SourceError
from roadstead.tables.files import PARQUET_MAGIC, first_bytes

HEAD = 1 << 16
"""The maximum number of bytes that `kind_of` needs."""

ARCHIVE = "zip"
"""The kind of a zip archive whose single file is the table."""

FIXED_WIDTH = "fixed-width"
LAYOUT_OPTIONS = frozenset(("layout", "widths"))
"""Options that show that a file has fields of fixed width; the content does not show this."""

_CONTENTS, _MOST = "[Content_Types].xml", 1 << 20
_SAS_PAGE = bytes(12)
_SAS_TAIL = bytes.fromhex("b31411cfbd92080009c7318c181f1011")
_MARKUP = 1 << 10
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_STATA_RELEASES, _STATA_HEADER = range(104, 116), 109
_R_TABLE = (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n")
_R_OBJECT = (b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n")


class Kind(NamedTuple):
    """The kind of a file, with the format or the store that reads such files, if there is one."""

    format: str | None
    label: str
    way_on: str | None = None


_OTHER: tuple[tuple[bytes, str, str | None], ...] = (
    (b"%PDF", "a PDF document", "use the table from which the document was made"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "decompress it first"),
    (b"FEA1", "a Feather file of version 1", "save it as Feather version 2, or as Parquet"),
    (b"\x89HDF\r\n", "an HDF5 file", None),
    (b"CDF\x01", "a NetCDF file", None),
    (b"{\\rtf", "a text document (RTF)", "save the table in the document as CSV"),
    (
        b"\x00\x00\x00\x00PGDMP",
        "a backup of PostgreSQL",
        "restore the backup, and use one of its tables",
    ),
    (b"PGDMP", "a backup of PostgreSQL", "restore the backup, and use one of its tables"),
    (b"\x00\x01\x00\x00Standard Jet DB", "an Access database", "export the table as CSV or Excel"),
    (b"\x00\x01\x00\x00Standard ACE DB", "an Access database", "export the table as CSV or Excel"),
    (
        b"**COMPRESSED** **COMPRESSED**",
        "a SAS transport file from PROC CPORT",
        "use PROC COPY instead",
    ),
)


def kind_of(path: Path, head: bytes) -> Kind | None:
    """Return the kind of a file by its first `HEAD` bytes, or None for Parquet and text files."""
    if head.startswith(_ZIP):
        return _in_zip(path)
    if head.startswith(_OLE):
        return _in_ole(head)
    kinds = (_sas(head), _statistics(head), _stored(head), _r(head), _markup(head))
    first = next((kind for kind in kinds if kind is not None), None)
    if first is None and _is_json_lines(head):
        return Kind("json-lines", "JSON lines")
    return first


def _stored(head: bytes) -> Kind | None:
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Kind("arrow", "an Arrow file")
    if head[8:12] == b"DUCK":
        return Kind("duckdb", "a DuckDB database")
    if head.startswith(b"SQLite format 3\x00"):
        return Kind("sqlite", "an SQLite database")
    for magic, label, way_on in _OTHER:
        if head.startswith(magic):
            return Kind(None, label, way_on)
    return None


def _markup(head: bytes) -> Kind | None:
    """Recognize a web page or an XML document, which some programs save as ``.xls``."""
    start = head[:_MARKUP].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    fix = "open it in Excel, and save it as .xlsx"
    if start.startswith((b"<html", b"<!doctype html")):
        return Kind(None, "a web page", f"if the page shows the table, {fix}")
    if not start.startswith(b"<?xml"):
        return None
    if b"excel.sheet" in start:
        return Kind(None, "an Excel workbook in the XML form of Excel 2003", fix)
    return Kind(None, "an XML document", None)


def format_of(path: Path, options: Mapping[str, str]) -> str | None:
    """Return the name of the format that reads a file, or None for Parquet, strings, and gzip.

    Raises SourceError if Roadstead does not read files of this kind.
    """
    if "format" in options:
        return options["format"]
    head = first_bytes(path, HEAD)
    if head.startswith(PARQUET_MAGIC):
        return None
    kind = kind_of(path, head)
    if kind is not None and kind.format is None:
        raise unreadable(path, kind)
    if kind is not None:
        return kind.format
    if options.keys() & LAYOUT_OPTIONS:
        return FIXED_WIDTH
    return "hierarchical" if "records" in options else None


def refuse_foreign(path: Path, head: bytes) -> None:
    """Raise SourceError if the first bytes show that a file is not a delimited text file."""
    if (kind := kind_of(path, head)) is not None:
        raise unreadable(path, kind)


def unreadable(path: Path, kind: Kind) -> SourceError:
    """Return the error for a file that cannot be read as text. The error suggests a fix."""
    if kind.format is not None:
        what = f"this is {kind.label}"
        fix = "save it as CSV or Parquet, or open this file separately"
    else:
        what = f"this is {kind.label}, which Roadstead does not read"
        fix = kind.way_on or "export it as CSV (plain or gzipped) or Parquet"
    return SourceError(what, where=path.name, fix=fix.replace("{name}", path.name))


def _statistics(head: bytes) -> Kind | None:
    if head.startswith((b"$FL2", b"$FL3")):
        return Kind("spss", "an SPSS file")
    if head[8:17] == b"ENCRYPTED":
        fix = "open it in SPSS, and save it without a password"
        return Kind(None, "an SPSS file with a password", fix)
    if b"SPSS PORT FILE" in head[:240]:
        return Kind("spss-portable", "an SPSS portable file")
    is_old = len(head) > _STATA_HEADER and head[0] in _STATA_RELEASES and head[1] in (1, 2)
    if head.startswith(b"<stata_dta>") or (is_old and head[2:4] == b"\x01\x00"):
        return Kind("stata", "a Stata file")
    if head.startswith((b"HEADER RECORD*******LIBRARY HEADER", b"HEADER RECORD*******LIBV8")):
        return Kind("sas-transport", "a SAS transport file")
    return None


def _sas(head: bytes) -> Kind | None:
    if not head.startswith(_SAS_PAGE) or head[16:32] != _SAS_TAIL:
        return None
    if head[12:16] == b"\xc2\xea\x81\x60":
        return Kind("sas", "a SAS table")
    fix = "use the table, and add the catalog to its name: TABLE.sas7bdat?catalog={name}"
    return Kind(None, "a SAS catalog (labels of codes, no records)", fix)


def _in_zip(path: Path) -> Kind:
    import zipfile  # noqa: PLC0415 - seldom needed

    damaged = Kind(None, "a damaged zip archive, or a damaged Excel workbook", "get the file again")
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            mime = archive.read("mimetype")[:80] if "mimetype" in names else b""
            types = archive.read(_CONTENTS)[:_MOST] if _CONTENTS in names else b""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        return damaged
    if b"ms-excel" in types or b"spreadsheetml" in types:
        return Kind("excel", "an Excel workbook")
    if mime.startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
        return Kind("opendocument", "an OpenDocument spreadsheet")
    if mime.startswith(b"application/vnd.oasis.opendocument") or _CONTENTS in names:
        return Kind(None, "a text document", "save the table in the document as CSV or Excel")
    return Kind(ARCHIVE, "a zip archive")


def _in_ole(head: bytes) -> Kind:
    """Return the kind of an old Microsoft Office file, using the UTF-16 names of its parts."""
    if "EncryptedPackage".encode("utf-16-le") in head:
        fix = "open it in Excel, and save it without a password"
        return Kind(None, "an Excel workbook with a password", fix)
    if "WordDocument".encode("utf-16-le") in head:
        return Kind(None, "a Word document", "save the table in the document as CSV or Excel")
    return Kind("excel", "an Excel workbook")


def _r(head: bytes) -> Kind | None:
    start = _decompressed(head)
    if start.startswith(_R_TABLE):
        return Kind("r", "an R data file")
    return Kind("r", "an R data file") if start.startswith(_R_OBJECT) else _compressed(head)


def _compressed(head: bytes) -> Kind | None:
    for magic, label in ((b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz")):
        if head.startswith(magic):
            return Kind(None, f"compressed with {label}", "decompress it first")
    return None


def _decompressed(head: bytes) -> bytes:
    """Return the first bytes of a file after decompression, if the file is compressed."""
    if not head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")):
        return head[:64]
    import bz2  # noqa: PLC0415 - seldom needed, like the next import
    import lzma  # noqa: PLC0415

    try:
        if head.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(wbits=31).decompress(head, 64)
        if head.startswith(b"BZh"):
            return bz2.BZ2Decompressor().decompress(head, 64)
        return lzma.LZMADecompressor().decompress(head, 64)
    except (zlib.error, OSError, lzma.LZMAError, EOFError):
        return b""


def _is_json_lines(head: bytes) -> bool:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        return False
    first = io.BytesIO(text).readline()
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False
