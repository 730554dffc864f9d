"""A code for a missing value belongs to a column; the output counts the values that it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run
from hypothesis import given, settings
from hypothesis import strategies as st

import roadstead as rs
from roadstead.errors import SettingError

ROWS = [("m", "9", "9"), ("f", "1", "4"), ("m", "2", "9"), ("f", "999", "950"), ("m", "x", "-1")]


def table(folder: Path) -> Path:
    """Return a table in which 9 is a code in one column and a number in the other."""
    lines = ["sex,marital,cigs", *(",".join(row) for row in ROWS)]
    path = folder / "t.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def cells(path: Path, missing: list[str]) -> list[tuple[str | None, ...]]:
    """Read the table with some codes."""
    with rs.read(path, missing=missing) as source:
        columns = source.table.to_pyarrow().to_pydict()
    return list(zip(*columns.values(), strict=True))


def test_a_code_of_one_column_leaves_the_others_alone(tmp_path: Path) -> None:
    """Fault class: 17 true values 9 of another column were erased in silence."""
    found = cells(table(tmp_path), ["marital=9"])
    assert found[0] == ("m", None, "9")
    assert found[2] == ("m", "2", "9")


@settings(max_examples=20)
@given(low=st.integers(-5, 1000), high=st.integers(-5, 1000))
def test_a_range_takes_the_numbers_in_it(
    tmp_path_factory: pytest.TempPathFactory, low: int, high: int
) -> None:
    """Both ends belong to it, and texts do not; an empty range is refused."""
    path = table(tmp_path_factory.mktemp("range"))
    if low > high:
        with pytest.raises(SettingError, match="is empty"):
            cells(path, [f"cigs={low}..{high}"])
        return
    for (_, marital, cigs), row in zip(cells(path, [f"cigs={low}..{high}"]), ROWS, strict=True):
        assert marital == row[1]
        assert cigs == (None if low <= int(row[2]) <= high else row[2])


def test_a_text_with_an_equals_sign_is_a_code_unless_it_names_a_column(tmp_path: Path) -> None:
    """In every column."""
    path = tmp_path / "t.csv"
    path.write_text("sex,note\nm,a=b\nf,c\n", encoding="utf-8")
    assert [row[1] for row in cells(path, ["a=b"])] == [None, "c"]


def test_the_output_says_how_many_values_each_column_lost(tmp_path: Path) -> None:
    """For a code in every column; and that a code occurs nowhere."""
    path = str(table(tmp_path))
    said = run("risk", path, "--quasi", "sex", "--missing", "9").err
    assert "Values that you declared as missing: 1 in marital, 2 in cigs." in said
    assert (
        "No column has a value that --missing lists."
        in run(*("risk", path, "--quasi", "sex", "--missing", "??")).err
    )
