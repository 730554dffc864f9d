"""Facts about a delimited file from its beginning."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from roadstead.errors import SettingError, SourceError
from roadstead.tables.dialect import Dialect, sniff

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("age,sex\n1,M\n", ","),
        ("age;sex\n1;M\n", ";"),
        ("age\tsex\n1\tM\n", "\t"),
        ("age|sex\n1|M\n", "|"),
        ("weight;height\n70,5;180,2\n61,3;170,0\n", ";"),
        ("70,5;180,2\n61,3;170,0\n", ";"),
        ('name,note\n"a;b",x\n"c;d",y\n', ","),
        ('"a,b";c\n"d,e";f\n', ";"),
        ("age\n1\n2\n", ","),
        ("age\n1,5\n2,5\n", ","),
    ],
)
def test_the_delimiter_is_the_one_by_which_all_records_agree(
    tmp_path: Path, content: str, delimiter: str
) -> None:
    assert sniff(written(tmp_path, content)).dialect.delimiter == delimiter


def test_a_ragged_record_does_not_hide_the_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,c\n1,2,3\n4,5\n6,7,8\n")
    assert sniff(path).dialect.delimiter == ","


def test_a_named_delimiter_is_obeyed_even_where_another_would_fit(tmp_path: Path) -> None:
    found = sniff(written(tmp_path, "a,b;c\n1,2;3\n"), delimiter=",")
    assert found.first_record == ("a", "b;c")


def test_the_tab_may_be_spelled_out(tmp_path: Path) -> None:
    assert sniff(written(tmp_path, "a\tb\nx\ty\n"), delimiter="\\t").dialect.delimiter == "\t"


@pytest.mark.parametrize("delimiter", ["", "ab", "é", '"', "\n"])
def test_what_cannot_separate_cells_is_refused(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(SettingError, match="cannot separate"):
        sniff(written(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize("name", ["t.tsv", "t.tab", "T.TSV", "t.tsv.gz"])
def test_the_name_of_a_tab_separated_file_hints_at_the_tab(tmp_path: Path, name: str) -> None:
    content = b"name\tage\nA, B\t1\nC\t2\n"
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert sniff(path).dialect.delimiter == "\t"
    assert sniff(written(tmp_path, "age\n1\n", "one.tsv")).dialect.delimiter == "\t"


@pytest.mark.parametrize(
    ("content", "header"),
    [
        ("age,sex\n34,M\n", True),
        ("sex,city\nM,Nashville\n", True),
        ("34,M\n35,F\n", False),
        ("M,2020-01-31\nF,2020-02-01\n", False),
        ("M,31.01.2020\n", False),
        ('"1,5";x\n', False),
        ("-3,x\n", False),
        ("5%,x\n", False),
        ("1e5,x\n", False),
        (",34\nM,35\n", False),
        ("icd10,q1\nE11,x\n", True),
    ],
)
def test_the_first_record_is_the_header_unless_a_cell_is_a_number_or_a_date(
    tmp_path: Path, content: str, *, header: bool
) -> None:
    assert sniff(written(tmp_path, content)).dialect.header is header


def test_a_first_record_with_an_empty_cell_and_no_number_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ",age,sex\nAnna,34,M\n")
    with pytest.raises(SourceError, match=r"t\.csv: cell 1 of the first record is empty"):
        sniff(path)
    assert sniff(path, header=False).dialect.header is False


def test_lines_above_the_header_come_before_other_advice(tmp_path: Path) -> None:
    """Without a header, the title and the header would become records."""
    path = written(tmp_path, "Registry,,\n,,\nid,sex,age\n" + "1,f,30\n" * 12)
    with pytest.raises(SourceError, match=r'skip_rows="1-2" if .*header=True or header=False'):
        sniff(path)


def test_what_the_user_says_about_the_header_is_obeyed(tmp_path: Path) -> None:
    assert sniff(written(tmp_path, "name,2019\na,1\n"), header=True).dialect.header is True


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("name,age\n'Smith, J',34\n'Doe, K',35\n", "'"),
        ("name,age\n'Smith',34\nDoe,35\n", "'"),
        ("name,age\nO'Neil,34\nD'Arc,35\n", '"'),
        ("name,age\n\"O'Neil, 'x'\",34\n", '"'),
    ],
)
def test_the_quote_is_single_only_where_cells_stand_in_single_quotes(
    tmp_path: Path, content: str, quote: str
) -> None:
    assert sniff(written(tmp_path, content)).dialect.quote == quote


def test_a_named_quote_is_obeyed(tmp_path: Path) -> None:
    path = written(tmp_path, "'a,b',c\n1,2\n")
    assert sniff(path, quote='"').first_record == ("'a", "b'", "c")
    with pytest.raises(SettingError, match="cannot quote"):
        sniff(path, quote="x")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_line_break_is_that_of_the_first_line(tmp_path: Path, newline: str) -> None:
    content = newline.join(["a,b", "1,2", ""])
    assert sniff(written(tmp_path, content)).dialect.newline == newline


def test_gzip_is_recognized_by_content_not_by_name(tmp_path: Path) -> None:
    assert sniff(written(tmp_path, gzip.compress(b"a,b\n1,2\n"), "t.dat")).dialect.compressed
    assert not sniff(written(tmp_path, "a,b\n1,2\n", "t.gz")).dialect.compressed


@pytest.mark.parametrize(
    "content", [b"", b"\n\n \r\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)]
)
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match="the file is empty"):
        sniff(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"PK\x03\x04xl", "Excel"), (b"\x28\xb5\x2f\xfdx", "zstd"), (b"BZh9", "bzip2")],
)
def test_a_foreign_format_is_refused_by_name(tmp_path: Path, content: bytes, kind: str) -> None:
    with pytest.raises(SourceError, match=kind):
        sniff(written(tmp_path, content))


def test_a_cut_off_gzip_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    with pytest.raises(SourceError, match="damaged or incomplete"):
        sniff(written(tmp_path, whole[:-12]))


def test_a_first_record_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not end within 256 KB"):
        sniff(written(tmp_path, '"a,b\n' + "x" * 300_000))


def test_records_after_a_long_sample_do_not_disturb_its_reading(tmp_path: Path) -> None:
    path = written(tmp_path, "name;note\n" + 'x;"a, b\nc, d"\n' * 40_000)
    assert sniff(path).dialect.delimiter == ";"


def test_a_dialect_describes_itself_in_words() -> None:
    assert Dialect(delimiter=";").describe() == "semicolon-separated, UTF-8, header"
    odd = Dialect("~", "'", "cp1252", header=False, compressed=True)
    assert odd.describe() == "'~'-separated, cp1252, no header, quoted with ', gzipped"
    assert "UTF-8 with byte-order mark" in Dialect(encoding="utf-8-sig").describe()
