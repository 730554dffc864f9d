"""Large tables made for measuring, written piece by piece, so that they need little memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from problems import ADULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PIECE = 1_000_000
"""Rows written at once: one group of a Parquet file."""


def repeated(path: Path, delimiter: str, times: int) -> Iterator[pa.Table]:
    """Repeat a text file's rows so often, every column as text, in pieces of about a million."""
    header = csv.open_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter)).schema.names
    table = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=delimiter),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
    )
    most = max(1, PIECE // table.num_rows)
    while times > 0:
        now = min(times, most)
        yield pa.concat_tables([table] * now)
        times -= now


def copies_of_adult(columns: str, copies: int, path: Path, config: dict[str, Any]) -> None:
    """Write so many copies of Adult to a Parquet file, by DuckDB alone."""
    with duckdb.connect(config=config) as engine:
        engine.execute(
            "CREATE TABLE adult AS "
            "SELECT * FROM read_csv($file, delim=';', header=true, all_varchar=true)",
            {"file": str(ADULT.path)},
        )
        engine.execute(
            f"COPY (SELECT {columns} FROM range({copies}) copies, adult) "
            f"TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
        )


def patients(rows: int, seed: int) -> Iterator[pa.Table]:
    """Make up people of whom hardly two agree in all nine columns."""
    chance = np.random.default_rng(seed)
    for first in range(0, rows, PIECE):
        number = min(PIECE, rows - first)
        yield pa.table({name: column.draw(chance, number) for name, column in _PATIENT.items()})


@dataclass(frozen=True)
class _Column:
    """A column of text: how many values it has, and what the text of each is."""

    values: int
    text: Callable[[int], str]

    def draw(self, chance: np.random.Generator, rows: int) -> pa.Array:
        """Draw values, the first ones more often than the last."""
        codes = (self.values * chance.random(rows) ** 1.5).astype(np.int32)
        texts = pa.array([self.text(code) for code in range(self.values)])
        return texts.take(pa.array(codes))


def _day(first: str) -> Callable[[int], str]:
    start = np.datetime64(first)
    return lambda code: str(start + np.timedelta64(code, "D"))


def _diagnosis(code: int) -> str:
    return f"{chr(ord('A') + code // 400)}{code // 10 % 40 + 10}.{code % 10}"


_PATIENT = {
    "birth_date": _Column(90 * 365, _day("1934-01-01")),
    "sex": _Column(2, "FM".__getitem__),
    "race": _Column(6, lambda code: f"race {code}"),
    "marital_status": _Column(5, lambda code: f"status {code}"),
    "zip": _Column(30_000, lambda code: f"{code * 3 + 1000:05d}"),
    "admitted": _Column(3 * 365, _day("2021-01-01")),
    "diagnosis": _Column(8_000, _diagnosis),
    "days": _Column(60, str),
    "discharged_to": _Column(12, lambda code: f"place {code}"),
}
PATIENT_COLUMNS = tuple(_PATIENT)


def write_parquet(pieces: Iterator[pa.Table], path: Path) -> int:
    """Write pieces as one Parquet file; return the number of rows."""
    return _write(pieces, lambda schema: parquet.ParquetWriter(path, schema))


def write_csv(pieces: Iterator[pa.Table], path: Path) -> int:
    """Write pieces as one comma-separated file without quotes; return the number of rows."""
    options = csv.WriteOptions(quoting_style="none")
    return _write(pieces, lambda schema: csv.CSVWriter(path, schema, write_options=options))


def _write(pieces: Iterator[pa.Table], open_file: Callable[[pa.Schema], Any]) -> int:
    first = next(pieces)
    rows = 0
    with open_file(first.schema) as writer:
        for piece in (first, *pieces):
            writer.write_table(piece)
            rows += piece.num_rows
    return rows
