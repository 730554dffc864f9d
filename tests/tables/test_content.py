"""The digest of a table's content: equal for equal rows, different for all others."""

from __future__ import annotations

import random
import sqlite3
import warnings
from datetime import date
from pathlib import Path

import ibis
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from roadstead.tables.content import _MOST_ARGUMENTS, content_digest
from roadstead.tables.reading import read

CELLS = st.one_of(st.none(), st.text(alphabet='a",\\\0é☃ -', max_size=3))
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6)


def digest(table: pa.Table) -> str:
    """Digest a table in DuckDB."""
    with read(table) as source:
        return content_digest(source.table)


def texts(rows: list[tuple[str | None, str | None]]) -> pa.Table:
    """Make a table of two columns of text."""
    columns = {
        name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate("xy")
    }
    return pa.table(columns)


@examples(8)
@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_tables_have_one_digest_just_when_they_have_the_same_rows(
    rows: list[tuple[str | None, str | None]],
    others: list[tuple[str | None, str | None]],
    chance: random.Random,
) -> None:
    """In any order; quotes and commas in a cell do not make two rows look the same."""
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert digest(texts(shuffled)) == digest(texts(rows))
    same = sorted(rows, key=repr) == sorted(others, key=repr)
    assert (digest(texts(others)) == digest(texts(rows))) == same


@examples(8)
@given(ROWS, st.data())
def test_any_change_of_one_cell_is_found(
    rows: list[tuple[str | None, str | None]], data: st.DataObject
) -> None:
    """Also from nothing to the empty text."""
    at, cell = data.draw(st.integers(0, len(rows) - 1)), data.draw(CELLS)
    assume(rows[at][0] != cell)
    changed = [*rows[:at], (cell, rows[at][1]), *rows[at + 1 :]]
    assert digest(texts(changed)) != digest(texts(rows))


def test_names_and_their_order_belong_to_the_content() -> None:
    """A renamed column is another table."""
    table = pa.table({"x": ["a"], "y": ["b"]})
    found = {
        digest(table),
        digest(table.rename_columns(["x", "z"])),
        digest(table.select(["y", "x"])),
        digest(table.select(["x"])),
    }
    assert len(found) == 4


def test_types_that_hold_the_same_values_have_the_same_digest() -> None:
    """Whole numbers as integers, as floating-point numbers or as texts; days as texts."""
    days = [date(2024, 2, 29), date(1900, 1, 1), None]
    numbers = [39, -1, None]
    typed = pa.table({"n": pa.array(numbers, pa.int64()), "d": pa.array(days, pa.date32())})
    floats = typed.set_column(0, "n", pa.array(numbers, pa.float64()))
    short = typed.set_column(0, "n", pa.array(numbers, pa.int8()))
    written = pa.table({"n": ["39", "-1", None], "d": ["2024-02-29", "1900-01-01", None]})
    assert digest(typed) == digest(floats) == digest(short) == digest(written)


@pytest.mark.quick(1)
@pytest.mark.parametrize("columns", [1, _MOST_ARGUMENTS, _MOST_ARGUMENTS + 1, 130])
def test_tables_of_any_width_have_a_digest(columns: int) -> None:
    """The texts of a row are put together a block at a time, and none is left out."""
    table = pa.table({f"c{at}": [str(at)] for at in range(columns)})
    for at in {0, columns // 2, columns - 1}:
        changed = table.set_column(at, f"c{at}", pa.array(["other"]))
        assert digest(changed) != digest(table)


def test_an_engine_without_such_functions_gives_its_rows_to_a_private_one(tmp_path: Path) -> None:
    """A release has nothing to hide, so its rows may come over."""
    rows = [("a", None), ("é", "x"), (None, "")]
    with sqlite3.connect(tmp_path / "x.sqlite") as made:
        made.execute("CREATE TABLE t (x TEXT, y TEXT)")
        made.executemany("INSERT INTO t VALUES (?, ?)", rows)
    made.close()
    backend = ibis.sqlite.connect(tmp_path / "x.sqlite")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, which Ibis reads SQLite with
        found = content_digest(backend.table("t"))
    assert found == digest(texts(rows))
    backend.disconnect()


def test_a_quote_in_a_cell_is_not_the_end_of_it() -> None:
    """Cells that are equal without doubled quotes. Fault class: a changed cell unseen."""
    assert digest(texts([('a","b', "c")])) != digest(texts([("a", 'b","c')]))
