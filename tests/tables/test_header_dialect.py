"""The line of names determines the form of a file: records have no influence."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError, SourceError
from roadstead.tables.dialect import dialect_of_header

BETWEEN = "\t;|,"


def written(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("line", "delimiter", "names"),
    [
        ("a,b", ",", ("a", "b")),
        ("a;b,c", ";", ("a", "b,c")),
        ("a\tb;c|d,e", "\t", ("a", "b;c|d,e")),
        ("a|b,c", "|", ("a", "b,c")),
        ('"a;b",c', ",", ("a;b", "c")),
        ('a,"b;c"', ",", ("a", "b;c")),
        ('"a ""x"";y",c', ",", ('a "x";y', "c")),
        ("'a;b',c", ";", ("'a", "b',c")),
        ("a", ",", ("a",)),
        ("39,2020-01-01", ",", ("39", "2020-01-01")),
        ("a,,b", ",", ("a", "", "b")),
    ],
)
def test_the_delimiter_is_the_first_that_stands_in_the_header(
    tmp_path: Path, line: str, delimiter: str, names: tuple[str, ...]
) -> None:
    """Outside of quotes, in the order of tab, semicolon, bar and comma."""
    for end in ("", "\n", "\r\nx,1\r\n"):
        found = dialect_of_header(written(tmp_path, line + end))
        assert (found.dialect.delimiter, found.first_record) == (delimiter, names)
        assert (found.dialect.quote, found.dialect.header) == ('"', True)
        assert found.dialect.newline == ("\r\n" if "\r" in end else "\n")


NAME = st.text(alphabet="ab '\"\t;|,", min_size=1, max_size=6)


@given(names=st.lists(NAME, min_size=2, max_size=4), mark=st.sampled_from(BETWEEN))
@unhurried
def test_a_header_whose_names_are_quoted_is_always_read_rightly(
    names: list[str], mark: str
) -> None:
    """As Python's own module wrote it."""
    text = io.StringIO()
    csv.writer(text, delimiter=mark, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(names)
    with TemporaryDirectory() as folder:
        found = dialect_of_header(written(Path(folder), text.getvalue() + "1;2,3\n"))
    assert (found.dialect.delimiter, found.first_record) == (mark, tuple(names))


@given(
    records=st.lists(st.text(alphabet="a1 '\"\t;|,\r\n\N{LATIN SMALL LETTER U WITH DIAERESIS}")),
    header=st.sampled_from(["sex,died", "sex;died", '"sex, or so"|died', "sex"]),
    compressed=st.booleans(),
)
@unhurried
def test_whatever_stands_below_the_header_changes_nothing(
    records: list[str], header: str, *, compressed: bool
) -> None:
    """Quotes, delimiters, numbers, line breaks: the same dialect as for an empty table."""
    with TemporaryDirectory() as folder:
        alone = header + "\n"
        content = (alone + "\n".join(records)).encode()
        path = written(Path(folder), gzip.compress(content) if compressed else content)
        found = dialect_of_header(path)
        expected = dialect_of_header(written(Path(folder), alone, "alone.csv"))
    assert found.first_record == expected.first_record
    assert found.dialect.compressed == compressed
    assert found.dialect.describe() == expected.dialect.describe() + ", gzipped" * compressed


def test_a_file_without_a_header_has_no_line_that_decides(tmp_path: Path) -> None:
    """Its name does, or the user."""
    for first in ("a;b", "a|b", "'a,b'", '"a'):
        found = dialect_of_header(written(tmp_path, f"{first}\n"), header=False)
        assert (found.dialect.delimiter, found.dialect.quote) == (",", '"')
        assert (found.dialect.header, found.first_record) == (False, ())
        for name in ("t.tsv", "t.TAB.gz"):
            path = written(tmp_path, f"{first}\n", name)
            assert dialect_of_header(path, header=False).dialect.delimiter == "\t"
    found = dialect_of_header(written(tmp_path, "a,b\n"), header=False, delimiter=";", quote="'")
    assert (found.dialect.delimiter, found.dialect.quote) == (";", "'")


def test_what_the_user_says_is_obeyed(tmp_path: Path) -> None:
    """Also against what the header would say."""
    path = written(tmp_path, "'a;1','b'\n".encode("utf-16"))
    assert dialect_of_header(path, quote="'").first_record == ("a;1", "b")
    assert dialect_of_header(path, delimiter=",").first_record == ("'a;1'", "'b'")
    assert dialect_of_header(path, delimiter="\\t").dialect.delimiter == "\t"
    assert dialect_of_header(path).dialect.encoding == "utf-16"
    path = written(tmp_path, "Größe,b\n".encode("cp1252"))
    assert dialect_of_header(path, encoding="cp1252").first_record == ("Größe", "b")
    path = written(tmp_path, codecs.BOM_UTF8 + b"\n\r\na,b\n")
    assert dialect_of_header(path).dialect.encoding == "utf-8-sig"
    assert dialect_of_header(path).first_record == ("a", "b")
    with pytest.raises(SettingError, match="cannot separate"):
        dialect_of_header(path, delimiter="ab")
    with pytest.raises(SettingError, match="cannot quote"):
        dialect_of_header(path, quote="x")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n\r\n", "is empty"),
        (b'"a\nb",c\n1,2\n', "not closed on the line"),
        (b'"a"x,c\n1,2\n', "text follows it"),
        (b"a" * (1 << 17) + b"\n", "does not end within 128 KB"),
        (b"PK\x03\x04", "a damaged zip archive"),
    ],
)
def test_a_first_line_that_names_no_columns_is_refused(
    tmp_path: Path, content: bytes, says: str
) -> None:
    """A quote that goes on in the next line would be closed by a record."""
    with pytest.raises(SourceError, match=says):
        dialect_of_header(written(tmp_path, content))


def test_a_header_as_long_as_can_be_is_read(tmp_path: Path) -> None:
    """One byte less than is too long."""
    line = "a," + "b" * ((1 << 17) - 3)
    assert dialect_of_header(written(tmp_path, line + "\nx,y\n")).first_record == tuple(
        line.split(",")
    )
