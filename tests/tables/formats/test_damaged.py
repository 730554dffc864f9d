"""A foreign file gives one line of error that says what the file is."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

import roadstead as rs
from roadstead.errors import RoadsteadError


def tried(path: Path) -> str | None:
    """Read a file whole; return the error, if it is refused."""
    try:
        with rs.read(path) as source:
            source.table.to_pyarrow()
    except RoadsteadError as error:
        return str(error)
    return None


def _tar() -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:bz2") as archive:
        archive.addfile(tarfile.TarInfo("a.csv"))
    return whole.getvalue()


def _zip(*names: str) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n")
    return whole.getvalue()


_SAS = bytes(12) + bytes.fromhex("c2ea8163b31411cfbd92080009c7318c181f1011")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"%PDF-1.7\n", "this is a PDF document"),
        (_SAS + bytes(600), "this is a SAS catalog"),
        (b"SQLite format 3\0" + bytes(100), "the SQLite file is damaged or incomplete"),
        (bytes(8) + b"DUCK" + bytes(100), "the installed version of DuckDB cannot read this file"),
        (_tar(), "compressed with bzip2"),
        (
            _zip("a.csv", "b.csv"),
            "the archive contains 2 files that could be the table, such as 'a.csv'",
        ),
        (b"PK\x03\x04" + bytes(50), "this is a damaged zip archive"),
        (b"\x89HDF\r\n\x1a\n" + bytes(50), "this is an HDF5 file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "the workbook is damaged"),
        (b"\r\n<HTML>\n<table>\n<tr><td>sex</td></tr>\n</table>\n</HTML>\n", "this is a web page"),
        (b"\x1c" + bytes(7) + b"ENCRYPTEDSAV\x15" + bytes(50), "an SPSS file with a password"),
        (b"<!DOCTYPE html>\n<title>404</title>\n", "this is a web page"),
        (b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n', "Excel 2003"),
        (
            b'\xef\xbb\xbf<?xml version="1.0"?>\n<codeBook>\n</codeBook>\n',
            "this is an XML document",
        ),
    ],
)
def test_a_foreign_file_is_named_for_what_it_is(content: bytes, said: str, tmp_path: Path) -> None:
    """Whatever its name says."""
    path = tmp_path / "visits.csv"
    path.write_bytes(content)
    assert said in (tried(path) or "")
