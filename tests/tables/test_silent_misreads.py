"""Files that another program would read wrongly without a word are read right, or refused.

Fault class: a silent misread.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from commands import without_charts
from pyarrow import parquet as pq

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.tables import structure
from roadstead.tables.reading import read
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    from pathlib import Path

MARK = "\ufeff"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\na,b\n3,4\n", 3),
        (b"a,b\r\n1,2\r\na,b\r\n3,4\r\n", 3),
        (b"\n\na,b\n1,2\n3,4\na,b\n", 6),
        (b'"a","b"\n1,2\n"a","b"\n', 3),
        (f"{MARK}a,b\n1,2\n{MARK}a,b\n3,4\n".encode(), 3),
        (b"a,b\n1,2\na,b", 3),
    ],
    ids=["plain", "CR LF", "blank lines", "quotes", "marks", "last"],
)
@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_a_header_that_comes_again_is_no_record(
    tmp_path: Path, kind: str, content: bytes, line: int
) -> None:
    """Files put together have it; names of columns would be released as values."""
    path = tmp_path / f"t.{kind}"
    path.write_bytes(gzip.compress(content) if kind == "csv.gz" else content)
    with pytest.raises(SourceError, match=rf"line {line}: this record repeats the header"):
        read(path)


def test_a_header_is_found_where_two_blocks_meet() -> None:
    """Wherever the block ends."""
    text = b"first,second\n1,2\n3,4\nfirst,second\n5,6\n"
    from roadstead.tables.dialect import Dialect  # noqa: PLC0415 - for this test alone

    for at in range(1, len(text)):
        found = structure._Repeated(Dialect())
        found.look(text[:at])
        found.look(text[at:])
        assert found.line == 4, at
        longer = text.replace(b"4\nfirst,second", b"4\r\nfirst,second,third")
        other = structure._Repeated(Dialect())
        for block in (longer[:at], longer[at:], b"\n\n"):
            other.look(block)
        assert other.line == 0, at


@pytest.mark.parametrize(
    "content",
    [b"a\na\nb\n", b"a,b\na,c\nx,a\n", b"a,b\n1,2\na,b2\n0a,b\n"],
    ids=["one column", "a cell", "a part"],
)
def test_a_value_like_a_name_is_a_value(tmp_path: Path, content: bytes) -> None:
    """In one column it may be one, and a record must be the header from end to end."""
    (tmp_path / "t.csv").write_bytes(content)
    with read(tmp_path / "t.csv", header=True) as source:
        assert source.table.count().to_pyarrow().as_py() == content.count(b"\n") - 1


def test_a_mark_before_a_name_is_refused(tmp_path: Path) -> None:
    """A file with two byte-order marks has a column that users cannot name."""
    (tmp_path / "t.csv").write_text(f"{MARK}{MARK}a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(SourceError, match="two byte-order marks"):
        read(tmp_path / "t.csv")


def test_all_members_of_a_gzip_file_are_read(tmp_path: Path) -> None:
    """As those that are put together have several."""
    members = (b"a,b\n1,2\n", b"3,4\n", b"5,6\n")
    (tmp_path / "t.csv.gz").write_bytes(b"".join(map(gzip.compress, members)))
    with read(tmp_path / "t.csv.gz") as source:
        assert stream(source.table).read_all()["a"].to_pylist() == ["1", "3", "5"]


OURS = (
    *("place", "number", "records", "value_0", "label_0", "text_0", "part_0", "other_0"),
    *(
        "key_0",
        "kept_key_0",
        "source",
        "release",
        "rowid",
        "filename",
        "file_row_number",
        "file_index",
    ),
)
"""Names that Roadstead or DuckDB has for columns and tables of its own."""


def test_columns_may_be_called_like_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each keeps its own values, as a quasi-identifier and released unchanged."""
    without_charts(monkeypatch)
    columns = {name: [f"{name} {row % 2}" for row in range(10)] for name in OURS}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    for at in (0, len(OURS) // 2):
        quasi = OURS[at : at + len(OURS) // 2]
        result = rs.anonymize(tmp_path / "t.parquet", quasi=quasi, release_anyway=OURS, k=3)
        assert result.write(tmp_path / f"out{at}").passed
        written = pq.read_table(tmp_path / f"out{at}" / "t.parquet")
        for name in OURS:
            assert sorted(written[name].to_pylist()) == sorted(columns[name])
