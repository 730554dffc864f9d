"""Which encoding a text has, and where it breaks."""

from __future__ import annotations

import codecs
import gzip
import io
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError, SourceError
from roadstead.tables import files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("head", "given_name", "expected"),
    [
        (b"age", None, "utf-8"),
        (codecs.BOM_UTF8 + b"age", None, "utf-8-sig"),
        (codecs.BOM_UTF16_LE + b"a\0", None, "utf-16"),
        (codecs.BOM_UTF16_BE + b"\0a", None, "utf-16"),
        (codecs.BOM_UTF32_LE + b"a\0\0\0", None, "utf-32"),
        (b"age", "latin-1", "iso8859-1"),
        (b"age", "windows-1252", "cp1252"),
        (codecs.BOM_UTF8 + b"age", "UTF8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE + b"a\0", "utf-16-le", "utf-16"),
        (b"a\0", "utf-16-le", "utf-16-le"),
    ],
)
def test_the_mark_decides_then_the_user_then_utf8(
    head: bytes, given_name: str | None, expected: str
) -> None:
    assert files.encoding_of(head, given_name, where="t.csv") == expected


def test_an_encoding_that_contradicts_the_mark_is_refused() -> None:
    with pytest.raises(
        SourceError,
        match=r"t\.csv: the file starts with the byte-order mark of "
        "UTF-8",
    ):
        files.encoding_of(codecs.BOM_UTF8 + b"age", "cp1252", where="t.csv")


@pytest.mark.parametrize("named", ["utf-16", "UTF16", "utf-32"])
def test_an_encoding_that_needs_a_mark_is_refused_without_one(named: str) -> None:
    plain = files.canonical_encoding(named)
    message = (
        rf"t\.csv: the file does not start with .* of {plain.upper()}; give "
        f"encoding=.{plain}-le. or"
    )
    with pytest.raises(SourceError, match=message):
        files.encoding_of("age".encode(f"{plain}-le"), named, where="t.csv")
    assert files.encoding_of("age".encode(plain), named, where="t.csv") == plain
    assert files.encoding_of(b"", named, where="t.csv") == plain


@pytest.mark.parametrize("name", ["idna", "punycode", "unicode_escape", "raw-unicode-escape"])
def test_an_encoding_of_something_else_than_files_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match="is not a file encoding; use an encoding such as utf-8"):
        files.canonical_encoding(name)


def test_the_name_of_no_encoding_is_shortened() -> None:
    with pytest.raises(SettingError) as caught:
        files.canonical_encoding("a" * 300)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["utf-9", "", "rot13", "base64"])
def test_what_is_no_text_encoding_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match="there is no encoding"):
        files.canonical_encoding(name)


@given(
    text=st.text(max_size=40),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"]),
    block=st.integers(1, 9),
)
def test_blocks_of_any_size_add_up_to_the_text(text: str, encoding: str, block: int) -> None:
    text = text.removeprefix("\ufeff")
    with patch.object(files, "BLOCK", max(block, 4)):
        raw = io.BytesIO(text.encode(encoding))
        got = b"".join(files.utf8_blocks(raw, encoding, None))  # type: ignore[arg-type] # no file
    assert got.decode() == text


@pytest.mark.parametrize("block", [4, 5, 7, 1 << 20])
@pytest.mark.parametrize("zipped", [False, True])
def test_an_undecodable_byte_is_placed_by_line_and_byte(
    tmp_path: Path, block: int, *, zipped: bool
) -> None:
    content = "ä,b\r\n1,2\n3,".encode() + b"\xe4\n5,6\n"
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(content) if zipped else content)
    with (
        patch.object(files, "BLOCK", block),
        pytest.raises(SourceError) as caught,
    ):
        list(files.utf8_blocks(io.BytesIO(content), "utf-8", path))
    assert caught.value.where == f"t.csv, line 3, byte {content.index(0xE4) + 1}"
    assert caught.value.what == "the byte 0xE4 is not valid UTF-8"
    assert 'encoding="cp1252"' in str(caught.value.fix)


def test_a_named_encoding_still_refuses_what_it_cannot_decode(tmp_path: Path) -> None:
    content = b"a,b\n\x81,2\n"
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="line 2, byte 5: the byte 0x81 is not valid cp1252"):
        list(files.utf8_blocks(io.BytesIO(content), "cp1252", path))


def test_a_text_that_ends_inside_a_character_is_refused(tmp_path: Path) -> None:
    content = "a,ü".encode()[:-1]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="line 1, byte 3"):
        list(files.utf8_blocks(io.BytesIO(content), "utf-8", path))


@pytest.mark.parametrize("content", [b"a,b\n1,+2AA-\n", b"a,b\n1,+2AA"])
def test_half_a_character_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"t\.csv.*UTF-7; .*save it as UTF-8"):
        list(files.utf8_blocks(io.BytesIO(content), "utf-7", path))
