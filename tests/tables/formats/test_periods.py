"""Months, quarters, half-years, and weeks of Stata are dates, as the format of the column says."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import roadstead as rs
from roadstead.tables.formats.statistics.clocks import (
    SAS_CLOCK,
    SPSS_CLOCK,
    STATA_CLOCK,
    Clock,
)
from roadstead.tables.reading import read

pyreadstat = pytest.importorskip("pyreadstat")

FORMATS = {"m": "%tm", "q": "%tq", "h": "%-thCCYY_!Hh", "w": "%tw", "year": "%ty"}
FIRST = {
    "m": [-1, 0, 735],  # 1959m12, 1960m1, 2021m4
    "q": [-1, 0, 245],  # 1959q4, 1960q1, 2021q2
    "h": [-1, 0, 123],  # 1959h2, 1960h1, 2021h2
    "w": [-1, 0, 3223],  # week 52 of 1959, which starts on day 358; weeks 1 of 1960 and 52 of 2021
    "year": [1959, 1960, 2021],
}
DAYS = {
    "m": ["1959-12-01", "1960-01-01", "2021-04-01"],
    "q": ["1959-10-01", "1960-01-01", "2021-04-01"],
    "h": ["1959-07-01", "1960-01-01", "2021-07-01"],
    "w": ["1959-12-24", "1960-01-01", "2021-12-24"],
}


def written(path: Path, rows: int = 3) -> Path:
    """Write the periods, repeated, with a sex."""
    frame = pd.DataFrame({name: (own * rows)[:rows] for name, own in FIRST.items()})
    frame["sex"] = [at % 2 for at in range(rows)]
    pyreadstat.write_dta(frame, path, variable_format=FORMATS)
    return path


def test_a_period_is_its_first_day(tmp_path: Path) -> None:
    """Years of %ty are numbers, as in Stata."""
    table = read(written(tmp_path / "t.dta")).table.to_pyarrow()
    for name, days in DAYS.items():
        assert [one.isoformat() for one in table[name].to_pylist()] == days
    assert table["year"].to_pylist() == FIRST["year"]


def test_a_scan_sees_dates_and_a_release_has_the_same_periods(tmp_path: Path) -> None:
    """A column is released as it was stored, and can be generalized by the calendar."""
    source, out = written(tmp_path / "t.dta", 120), tmp_path / "out"
    roles = {one.name: one.role for one in rs.scan(source).columns}
    assert {name: roles[name] for name in DAYS} == dict.fromkeys(DAYS, "quasi")
    quarters = {"m": {"kind": "dates", "units": ["quarter"]}}
    rs.anonymize(source, quasi=["sex", "m"], release_anyway=["q", "h", "w"], k=5,
                 hierarchies=quarters, max_level={"m": 0}, out=out)  # fmt: skip
    assert rs.verify(out).passed
    frame, notes = pyreadstat.read_dta(out / "t.dta", disable_datetime_conversion=True)
    for name in ("q", "h", "w"):
        assert sorted(frame[name]) == sorted((FIRST[name] * 40)[:120]), name
        assert notes.original_variable_types[name] == FORMATS[name]
    assert {*notes.variable_value_labels["m"].values()} == {"1959-Q4", "1960-Q1", "2021-Q2"}


@pytest.mark.parametrize(
    ("clock", "shown"),
    [
        *((SPSS_CLOCK, one) for one in ("MOYR8", "QYR6", "WKYR8", "EDATE10")),
        *((SAS_CLOCK, one) for one in ("MONYY7.", "YYQ6.", "YYQC6.", "YYMMN6.", "MMYYS7.", "YEAR4.",
                                       "QTR1.", "MONNAME9.", "WEEKV9.", "WEEKDATE29.")),
        (STATA_CLOCK, "%tdDD/NN/CCYY"),
    ],
)  # fmt: skip
def test_other_formats_of_dates_are_dates(clock: Clock, shown: str) -> None:
    """Each of these formats shows a part of a stored date."""
    assert clock.kind(shown) == "date"
    assert SAS_CLOCK.kind("DTMONYY7.") == "datetime"
