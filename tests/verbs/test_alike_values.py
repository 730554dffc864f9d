"""Values that differ only in case, blanks, or invisible characters are no different values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.tables.alike_values import alike_values

ALIKE: Final = ["HIV", "hiv", "HIV ", "HIV\u200b"]
MODELS: Final[list[dict[str, Any]]] = [
    {"kind": "distinct-l-diversity", "l": 3},
    {"kind": "entropy-l-diversity", "l": 2},
    {"kind": "t-closeness", "t": 0.5},
    {"kind": "beta-likeness", "beta": 2.0},
]
REFUSED: Final = "4 values differ from another value only in case"


def _table(values: list[str]) -> pa.Table:
    own = [*values, "flu", "asthma"] * 20
    sexes = [sex for sex in "MF" for _ in own]
    people = [f"p{at}" for at in range(len(sexes))]
    return pa.table({"sex": sexes, "person": people, "dx": own * 2})


@pytest.mark.quick(4)
@pytest.mark.parametrize("model", MODELS, ids=lambda one: one["kind"])
@pytest.mark.parametrize("person", [None, "person"])
def test_a_model_of_a_column_with_alike_values_is_refused(
    model: dict[str, Any], person: str | None
) -> None:
    """Fault class: four spellings of one disease passed as four different values."""
    asked: dict[str, Any] = {"quasi": ["sex"], "sensitive": ["dx"], "k": 5, "person": person}
    privacy = [{**model, "column": "dx"}]
    with pytest.raises(SettingError, match=REFUSED):
        rs.anonymize(_table(ALIKE), **asked, privacy=privacy)
    rs.anonymize(_table(["HIV", "HIV-2", "", " "]), **asked, privacy=privacy)
    rs.anonymize(_table(ALIKE), **asked)


def test_a_policy_and_a_frontier_are_refused_too(tmp_path: Path) -> None:
    """Next month's table has another spelling."""
    model = [{"kind": "distinct-l-diversity", "column": "dx", "l": 3}]
    asked: dict[str, Any] = {"quasi": ["sex"], "sensitive": ["dx"]}
    rs.anonymize(_table(["HIV"]), **asked, k=5, privacy=model, out=tmp_path / "first")
    with pytest.raises(SettingError, match=REFUSED):
        rs.apply(tmp_path / "first" / "policy.json", _table(ALIKE))
    with pytest.raises(SettingError, match=REFUSED):
        rs.frontier(_table(ALIKE), **asked, privacy=model, threshold="models")


def test_a_scan_says_so() -> None:
    """The warning is next to the column."""
    table = _table(ALIKE).rename_columns(["sex", "person", "diagnosis"])
    warnings = {one.name: one.warning for one in rs.scan(table).columns}
    assert REFUSED in warnings["diagnosis"]


@pytest.mark.parametrize(
    ("values", "many"),
    [(["a", "A", "b"], 2), (["", " ", "\u200b"], 0), (["HIV 1", "HIV1"], 2), (["1", "1.0"], 0)],
)
def test_values_are_compared_without_case_and_blanks(values: list[str], many: int) -> None:
    """Blanks alone are missing values."""
    assert alike_values(values) == many
