"""A table of Spark reads, counts and is released as it is from a file."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from roadstead.errors import OutputError, SourceError
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.stores.access import sink, workbench
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from spark_tables import Spark

    from roadstead.tables.source import Source

pytestmark = pytest.mark.nightly
"""`test_store_contract.py` tests the properties of every engine in each run."""

HOSTILE = ('quo"te', "back`tick", "it's", "a;--", "Ünï cödé", "select", "x,(y)=\t{}")
VALUES = (
    "a",
    "A",
    "",
    " ",
    "it's",
    '"',
    "\\",
    "\\n",
    "`",
    "%_",
    "é",
    "e\u0301",
    "💊",
    "null",
    None,
)


def texts(source: Source) -> list[tuple[str, ...]]:
    """Every record as texts."""
    names = source.columns
    cells = {f"c{at}": as_text(source.table[name]) for at, name in enumerate(names)}
    table = source.table.select(**cells).to_pyarrow()
    return list(zip(*(table[f"c{at}"].to_pylist() for at in range(len(names))), strict=True))


def drawn(seed: int, records: int = 400) -> pa.Table:
    """Draw a table of odd names and values."""
    chance = random.Random(seed)  # noqa: S311 - made-up values keep no secret
    columns = {
        name: pa.array([chance.choice(VALUES) for _ in range(records)], pa.string())
        for name in HOSTILE
    }
    ages = [chance.choice([None, *range(5)]) for _ in range(records)]
    return pa.table({**columns, "age": pa.array(ages, pa.int64())})


def typed() -> pa.Table:
    """Values of many types, some of which engines write in ways of their own."""
    chance = random.Random(5)  # noqa: S311 - ditto
    doubles = [
        *(0.0, -0.0, 0.1, -1.5, 1e-3, 1.234e-3, 1e-4, -1.23e-4, 1e-5, -2.5e-7, 1e-10, 1e-300),
        *(1e6, 1e7, 12345678.5, 0.1 + 0.2, 1 / 3, 2.0**53, 1e17, 1e18, 1e20, -1e300),
        *(float("nan"), float("inf"), float("-inf"), None, 4503599627370495.5),
        *(round(chance.uniform(-300, 300), 2) for _ in range(200)),
        *(chance.uniform(-1e9, 1e9) for _ in range(200)),
    ]
    count = len(doubles)

    def filled(values: list[Any], kind: pa.DataType) -> pa.Array:
        return pa.array([values[at % len(values)] for at in range(count)], kind)

    moment, day = dt.datetime, dt.date
    moments = [
        *(None, moment(2020, 2, 29), moment(2020, 1, 2, 3, 4, 5)),
        moment(2020, 1, 2, 3, 4, 5, 500_000),
        moment(1900, 1, 1, 0, 0, 0, 1),
    ]
    return pa.table(
        {
            "number": pa.array(range(count), pa.int32()),
            "double": pa.array(doubles, pa.float64()),
            "single": filled([0.1, 16777216.0, 1e-7, 1e-4, 1e18, 3.4e38, None], pa.float32()),
            "whole": filled([None, 2**62 + 1, -(2**63), 0], pa.int64()),
            "day": filled([None, day(1, 1, 1), day(1969, 12, 31), day(9999, 12, 31)], pa.date32()),
            "moment": filled(moments, pa.timestamp("us")),
            "truth": filled([True, False, None], pa.bool_()),
            "exact": filled([None, "1.50", "0.00", "-12.34"], pa.string()).cast(
                pa.decimal128(20, 2)
            ),
        }
    )


def test_a_value_has_one_text_in_spark_and_in_duckdb(spark: Spark, tmp_path: Path) -> None:
    """Value by value, so that one that differs is seen."""
    folder = tmp_path / "typed.parts"
    folder.mkdir()
    parquet.write_table(typed(), folder / "1.parquet")
    with read(folder) as here, read(spark.address(f'parquet."{folder}"')) as there:
        expected = {row[0]: row for row in texts(here)}
        found = {row[0]: row for row in texts(there)}
    assert len(expected) == typed().num_rows
    assert {key for key in expected if expected[key] != found[key]} == set()
    by_value = {row[1] for row in expected.values()}
    assert {"1e-05", "12345678.5", "0", "inf", "", "0.0001", "100000000000000000"} <= by_value


@pytest.mark.parametrize(
    "kind", ["spark", pytest.param("spark_connect", marks=pytest.mark.nightly)]
)
def test_a_table_reads_and_counts_as_a_file_does(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """As a table, as a folder of files and as a data frame; whatever names and values are."""
    spark: Spark = request.getfixturevalue(kind)
    made = drawn(1)
    folder = tmp_path / "visits"
    folder.mkdir()
    parquet.write_table(made.slice(0, 100), folder / "1.parquet")
    parquet.write_table(made.slice(100), folder / "2.parquet")
    spark.store("visits", made)
    zone = spark.session.conf.get("spark.sql.session.timeZone")
    before = spark.tables()
    frame = spark.session.table(f"{spark.schema}.visits")
    attributes = [*HOSTILE[:3], "age"]
    with read(folder) as file:
        expected, counts = Counter(texts(file)), summarize(file, attributes)
    for data in (spark.address("visits"), spark.address(f'parquet."{folder}"'), frame):
        with read(data) as source:
            assert source.columns == (*HOSTILE, "age")
            assert Counter(texts(source)) == expected
            found = summarize(source, attributes)
            assert found.attributes == counts.attributes
            assert found.domains == counts.domains
            assert (found.counts == counts.counts).all()
            assert source.format.describe() == "table in Spark"
    assert spark.session.conf.get("spark.sql.session.timeZone") == zone
    assert spark.tables() == before
    views = spark.session.sql("SHOW VIEWS").collect()
    assert [view for view in views if "roadstead" in view["viewName"]] == []


def views(source: Source) -> set[str]:
    """Name the temporary views of a source's session."""
    found = source.table.get_backend()._session.sql("SHOW VIEWS").collect()
    return {view["viewName"] for view in found}


@pytest.mark.parametrize(
    "kind", ["spark", pytest.param("spark_connect", marks=pytest.mark.nightly)]
)
def test_a_workbench_keeps_what_only_its_session_sees(
    kind: str, request: pytest.FixtureRequest
) -> None:
    spark: Spark = request.getfixturevalue(kind)
    spark.store("kept", pa.table({"who": ["a", "a", "b", None]}))
    labels = {"label": ["a", "b", None], "code": [1, None, 3], "share": [0.5, None, 1e-9]}
    with read(spark.address("kept")) as source:
        with workbench(source) as bench:
            small = bench.small(pa.table(labels))
            assert small.to_pyarrow().to_pydict() == labels
            joined = bench.table.join(small, bench.table["who"] == small["label"])
            kept = bench.keep(joined.select("who", "code"))
            rows = [(row["who"], row["code"]) for row in kept.to_pyarrow().to_pylist()]
            assert Counter(rows) == Counter([("a", 1), ("a", 1), ("b", None)])
            again = bench.keep(kept.group_by("who").agg(n=kept.count()))
            assert Counter(again.to_pyarrow()["n"].to_pylist()) == Counter([2, 1])
            bench.drop(kept)
            assert again.count().to_pyarrow().as_py() == 2
            assert views(source) == {again.get_name(), small.get_name()}
            assert not views(source) & {table.name for table in spark.session.catalog.listTables()}
        assert views(source) == set()
        if kind == "spark":
            assert spark.session.sparkContext._jsc.getPersistentRDDs().isEmpty()
        assert source.table.count().to_pyarrow().as_py() == 4


@pytest.mark.parametrize(
    "kind", ["spark", pytest.param("spark_connect", marks=pytest.mark.nightly)]
)
def test_a_table_appears_whole_or_not_at_all(kind: str, request: pytest.FixtureRequest) -> None:
    spark: Spark = request.getfixturevalue(kind)
    made = drawn(2, 60)
    spark.store("people", made)
    spark.drop("released")  # of another test
    before = spark.tables()
    target = spark.address("released")
    with read(spark.address("people")) as source:
        with sink(target, source, force=False) as place:
            staged = place.stage(source.table)
            assert staged.count().to_pyarrow().as_py() == 60
            assert "released" not in spark.tables()
        assert spark.tables() == before
        with sink(target, source, force=False) as place:
            place.stage(source.table)
            place.publish()
        assert spark.tables() == sorted([*before, "released"])
        wanted = Counter(tuple(row.values()) for row in made.to_pylist())
        assert Counter(spark.rows("released")) == wanted
        with pytest.raises(OutputError, match="already exists"):
            sink(target, source, force=False)
        with sink(target, source, force=True) as place:
            place.stage(source.table.limit(7))
            assert len(spark.rows("released")) == 60
            place.publish()
        assert len(spark.rows("released")) == 7
        with sink(target, source, force=True) as place:
            place.stage(source.table.limit(3))
            place.publish()
            place.withdraw()
        assert len(spark.rows("released")) == 7
        assert spark.tables() == sorted([*before, "released"])


@pytest.mark.parametrize(
    "kind", ["spark", pytest.param("spark_connect", marks=pytest.mark.nightly)]
)
def test_a_failure_quotes_nothing_and_leaves_nothing(
    kind: str, request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither in its error nor on the console, where PySpark likes to write."""
    spark: Spark = request.getfixturevalue(kind)
    spark.store("secret", pa.table({"cell": ["1"] * 50 + ["SECRET"]}))
    spark.drop("broken")
    before = spark.tables()
    with read(spark.address("secret")) as source:
        broken = source.table.select(number=source.table["cell"].cast("int64"))
        with pytest.raises(SourceError) as read_error, engine_errors("secret"):
            broken.to_pyarrow()
        with (
            pytest.raises(OutputError) as write_error,
            sink(spark.address("broken"), source, force=False) as place,
        ):
            place.stage(broken)
        for error in (read_error.value, write_error.value):
            assert "SECRET" not in str(error)
            assert error.__cause__ is None
            assert "CAST_INVALID_INPUT" in str(error)
        if kind == "spark_connect":  # the console of a session in this process is its user's own
            assert "SECRET" not in "".join(capfd.readouterr())
        assert spark.tables() == before
        with sink(spark.address("broken"), source, force=False) as place:
            place.stage(source.table)
            place.publish()
        assert len(spark.rows("broken")) == 51


def test_a_failed_table_leaves_no_files(spark: Spark) -> None:
    spark.store("lines", pa.table({"cell": ["1"] * 50 + ["x"]}))
    place = Path(spark.session.catalog.getDatabase(spark.schema).locationUri.removeprefix("file:"))
    before = sorted(place.iterdir())
    assert before
    with read(spark.address("lines")) as source:
        broken = source.table.select(number=source.table["cell"].cast("int64"))
        with pytest.raises(OutputError), sink(spark.address("b"), source, force=False) as made:
            made.stage(broken)
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize(
    "kind", ["spark", pytest.param("spark_connect", marks=pytest.mark.nightly)]
)
def test_what_cannot_be_made_is_refused_before_any_work(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    spark: Spark = request.getfixturevalue(kind)
    spark.store("one", pa.table({"a": ["x"]}))
    spark.session.sql(f"CREATE OR REPLACE VIEW {spark.schema}.seen AS SELECT 1 AS a").collect()
    one = f"SELECT * FROM {spark.schema}.one"  # noqa: S608 - names of ours
    spark.session.sql(f"CREATE OR REPLACE VIEW {spark.schema}.over_one AS {one}").collect()
    for name in ("one", "over_one"):
        with read(spark.address(name)) as source:
            with pytest.raises(OutputError, match="reads its rows from this table"):
                sink(spark.address("one"), source, force=True)
            with pytest.raises(OutputError, match="is a view"):
                sink(spark.address("seen"), source, force=True)
            with pytest.raises(OutputError, match="no such schema"):
                sink(spark.address("nowhere.t"), source, force=False)
    with (
        read(pa.table({"a": ["x"]})) as elsewhere,
        pytest.raises(OutputError, match="only if the same Spark"),
    ):
        sink(spark.address("t"), elsewhere, force=False)
    if kind == "spark_connect":
        target = spark.address(f'parquet."{tmp_path / "t"}"')
        with (
            read(spark.address("one")) as source,
            pytest.raises(OutputError, match="does not rename folders"),
        ):
            sink(target, source, force=False)


def test_a_folder_appears_whole_and_in_the_order_of_its_content(
    spark: Spark, tmp_path: Path
) -> None:
    made = drawn(3, 80)
    spark.store("folded", made)
    out = tmp_path / "out.d"
    target = spark.address(f'parquet."{out}"')
    with read(spark.address("folded")) as source:
        with sink(target, source, force=False) as place:
            assert place.stage(source.table).count().to_pyarrow().as_py() == 80
            assert not out.exists()
        assert list(tmp_path.iterdir()) == []
        with sink(target, source, force=False) as place:
            assert place.name == "out.d"
            place.stage(source.table)
            place.publish()
        assert list(tmp_path.iterdir()) == [out]
        parts = pa.concat_tables(parquet.read_table(x) for x in sorted(out.glob("*.parquet")))
        rows = [tuple(row.values()) for row in parts.to_pylist()]
        assert Counter(rows) == Counter(tuple(row.values()) for row in made.to_pylist())

        def key(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
            return [(x is None, x.encode() if isinstance(x, str) else x or 0) for x in row]

        assert rows == sorted(rows, key=key)
        with pytest.raises(OutputError, match="already exists"):
            sink(target, source, force=False)
        with sink(target, source, force=True) as place:
            place.stage(source.table.limit(5))
            place.publish()
            place.withdraw()
        assert parquet.read_table(out).num_rows == 80
        with sink(target, source, force=True) as place:
            place.stage(source.table.limit(5))
            place.publish()
        assert parquet.read_table(out).num_rows == 5
        assert list(tmp_path.iterdir()) == [out]
        letter = out / "letter.txt"
        letter.write_text("not ours")
        for other in (out, letter):
            with pytest.raises(OutputError, match="files that do not belong to a table"):
                sink(spark.address(f'parquet."{other}"'), source, force=True)
        letter.unlink()
        missing = spark.address(f'parquet."{tmp_path / "no" / "out"}"')
        with pytest.raises(OutputError, match="folder does not exist"):
            sink(missing, source, force=False)
    with read(target) as source, pytest.raises(OutputError, match="reads its rows from this table"):
        sink(target, source, force=True)


def test_what_is_not_there_is_said_in_our_words(spark: Spark, tmp_path: Path) -> None:
    spark.store("visits_of_2024", pa.table({"a": ["x"]}))
    for address, says in (
        (spark.address("visits_of_2025"), "no such table; did you mean clinic.visits_of_2024"),
        (spark.address("nowhere.at_all"), "no such table; "),
        (spark.address(f'parquet."{tmp_path / "none"}"'), "the files do not exist"),
        (spark.address('delta."/data/none"'), "this Spark does not support the format"),
        ("spark://127.0.0.1:1?table=t", "already uses a different Spark session"),
        ("sc://127.0.0.1:1?table=t", "no server answers there; check the host and the port"),
        ("sc://no-such-host.invalid:1?table=t", "there is no such host"),
    ):
        with pytest.raises(SourceError, match=says) as caught:
            read(address)
        assert caught.value.__cause__ is None
    with pytest.raises(SourceError, match="is not a table"):
        read(spark.session.table("clinic.visits_of_2024")["a"])
