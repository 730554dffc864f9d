"""Columns of Python objects: one kind of value, or a refusal."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from roadstead.errors import SourceError
from roadstead.tables.arrow_tables import check_kinds
from roadstead.tables.reading import read, read_privately
from roadstead.tables.text import as_text

DAY, TIME = dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 3)  # noqa: DTZ001 - of no zone
ZONED = TIME.replace(tzinfo=dt.UTC)

MIXED: dict[str, list[Any]] = {
    "texts and numbers": ["a", 1],
    "texts and bytes": ["\N{LATIN SMALL LETTER U WITH DIAERESIS}", b"b"],
    "numbers and truth values": [1, True],
    "dates and times": [DAY, TIME],
    "times with and without a zone": [TIME, ZONED],
    "decimals": [Decimal(1), Decimal("2.55")],
    "decimals and numbers": [1, Decimal("2.55")],
    "lists and texts": [["a"], "a"],
    "lists of texts and bytes": [["a"], ["b", b"c"]],
    "lists of decimals": [[Decimal(1)], [Decimal("2.55")]],
}
ALIKE: dict[str, list[Any]] = {
    "texts": ["a", None, "b"],
    "whole numbers": [1, None, np.int64(2)],
    "numbers": [1, 2.5, float("nan")],
    "truth values": [True, None, False],
    "dates": [DAY, None],
    "times": [TIME, None, pd.Timestamp(TIME), pd.NaT],
    "lists": [["a", None], [], None, ["b"]],
    "lists of numbers": [[1], [2.5]],
    "nothing": [None, None],
    "no value": [],
}


@pytest.mark.parametrize("values", MIXED.values(), ids=MIXED)
def test_a_column_of_several_kinds_is_refused_by_its_name(values: list[Any]) -> None:
    """In a mapping and in a data frame."""
    for data in (
        {"a": ["x"] * 2, "b": values},
        pd.DataFrame({"b": pd.Series(values, dtype=object)}),
    ):
        with pytest.raises(SourceError, match=r"mixes values|Decimal objects") as caught:
            check_kinds(data)
        assert caught.value.where == "column 'b'"


@pytest.mark.parametrize("values", ALIKE.values(), ids=ALIKE)
def test_a_column_of_one_kind_is_read(values: list[Any]) -> None:
    """Missing values are of any kind."""
    check_kinds({"b": values})
    with read_privately(pd.DataFrame({"b": pd.Series(values, dtype=object)})) as source:
        assert source.table.count().to_pyarrow().as_py() == len(values)


def test_a_missing_text_may_be_a_float_that_is_no_number() -> None:
    """As in pandas; a number among texts is refused."""
    check_kinds(pd.DataFrame({"b": pd.Series(["a", float("nan"), pd.NA], dtype=object)}))
    with pytest.raises(SourceError):
        check_kinds(pd.DataFrame({"b": pd.Series(["a", float("nan"), 1.5], dtype=object)}))


def test_categories_are_values_too() -> None:
    """All categories determine their type."""
    check_kinds(pd.DataFrame({"b": pd.Categorical(["a", "b", None])}))
    with pytest.raises(SourceError):
        check_kinds(pd.DataFrame({"b": pd.Categorical([Decimal(1), Decimal("2.55")])}))


def test_tables_with_types_of_their_own_are_left_alone() -> None:
    """Their schema says how a value reads, not their values."""
    decimals = pa.table({"a": pa.array([Decimal("1.00")], pa.decimal128(5, 2))})
    for data in (decimals, pl.from_arrow(decimals), pd.DataFrame({"a": [1.5]}), "t.csv", None):
        check_kinds(data)
    check_kinds({"a": decimals["a"], "b": np.array([1.5])})


def test_one_decimal_would_change_how_another_reads() -> None:
    """Which is why they are refused where it matters, and only there."""
    with read({"a": [Decimal(1)]}) as alone, read({"a": [Decimal(1), Decimal("2.55")]}) as both:
        first, second = (
            one.table.select(text=as_text(one.table["a"])).to_pyarrow()["text"].to_pylist()
            for one in (alone, both)
        )
    assert first == ["1"]
    assert sorted(second) == ["1.00", "2.55"]
