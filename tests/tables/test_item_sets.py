"""Sets of items made in the engine, against sets made in plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pytest
from effort import examples, unhurried
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from small_tables import write_csv

from roadstead.errors import RoleError, SettingError, SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import (
    ItemColumn,
    ItemColumns,
    ItemSet,
    ItemTable,
    check_apart,
    items_of,
    text_of,
    unmatched,
    with_item_sets,
)
from roadstead.tables.reading import read
from roadstead.tables.source import Source

Pairs = list[tuple[str, ...]]

few = examples(8)
"""Each example starts an engine, and has many records."""

codes = st.sampled_from(["401.9", "250", " 250 ", "V27", "", "?", "a\\b", "\\", "é", "{}"])
barred = st.one_of(codes, st.sampled_from(["a|b", "|", "a\\|b"]))


def made(source: Source, one: ItemSet) -> list[str]:
    """Read the texts of a set in the order of the records."""
    table = with_item_sets(source, [one]).table
    return [text or "" for text in table.to_pyarrow().column(one.name).to_pylist()]


def in_memory(**columns: list[Any]) -> Source:
    """Put columns into a table, with the number of each record."""
    size = len(next(iter(columns.values())))
    return read(pa.table({"record": pa.array(range(size), pa.int64()), **columns}))


def held(cells: list[str], longest: int | None) -> str:
    """Write the items of some cells as the witness does."""
    items = [(at, cell.strip()) for at, cell in enumerate(cells, 1)]
    items = [(at, item) for at, item in items if item not in {"", "?"}]
    if longest is None:
        return text_of(item for _, item in items)
    return text_of(f"{at}:{item}" for at, item in items if at <= longest)


@unhurried
@given(st.sets(st.text(alphabet="ab|\\{}:\n", min_size=1)))
def test_a_set_is_what_its_text_is_taken_apart_into(items: set[str]) -> None:
    """Bars, backslashes and braces in items do not matter; equal sets have equal texts."""
    assert set(items_of(text_of(items))) == items
    assert len(items_of(text_of(items))) == len(items)
    assert text_of(sorted(items)) == text_of(sorted(items, reverse=True))


def test_the_text_of_a_set_reads_like_a_set() -> None:
    """Items in order between braces; the empty set is not the missing value."""
    assert text_of(["401.9", "250.83", "401.9"]) == "{250.83|401.9}"
    assert text_of(["a|b", "\\"]) == "{\\\\|a\\|b}"
    assert text_of([]) == "{}"
    assert items_of("{}") == items_of("") == ()
    assert items_of("{250.83|401.9}") == ("250.83", "401.9")


@pytest.mark.parametrize("text", ["250.83", "{", "}", "250|401", "{250"])
def test_what_is_not_the_text_of_a_set_is_refused(text: str) -> None:
    """A raw cell is not a set."""
    with pytest.raises(SourceError, match="is not the text of a set"):
        items_of(text)


@few
@given(
    st.lists(st.lists(codes, max_size=6), min_size=5, max_size=40),
    st.sampled_from(["|", ";", ", ", "\t"]),
    st.sampled_from([None, 1, 3]),
)
def test_a_delimited_text_becomes_its_set(
    rows: list[list[str]], delimiter: str, longest: int | None
) -> None:
    """Spaces around items are removed, markers are not items, an empty text is a missing value."""
    cells = [delimiter.join(row) for row in rows]
    expected = [held(cell.split(delimiter), longest) if cell != "" else "" for cell in cells]
    with in_memory(dx=[*cells, None]) as source:
        found = made(source, ItemColumn("set", "dx", delimiter, longest=longest))
    assert found == [*expected, ""]


@few
@given(
    st.lists(st.none() | st.lists(st.none() | barred, max_size=6), min_size=5, max_size=40),
    st.sampled_from([None, 1, 3]),
)
def test_a_list_becomes_its_set(rows: list[list[str | None] | None], longest: int | None) -> None:
    """A missing list stays missing, an empty one is the empty set."""
    expected = ["" if row is None else held([cell or "" for cell in row], longest) for row in rows]
    column: Any = pa.array(rows, pa.list_(pa.string()))
    with in_memory(dx=column) as source:
        assert made(source, ItemColumn("set", "dx", longest=longest)) == expected


def test_lists_of_a_parquet_file_are_read(tmp_path: Path) -> None:
    """Of texts, and of numbers, whose texts are those of any column."""
    table = pa.table({"dx": [["b", "a", "b"], [], None], "n": [[10, 2], [3], None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    with read(tmp_path / "t.parquet") as source:
        assert made(source, ItemColumn("set", "dx")) == ["{a|b}", "{}", ""]
        assert made(source, ItemColumn("set", "n")) == ["{10|2}", "{3}", ""]
        assert made(source, ItemColumn("set", "n", longest=1)) == ["{1:10}", "{1:3}", ""]
        floats = in_memory(f=[[1.0, 2.5, float("nan")]])
        assert made(floats, ItemColumn("set", "f")) == ["{1|2.5}"]


@few
@given(
    st.lists(st.tuples(barred, st.none() | barred, barred), min_size=5, max_size=40),
    st.sampled_from([None, 1, 2, 5]),
)
def test_columns_become_a_set(rows: list[tuple[str | None, ...]], longest: int | None) -> None:
    """A missing one leaves its position empty; a record without items has the empty set."""
    expected = [held([cell or "" for cell in row], longest) for row in rows]
    a, b, c = (list(column) for column in zip(*rows, strict=True))
    with in_memory(a=a, b=pa.array(b, pa.string()), c=c) as source:
        assert made(source, ItemColumns("set", ("a", "b", "c"), longest=longest)) == expected


def test_other_markers_of_missing_can_be_named() -> None:
    """The empty text never is an item."""
    with in_memory(a=["?", "none", "x"], b=["", "?", "none"]) as source:
        found = made(source, ItemColumns("set", ("a", "b"), missing=("none",)))
    assert found == ["{?}", "{?}", "{x}"]


keys = st.sampled_from([*"12345678", ""])
NUMBERS = ("1", "2", "02", "10", "2.0", "-3", "+1.5", "5.")
NO_NUMBERS = ("", "2001-05-06", "2001-04-30", "1e3", "nan", "1_0", ".5", "\uff11", "9" * 400)
orders = st.sampled_from([*NUMBERS, *NO_NUMBERS])


def rank_of(order: str) -> tuple[bool, bool, float, str]:
    """Rank orders as the witness does: numbers, then texts, then none."""
    if order in NUMBERS:
        return (False, False, float(order), "")
    return (order == "", True, 0.0, order)


def joined(people: list[str], rows: Pairs, longest: int | None) -> list[str]:
    """Gather rows of key, order and code by the definition."""
    found = []
    for person in people:
        own = [(order, code.strip()) for key, order, code in rows if person and key == person]
        if longest is None:
            found.append(held([code for _, code in own], None))
            continue
        ranks = sorted({rank_of(order) for order, _ in own})
        pairs = [(ranks.index(rank_of(order)) + 1, code) for order, code in own]
        found.append(
            text_of(f"{at}:{c}" for at, c in pairs if at <= longest and c not in {"", "?"})
        )
    return found


@few
@given(
    st.lists(keys, min_size=3, max_size=10),
    st.lists(st.tuples(keys, orders, barred), min_size=20, max_size=80),
    st.sampled_from([None, 1, 2, 9]),
)
def test_rows_of_a_second_table_become_sets(
    people: list[str], rows: Pairs, longest: int | None
) -> None:
    """Records keep their number and order of columns; rows without a person are counted."""
    order = None if longest is None else "visit"
    second = pa.table(dict(zip(("who", "visit", "code"), map(list, zip(*rows)), strict=True)))  # noqa: B905 - rows are alike
    one = ItemTable("set", second, "who", "id", "code", order=order, longest=longest)
    with in_memory(id=people) as source:
        with_sets = with_item_sets(source, [one])
        assert with_sets.columns == tuple(with_sets.table.columns) == ("record", "id", "set")
        records = with_sets.table.order_by("record").to_pyarrow().to_pylist()
        assert [row["set"] for row in records] == joined(people, rows, longest)
        assert [row["id"] for row in records] == people
        strangers = {key for key, _, _ in rows} - {*people, ""}
        assert unmatched(source, one) == len(strangers)


def test_keys_are_compared_as_text() -> None:
    """A whole number is the same key, whatever its type; ranks of numbers and dates are theirs."""
    second = pa.table(
        {
            "who": pa.array([1.0, 2.0, 2.0, None]),
            "day": pa.array([20, 11, 10, 1], pa.int32()).cast(pa.date32()),
            "code": ["a", "b", "c", "d"],
        }
    )
    with in_memory(id=["1", "2", None]) as source:
        sets = ItemTable("set", second, "who", "id", "code")
        assert sorted(made(source, sets)) == ["{a}", "{b|c}", "{}"]
        in_order = ItemTable("set", second, "who", "id", "code", order="day", longest=2)
        assert sorted(made(source, in_order)) == ["{1:a}", "{1:c|2:b}", "{}"]


def test_files_are_joined_and_counted(tmp_path: Path) -> None:
    """A frequency table groups by sets like by any column, and can be asked again and again."""
    people = write_csv(tmp_path / "p.csv", ("id", "sex"), [("1", "f"), ("2", "f"), ("3", "m")])
    rows = [("1", "b"), ("1", "a"), ("2", "a"), ("2", "b"), ("2", "a"), ("9", "a")]
    visits = write_csv(tmp_path / "v.csv", ("who", "code"), rows)
    one = ItemTable("dx", visits, "who", "id", "code")
    with read(people) as source:
        twice = with_item_sets(source, [one, ItemTable("again", visits, "who", "id", "code")])
        for _ in range(2):
            table = summarize(twice, ["sex", "dx"], alongside=["again"])
            assert table.domains == (("f", "m"), ("{a|b}", "{}"))
            assert table.counts.tolist() == [2, 1]
            assert twice.table.count().to_pyarrow().as_py() == 3
        assert unmatched(source, one) == 1


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
def test_tables_of_one_engine_are_joined_there(tmp_path: Path) -> None:
    """And a file is brought to an engine of the user's without changing the database."""
    connection = ibis.duckdb.connect(tmp_path / "clinic.duckdb")
    connection.raw_sql("CREATE TABLE people AS SELECT unnest([1, 2]) AS id, 'u' AS x")
    connection.raw_sql("CREATE TABLE dx AS SELECT 1 AS who, unnest(['b', 'a']) AS code")
    people, codes_there = connection.table("people"), connection.table("dx")
    source = read(people)
    assert made(source, ItemTable("set", codes_there, "who", "id", "code")) == ["{a|b}", "{}"]
    file = write_csv(tmp_path / "v.csv", ("who", "code"), [("2", "z"), ("7", "y")])
    from_file = ItemTable("set", file, "who", "id", "code")
    assert sorted(made(source, from_file)) == ["{z}", "{}"]
    assert unmatched(source, from_file) == 1
    connection.disconnect()
    with duckdb.connect(tmp_path / "clinic.duckdb", read_only=True) as again:
        assert again.sql("SHOW TABLES").fetchall() == [("dx",), ("people",)]


def test_one_record_changes_no_other() -> None:
    """Each set consists of its own rows, so neighboring tables give neighboring sets."""
    rows = [("1", "10", "a"), ("1", "9", "b"), ("2", "2001-01-01", "c"), ("2", "x", "d")]
    people = ["1", "2"]
    whole, without = (
        pa.table(
            dict(zip(("who", "visit", "code"), map(list, zip(*part, strict=True)), strict=True))
        )
        for part in (rows, rows[:2])
    )
    with in_memory(id=people) as source:
        one, other = (
            Counter(made(source, ItemTable("s", t, "who", "id", "code", "visit", longest=5)))
            for t in (whole, without)
        )
    assert one - other == Counter(["{1:c|2:d}"])
    assert other - one == Counter(["{}"])
    assert one & other == Counter(["{1:b|2:a}"])


def test_a_set_may_take_the_place_of_its_column() -> None:
    """If it has the column's name; several sets have the given order."""
    with in_memory(dx=["b;a", "c"], a=["1", "2"]) as source:
        sets: list[ItemSet] = [ItemColumns("set", ("a",)), ItemColumn("dx", "dx", ";")]
        found = with_item_sets(source, sets)
        assert found.columns == tuple(found.table.columns) == ("record", "dx", "a", "set")
        assert found.table.to_pyarrow().column("dx").to_pylist() == ["{a|b}", "{c}"]
        raw: list[ItemSet] = [ItemColumn("dx", "dx", ";"), ItemColumns("other", ("dx",))]
        both = with_item_sets(source, raw).table.to_pyarrow()
        assert both.column("other").to_pylist() == ["{b;a}", "{c}"]


TABLE = ItemTable("set", {"who": ["1"], "code": ["x"]}, "who", "a", "code")


@pytest.mark.parametrize(
    ("one", "error", "said"),
    [
        (ItemColumn("set", "A", ";"), RoleError, "no such column; did you mean 'a'"),
        (ItemColumns("set", ("a", "z")), RoleError, "column 'z': the table has no such column"),
        (ItemTable("set", TABLE.source, "who", "z", "code"), RoleError, "column 'z'"),
        (
            ItemTable("set", TABLE.source, "who", "a", "cod"),
            RoleError,
            "arrow table in memory, column 'cod': the table has no such column; did you mean",
        ),
        (ItemTable("set", TABLE.source, "who", "a", "code", "t", longest=2), RoleError, "'t'"),
        (ItemTable("set", "none.csv", "who", "a", "code"), SourceError, "no such file"),
        (ItemTable("set", {"who": []}, "who", "a", "code"), SourceError, "no records"),
        (
            ItemColumn("b", "a", ";"),
            RoleError,
            "set 'b': another column or set already has this name",
        ),
        (
            ItemColumn("A", "a", ";"),
            RoleError,
            "set 'A': another column or set already has this name",
        ),
        (ItemColumn(" ", "a", ";"), RoleError, "a set has no name"),
        (ItemColumn("set", "a"), SettingError, "no delimiter is given"),
        (ItemColumn("set", "a", ""), SettingError, "the delimiter is empty"),
        (ItemColumn("set", "l", ";"), SettingError, "already contains lists"),
        (
            ItemColumn("set", "a", ";", longest=0),
            SettingError,
            "0 is not a valid number of positions",
        ),
        (ItemColumns("set", ()), SettingError, "no column is named"),
        (ItemColumns("set", ("a", "a")), SettingError, "a column is named twice"),
        (
            ItemTable("set", "x", "who", "a", "code", order="t"),
            SettingError,
            "an order and the number of positions must be given together",
        ),
        (
            ItemTable("set", "x", "who", "a", "code", longest=3),
            SettingError,
            "an order and the number of positions must be given together",
        ),
    ],
)
def test_sets_that_cannot_be_made_are_refused(
    one: ItemSet, error: type[Exception], said: str
) -> None:
    """One line that says where, what and the fix."""
    with in_memory(a=["1"], b=["2"], l=[["x"]]) as source, pytest.raises(error) as caught:
        with_item_sets(source, [one])
    assert said in str(caught.value)
    assert getattr(caught.value, "fix", None)


@pytest.mark.parametrize(
    "sets",
    [
        [ItemColumn("set", "a", ";"), ItemColumns("SET", ("a",))],
        [ItemColumn("a", "a", ";"), ItemColumn("a", "a", ",")],
        [ItemColumns("A", ("a",)), ItemColumn("a", "a", ";")],
    ],
)
def test_two_sets_of_one_name_are_refused(sets: list[ItemSet]) -> None:
    """One would hide the other."""
    with in_memory(a=["1"]) as source, pytest.raises(RoleError, match="another column or set"):
        with_item_sets(source, sets)


def test_a_column_is_an_attribute_or_part_of_a_set() -> None:
    """Not both: the set would reveal what the attribute hides."""
    sets: list[ItemSet] = [ItemColumns("dx", ("d1", "d2")), ItemColumn("rx", "rx", ";"), TABLE]
    check_apart(sets, ["dx", "rx", "set", "age"])
    with pytest.raises(
        RoleError, match="column 'd2': the column is both an attribute and a part of the set"
    ):
        check_apart(sets, ["age", "d2"])


@pytest.mark.nightly
def test_real_encounters_have_the_sets_that_python_makes(data_dir: Path) -> None:
    """Diagnoses of 101,766 encounters in three columns, and of stays in a table of their own."""
    encounters = data_dir / "diabetes130" / "diabetic_data.csv.gz"
    columns = ("diag_1", "diag_2", "diag_3")
    with read(encounters) as source:
        table = summarize(with_item_sets(source, [ItemColumns("dx", columns)]), ["dx"])
        cells = source.table.select(*columns).to_pyarrow().to_pylist()
    expected = Counter(text_of(set(row.values()) - {"?", None}) for row in cells)
    assert dict(zip(table.domains[0], table.counts.tolist(), strict=True)) == expected
    stays = data_dir / "mimic3_demo"
    one = ItemTable(
        *("dx", stays / "DIAGNOSES_ICD.csv", "hadm_id", "hadm_id", "icd9_code"),
        order="seq_num",
        longest=3,
    )
    with read(stays / "DIAGNOSES_ICD.csv") as rows, read(stays / "ADMISSIONS.csv") as source:
        listed = rows.table.to_pyarrow().to_pylist()
        found = with_item_sets(source, [one]).table.select("hadm_id", "dx").to_pyarrow()
        assert unmatched(source, one) == 0
    assert found.num_rows == 129
    for stay in found.to_pylist():
        own = [row for row in listed if row["hadm_id"] == stay["hadm_id"]]
        own.sort(key=lambda row: int(row["seq_num"]))
        pairs = (f"{at}:{row['icd9_code']}" for at, row in enumerate(own[:3], 1))
        assert stay["dx"] == text_of(pairs)
