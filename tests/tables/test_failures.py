"""An engine's failure is retold without the data it quotes."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from roadstead.errors import OutputError, RoleError, SourceError
from roadstead.tables import file_tables
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("SECRET,1", r"t\.csv, line 3: this record has 2 cells, but 3 are expected"),
        ("SECRET,1,2,3", r"t\.csv, line 3: this record has 4 cells, but 3 are expected"),
        ('SECRET,"1"x,2', r"t\.csv, line 3: a quote is not closed, or text follows"),
    ],
)
def test_a_malformed_row_is_named_by_line_and_never_shown(
    tmp_path: Path, row: str, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,c\n1,2,3\n{row}\n4,5,6\n")
    query = (
        "SELECT * FROM read_csv(?, delim=',', header=true, auto_detect=false, "
        "columns={'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'VARCHAR'})"
    )
    with pytest.raises(SourceError, match=message) as caught, engine_errors("t.csv"):
        duckdb.execute(query, [str(path)]).fetchall()
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_a_small_file_that_changes_after_it_was_read_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with read(path) as source:
        path.write_text("a,b\n1,2\nSECRET\n")
        assert summarize(source, ["a"]).domains == (("1", "3"),)


def test_a_large_file_that_changes_after_it_was_checked_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tables, "_IN_MEMORY", 0)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with read(path) as source:
        path.write_text("a,b\n1,2\nSECRET\n")
        with pytest.raises(SourceError, match=r"t\.csv") as caught:
            summarize(source, ["a"])
        assert "SECRET" not in "".join(traceback.format_exception(caught.value))
        path.unlink()
        with pytest.raises(SourceError, match=r"t\.csv"):
            summarize(source, ["a"])


def test_other_engine_errors_name_the_source_and_no_value() -> None:
    message = "cohort: the engine cannot read the table"
    with pytest.raises(SourceError, match=message) as caught, engine_errors("cohort"):
        duckdb.execute("SELECT CAST('SECRET' AS INTEGER)").fetchall()
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_bytes_that_do_not_decode_are_said_so_and_never_shown(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\nSECRET\xff\n")
    query = "SELECT * FROM read_csv(?, auto_detect=false, columns={'a': 'VARCHAR'})"
    message = "some bytes are not valid in the encoding of the file"
    with pytest.raises(SourceError, match=message) as caught, engine_errors("t.csv"):
        duckdb.execute(query, [str(path)]).fetchall()
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_too_little_memory_is_said_so() -> None:
    connection = duckdb.connect(config={"memory_limit": "20MB", "temp_directory": ""})
    with pytest.raises(SourceError, match="needs more memory"), engine_errors("cohort"):
        connection.sql("SELECT list(range) FROM range(20000000)").fetchall()
    with pytest.raises(SourceError, match="needs more memory"), engine_errors("cohort"):
        raise MemoryError


def test_a_full_disk_while_spilling_is_an_output_error() -> None:
    with pytest.raises(OutputError, match="is full"), engine_errors("cohort"):
        raise duckdb.IOException("Could not write: No space left on device")


def test_a_stopped_query_is_a_keyboard_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), engine_errors("cohort"):
        raise RuntimeError("Query interrupted")


def test_errors_that_are_ours_or_no_engines_pass_unchanged() -> None:
    with pytest.raises(RoleError, match="mine"), engine_errors("cohort"):
        raise RoleError("mine")
    with pytest.raises(ZeroDivisionError), engine_errors("cohort"):
        raise ZeroDivisionError
    with pytest.raises(SourceError, match="ArrowInvalid"), engine_errors("cohort"):
        pa.array([1, "x"])
