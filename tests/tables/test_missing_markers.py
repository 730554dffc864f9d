"""Texts for missing values are missing if a user says so, in every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from small_tables import write_csv

from roadstead.errors import SettingError
from roadstead.tables.frequency import summarize
from roadstead.tables.profile import profile
from roadstead.tables.reading import read, read_privately

CELLS = {"race": ["?", "white", " ? ", "black"], "code": [" -9", "1", "2", "2"]}


@pytest.mark.parametrize("kind", ["csv", "pandas", "polars", "arrow", "mapping"])
def test_a_text_that_is_named_is_missing(kind: str, tmp_path: Path) -> None:
    """Blanks around it do not count. Fault class: "?" is a value."""
    made: dict[str, Any] = {
        "csv": write_csv(tmp_path / "t.csv", tuple(CELLS), list(zip(*CELLS.values(), strict=True))),
        "pandas": pd.DataFrame(CELLS),
        "polars": pl.DataFrame(CELLS),
        "arrow": pa.table(CELLS),
        "mapping": CELLS,
    }
    with read(made[kind], missing=["?", "-9"]) as source:
        assert summarize(source, ["race", "code"]).domains == (
            ("", "black", "white"),
            ("", "1", "2"),
        )
        assert [column.missing for column in profile(source)] == [2, 1]
    with read_privately(made[kind], missing=["?"]) as source:
        assert profile(source)[0].missing == 2


def test_numbers_can_stand_for_missing_too() -> None:
    """In a column of numbers, which stays one; lists are left alone."""
    table = pa.table({"n": [1, -9, 3], "x": [1.5, -9.0, None], "l": [["-9"], [], None]})
    with read(table, missing=["-9"]) as source:
        assert [str(kind) for kind in source.table.schema().types[:2]] == ["int64", "float64"]
        assert source.table.n.to_pyarrow().to_pylist() == [1, None, 3]
        assert source.table.l.to_pyarrow().to_pylist() == [["-9"], [], None]
        assert [column.missing for column in profile(source, ["n", "x"])] == [1, 2]


def test_nothing_is_missing_unless_it_is_named() -> None:
    """An empty text is not a name either; one text is not a list of texts."""
    for missing in ((), ("",)):
        with read(CELLS, missing=missing) as source:
            assert profile(source)[0].missing == 0
    with pytest.raises(SettingError, match="a single string, not a list"):
        read(CELLS, missing="?")
