"""The frequency table counts what the records say, from any engine and in one order."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from roadstead.errors import RoleError, SourceError
from roadstead.tables import frequency as module
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from roadstead.tables.source import Source

FRAME: dict[str, list[Any]] = {
    "age": [34, 34, None, 71, 34],
    "sex": ["M", "M", "F", None, "F"],
    "zip": ["02139", "02139", "", "37203", "02139"],
}
EXPECTED = Counter(
    {("34", "M", "02139"): 2, ("", "F", ""): 1, ("71", "", "37203"): 1, ("34", "F", "02139"): 1}
)


def as_counter(table: FrequencyTable) -> Counter[tuple[str, ...]]:
    decoded = [
        [domain[code] for code in column]
        for domain, column in zip(table.domains, table.codes, strict=True)
    ]
    return Counter(
        dict(zip(zip(*decoded, strict=True), (int(count) for count in table.counts), strict=True))
    )


def csv_file(folder: Path) -> Path:
    path = folder / "t.csv"
    path.write_text("age,sex,zip\n34,M,02139\n34,M,02139\n,F,\n71,,37203\n34,F,02139\n")
    return path


def parquet_file(folder: Path) -> Path:
    parquet.write_table(pa.table(FRAME), folder / "t.parquet")
    return folder / "t.parquet"


KINDS: dict[str, Callable[[Path], Any]] = {
    "csv": csv_file,
    "parquet": parquet_file,
    "pandas": lambda _: pd.DataFrame(FRAME),
    "polars": lambda _: pl.DataFrame(FRAME),
    "arrow": lambda _: pa.table(FRAME),
    "ibis-memory": lambda _: ibis.memtable(pa.table(FRAME)),
    "ibis-polars": lambda _: ibis.polars.connect({"t": pl.DataFrame(FRAME)}).table("t"),
}


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    return read(KINDS[request.param](tmp_path))


def test_every_kind_of_source_gives_the_same_table(source: Source) -> None:
    with source:
        table = summarize(source, ["age", "sex", "zip"])
    assert as_counter(table) == EXPECTED
    assert table.domains == (("", "34", "71"), ("", "F", "M"), ("", "02139", "37203"))
    assert [list(column) for column in table.codes] == [[0, 1, 1, 2], [1, 1, 2, 0], [0, 1, 1, 2]]
    assert list(table.counts) == [1, 1, 2, 1]
    assert (table.records, table.distinct) == (5, 4)


def test_codes_are_contiguous_small_integers(source: Source) -> None:
    with source:
        table = summarize(source, ["zip", "age"])
    assert table.attributes == ("zip", "age")
    assert table.counts.dtype == np.int64
    for column in table.codes:
        assert column.dtype == np.int32
        assert column.flags.c_contiguous
        assert column.shape == (table.distinct,)


CELLS = st.one_of(st.none(), st.sampled_from(["", "a", "B", "ä", "10", "9"]), st.text(max_size=3))


@examples(20)
@given(
    records=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30),
    wanted=st.permutations(["x", "y", "z"]),
    kept=st.integers(1, 3),
    rng=st.randoms(use_true_random=False),
)
def test_equals_counting_by_hand_in_any_order_and_projection(
    records: list[tuple[str | None, ...]], wanted: list[str], kept: int, rng: Random
) -> None:
    wanted = wanted[:kept]
    places = ["xyz".index(name) for name in wanted]
    expected = Counter(tuple(record[place] or "" for place in places) for record in records)
    shuffled = rng.sample(records, len(records))
    with read(arrow(records)) as first, read(arrow(shuffled)) as second:
        direct = summarize(first, wanted)
        other = summarize(second, wanted)
        projected = summarize(first, ["x", "y", "z"]).project(wanted)
    assert as_counter(direct) == expected
    for table in (other, projected):
        assert table.attributes == direct.attributes
        assert table.domains == direct.domains
        assert np.array_equal(table.counts, direct.counts)
        assert all(map(np.array_equal, table.codes, direct.codes))
    assert all(list(domain) == sorted(domain) for domain in direct.domains)
    rows = list(zip(*direct.codes, strict=True))
    assert rows == sorted(rows)


def arrow(records: list[tuple[str | None, ...]]) -> pa.Table:
    columns = zip(*records, strict=True)
    return pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip("xyz", columns, strict=True)}
    )


def test_combinations_too_many_for_one_integer_are_ordered_all_the_same() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 4000, 500) for _ in range(12)]
    with read({f"q{at}": column for at, column in enumerate(columns)}) as source:
        table = summarize(source, source.columns)
    assert len(module.packed(table.codes, [len(domain) for domain in table.domains])) > 1
    assert as_counter(table) == Counter(
        tuple(str(value) for value in row) for row in zip(*columns, strict=True)
    )
    rows = list(zip(*table.codes, strict=True))
    assert rows == sorted(rows)


def test_results_in_several_batches_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(5000) % 700
    with read({"q": values, "r": values % 7}) as source:
        whole = summarize(source, ["q", "r"])
        monkeypatch.setattr("roadstead.tables.transfer.ROWS", 64)
        monkeypatch.setattr("roadstead.tables.transfer.stream.__defaults__", (64,))
        pieces = summarize(source, ["q", "r"])
    assert whole.distinct == 700
    assert pieces.domains == whole.domains
    assert all(map(np.array_equal, pieces.codes, whole.codes))


def test_not_a_number_is_missing_like_null_and_empty_text() -> None:
    table = pa.table({"f": pa.array([1.0, float("nan"), None]), "s": ["x", "", None]})
    with read(table) as source:
        assert as_counter(summarize(source, ["f", "s"])) == {("1", "x"): 1, ("", ""): 2}


@pytest.mark.nightly
def test_summarizing_spills_within_a_small_memory_limit() -> None:
    values = np.arange(400_000)
    texts = pa.array([f"a rather long text that will not fit {value:09d}" for value in values])
    table = pa.table({"a": texts, "b": values})
    with read(table, memory_limit="100MB") as source:
        found = summarize(source, ["a", "b"])
    assert found.distinct == 400_000
    assert found.domains[0] == tuple(texts.to_pylist())


def test_unknown_repeated_or_no_attributes_are_refused() -> None:
    with read({"age": [1], "sex": ["M"]}) as source:
        with pytest.raises(RoleError, match="did you mean 'age'"):
            summarize(source, ["agee"])
        with pytest.raises(RoleError, match="'age': it is named twice"):
            summarize(source, ["age", "age"])
        with pytest.raises(RoleError, match="no attribute is named"):
            summarize(source, [])
        table = summarize(source, ["age"])
    with pytest.raises(RoleError, match="no such column"):
        table.project(["sex"])


def test_a_table_without_records_is_refused() -> None:
    empty = ibis.memtable(pa.table({"a": pa.array([], pa.string())}))
    with pytest.raises(SourceError, match="there are no records"):
        summarize(read(empty), ["a"])


def test_the_printed_form_shows_no_values() -> None:
    with read({"name": ["Ann Secret"]}) as source:
        assert "Secret" not in repr(summarize(source, ["name"]))


def test_the_distinct_combinations_of_adult_are_the_known_number(data_dir: Path) -> None:
    with read(data_dir / "adult" / "adult.csv") as source:
        table = summarize(source, source.columns)
    assert (table.records, table.distinct) == (30162, 19502)
    assert sum(table.project(["sex", "age", "race"]).counts) == 30162
    small = table.project(["sex", "age", "race"]).counts
    assert int(small[small < 5].sum()) == 425
