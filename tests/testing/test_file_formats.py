"""Each format of ours keeps what every format keeps; a format that does not is found out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from program_files import LONG_NAME, SHORT, labeled, people, write

from roadstead.errors import SourceError
from roadstead.tables.formats.json_lines import JsonLines
from roadstead.testing.file_formats import CHECKS, FormatSample, cells_are_read, damage_is_one_line

FORMATS = {
    "people.sav": "spss",
    "people.zsav": "spss",
    "people.dta": "stata",
    "people.xpt": "sas-transport",
    "people.xlsx": "excel",
    "people.ods": "opendocument",
    "people.feather": "arrow",
    "people.jsonl": "json-lines",
    "people.rds": "r",
    "people.db": "sqlite",
}
DAYS_AS_TEXTS = ("people.jsonl", "people.rds", "people.db")
OTHERS = ("people.zip", "people.duckdb")
"""Files that are no format: what they hold is read as another kind of table."""


def sample(file: str, folder: Path) -> FormatSample:
    """Write people with the format's own library; pandas says what the cells are."""
    frame = people(40)
    write(frame, folder / file)
    shown = labeled(frame).astype(object)
    cells: dict[str, list[Any]] = {
        name: [None if one is None or one != one else one for one in shown[name]]  # noqa: PLR0124 - NaN
        for name in shown
    }
    if file in DAYS_AS_TEXTS:
        cells["visit"] = [str(day) for day in cells["visit"]]
    if file in SHORT:
        cells = {name[:32] if name == LONG_NAME else name: one for name, one in cells.items()}
    return FormatSample(FORMATS.get(file, "none"), folder / file, cells)


@pytest.mark.quick(4)
@pytest.mark.parametrize("file", FORMATS)
def test_our_format_keeps(file: str, tmp_path: Path) -> None:
    """All checks for one file, which is the slow part of them."""
    people_file = sample(file, tmp_path)
    for check in CHECKS:
        check(people_file)
    assert [*tmp_path.iterdir()] == [people_file.path]


@pytest.mark.parametrize("file", OTHERS)
def test_a_damaged_archive_or_database_is_refused_in_one_line(file: str, tmp_path: Path) -> None:
    damage_is_one_line(sample(file, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("file", [*FORMATS, *OTHERS])
def test_any_damage_is_refused_in_one_line(file: str, tmp_path: Path) -> None:
    damage_is_one_line(sample(file, tmp_path), times=200)


def test_a_format_that_breaks_its_promise_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The witness itself: a wrong cell, and an error with a cell."""
    wrong = sample("people.jsonl", tmp_path)
    cells = {**wrong.columns, "sex": [*wrong.columns["sex"][:-1], "another"]}
    with pytest.raises(
        AssertionError, match="the table must have the same cells as the file: column sex"
    ):
        cells_are_read(FormatSample(wrong.name, wrong.path, cells))

    def refuse(_: object, path: Path, __: object) -> None:
        raise SourceError(f"Grippe né is not expected\nin {path.name}")

    monkeypatch.setattr(JsonLines, "read", refuse)
    with pytest.raises(AssertionError, match="an error message must not repeat a cell"):
        damage_is_one_line(wrong)
