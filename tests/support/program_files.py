"""One table of people as the files of other programs, written by these programs' libraries.

Pandas, pyreadstat, and others write the files, and Roadstead's own writers do not.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyreadr
import pyreadstat
import xlsxwriter

LONG_NAME = "a_column_name_of_exactly_forty_characters"[:40]
LABELS: Mapping[str, Mapping[Any, str]] = {
    "sex": {1: "male", 2: "female"},
    "region": {1: "North", 2: "South", 3: "Été", 9: "refused"},
}
PACKAGES = ("people.sav", "people.zsav", "people.dta", "people.xpt")
FILES = (
    *PACKAGES,
    *("people.xlsx", "people.ods", "people.feather", "people.jsonl", "people.rds", "people.zip"),
    *("people.db", "people.duckdb"),
)
SHORT = ("people.dta", "people.xpt")
"""Files of formats in which a column name has at most 32 characters."""


def people(records: int = 240, *, seed: int = 1) -> pd.DataFrame:
    """Return made-up people with codes, dates, texts, and missing values."""
    random = np.random.default_rng(seed)
    days = random.integers(0, 40, records)
    frame = pd.DataFrame(
        {
            "sex": random.integers(1, 3, records).astype(float),
            "age": random.integers(20, 60, records).astype(float),
            "region": random.choice([1.0, 2, 3, 9], records),
            "visit": [dt.date(2024, 2, 20) + dt.timedelta(days=int(day)) for day in days],
            "dose": random.normal(5, 2, records) * 10.0 ** random.integers(-3, 25, records),
            "diagnosis": random.choice(["flu", "Grippe né", "=1+1", "007", ""], records),
            LONG_NAME: random.choice(["x", "y" * 300], records),
            "nothing": np.full(records, np.nan),
        }
    )
    frame.loc[::19, "dose"] = np.nan
    return frame


def labeled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with labels instead of codes, for formats without codes."""
    shown = frame.assign(**{name: frame[name].map(labels) for name, labels in LABELS.items()})
    return shown.assign(
        age=frame["age"].astype(int), diagnosis=frame["diagnosis"].replace("", None)
    )


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write the table in the format of the path's ending."""
    _WRITERS[path.suffix](frame, path)


def _sav(frame: pd.DataFrame, path: Path) -> None:
    pyreadstat.write_sav(
        frame,
        str(path),
        compress=path.suffix == ".zsav",
        variable_value_labels={name: dict(labels) for name, labels in LABELS.items()},
        missing_ranges={"region": [9]},
        column_labels={"sex": "Sex at birth"},
        variable_measure={"age": "scale", "sex": "nominal"},
        variable_format={"visit": "DATE11"},
    )


def _dta(frame: pd.DataFrame, path: Path) -> None:
    whole = (
        frame.rename(columns={LONG_NAME: LONG_NAME[:32]})
        .astype({"sex": int, "age": int, "region": int})
        .assign(region=lambda table: table["region"].astype(object).replace(9, "a"))
    )
    labels: dict[str, dict[Any, str]] = {name: dict(one) for name, one in LABELS.items()}
    labels["region"] = {"a" if code == 9 else code: one for code, one in labels["region"].items()}
    pyreadstat.write_dta(
        whole, str(path), variable_value_labels=labels, missing_user_values={"region": ["a"]}
    )


def _xpt(frame: pd.DataFrame, path: Path) -> None:
    shown = labeled(frame).rename(columns={LONG_NAME: LONG_NAME[:32]})
    texts = shown.select_dtypes(exclude="number").columns.difference(["visit"])
    pyreadstat.write_xport(shown.fillna(dict.fromkeys(texts, "")), str(path))


class AllDigits(float):
    """A number as Excel itself writes it, with up to 17 digits; libraries write 16."""

    def __format__(self, _: str) -> str:
        return f"{float(self):.17g}"


def _xlsx(frame: pd.DataFrame, path: Path) -> None:
    """Write texts as texts, also with an equals sign, and numbers with all digits."""
    shown = labeled(frame)
    options = {"strings_to_formulas": False, "default_date_format": "yyyy-mm-dd"}
    with xlsxwriter.Workbook(str(path), options) as book:
        sheet = book.add_worksheet("People")
        sheet.write_row(0, 0, list(shown.columns))
        for at, name in enumerate(shown.columns):
            for row, value in enumerate(shown[name].tolist(), 1):
                if value is not None and value == value:  # noqa: PLR0124 - not NaN
                    sheet.write(row, at, AllDigits(value) if isinstance(value, float) else value)


def _zip(frame: pd.DataFrame, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", labeled(frame).to_csv(index=False))


def _sqlite(frame: pd.DataFrame, path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as con, con:
        labeled(frame).astype({"visit": str}).to_sql("people", con, index=False)


def _duckdb(frame: pd.DataFrame, path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.register("shown", labeled(frame))
        con.execute("CREATE TABLE people AS SELECT * FROM shown")


def _jsonl(frame: pd.DataFrame, path: Path) -> None:
    """Write numbers with all digits, which pandas rounds."""
    shown = labeled(frame).astype(object)
    records = shown.where(shown.notna(), None).to_dict("records")
    lines = (json.dumps(one, default=str, ensure_ascii=False) for one in records)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


_WRITERS: Mapping[str, Callable[[pd.DataFrame, Path], None]] = {
    ".sav": _sav,
    ".zsav": _sav,
    ".dta": _dta,
    ".xpt": _xpt,
    ".zip": _zip,
    ".db": _sqlite,
    ".duckdb": _duckdb,
    ".xlsx": _xlsx,
    ".ods": lambda frame, path: labeled(frame).to_excel(path, index=False, engine="odf"),
    ".feather": lambda frame, path: labeled(frame).to_feather(path),
    ".jsonl": _jsonl,
    ".rds": lambda frame, path: pyreadr.write_rds(
        str(path), labeled(frame).assign(age=frame["age"])
    ),
    ".csv": lambda frame, path: labeled(frame).to_csv(path, index=False),
}


def read_by_others(path: Path) -> pd.DataFrame:
    """Read a file as its own program's library does; labels in place of codes."""
    return _READERS[path.suffix](path)


def _read_package(reader: Callable[..., Any], **settings: bool) -> Callable[[Path], pd.DataFrame]:
    def read(path: Path) -> pd.DataFrame:
        frame, notes = reader(str(path), **settings)
        for name, labels in notes.variable_value_labels.items():
            frame[name] = frame[name].map(labels)
        return frame

    return read


def _read_sqlite(path: Path) -> pd.DataFrame:
    with contextlib.closing(sqlite3.connect(path)) as con:
        return pd.read_sql("SELECT * FROM people", con)


def _read_duckdb(path: Path) -> pd.DataFrame:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.sql("FROM people").df()


_TEXTS: Mapping[str, Any] = {"keep_default_na": False, "na_values": [""]}
_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".sav": _read_package(pyreadstat.read_sav, user_missing=True),
    ".zsav": _read_package(pyreadstat.read_sav, user_missing=True),
    ".dta": _read_package(pyreadstat.read_dta, user_missing=True),
    ".xpt": _read_package(pyreadstat.read_xport),
    ".xlsx": lambda path: pd.read_excel(path, engine="openpyxl", **_TEXTS),
    ".ods": lambda path: pd.read_excel(path, engine="odf", **_TEXTS),
    ".feather": pd.read_feather,
    ".parquet": pd.read_parquet,
    ".db": _read_sqlite,
    ".duckdb": _read_duckdb,
    ".zip": lambda path: pd.read_csv(path, **_TEXTS),
    ".jsonl": lambda path: pd.read_json(path, lines=True, dtype=False, precise_float=True),
    ".rds": lambda path: next(iter(pyreadr.read_r(str(path)).values())).reset_index(drop=True),
    ".csv": lambda path: pd.read_csv(path, **_TEXTS),
}
