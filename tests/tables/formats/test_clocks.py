"""Display formats show which numbers are dates, also of formats that are rarely used."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from commands import run
from pandas.io.sas.sas_constants import sas_date_formats, sas_datetime_formats

from roadstead.tables.formats.statistics.clocks import SAS_CLOCK
from roadstead.tables.reading import read

PERIODS = {"week": "tw", "month": "tm", "quarter": "tq", "half": "th"}
WIDTHS = ("", "9", "9.", "20.3")


@pytest.mark.parametrize("width", WIDTHS)
def test_all_sas_formats_of_dates_that_pandas_knows_are_dates(width: str) -> None:
    """Fault class: a date with the format YEAR4. or MMYY7. was a number that no check found."""
    kinds = {name: SAS_CLOCK.kind(f"{name}{width}") for name in sas_date_formats}
    assert {name for name, kind in kinds.items() if kind != "date"} == set()
    kinds = {name: SAS_CLOCK.kind(f"{name}{width}") for name in sas_datetime_formats}
    assert {name for name, kind in kinds.items() if kind != "datetime"} == {"TOD"}
    assert SAS_CLOCK.kind(f"TOD{width}") == "time"


@pytest.mark.parametrize("name", ["TIMEPT", "TODAYF", "YEARGRP", "DAYTYPE", "MONTHS", "DATEQUAL"])
def test_a_users_format_with_a_similar_name_is_not_of_dates(name: str) -> None:
    """Fault class: a time point (1, 2, 3) with a user's format was read as 00:00:01."""
    assert SAS_CLOCK.kind(name) is None
    assert SAS_CLOCK.kind(f"{name}.") is None


def test_weeks_and_months_of_stata_are_dates(tmp_path: Path) -> None:
    """Fault class: a month in Stata was a number such as 720, and no check for dates found it."""
    days = pd.date_range("1958-01-01", "2031-12-31", freq="61D")
    frame = pd.DataFrame(dict.fromkeys(PERIODS, days) | {"sex": [1, 2] * (len(days) // 2)})
    frame.loc[3, "month"] = None
    source, out = tmp_path / "v.dta", tmp_path / "out"
    frame.to_stata(source, convert_dates=dict(PERIODS), write_index=False)
    expected = pd.read_stata(source)[[*PERIODS]]
    with read(source) as found:
        table = found.table.to_pyarrow().to_pandas()
    for name in PERIODS:
        assert pd.to_datetime(table[name]).tolist() == expected[name].tolist(), name
    ran = run(
        *("anonymize", source, "--quasi", "sex", "--release-anyway", ",".join(PERIODS)),
        *("--out", out),
    )
    assert ran.code == 0, ran.error
    _, notes = pyreadstat.read_dta(str(out / "v.dta"), metadataonly=True)
    released = pd.read_stata(out / "v.dta")
    for name, shown in PERIODS.items():
        assert notes.original_variable_types[name] == f"%{shown}"
        assert sorted(released[name].dropna()) == sorted(expected[name].dropna()), name
    assert run("verify", out).code == 0
