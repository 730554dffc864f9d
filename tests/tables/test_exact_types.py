"""A released value is the value that went in, whatever its type, or the column is refused.

Fault class: a silent misread. An engine that lacks a type reads something else and says nothing.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import os
import subprocess
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

import roadstead as rs
from roadstead.errors import SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Parquet
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGERS = {pa.int8(): (8, 1), pa.int64(): (64, 1), pa.uint8(): (8, 0), pa.uint64(): (64, 0)}
DAYS = st.dates(dt.date(1000, 1, 1), dt.date(9998, 12, 30))
TIMES = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))  # noqa: DTZ001 - local
ZONE = "America/St_Johns"


def within(bits: int, signed: int) -> st.SearchStrategy[Any]:
    """Give whole numbers of a type."""
    least = -(2 ** (bits - 1)) if signed else 0
    return st.integers(least, least + 2**bits - 1)


KINDS: dict[Any, st.SearchStrategy[Any]] = {
    **{kind: within(*size) for kind, size in INTEGERS.items()},
    pa.float16(): st.floats(width=16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.decimal128(38, 10): st.decimals(-(10**20), 10**20, places=10),
    pa.decimal256(30, 2): st.decimals(-(10**20), 10**20, places=2),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    pa.large_string(): st.text("aé\n,;\"' "),
    pa.binary(): st.binary(),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.date32(): DAYS,
    pa.date64(): DAYS,
    pa.time64("us"): st.times(),
    pa.timestamp("us"): TIMES,
    pa.timestamp("us", ZONE): TIMES.map(lambda one: one.replace(tzinfo=dt.UTC)),
    pa.uuid(): st.uuids(),
    pa.list_(pa.int64()): st.lists(st.integers(-5, 5), max_size=3),
    pa.struct([("a", pa.string())]): st.fixed_dictionaries({"a": st.text("ab'")}),
    pa.map_(pa.string(), pa.int64()): st.lists(
        st.tuples(st.text("ab", min_size=1), st.integers(0, 9)),
        max_size=2,
        unique_by=lambda x: x[0],
    ),
    pa.dictionary(pa.int32(), pa.string()): st.text("ab"),
    pa.null(): st.none(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for the files of this module."""
    return tmp_path_factory.mktemp("types")


def plain(values: list[Any]) -> list[str]:
    """Write values so that those that are not numbers are equal, as zeros; zones do not matter."""
    return [
        repr(
            one.astimezone(dt.UTC)
            if isinstance(one, dt.datetime) and one.tzinfo
            else 0.0
            if isinstance(one, float) and one == 0
            else one
        )
        for one in values
    ]


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@examples(8)
@given(data=st.data())
def test_an_unchanged_column_keeps_its_values(folder: Path, kind: Any, data: st.DataObject) -> None:  # noqa: ANN401 - a type of Arrow
    """From memory and from Parquet to Parquet, bit for bit, except for the sign of a zero."""
    values = data.draw(st.lists(st.none() | KINDS[kind], min_size=1, max_size=4))
    stored = [one.bytes if isinstance(one, uuid.UUID) else one for one in values]
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.ExtensionArray.from_storage(kind, pa.array(stored, kind.storage_type))
    else:
        column = pa.array(stored, kind)
    table = pa.table({"x": column, "row": range(len(values))})
    pq.write_table(table, folder / "in.parquet")
    for place in (table, folder / "in.parquet"):
        with read(place) as source:
            write(source.table.order_by("row"), folder / "out.parquet", Parquet())
        written = pq.read_table(folder / "out.parquet")["x"].to_pylist()
        assert plain(written) == plain(column.to_pylist())


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "decimal256": (
        lambda: pa.array([Decimal("1234567890123456789012345678901234567890.12")]).cast(
            pa.decimal256(60, 2)
        ),
        "cannot be read exactly",
    ),
    "decimal256 in a list": (
        lambda: pa.array([[Decimal(10) ** 40]], pa.list_(pa.decimal256(60, 2))),
        "cannot be read exactly",
    ),
    "duration": (lambda: pa.array([dt.timedelta(days=1)]), "durations"),
    "duration in a record": (lambda: pa.array([{"a": dt.timedelta(days=1)}]), "durations"),
    "interval": (lambda: pa.array([pa.MonthDayNano([1, 2, 3])]), "durations"),
    "period": (lambda: pa.array(pd.period_range("2020-01", periods=1, freq="M")), "pandas.period"),
    "opaque": (
        lambda: pa.ExtensionArray.from_storage(
            pa.opaque(pa.int64(), "dose", "clinic"), pa.array([1])
        ),
        "arrow.opaque",
    ),
    "field without a name": (lambda: pa.array([{"": 1}]), "no name"),
    "negative scale": (lambda: pa.array([Decimal(1200)], pa.decimal128(5, -2)), "exactly"),
    "union": (
        lambda: pa.UnionArray.from_sparse(
            pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
        ),
        "several types",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_type_that_cannot_be_read_exactly_is_refused(tmp_path: Path, case: str) -> None:
    """From memory and from Parquet, if Parquet can hold it; the error has the column and a fix."""
    make, says = REFUSED[case]
    table = pa.table({"dose": make()})
    places: list[Any] = [table]
    try:
        pq.write_table(table, tmp_path / "in.parquet")
        places.append(tmp_path / "in.parquet")
    except (pa.ArrowException, OSError):
        assert case in ("interval", "negative scale", "union")
    for place in places:
        with pytest.raises(SourceError, match=says) as caught:
            read(place)
        assert "column 'dose'" in caught.value.message
        assert caught.value.fix


DUCKDB = {
    "340282366920938463463374607431768211455::UHUGEINT": None,
    "170141183460469231731687303715884105727::HUGEINT": None,
    "'01:02:03+05'::TIMETZ": None,
    "'01:02:03.000000001'::TIME_NS": None,
    "'10101'::BIT": None,
    "INTERVAL '1 month 2 days 3.001002 seconds'": None,
    "union_value(a := 1)": None,
    "'00000000-0000-0000-0000-000000000005'::UUID": None,
    "'x'::ENUM ('y', 'x')": None,
    "'a'::BLOB": None,
    "'0044-03-15 (BC)'::DATE": None,
    "'infinity'::TIMESTAMP": None,
    "123456789012345678901234567890123456789012345::BIGNUM": None,
    "1.10::DECIMAL(38, 2)": None,
    "MAP {'a': [1, NULL]}": None,
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("value", DUCKDB)
def test_every_type_of_duckdb_is_released_as_it_reads_there(tmp_path: Path, value: str) -> None:
    """In CSV and Parquet the text is the one that DuckDB itself writes."""
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {value} AS x, 1 AS i")
        ((wanted,),) = connection.execute("SELECT x::VARCHAR FROM t").fetchall()
    for name, form in (("o.csv", Csv()), ("o.parquet", Parquet())):
        with read(f"duckdb://{path}?table=t") as source:
            write(source.table, tmp_path / name, form)
        options = ", all_varchar = true" if name == "o.csv" else ""
        reader = "csv" if name == "o.csv" else "parquet"
        query = f"SELECT x::VARCHAR FROM read_{reader}('{tmp_path / name}'{options})"  # noqa: S608 - ours
        with duckdb.connect() as connection:
            assert connection.execute(query).fetchall() == [(wanted,)]


def midnight(offset: int = 1) -> dt.datetime:
    """Half an hour into 2 March somewhere east of Greenwich, where it is 1 March still."""
    return dt.datetime(2026, 3, 2, 0, 30, tzinfo=dt.timezone(dt.timedelta(hours=offset)))


def days(place: Any) -> set[str]:  # noqa: ANN401 - a table of any library
    """Give the days of the column ``at``, as a hierarchy of dates reads them."""
    from roadstead.hierarchies.written_dates import parse_date  # noqa: PLC0415 - for these tests alone

    with read(place) as source:
        return {str(parse_date(text)) for text in summarize(source, ("at",)).domains[0]}


def zoned() -> dict[str, Any]:
    """Give the same moment, as each library holds it with its zone or offset."""
    berlin = midnight().astimezone(pa.lib.string_to_tzinfo("Europe/Berlin"))
    return {
        "Arrow, zone": pa.table({"at": pa.array([berlin], pa.timestamp("us", "Europe/Berlin"))}),
        "Arrow, ns": pa.table({"at": pa.array([berlin], pa.timestamp("ns", "Europe/Berlin"))}),
        "Arrow, offset": pa.table({"at": pa.array([midnight()], pa.timestamp("s", "+01:00"))}),
        "pandas": pd.DataFrame({"at": pd.to_datetime([berlin])}),
        "pandas, offset": pd.DataFrame({"at": pd.to_datetime(["2026-03-02T00:30:00+01:00"])}),
        "Polars": pl.DataFrame({"at": [berlin]}),
        "lists": {"at": [berlin]},
    }


@pytest.mark.parametrize("library", zoned())
def test_the_day_of_a_time_is_that_of_its_zone(library: str) -> None:
    """00:30+01:00 on 2 March is 2 March, though it is 1 March in Greenwich."""
    assert days(zoned()[library]) == {"2026-03-02"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "+01:00"])
def test_a_time_is_released_with_its_zone(tmp_path: Path, zone: str) -> None:
    """Fault class: an offset came out as GMT+01:00, which no library reads."""
    at = pa.array([midnight()] * 40, pa.timestamp("us", zone))
    feather.write_feather(pa.table({"sex": ["f", "m"] * 20, "at": at}), tmp_path / "t.feather")
    found = rs.anonymize(tmp_path / "t.feather", quasi=["sex"], release_anyway=["at"])
    assert found.to_arrow()["at"].type == at.type
    assert set(found.to_pandas()["at"]) == set(found.to_polars()["at"]) == {midnight()}
    assert days(tmp_path / "t.feather") == {"2026-03-02"}
    found.write(tmp_path / "out")
    assert feather.read_table(tmp_path / "out" / "t.feather")["at"].type == at.type


@pytest.mark.parametrize("library", ["Arrow, zone", "Arrow, offset"])
def test_parquet_that_names_the_zone_has_its_days(tmp_path: Path, library: str) -> None:
    """Though the file holds instants."""
    pq.write_table(zoned()[library], tmp_path / "t.parquet")
    assert days(tmp_path / "t.parquet") == {"2026-03-02"}


def test_text_with_an_offset_has_the_day_that_is_written(tmp_path: Path) -> None:
    """In a CSV file."""
    (tmp_path / "t.csv").write_text("at,x\n2026-03-02T00:30:00+01:00,1\n2026-03-02 00:30+05:30,2\n")
    assert days(tmp_path / "t.csv") == {"2026-03-02"}


def unzoned(folder: Path) -> dict[str, Any]:
    """Give instants without a known zone."""
    both = pa.table(
        {
            "at": pa.array([midnight()], pa.timestamp("us", "Europe/Berlin")),
            "other": pa.array([midnight()], pa.timestamp("us", "Asia/Tokyo")),
        }
    )
    pq.write_table(both.select(["at"]), folder / "bare.parquet", store_schema=False)
    local = pa.table({"at": pa.array([midnight().replace(tzinfo=None)])})
    pq.write_table(local, folder / "int96.parquet", use_deprecated_int96_timestamps=True)
    with duckdb.connect(folder / "t.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT '2026-03-02 00:30:00+01'::TIMESTAMPTZ AS at")
    return {
        "Parquet without a zone": folder / "bare.parquet",
        "Parquet in 96 bits": folder / "int96.parquet",
        "DuckDB": f"duckdb://{folder / 't.duckdb'}?table=t",
        "two zones": both,
    }


CASES = ["Parquet without a zone", "Parquet in 96 bits", "DuckDB", "two zones"]


@pytest.mark.parametrize("case", CASES)
def test_instants_without_a_zone_are_no_quasi_identifier(tmp_path: Path, case: str) -> None:
    """Whose day it is cannot be known, so the column is named with a way on."""
    with pytest.raises(SourceError, match=r"column 'at': it contains points in time.*AT TIME ZONE"):
        days(unzoned(tmp_path)[case])


@pytest.mark.parametrize("case", CASES)
def test_instants_without_a_zone_are_released_as_they_are(tmp_path: Path, case: str) -> None:
    """In Greenwich's time, with the offset, whatever the zone of this machine."""
    with read(unzoned(tmp_path)[case]) as source:
        write(source.table, tmp_path / "o.csv", Csv())
    wanted = "2026-03-02 00:30:00" if case == "Parquet in 96 bits" else "2026-03-01 23:30:00+00"
    assert (tmp_path / "o.csv").read_text().splitlines()[1].startswith(wanted)


def test_the_zone_of_the_machine_does_not_show(tmp_path: Path) -> None:
    """A process in Tokyo reads the same."""
    unzoned(tmp_path)
    program = (
        "import sys; from roadstead.tables.reading import read\n"
        "from roadstead.tables.sinks import write\n"
        "from roadstead.tables.source import Csv; from pathlib import Path\n"
        "for at, place in enumerate(sys.argv[2:]):\n"
        "    with read(place) as source: write(source.table, Path(f'{sys.argv[1]}{at}.csv'), Csv())"
    )
    places = [str(tmp_path / "bare.parquet"), f"duckdb://{tmp_path / 't.duckdb'}?table=t"]
    found = []
    for zone in ("Asia/Tokyo", "America/New_York"):
        aside = tmp_path / zone.replace("/", "_")
        subprocess.run(
            [sys.executable, "-c", program, aside, *places],
            check=True,
            env={**os.environ, "TZ": zone},
        )
        found.append([Path(f"{aside}{at}.csv").read_text() for at in range(len(places))])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "hold", [lambda x: {"at": x}, lambda x: pd.DataFrame({"at": x}, dtype=object)]
)
def test_times_of_several_zones_in_one_column_are_refused(hold: Any) -> None:  # noqa: ANN401 - a function
    """Arrow would bring them to the first, and one that is 2 March would be 1 March."""
    with pytest.raises(SourceError, match="column 'at': the column has several time zones"):
        read(hold([midnight(0), midnight(5)]))


def test_a_type_of_polars_that_arrow_lacks_is_an_error_of_ours() -> None:
    """With a way on."""
    with pytest.raises(SourceError, match="has a type that Arrow does not support; convert"):
        read(pl.DataFrame({"x": pl.Series([1], dtype=pl.Int128)}))


class _Schema(ctypes.Structure):
    """A type in Arrow's interface for C, which also names the types that Python cannot create."""

    _fields_ = (
        *((name, ctypes.c_char_p) for name in ("format", "name", "metadata")),
        *((name, ctypes.c_int64) for name in ("flags", "n_children")),
        *((name, ctypes.c_void_p) for name in ("children", "dictionary", "release", "private")),
    )


def _release(schema: Any) -> None:  # noqa: ANN401 - a pointer
    schema.contents.release = None


def arrow_file(path: Path, schema: pa.Schema, *tables: pa.Table) -> Path:
    """Write an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for table in tables:
            writer.write_table(table)
    return path


def test_arrow_types_that_parquet_lacks_are_decoded_or_refused(tmp_path: Path) -> None:
    """Fault class: a file with such a type ended in a bug of ours (exit code 70)."""
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int16()), ["f", "m"])
    table = pa.table({"stay": runs})
    with read(arrow_file(tmp_path / "runs.arrow", table.schema, table)) as found:
        assert found.table.to_pyarrow()["stay"].to_pylist() == ["f", "f", "m"]
    release = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))(_release)
    schema = _Schema(b"tiM", b"", release=ctypes.cast(release, ctypes.c_void_p))
    months = pa.schema({"stay": pa.DataType._import_from_c(ctypes.addressof(schema))})
    with pytest.raises(SourceError, match="contains durations"):
        read(arrow_file(tmp_path / "months.arrow", months))


def test_the_first_and_last_nanoseconds_are_read() -> None:
    """Fault class: DuckDB could not find the day of the first time that nanoseconds represent."""
    times = [pd.Timestamp.min + pd.Timedelta(1, "ns"), pd.Timestamp("2020-02-03"), None]
    times.append(pd.Timestamp("2020-02-03 00:00:00.000000005"))
    with read(pd.DataFrame({"seen": pd.array(times, "datetime64[ns]")})) as found:
        texts = as_text(found.table["seen"]).to_pyarrow().to_pylist()
    assert texts == [
        *("1677-09-21 00:12:43.145224194", "2020-02-03", ""),
        "2020-02-03 00:00:00.000000005",
    ]
