"""Convert times of statistics packages. SPSS counts from 1582; Stata and SAS count from 1960."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from roadstead.tables.formats.codebook import clock_micros, clock_text

if TYPE_CHECKING:
    import pyarrow as pa

TimeKind = Literal["date", "datetime", "time", "months", "quarters", "halves", "weeks"]
PERIODS = {"weeks": 52, "months": 12, "quarters": 4, "halves": 2}
"""The kinds of periods that Stata counts from 1960, with the number of periods in a year."""
_MOST_YEARS = 7_000
"""The largest number of years after 1960 of a period. Larger numbers represent missing values."""
_MICROSECONDS = 1_000_000
_DAY = 86_400 * _MICROSECONDS
_LONGEST = 2.0**53
_WEEK = 7


@dataclass(frozen=True)
class Clock:
    """How a program stores dates and times as numbers.

    `origin` is the number of days from the program's first day to 1970-01-01. `date_unit` is the
    number of microseconds in one unit of a date, and `time_unit` is the number of microseconds in
    one unit of a time. `dates`, `datetimes`, and `times` are patterns of the program's display
    formats. `usual` contains the usual display formats for a date and for a date with a time.
    `periods` maps the beginnings of display formats to the kinds of periods that are stored as
    numbers.
    """

    origin: int
    date_unit: int
    time_unit: int
    dates: re.Pattern[str]
    datetimes: re.Pattern[str]
    times: re.Pattern[str]
    usual: tuple[str, str]
    periods: Mapping[str, TimeKind] = field(default_factory=dict)

    def kind(self, shown: str | None) -> TimeKind | None:
        """Return the kind of time that a display format shows, or None for other formats."""
        text = (shown or "").upper().replace("%-", "%")
        if text[:3] in self.periods:
            return self.periods[text[:3]]
        if self.datetimes.match(text):
            return "datetime"
        if self.dates.match(text):
            return "date"
        return "time" if self.times.match(text) else None

    def read(self, kind: TimeKind, numbers: NDArray[np.float64]) -> pa.Array:
        """Convert stored numbers to dates, dates with times, or strings such as ``26:30:00``.

        A period, such as a month, becomes its first day.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if kind in PERIODS:
            return _first_days(numbers, PERIODS[kind])
        unit = self.date_unit if kind == "date" else self.time_unit
        present = np.isfinite(numbers) & (np.abs(numbers) < _LONGEST)
        exact = np.where(present, numbers, 0) * unit
        present &= np.abs(exact) < 2.0**62
        micros = np.round(np.where(present, exact, 0)).astype(np.int64)
        missing = ~present
        if kind == "time":
            texts = [
                None if gone else clock_text(int(one))
                for one, gone in zip(micros, missing, strict=True)
            ]
            return pa.array(texts, pa.string())
        micros -= self.origin * _DAY
        if kind == "date":
            days = np.floor_divide(micros, _DAY).astype(np.int32)
            return pa.array(days, pa.int32(), mask=missing).cast(pa.date32())
        return pa.array(micros, pa.timestamp("us"), mask=missing)

    def stored(self, column: pa.ChunkedArray) -> NDArray[np.float64]:
        """Convert dates, with or without times, to the numbers that the program stores."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if pa.types.is_date(column.type):
            days = column.cast(pa.date32()).cast(pa.int32()).cast(pa.float64())
            numbers = days.to_numpy() + self.origin
            return np.asarray(numbers * (_DAY / self.date_unit), dtype=np.float64)
        micros = column.cast(pa.timestamp("us")).cast(pa.int64())
        missing = np.asarray(micros.is_null())
        whole = micros.fill_null(0).to_numpy().astype(np.int64) + self.origin * _DAY
        found: NDArray[np.float64] = whole.astype(np.float64) / self.time_unit
        found[missing] = np.nan
        return found

    def stored_periods(self, column: pa.ChunkedArray, kind: str) -> NDArray[np.float64] | None:
        """Convert the first days of periods to numbers. Return None if any other day occurs."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if kind not in PERIODS or not pa.types.is_date(column.type):
            return None
        days = column.cast(pa.date32()).to_numpy().astype("datetime64[D]")
        years = days.astype("datetime64[Y]")
        per_year = PERIODS[kind]
        if kind == "weeks":
            part = np.minimum((days - years).astype(np.float64) // _WEEK, per_year - 1)
        else:
            part = (days.astype("datetime64[M]") - years).astype(np.float64) // (12 // per_year)
        found = (years - np.datetime64("1960")).astype(np.float64) * per_year + part
        found[np.isnat(days)] = np.nan
        first = _first_days(found, per_year).to_numpy(zero_copy_only=False)
        same = np.isnat(days) | (first.astype("datetime64[D]") == days)
        return found if same.all() else None

    def stored_clock(self, texts: list[str | None]) -> NDArray[np.float64] | None:
        """Convert times such as ``26:30:00`` to numbers. Return None if a string is not a time."""
        found = np.full(len(texts), np.nan)
        for at, text in enumerate(texts):
            if text is None:
                continue
            micros = clock_micros(text)
            if micros is None:
                return None
            found[at] = micros / self.time_unit
        return found


def _first_days(numbers: NDArray[np.float64], per_year: int) -> pa.Array:
    """Return the first day of each period since 1960. In Stata, week 52 ends with the year."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    present = np.isfinite(numbers) & (np.abs(numbers) < per_year * _MOST_YEARS)
    present &= numbers >= -per_year * (1960 - 1)
    whole = np.floor(np.where(present, numbers, 0)).astype(np.int64)
    years, part = np.divmod(whole, per_year)
    first = np.datetime64("1960", "Y") + years
    if per_year == PERIODS["weeks"]:
        days = first.astype("datetime64[D]") + _WEEK * part
    else:
        months = first.astype("datetime64[M]") + part * (12 // per_year)
        days = months.astype("datetime64[D]")
    return pa.array(days.astype(np.int32), pa.int32(), mask=~present).cast(pa.date32())


_NOTHING = re.compile(r"(?!)")
SPSS_CLOCK = Clock(
    origin=141_428,
    date_unit=_MICROSECONDS,
    time_unit=_MICROSECONDS,
    dates=re.compile(r"[AEJS]?DATE\d*|QYR|MOYR|WKYR"),
    datetimes=re.compile(r"DATETIME|YMDHMS"),
    times=re.compile(r"D?TIME|MTIME"),
    usual=("DATE11", "DATETIME20"),
)
STATA_CLOCK = Clock(
    origin=3_653,
    date_unit=_DAY,
    time_unit=1_000,
    dates=re.compile(r"%-?T?D"),
    datetimes=re.compile(r"%-?TC"),
    times=_NOTHING,
    usual=("%td", "%tc"),
    periods={"%TM": "months", "%TQ": "quarters", "%TH": "halves", "%TW": "weeks"},
)


def _sas_formats(*names: str) -> re.Pattern[str]:
    """Return a pattern that matches SAS formats, but not longer names of a user's formats."""
    return re.compile(rf"(?:{'|'.join(names)})\d*(?:\.\d*)?$")


SAS_CLOCK = Clock(
    origin=3_653,
    date_unit=_DAY,
    time_unit=_MICROSECONDS,
    dates=_sas_formats(
        *("DATE", "DAY", "DOWNAME", "JULDAY", "JULIAN", "MONNAME", "MONTH", "MONYY", "YEAR"),
        *("YYMON", "PDJUL[GI]", "WEEKDAY", "WEEKDAT[EX]", "WORDDAT[EX]", "(?:YYWEEK|WEEK)[UVW]"),
        *("(?:DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?", "(?:MMYY|YYMM|YYQR?)[CDNPS]?", "YYQZ", "QTRR?"),
        *("[BE]8601DA", "IS8601DA", "NLDATE[A-Z]*", "EURDF(?:D[DEN]|DWN|M[NY]|W[DK]X)"),
        *("MINGUO", "NENGO", "HEBDATE", "HDATE"),
    ),
    datetimes=_sas_formats(
        *("DATETIME", "DATEAMPM", "MDYAMPM", "DT(?:DATE|MONYY|WKDATX|YEAR|YYQC)", "EURDFDT"),
        *("[BE]8601D[NTXZ]", "[BE]8601LX", "IS8601DT", "NLDATM[A-Z]*"),
    ),
    times=_sas_formats(
        *("TIME", "TIMEAMPM", "TOD", "HHMM", "HOUR", "MMSS", "NLTIM(?:E|AP|MAP)"),
        *("[BE]8601T[MXZ]", "[BE]8601LZ", "IS8601TM"),
    ),
    usual=("DATE9.", "DATETIME20."),
)
