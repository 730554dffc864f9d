"""Written files can be read again, in their original form."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import ibis
import polars as pl
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from roadstead.errors import OutputError, SettingError
from roadstead.tables.dialect import Dialect
from roadstead.tables.reading import read
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Memory, Parquet

if TYPE_CHECKING:
    from pathlib import Path

DIALECTS = [
    Dialect(),
    Dialect(delimiter=";"),
    Dialect(delimiter="\t"),
    Dialect(delimiter="|", quote="'"),
    Dialect(header=False),
    Dialect(compressed=True),
    Dialect(encoding="utf-8-sig"),
    Dialect(encoding="utf-16"),
    Dialect(encoding="utf-16", compressed=True),
]
AWKWARD = ["", None, ",", '"', "'", "a;b", "l\nm", "c\rd", "e\r\nf", " x ", "NULL", "\\N", "#", "ä"]


def round_trip(table: pa.Table, dialect: Dialect, folder: Path) -> None:
    path = folder / "out.csv"
    with read(table) as source:
        write(source.table, path, Csv(dialect))
    marked = dialect.encoding in ("utf-16", "utf-8-sig")
    with read(
        path,
        delimiter=dialect.delimiter,
        quote=dialect.quote,
        header=dialect.header,
        encoding=None if marked else dialect.encoding,
    ) as again:
        found = again.table.to_pyarrow()
        assert again.format == Csv(dialect)
    assert found.rename_columns(table.column_names) == pa.table(
        {
            name: pa.array([cell or None for cell in table[name].to_pylist()], pa.string())
            for name in table.column_names
        }
    )


@pytest.mark.quick(9)
@pytest.mark.parametrize("dialect", DIALECTS, ids=Dialect.describe)
@pytest.mark.parametrize("names", [["one"], ["a b", 'sel"ect', "it's;ü,"]], ids=["one", "three"])
def test_awkward_cells_and_names_survive_every_dialect(
    tmp_path: Path, dialect: Dialect, names: list[str]
) -> None:
    cells = [AWKWARD, AWKWARD[::-1], AWKWARD[5:] + AWKWARD[:5]]
    round_trip(pa.table(dict(zip(names, cells, strict=False))), dialect, tmp_path)


# A mark in front of the first cell of a file is a byte-order mark to every reader.
TEXT = st.text(
    st.one_of(
        st.sampled_from(",;|\t\"' \n\r\\#"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"),
    ),
    max_size=6,
)


@examples(20)
@given(
    rows=st.lists(st.tuples(st.none() | TEXT, st.none() | TEXT), min_size=1, max_size=6),
    dialect=st.sampled_from(DIALECTS),
)
def test_any_text_survives_every_dialect(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str | None, ...]],
    dialect: Dialect,
) -> None:
    first, second = zip(*rows, strict=True)
    table = pa.table({"x": pa.array(first, pa.string()), "y": pa.array(second, pa.string())})
    round_trip(table, dialect, tmp_path_factory.mktemp("sink"))


def test_another_encoding_is_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with read({"name": ["Müller", "Ærø"], "n": ["1", "2"]}) as source:
        write(source.table, path, Csv(Dialect(encoding="cp1252")))
    assert "Müller".encode("cp1252") in path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.csv"]


def test_a_character_that_the_encoding_lacks_is_named(tmp_path: Path) -> None:
    with (
        read({"age": ["≥90"], "n": ["1"]}) as source,
        pytest.raises(OutputError, match="the character '≥', which does not exist in cp1252"),
    ):
        write(source.table, tmp_path / "out.csv", Csv(Dialect(encoding="cp1252")))


def test_missing_numbers_are_empty_cells(tmp_path: Path) -> None:
    table = pa.table({"f": [1.5, float("nan"), None], "s": ["x", None, ""]})
    with read(table) as source:
        write(source.table, tmp_path / "out.csv", Csv())
    assert (tmp_path / "out.csv").read_text().splitlines()[:3] == ["f,s", "1.5,x", ","]


def test_parquet_keeps_types(tmp_path: Path) -> None:
    table = pa.table({"a b": [1, None], "day": pa.array([0, 1], pa.date32()), "s": ["x", None]})
    with read(table) as source:
        write(source.table, tmp_path / "it's [1].parquet", Parquet())
    assert parquet.read_table(tmp_path / "it's [1].parquet").equals(table)


def test_a_table_of_another_engine_is_written_too(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, None], "s": ["x,y", None]})
    table = ibis.polars.connect({"t": frame}).table("t")
    write(table, tmp_path / "out.csv", Csv())
    assert (tmp_path / "out.csv").read_text() == 'a,s\n1,"x,y"\n,\n'
    write(table, tmp_path / "out.parquet", Parquet())
    assert parquet.read_table(tmp_path / "out.parquet").to_pydict() == {
        "a": [1, None],
        "s": ["x,y", None],
    }


def test_a_table_in_ibis_memory_is_written(tmp_path: Path) -> None:
    write(ibis.memtable(pa.table({"a": [1]})), tmp_path / "out.csv", Csv())
    assert (tmp_path / "out.csv").read_text() == "a\n1\n"


def test_gzip_output_is_gzip(tmp_path: Path) -> None:
    with read({"a": ["x"], "b": ["y"]}) as source:
        write(source.table, tmp_path / "out.csv.gz", Csv(Dialect(compressed=True)))
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == b"a,b\nx,y\n"


def test_a_full_disk_is_said_so(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with read({"a": ["x"] * 10, "b": ["y"] * 10}) as source:
        for form in (
            Csv(),
            Parquet(),
            Csv(Dialect(compressed=True)),
            Csv(Dialect(encoding="utf-16")),
        ):
            with pytest.raises(OutputError, match="the disk is full"):
                write(source.table, full, form)


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with read({"a": ["x"]}) as source:
        with pytest.raises(OutputError, match="its folder does not exist; create"):
            write(source.table, tmp_path / "nowhere" / "out.csv", Csv())
        with pytest.raises(OutputError, match="is a folder"):
            write(source.table, tmp_path, Csv())
        with pytest.raises(OutputError, match="cannot be written"):
            write(source.table, tmp_path / ("x" * 300), Csv())


def test_a_form_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with read({"a": ["x"]}) as source, pytest.raises(SettingError, match="is not a file format"):
        write(source.table, tmp_path / "out", Memory("pandas"))
