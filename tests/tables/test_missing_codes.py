"""A code for a missing value belongs to a column; the output counts the values that it takes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from commands import run
from effort import examples
from hypothesis import given
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


def test_a_number_matches_its_other_notations(tmp_path: Path) -> None:
    """Fault class: pandas writes 9.0, so the code 9 had no effect, and counted as a value."""
    path = tmp_path / "t.csv"
    cells_of = ("9", "9.0", "9.", "+9.00", "09", "-9", "9.01", "90", "x9", '"9,0"', '"9,000"', "9a")
    path.write_text("\n".join(["a", *cells_of, ""]), encoding="utf-8")
    kept = [cell.strip('"') for cell in cells_of]
    for code in ("9", "9.0"):
        assert [one for (one,) in cells(path, [f"a={code}"])] == [
            *([None] * 5),
            *kept[5:9],
            None,
            *kept[10:],
        ]
        assert [one for (one,) in cells(path, [code])][4] == "09", "perhaps a code with zeros"
    with rs.read(path, missing=["a=9", "a=9.0", "9", "a=-9"]) as source:
        assert source.made_missing == {"a": {"-9": 1, "9": 6}}
    decimal = {"a": [Decimal("9.0"), Decimal("1.5"), None]}
    assert rs.read(decimal, missing=["a=9", "a=1.50"]).made_missing == {"a": {"1.50": 1, "9": 1}}


@examples(20)
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


def test_a_code_of_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """It would do nothing; a code with an equals sign in every column has a star."""
    path = tmp_path / "t.csv"
    path.write_text("sex,note\nm,a=b\nf,c\n", encoding="utf-8")
    assert [row[1] for row in cells(path, ["*=a=b"])] == [None, "c"]
    with pytest.raises(SettingError, match=r"column 'a'; correct the name, or write \*=a=b"):
        cells(path, ["a=b"])
    with pytest.raises(SettingError, match="the column 'sexx'; did you mean 'sex'"):
        cells(path, ["sexx=f"])
    said = run("risk", str(path), "--quasi", "sex", "--missing", "sexx=f")
    assert said.code == 2
    assert "the table does not have the column 'sexx'; did you mean 'sex'?" in said.err


@pytest.mark.parametrize(
    ("codes", "lost"),
    [
        ({"cigs": 99}, {"cigs": {"99": 2}}),
        ({"cigs": [99.0, "7"]}, {"cigs": {"7": 1, "99": 2}}),
        ({"cigs": "90..99"}, {"cigs": {"90..99": 2}}),
        ([99], {"cigs": {"99": 2}}),
    ],
)
def test_codes_in_python_are_numbers_and_columns(
    codes: Any,  # noqa: ANN401 - in every form
    lost: dict[str, dict[str, int]],
) -> None:
    """A mapping has codes by column."""
    table = {"cigs": [99, 99, 7, 5], "sex": ["f", "m", "f", "m"]}
    assert rs.read(table, missing=codes).made_missing == lost
    found = rs.anonymize(table, quasi=["sex"], identifiers=["cigs"], k=2, missing=codes)
    assert found.source.made_missing == lost


@pytest.mark.parametrize("codes", [999, "?", [None], [float("nan")], [True], [[1]], object()])
def test_other_objects_are_no_codes(codes: Any) -> None:  # noqa: ANN401 - anything
    """Each is refused in words."""
    with pytest.raises(SettingError, match=r"not a list|is not a code"):
        rs.read({"age": [1, 2]}, missing=codes)


def test_the_output_says_how_many_values_each_column_lost(tmp_path: Path) -> None:
    """For a code in every column; and that a code occurs nowhere."""
    path = str(table(tmp_path))
    said = run("risk", path, "--quasi", "sex", "--missing", "9").err
    assert "Values that you declared as missing: 1 in marital, 2 in cigs." in said
    assert (
        "No column has a value that --missing lists."
        in run(*("risk", path, "--quasi", "sex", "--missing", "??")).err
    )


def test_a_file_lists_codes_with_the_values_that_each_took(tmp_path: Path) -> None:
    """Fault class: only texts were codes; and the count of a column hides a wrong code."""
    path = table(tmp_path)
    (tmp_path / "codes.txt").write_text(
        'Column;Code;Meaning\nmarital;9;"asked; refused"\n\ncigs;900..999;\ncigs;-1\n*;x;\n'
    )
    codes = str(tmp_path / "codes.txt")
    columns = list(zip(*cells(path, [codes, "sex=f"]), strict=True))
    assert columns[0] == ("m", None, "m", None, "m")
    assert columns[1:] == [(None, "1", "2", "999", None), ("9", "4", "9", None, None)]
    said = run("risk", path, "--quasi", "sex", "--missing", codes).err
    assert "missing: 2 in marital (9: 1, x: 1), 2 in cigs (-1: 1, 900..999: 1)." in said


def test_a_project_file_names_the_file_from_its_own_folder(tmp_path: Path) -> None:
    """And a scan writes it so, regardless of the folder in which you work."""
    path = table(tmp_path)
    (tmp_path / "codes.csv").write_text("marital,9\n")
    project = tmp_path / "p.toml"
    assert run("scan", path, "--missing", tmp_path / "codes.csv", "--out", project).code == 0
    assert 'missing = ["codes.csv"]' in project.read_text()
    said = run("risk", "--project", project, "--quasi", "sex")
    assert "Values that you declared as missing: 1 in marital." in said.err


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("maritall,9", "line 1: the table does not have the column 'maritall'; did you mean"),
        ("marital", "line 1: the line has one cell; write one line per code"),
        ("marital,9\ncigs,9,refused, or not asked", "line 2: the line has 4 cells"),
        ("column,code\nmarital,", "line 2: the code is empty"),
        ("column,code\n", "the file does not contain codes"),
        ('marital,"9\ncigs,9', "the line cannot be read"),
        ("PAR1\0\0", "this is not a text file"),
        (None, "the file of missing codes cannot be read (No such file or directory)"),
    ],
)
def test_a_file_without_codes_is_refused(tmp_path: Path, content: str | None, wrong: str) -> None:
    """In one line; nothing is read as if no code were given."""
    path, codes = table(tmp_path), tmp_path / "codes.csv"
    if content is not None:
        codes.write_text(content)
    error = run("risk", path, "--quasi", "sex", "--missing", codes).error
    assert wrong in error
    assert error.count("\n") <= 1
