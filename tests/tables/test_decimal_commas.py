"""Decimal commas and thousands separators, against Python's own formatting of numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import roadstead
from roadstead.reports.noticed.table import noticed_in_table
from roadstead.tables.reading import read

CENTS = st.lists(st.integers(0, 5_000_000), min_size=3, max_size=20)
GROUPS = ["", ".", "'", " ", "\u00a0", "\u202f"]


def written(cents: int, group: str, sign: str) -> str:
    """A number as a spreadsheet writes it: Python groups the digits, and other signs follow."""
    return f"{cents / 100:,.2f}".translate({ord(","): group, ord("."): sign})


def column(path: Path, texts: list[str], **said: str) -> list[str | None]:
    path.write_text("\n".join(["id;income", *(f"x;{one}" for one in texts), ""]), encoding="utf-8")
    with read(path, delimiter=";", header=True, **said) as source:
        return [row["income"] for row in source.table.to_pyarrow().to_pylist()]


@pytest.mark.quick(1)
@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=CENTS)
def test_numbers_with_a_comma_are_read_as_python_wrote_them(
    tmp_path: Path, group: str, numbers: list[int]
) -> None:
    """Words without digits do not matter."""
    texts = [*(written(number, group, ",") for number in numbers), "unknown"]
    found = column(tmp_path / "a.csv", texts)
    assert [float(one or "") for one in found[:-1]] == [number / 100 for number in numbers]
    assert found[-1] == "unknown"


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=CENTS, group=st.sampled_from([",", "'", " "]))
def test_groups_before_a_point_are_read(tmp_path: Path, numbers: list[int], group: str) -> None:
    """If any number has a group."""
    numbers = [*numbers, 123_456]
    found = column(tmp_path / "a.csv", [written(number, group, ".") for number in numbers])
    assert [float(one or "") for one in found] == [number / 100 for number in numbers]


@pytest.mark.parametrize(
    "texts",
    [
        ["1,117", "238,640"],  # 1.117 or 1117
        ["1.117", "238.640"],
        ["1117,89", "12.5"],  # two decimal signs
        ["01,5", "1117,89"],  # a code
        ["1,2,3", "4,5"],  # lists
        ["12,5", "A7"],
    ],
)
def test_what_can_be_read_in_two_ways_is_left_alone(tmp_path: Path, texts: list[str]) -> None:
    """Only a number with one reading decides for a column."""
    assert column(tmp_path / "a.csv", texts) == texts


def test_a_user_decides_what_can_be_read_in_two_ways(tmp_path: Path) -> None:
    """A comma is decimal, or separates groups."""
    path = tmp_path / "a.csv"
    assert column(path, ["1,117", "5"], decimal="comma") == ["1.117", "5"]
    assert column(path, ["1,117", "5"], decimal="point") == ["1117", "5"]
    assert column(path, ["1117,89", "5"], decimal="point") == ["1117,89", "5"]


@pytest.mark.parametrize(
    ("texts", "other", "read_as", "said"),
    [
        (["1.100", "900", "12.345"], "x", ["1.100", "900", "12.345"], "reads it as 1.1. Use"),
        (["1,100", "900"], "x", ["1,100", "900"], "reads it as text. Use"),
        (["1.100", "900"], "2,5", ["1100", "900"], "as 1100, as a decimal comma in other columns"),
        (["1,100", "900"], "2,5", ["1.100", "900"], "as 1.1, as a decimal comma in other columns"),
        (["1,100", "900"], "1,117.5", ["1100", "900"], "as 1100, as a decimal point in other"),
        (["1.100", "900"], "1,117.5", ["1.100", "900"], ""),
        (["1.100", "0.900"], "x", ["1.100", "0.900"], ""),
        (["1.100", "2.300.000"], "x", ["1100", "2300000"], ""),
        (["1.100", "21.5"], "x", ["1.100", "21.5"], ""),
    ],
)
def test_the_output_asks_how_to_read_what_can_be_read_in_two_ways(
    tmp_path: Path, texts: list[str], other: str, read_as: list[str], said: str
) -> None:
    """Other columns can decide. Fault class: 1.100 was 1.1 in a file of decimal commas."""
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id;income", *(f"{other};{one}" for one in texts), ""]))
    with read(path, delimiter=";") as source:
        assert source.table.income.to_pyarrow().to_pylist() == read_as
        asked = [line for line in noticed_in_table(source) if "can mean 1100 or 1.1" in line]
        assert [said in line for line in asked] == ([True] if said else [])
    for decimal in ("comma", "point"):
        with read(path, delimiter=";", decimal=decimal) as source:
            assert not any("can mean" in line for line in noticed_in_table(source))


def test_a_release_keeps_the_comma(tmp_path: Path) -> None:
    """Unchanged numbers are the same texts, rounded numbers and bands are of the same column."""
    path = tmp_path / "a.csv"
    rows = [f"{'FM'[n % 2]};{n % 40 + 20};{n % 9},{n % 10}5;{n},50" for n in range(400)]
    path.write_text("\n".join(["sex;age;weight;income", *rows, ""]), encoding="utf-8")
    made = roadstead.anonymize(
        path,
        quasi=["sex", "age", "weight"],
        unchanged=["income"],
        k=2,
        max_level={"age": 4, "sex": 0},
    )
    made.write(tmp_path / "out")
    released = (tmp_path / "out" / "a.csv").read_text("utf-8").splitlines()[1:]
    incomes = sorted(line.split(";")[3] for line in released)
    assert set(incomes) <= {row.split(";")[3] for row in rows}
    assert roadstead.verify(tmp_path / "out").passed
    with read(path) as source:
        assert noticed_in_table(source)[0].startswith(
            "Numbers with a decimal comma: weight and income."
        )


def test_a_value_far_down_keeps_a_column_a_column_of_texts(tmp_path: Path) -> None:
    """The first rows suggest a style; all rows decide. Fault class: a sample taken for a table."""
    texts = [*(f"{at},5" for at in range(2_500)), "1,2,3"]
    assert column(tmp_path / "a.csv", texts) == texts
