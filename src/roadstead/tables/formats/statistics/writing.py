"""Convert a release to the columns of a statistics package.

A column becomes a column of codes if it had labels or if its numbers were generalized. A known
label is replaced with its code, and any other string gets a new code. Only values that occur in the
release have labels. If too few records have a value, its label is the code itself, because a label
can be the name of a person.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import OutputError
from roadstead.tables.formats.codebook import (
    LETTERS,
    Code,
    Codebook,
    ColumnNotes,
    code_text,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.formats.statistics.clocks import Clock

_GROUPS = "F8.0"
_OF_TEXTS = re.compile(r"A(HEX)?\d+|%[-~]?\d*s|\$.*", re.IGNORECASE)
"""Display formats of strings in SPSS, Stata, and SAS."""
_LARGEST = 2.0**31
"""The limit of new codes. A range of missing codes that ends above the limit is open."""


@dataclass
class PackageColumns:
    """The columns of a file, in the form that pyreadstat requires."""

    values: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, dict[Code, str]] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    measures: dict[str, str] = field(default_factory=dict)
    missing: dict[str, list[Any]] = field(default_factory=dict)
    descriptions: dict[str, str | None] = field(default_factory=dict)

    def frame(self) -> Any:  # noqa: ANN401 - a data frame of pandas
        """Return the values as a data frame."""
        import pandas as pd  # noqa: PLC0415 - heavy

        return pd.DataFrame(self.values)


def columns_of(
    rows: pa.RecordBatchReader, codebook: Codebook, clock: Clock, *, labels: bool
) -> PackageColumns:
    """Return the columns of a release. `labels` indicates whether the format supports labels."""
    table = rows.read_all()
    columns = PackageColumns()
    for name in table.column_names:
        notes = codebook.of(name)
        if notes.description:
            columns.descriptions[name] = notes.description
        _add(columns, name, table[name], notes, clock, codebook.fewest if labels else None)
    return columns


def _add(
    columns: PackageColumns,
    name: str,
    column: pa.ChunkedArray,
    notes: ColumnNotes,
    clock: Clock,
    fewest: int | None,
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = clock.kind(notes.shown)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        texts = column.to_pylist()
        times = clock.stored_clock(texts) if kind == "time" else None
        if times is not None:
            columns.values[name], columns.shown[name] = times, str(notes.shown)
        elif fewest is not None and (notes.labeled or _is_number(notes)):
            _add_codes(columns, name, texts, notes, fewest)
        else:
            columns.values[name] = np.array(["" if t is None else t for t in texts], dtype=object)
    elif pa.types.is_temporal(column.type):
        columns.values[name] = clock.stored(column)
        is_day = pa.types.is_date(column.type)
        fits = kind == ("date" if is_day else "datetime")
        columns.shown[name] = str(notes.shown) if fits else clock.usual[0 if is_day else 1]
    else:
        columns.values[name] = column.cast(pa.float64()).to_numpy()
        if notes.shown and kind is None:
            columns.shown[name] = notes.shown
    if notes.measure and name not in columns.measures:
        columns.measures[name] = notes.measure


def _is_number(notes: ColumnNotes) -> bool:
    """Return whether the display format shows that a column contained numbers in the source."""
    return notes.shown is not None and _OF_TEXTS.fullmatch(notes.shown) is None


def _add_codes(
    columns: PackageColumns, name: str, texts: list[str | None], notes: ColumnNotes, fewest: int
) -> None:
    as_text = any(isinstance(code, str) for code in notes.labels)
    known = {text: code for code, text in notes.texts.items() if isinstance(code, str) == as_text}
    counts = Counter(text for text in texts if text is not None)
    codes = {text: known[text] for text in counts if text in known}
    new = sorted(text for text in counts if text not in known)
    free = _free_texts(new, {*known.values()}) if as_text else _free_codes(notes)
    codes |= dict(zip(new, free, strict=False))
    columns.values[name] = np.array(
        [("" if as_text else np.nan) if text is None else codes[text] for text in texts],
        dtype=object if as_text else np.float64,
    )
    rare = {text for text, times in counts.items() if times < fewest and text in known}
    columns.labels[name] = {
        codes[text]: code_text(codes[text]) if text in rare else text
        for text in sorted(counts, key=lambda one: codes[one])
    }
    coded = notes.labeled
    if not as_text:
        columns.shown[name] = notes.shown if coded and notes.shown else _GROUPS
    columns.measures[name] = notes.measure if coded and notes.measure else "nominal"
    ranges = [(low, high) for low, high in notes.missing if (low, high) != LETTERS]
    if coded and ranges:
        columns.missing[name] = [{"lo": low, "hi": high} for low, high in ranges]


def _free_texts(new: Sequence[str], taken: set[Code]) -> Iterator[str]:
    """Return a code for each new string: the text, or a number if the text is already a code."""
    numbers = (str(at) for at in count(1) if str(at) not in taken and str(at) not in new)
    return (next(numbers) if text in taken else text for text in new)


def _free_codes(notes: ColumnNotes) -> Iterator[float]:
    """Count up from the known codes, or down if all codes above them are missing codes."""
    ends = [end for ends in notes.missing for end in ends if not isinstance(end, str)]
    open_above = any(end >= _LARGEST and end not in LETTERS for end in ends)
    known = [code for code in notes.labels if not isinstance(code, str)]
    limits = [0.0, *(code for code in (*known, *ends) if abs(code) < _LARGEST)]
    return count(floor(min(limits)) - 1.0, -1.0) if open_above else count(floor(max(limits)) + 1.0)


@contextlib.contextmanager
def writing_package(path: Path, label: str) -> Iterator[None]:
    """Convert an error of the library, whose message may quote a cell, to one line."""
    import pyreadstat  # noqa: PLC0415 - an extra

    try:
        yield
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        raise OutputError(
            f"{label} files cannot hold this table: a column name or a text is too long, or a name "
            f"has a character that {label} does not allow",
            where=path.name,
            fix="rename the column in the source, or save the source as CSV or Excel",
        ) from error
