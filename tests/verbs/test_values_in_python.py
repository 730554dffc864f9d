"""Declared domains in Python: each value stands for the cells that have this value."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.tables.reading import read
from roadstead.tables.text import as_text, text_of

DAYS = [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-06-30")]
VALUES: dict[str, tuple[pd.Series, list[Any]]] = {
    "bool": (pd.Series([True, False] * 20), [True, False]),
    "nullable": (pd.Series([True, False] * 20, dtype="boolean"), [True, False]),
    "numpy": (pd.Series([True, False] * 20), list(np.array([True, False]))),
    "whole": (pd.Series([1, 2] * 20), [1.0, 2.0]),
    "float": (pd.Series([1.0, 2.5] * 20), [1, 2.5]),
    "small": (
        pd.Series([0.1, 0.3] * 20, dtype="float32"),
        list(np.array([0.1, 0.3], dtype="float32")),
    ),
    "day": (pd.Series(DAYS * 20), DAYS),
    "numpy day": (pd.Series(DAYS * 20), list(pd.Series(DAYS).to_numpy())),
    "date": (pd.Series(DAYS * 20), [one.date() for one in DAYS]),
    "missing": (pd.Series(["a", None] * 20), ["a", None]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_a_column_are_in_their_own_domain(kind: str) -> None:
    """No record is left out if the domain has the values of the column."""
    cells, values = VALUES[kind]
    found = rs.synthesize(
        pd.DataFrame({"a": cells}), epsilon=1, purpose="everything", values={"a": values}
    )
    assert found.private.left_out == 0


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, 3, -2, 2.0, 2.5, 1e-7, 1e300, "x", None),
        *(date(2020, 2, 29), pd.Timestamp("2020-02-29"), pd.Timestamp("2020-02-29 13:05:00.25")),
    ],
)
def test_a_value_has_the_text_of_its_cell(value: object) -> None:
    """The engine and Python write it alike."""
    cells = read(pd.DataFrame({"a": pd.Series([value])})).table
    (text,) = cells.select(a=as_text(cells["a"])).to_pyarrow()["a"].to_pylist()
    assert text_of(value) == text


def test_a_result_without_records_says_so() -> None:
    """A domain that fits no cell would otherwise look like a release."""
    table = pd.DataFrame({"a": ["F", "M"] * 20, "b": ["x", "y"] * 20})
    asked: dict[str, Any] = {"epsilon": 1, "purpose": "everything"}
    found = rs.synthesize(table, **asked, values={"a": ["female", "male"]})
    assert "40 records of 40 were left out" in str(found)
    assert "almost no value of a is in its declared domain" in str(found)
    assert "left out" not in str(rs.synthesize(table, **asked, values={"a": ["F", "M"]}))


@pytest.mark.parametrize("values", [[1], {"a": "F,M"}, {"a": 5}, {5: ["F", "M"]}, "a=F,M"])
def test_values_that_are_no_lists_are_refused_in_terms_of_python(values: Any) -> None:  # noqa: ANN401 - anything
    """The message shows a dictionary, and not an option of the command."""
    table = pd.DataFrame({"a": ["F", "M"] * 20})
    with pytest.raises(SettingError, match=r"values=\{\"\w+\": \[|not text"):
        rs.synthesize(table, epsilon=1, purpose="everything", values=values)
