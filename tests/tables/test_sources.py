"""Any table can be read, and what cannot be read rightly is refused."""

from __future__ import annotations

import datetime as dt
import errno
import gzip
from typing import TYPE_CHECKING, Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from roadstead.errors import OutputError, SettingError, SourceError
from roadstead.tables.reading import read, read_privately
from roadstead.tables.source import Csv, Engine, Memory, Parquet
from roadstead.tables.text import as_text
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    from pathlib import Path

    from roadstead.tables.source import Source


def written(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(source: Source) -> list[tuple[Any, ...]]:
    result = source.table.to_pyarrow()
    return list(zip(*(column.to_pylist() for column in result.columns), strict=True))


def texts(source: Source, name: str) -> list[str]:
    table = source.table
    found = stream(table.select(text=as_text(table[name]))).read_all()
    column: list[str] = found["text"].to_pylist()
    return column


def test_every_column_of_a_text_file_stays_text(tmp_path: Path) -> None:
    path = written(tmp_path, "zip,code,day\n02139,1e5,2020-01-01\n00501,007,\n")
    with read(path) as source:
        assert {str(kind) for kind in source.table.schema().types} == {"string"}
        assert rows(source) == [("02139", "1e5", "2020-01-01"), ("00501", "007", None)]
        assert source.columns == ("zip", "code", "day")
        assert (source.name, source.path) == ("t.csv", path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\r\n1,2\r\n3,4\r\n", [("1", "2"), ("3", "4")]),
        ("a,b\n1,2\n3,4\n\n\n", [("1", "2"), ("3", "4")]),
        ("\n\na,b\n1,2\n", [("1", "2")]),
        ("a,b\n1,2\n\n3,4", [("1", "2"), ("3", "4")]),
        ('a,b\n"1,5","x ""y"" z"\n', [("1,5", 'x "y" z')]),
        ('a,b\n"line\nbreak","line\r\nbreak"\n', [("line\nbreak", "line\r\nbreak")]),
        ('a,b\n"",\n', [(None, None)]),
        ("a;b\n1,5;2,5\n", [("1.5", "2.5")]),
        ("a,b\n1,2\r\n3,4\r5,6\n", [("1", "2"), ("3", "4"), ("5", "6")]),
        ("a\n1\n2\n", [("1",), ("2",)]),
        ('a\n""\n2\n\n', [(None,), ("2",)]),
        ("a,b\nNULL,NA\n\\N,nan\n", [("NULL", "NA"), ("\\N", "nan")]),
        ("a,b\n x , y \n", [(" x ", " y ")]),
    ],
)
def test_reads_what_a_text_file_says(
    tmp_path: Path, content: str, expected: list[tuple[str | None, ...]]
) -> None:
    with read(written(tmp_path, content)) as source:
        assert rows(source) == expected


@pytest.mark.parametrize(
    "names",
    [
        ["select", "from"],
        ["first name", 'the "q" column'],
        ["Größe", "年齢"],
        ["it's", "a.b"],
        ["value_0", "records"],
        ["x--y", "😀;"],
        ["line\nbreak", "{x}"],
    ],
)
def test_any_column_name_works(tmp_path: Path, names: list[str]) -> None:
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    with read(written(tmp_path, f"{header}\nu,v\n")) as source:
        assert source.columns == tuple(names)
        assert [texts(source, name) for name in names] == [["u"], ["v"]]


@pytest.mark.parametrize(
    "name", ["[1] *.csv", "a b.csv", "ü'\".csv", "x.gz", "noending", ".hidden", "x%20?.parquet"]
)
@pytest.mark.parametrize("form", ["plain", "gzip", "parquet"])
def test_any_file_name_works_whatever_it_suggests(tmp_path: Path, name: str, form: str) -> None:
    content = b"a,b\n1,2\n"
    if form == "parquet":
        parquet.write_table(pa.table({"a": ["1"], "b": ["2"]}), tmp_path / name)
    else:
        written(tmp_path, gzip.compress(content) if form == "gzip" else content, name)
    written(tmp_path, "not,this\none,!\n", "1.csv")
    with read(tmp_path / name) as source:
        assert rows(source) == [("1", "2")]


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252", "shift_jis", "gb18030"]
)
def test_other_encodings_are_decoded_as_they_are_read(tmp_path: Path, encoding: str) -> None:
    value = "表ソ漢字" if encoding in ("shift_jis", "gb18030") else "Müller"
    content = f"name,city\n{value},x\n".encode(encoding) + f"{value},y\n".encode(
        "utf-16-le" if encoding == "utf-16" else encoding.removesuffix("-sig")
    )
    named = None if encoding in ("utf-8-sig", "utf-16") else encoding
    with read(written(tmp_path, content), encoding=named) as source:
        assert rows(source) == [(value, "x"), (value, "y")]


def test_an_undecodable_file_is_refused_even_if_its_first_part_is_fine(tmp_path: Path) -> None:
    content = b"a,b\n" + b"x,y\n" * 200_000 + b"\xff,y\n"
    with pytest.raises(SourceError, match=r"t\.csv, line 200002, byte \d+: the byte 0xFF"):
        read(written(tmp_path, content))


def test_a_record_longer_than_a_block_of_the_reader_is_read(tmp_path: Path) -> None:
    note = "x" * 3_000_000
    with read(written(tmp_path, f'a,b\n1,"{note}"\n2,y\n')) as source:
        assert rows(source) == [("1", note), ("2", "y")]


def test_columns_without_a_header_are_numbered(tmp_path: Path) -> None:
    with read(written(tmp_path, "34,M\n35,F\n")) as source:
        assert source.columns == ("column_1", "column_2")
        assert rows(source) == [("34", "M"), ("35", "F")]


def test_a_table_of_one_row_is_read(tmp_path: Path) -> None:
    with read(written(tmp_path, "a\nx")) as source:
        assert rows(source) == [("x",)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv: the file is empty"),
        ("a,b\n", "t.csv: there are no records"),
        ("a,b,a\n1,2,3\n", "t.csv: 2 columns are named 'a'"),
        ("Age,age\n1,2\n", "t.csv: the columns 'Age' and 'age' differ only in case"),
        ("a,b\n1,2\n3\n", "t.csv, line 3: this record has 1 cell, but the header has 2 cells"),
        (
            "a,b,c\n1,John,2,\n",
            "t.csv, line 2: this record has 4 cells, but the header has 3 cells",
        ),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(written(tmp_path, content))
    assert str(caught.value).startswith(message)


def test_a_blank_name_in_a_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="column 2 has no name"):
        read(written(tmp_path, "a, \nx,y\n"), header=True)


def test_a_missing_file_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    written(tmp_path, "a\n1\n", "patients.csv")
    with pytest.raises(SourceError, match=r"no such file; did you mean patients\.csv\?"):
        read(tmp_path / "patient.csv")
    with pytest.raises(SourceError, match="does not exist either"):
        read(tmp_path / "nowhere" / "patients.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="this is a folder without Parquet or CSV files"):
        read(tmp_path / "empty")
    with pytest.raises(SourceError, match="cannot be read"):
        read(tmp_path / ("x" * 300))


def test_the_folder_of_a_release_is_named_as_such(tmp_path: Path) -> None:
    """It is not a damaged table; the message says how a release is checked."""
    written(tmp_path, "a\n1\n", "patients.csv")
    (tmp_path / "certificate.json").write_text("{}")
    with pytest.raises(SourceError, match="the folder of a release, not a table") as refused:
        read(tmp_path)
    assert "roadstead verify FOLDER, or open verify.html" in refused.value.message


def test_parquet_keeps_its_types_and_folders_add_no_columns(tmp_path: Path) -> None:
    folder = tmp_path / "site=3"
    folder.mkdir()
    path = folder / "visits.parquet"
    parquet.write_table(pa.table({"age": [34, None], "zip": ["02139", None]}), path)
    with read(str(path)) as source:
        assert source.format == Parquet()
        assert source.columns == ("age", "zip")
        assert rows(source) == [(34, "02139"), (None, None)]


def test_a_broken_or_empty_parquet_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="this is not a complete Parquet file"):
        read(written(tmp_path, b"PAR1 and then nothing", "t.parquet"))
    parquet.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "e.parquet")
    with pytest.raises(SourceError, match="there are no records"):
        read(tmp_path / "e.parquet")


def test_tables_in_memory_are_read_and_remember_their_library() -> None:
    frame = {"a": [1, 2], "b": ["x", None]}
    for data, kind in [
        (pd.DataFrame(frame), "pandas"),
        (pl.DataFrame(frame), "polars"),
        (pl.LazyFrame(frame), "polars"),
        (pa.table(frame), "arrow"),
        (pa.RecordBatch.from_pydict(frame), "arrow"),
        (frame, "arrow"),
    ]:
        with read(data) as source:
            assert source.format == Memory(kind)  # type: ignore[arg-type] # the literals above
            assert rows(source) == [(1, "x"), (2, None)]


def test_an_ibis_table_stays_in_its_engine() -> None:
    connection = ibis.polars.connect({"t": pl.DataFrame({"a": [1]})})
    with read(connection.table("t"), name="cohort") as source:
        assert source.format == Engine("polars")
        assert source.name == "cohort"
    assert connection.table("t").count().to_pyarrow().as_py() == 1


@pytest.mark.parametrize("data", [5, [1, 2], pd.Series([1]), pl.Series([1]), object(), None])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises(SourceError, match=r"cannot be read as a table|is not a table"):
        read(data)


def test_a_pandas_column_of_mixed_types_is_refused_without_showing_a_value() -> None:
    frame = pd.DataFrame({"id": [1, 2], "name": [5, "Ann Secret"]}, dtype=object)
    with pytest.raises(SourceError, match="column 'name': the column mixes values") as caught:
        read(frame)
    assert "Secret" not in str(caught.value)


def test_one_value_has_one_text_whatever_holds_it() -> None:
    frame = pd.DataFrame(
        {
            "whole": [39.0, None, -0.0],
            "number": [1.5, float("inf"), 1e300],
            "day": pd.to_datetime(["2020-01-31", None, "2020-02-01 03:04:05"], format="ISO8601"),
            "date": [dt.date(2020, 1, 31), None, dt.date(1900, 1, 1)],
            "flag": [True, None, False],
            "kind": pd.Categorical(["x", None, "y"]),
            "text": ["x", "", None],
        }
    )
    with read(frame) as source:
        assert texts(source, "whole") == ["39", "", "0"]
        assert texts(source, "number") == ["1.5", "inf", "1e+300"]
        assert texts(source, "day") == ["2020-01-31", "", "2020-02-01 03:04:05"]
        assert texts(source, "date") == ["2020-01-31", "", "1900-01-01"]
        assert texts(source, "flag") == ["true", "", "false"]
        assert texts(source, "kind") == ["x", "", "y"]
        assert texts(source, "text") == ["x", "", ""]


def test_closing_removes_the_private_folder_and_is_harmless_twice(tmp_path: Path) -> None:
    source = read(written(tmp_path, "a\nx\n"))
    assert source._engine is not None
    scratch = source._engine.scratch
    assert scratch.is_dir()
    assert scratch.stat().st_mode & 0o077 == 0
    source.close()
    source.close()
    assert not scratch.exists()


def test_a_table_outlives_the_source_it_came_from(tmp_path: Path) -> None:
    table = read(written(tmp_path, gzip.compress(b"a\nx\n"), "t.dat")).table
    assert table.count().to_pyarrow().as_py() == 1


def test_the_engine_is_private_bounded_and_offline(tmp_path: Path) -> None:
    with read(written(tmp_path, "a\nx\n"), memory_limit="300MB") as source:
        assert source._engine is not None
        settings = {
            name: source._engine.backend.con.sql(f"SELECT current_setting('{name}')").fetchall()
            for name in ("memory_limit", "temp_file_encryption", "autoinstall_known_extensions")
        }
    assert settings["temp_file_encryption"] == [(True,)]
    assert settings["autoinstall_known_extensions"] == [(False,)]
    assert str(settings["memory_limit"]).startswith("[('286")


def test_a_memory_limit_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="'lots' is not an amount of memory"):
        read(written(tmp_path, "a\nx\n"), memory_limit="lots")


@pytest.mark.parametrize("name", ["t.csv", "t[1].csv"])
def test_without_a_folder_for_temporary_files_the_mend_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = written(tmp_path, "a\nx\n", name)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(OutputError, match=r"No such file or directory\); .*set TMPDIR") as caught:
        read(path)
    assert str(tmp_path) not in str(caught.value)


def test_a_link_that_cannot_be_made_is_an_error_with_a_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr("pathlib.Path.symlink_to", full)
    with pytest.raises(OutputError, match=r"No space left on device.*set TMPDIR"):
        read(written(tmp_path, "a\nx\n", "t[1].csv"))


def test_the_dialect_found_is_remembered(tmp_path: Path) -> None:
    with read(written(tmp_path, "a;b\nx;y\n")) as source:
        assert isinstance(source.format, Csv)
        assert source.format.describe() == "semicolon-separated, UTF-8, header"


@pytest.mark.nightly
def test_real_files_are_read_whole(data_dir: Path) -> None:
    for name, records, columns in [
        ("adult/adult.csv", 30162, 9),
        ("adult_uci/adult.data", 32561, 15),
        ("cup/cup.csv.gz", 63441, 8),
        ("fars/fars.csv.gz", 100937, 8),
    ]:
        with read(data_dir / name) as source:
            assert len(source.columns) == columns
            assert source.table.count().to_pyarrow().as_py() == records


INDEXED = ",age,sex\n0,30,F\n1,40,M\n2,50,F\n"


@pytest.mark.parametrize("header", [None, True])
def test_a_table_with_its_row_numbers_is_read(tmp_path: Path, *, header: bool | None) -> None:
    """As pandas writes it; the column without a name gets one that no other has.

    Fault class: a refusal of what everybody's tool writes.
    """
    with read(written(tmp_path, INDEXED), header=header) as source:
        assert source.columns == ("column_1", "age", "sex")
        assert source.named_by_us == ("column_1",)
        assert source.table.column_1.to_pyarrow().to_pylist() == ["0", "1", "2"]
    with read(written(tmp_path, INDEXED.replace("age", "Column_1")), header=header) as source:
        assert source.columns == ("column_1_", "Column_1", "sex")
    with read_privately(written(tmp_path, INDEXED)) as source:
        assert source.columns == ("column_1", "age", "sex")


def test_names_of_rows_may_be_records_so_they_are_asked_for(tmp_path: Path) -> None:
    """A first record may lack its first cell; users can say so."""
    text = ",city\nAnna,Rome\nBert,Oslo\n"
    with pytest.raises(
        SourceError, match=r"unclear whether that record is a header; .*header=True or header=F"
    ):
        read(written(tmp_path, text))
    with read(written(tmp_path, text), header=True) as source:
        assert source.columns == ("column_1", "city")
    with read(written(tmp_path, text), header=False) as source:
        assert source.named_by_us == ()


def test_the_index_of_a_data_frame_is_no_column() -> None:
    """Whatever it holds."""
    frame = pd.DataFrame({"age": ["30", "40"]}, index=["Anna", "Bert"])
    with read(frame) as source:
        assert source.columns == ("age",)


def test_a_folder_of_several_tables_lists_them(tmp_path: Path) -> None:
    """Users choose one; a license file does not count.

    Fault class: reading a file that is not a table.
    """
    written(tmp_path, "id,sex\n1,F\n", "patients.csv")
    written(tmp_path, "code;title;group\n1;x;y\n", "codes.csv")
    written(tmp_path, "Permission is granted, to anybody.\n", "LICENSE.txt")
    with pytest.raises(SourceError) as caught:
        read(tmp_path)
    assert "is a folder of several tables: 'codes.csv', 'patients.csv'" in str(caught.value)
    assert str(tmp_path / "codes.csv") in str(caught.value.fix)
    assert "below [tables.NAME] in a project file" in str(caught.value.fix)
    (tmp_path / "codes.csv").unlink()
    with read(tmp_path) as source:
        assert source.columns == ("id", "sex")


def test_a_part_is_not_lost_for_its_name(tmp_path: Path) -> None:
    """A text that begins as the tables do may be one of their parts."""
    written(tmp_path, "id,sex\n1,F\n", "part-1.csv")
    written(tmp_path, "id,sex\n2,M\n", "part-2.txt")
    with pytest.raises(
        SourceError,
        match=r"part-2\.txt: this file has the same first line as another table in the folder",
    ):
        read(tmp_path)
    (tmp_path / "part-1.csv").unlink()
    with read(tmp_path) as source:
        assert source.columns == ("id", "sex")
