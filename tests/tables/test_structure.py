"""A delimited file is a table, or it is refused with the line at fault."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SourceError
from roadstead.kernels import records
from roadstead.tables import files
from roadstead.tables.dialect import Dialect
from roadstead.tables.structure import Layout, survey


def surveyed(content: str | bytes, dialect: Dialect | None = None, block: int = 1 << 20) -> Layout:
    with tempfile.TemporaryDirectory() as folder, patch.object(files, "BLOCK", block):
        path = Path(folder) / "t.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return survey(path, dialect or Dialect())


def expected(content: str) -> int | None:
    """Count the records with the standard library's strict reader; None if it is not a table."""
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), strict=True))
    except csv.Error:
        return None
    while rows and not rows[0]:
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    widths = {len(row) for row in rows if row}
    if len(widths) > 1 or (widths == {1} and [] in rows):
        return None
    return sum(bool(row) for row in rows)


@examples(200)
@given(
    content=st.text(alphabet='a,"\n\r', max_size=24),
    block=st.integers(1, 30),
    compiled=st.booleans(),
)
def test_agrees_with_the_standard_library_on_every_text(
    content: str, block: int, *, compiled: bool
) -> None:
    scan = records.compiled_scan if compiled else records.scan
    with patch.object(records, "compiled_scan", scan):
        try:
            found = surveyed(content, block=block).records
        except SourceError:
            assert expected(content) is None
        else:
            assert expected(content) == found


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_counts_records_cells_and_the_longest_record(newline: str) -> None:
    content = newline.join(["", "", "a,b,c", '1,"x,y",3', "", "4,5,6", "", ""])
    longest = len('1,"x,y",3') + len(newline)
    found = surveyed(content)
    assert found.cells == 3
    assert found.records == 3
    assert found.leading_blank_lines == 2
    # The second half of a two-character line break belongs to no record.
    assert found.longest_record in (longest, longest - 1)


@pytest.mark.parametrize("row", ["1,2", "1", "1,2,3,4", "1,2,3,", "1,2,3,,"])
@pytest.mark.parametrize("at", [0, 7, 50_000, 99_999])
def test_a_ragged_row_anywhere_is_refused_with_its_line_and_cells(row: str, at: int) -> None:
    rows = ["7,8,9"] * 100_000
    rows[at] = row
    with pytest.raises(SourceError) as caught:
        surveyed("\n".join(["a,b,c", *rows, ""]))
    found = row.count(",") + 1
    cells = "1 cell" if found == 1 else f"{found} cells"
    assert caught.value.where == f"t.csv, line {at + 2}"
    assert caught.value.what == f"this record has {cells}, but the header has 3 cells"


def test_line_numbers_count_the_lines_inside_quoted_cells() -> None:
    with pytest.raises(SourceError, match=r"line 5: this record has 1 cell, but the first record"):
        surveyed('a,"x\r\ny"\r\nb,"u\nv"\r\nragged\r\n', Dialect(header=False))


@pytest.mark.parametrize("filler", ["", "1,2,3\n" * 1000])
def test_a_quote_that_is_never_closed_is_refused_where_it_opens(filler: str) -> None:
    with pytest.raises(SourceError, match=r"line 2: a quote .* opens here and is never closed"):
        surveyed(f'a,b,c\n1,2,"3\n{filler}')


def test_text_after_a_closing_quote_is_refused() -> None:
    with pytest.raises(SourceError, match="line 2: text follows the closing quote"):
        surveyed('a,b\n1,"x"y\n')
    with pytest.raises(SourceError, match="line 2: text follows the closing quote"):
        surveyed('a,b\n"x" ,1\n')


def test_a_space_before_an_opening_quote_is_refused() -> None:
    with pytest.raises(SourceError, match="line 2: there is a space before the opening quote"):
        surveyed('a,b\n1, "x"\n')


def test_quotes_inside_an_unquoted_cell_are_text() -> None:
    assert surveyed('height,name\n5\'10",O"B\n').records == 2


def test_a_blank_line_between_records_of_one_column_is_refused() -> None:
    with pytest.raises(SourceError, match="line 3: in a file with one column, it is unclear"):
        surveyed("a\n1\n\n2\n")
    assert surveyed('a\n1\n""\n2\n\n\n').records == 4


def test_a_nul_byte_is_refused_with_a_hint_at_utf16() -> None:
    with pytest.raises(SourceError, match=r"line 1: the file contains a NUL byte.*utf-16-le"):
        surveyed("a,b\n1,2\n".encode("utf-16-le"))


def test_the_delimiter_and_quote_of_the_dialect_are_used() -> None:
    found = surveyed("a b\n'x y' 2\n", Dialect(delimiter=" ", quote="'"))
    assert (found.cells, found.records) == (2, 2)


def test_a_last_line_without_a_line_break_is_a_record() -> None:
    assert surveyed("a,b\n1,2").records == 2
    with pytest.raises(SourceError, match="line 2: this record has 1 cell"):
        surveyed("a,b\n1")
