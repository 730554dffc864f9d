"""Convert a release to the columns of a statistics package.

A column becomes a column of codes if it had labels or if some of its numbers were generalized. A
known label is replaced with its code. The code of an unchanged number is the number itself. Any
other string gets a new code. Only values that occur in the release have labels. If too few records
have a value, its label is the code itself, because a label can be the name of a person. An
unchanged number is also its own label, because readers show labels only if each value has a label.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import floor, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import OutputError
from roadstead.tables.formats.codebook import (
    LETTERS,
    Code,
    Codebook,
    ColumnNotes,
    code_text,
    letter_code,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.formats.statistics.clocks import Clock

_GROUPS = "F8.0"
_OF_TEXTS = re.compile(r"A(HEX)?\d+|%[-~]?\d*s|\$.*", re.IGNORECASE)
"""Display formats of strings in SPSS, Stata, and SAS."""
_SUPPRESSED = "*"
"""The label of a suppressed value."""
_LETTERS_OF_STATA = "sabcdefghijklmnopqrtuvwxyz"
"""The letters of missing values in Stata, in the order of preference for suppressed values."""
_MOST_MISSING = 3
"""The largest number of missing codes of a column in SPSS."""
_LONGEST_MISSING = 8
"""The largest number of bytes of a missing string in SPSS."""
_LARGEST = 2.0**31
"""The limit of new codes. A range of missing codes that ends above the limit is open."""
_MOST, _MOST_WHOLE = 1e14, 1e8
"""The limits of numbers that can be their own codes, even if only whole numbers have labels."""
_WRITTEN = 1e18
"""The limit of whole numbers that a table shows without a power of ten."""


@dataclass
class PackageColumns:
    """The columns of a file, in the form that pyreadstat requires."""

    values: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, dict[Code, str]] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    measures: dict[str, str] = field(default_factory=dict)
    missing: dict[str, list[Any]] = field(default_factory=dict)
    descriptions: dict[str, str | None] = field(default_factory=dict)
    stata: bool = False
    """Whether only whole numbers can have labels, and letters can represent missing values."""

    def frame(self) -> Any:  # noqa: ANN401 - a data frame of pandas
        """Return the values as a data frame."""
        import pandas as pd  # noqa: PLC0415 - heavy

        return pd.DataFrame(self.values)


def columns_of(
    rows: pa.RecordBatchReader,
    codebook: Codebook,
    clock: Clock,
    *,
    labels: bool,
    stata: bool = False,
) -> PackageColumns:
    """Return the columns of a release. `labels` indicates whether the format supports labels.

    If `stata` is set, only whole numbers can have labels, and letters can represent missing values.
    """
    table = rows.read_all()
    columns = PackageColumns(stata=stata)
    for name in table.column_names:
        notes = codebook.of(name)
        if notes.description:
            columns.descriptions[name] = notes.description
        _add(columns, name, table[name], notes, clock, codebook.fewest, labels=labels)
    return columns


def _add(
    columns: PackageColumns,
    name: str,
    column: pa.ChunkedArray,
    notes: ColumnNotes,
    clock: Clock,
    fewest: int,
    *,
    labels: bool,
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = clock.kind(notes.shown)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        _add_texts(columns, name, column.to_pylist(), notes, clock, fewest, labels=labels)
    elif kind is not None and (periods := clock.stored_periods(column, kind)) is not None:
        columns.values[name], columns.shown[name] = periods, str(notes.shown)
    elif pa.types.is_temporal(column.type):
        columns.values[name] = clock.stored(column)
        is_day = pa.types.is_date(column.type)
        fits = kind == ("date" if is_day else "datetime")
        columns.shown[name] = str(notes.shown) if fits else clock.usual[0 if is_day else 1]
    else:
        numbers = columns.values[name] = column.cast(pa.float64()).to_numpy()
        if notes.shown and kind is None:
            columns.shown[name] = notes.shown
        if labels and notes.labels:
            codes, times = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
            counts = dict(zip(codes.tolist(), times.tolist(), strict=True))
            columns.labels[name] = _labels_of_some(notes, counts, fewest)
    if notes.measure and name not in columns.measures:
        columns.measures[name] = notes.measure


def _add_texts(
    columns: PackageColumns,
    name: str,
    texts: list[str | None],
    notes: ColumnNotes,
    clock: Clock,
    fewest: int,
    *,
    labels: bool,
) -> None:
    times = clock.stored_clock(texts) if clock.kind(notes.shown) == "time" else None
    if times is not None:
        columns.values[name], columns.shown[name] = times, str(notes.shown)
    elif labels and (notes.labeled or notes.kept or _is_number(notes)):
        _add_codes(columns, name, texts, notes, clock, fewest)
    elif notes.number and not labels and (numbers := plain_numbers(notes, texts)) is not None:
        columns.values[name] = numbers
        if notes.shown:
            columns.shown[name] = notes.shown
    else:
        shown = {None: "", **_codes_of_rare_labels(notes, texts, fewest)}
        columns.values[name] = np.array([shown.get(t, t) for t in texts], dtype=object)
        if labels and not columns.stata and notes.labels:
            present = Counter(text for text in texts if text is not None)
            columns.labels[name] = _labels_of_some(notes, present, fewest)
        if labels and not columns.stata and _SUPPRESSED in texts:
            columns.missing[name] = [{"lo": _SUPPRESSED, "hi": _SUPPRESSED}]


def _labels_of_some(notes: ColumnNotes, counts: Mapping[Any, int], fewest: int) -> dict[Code, str]:
    """Return the labels of frequent values if another value of the column has no label.

    A reader shows the labels instead of the codes if each value has a label.
    """
    found = {
        code: label
        for code, label in notes.labels.items()
        if counts.get(code, 0) >= fewest and code_text(code) not in notes.rare and label.strip()
    }
    bare = any(code not in found and not notes.is_missing(code) for code in counts)
    return found if bare else {}


def plain_numbers(notes: ColumnNotes, texts: list[str | None]) -> NDArray[np.float64] | None:
    """Return numbers and missing codes as numbers, or None if other values are among them."""
    distinct = {text for text in texts if text is not None}
    codes = {text: notes.kept[text] for text in distinct & notes.kept.keys()}
    numbers = _numbers(distinct - codes.keys(), set())
    if not _are_plain(numbers, distinct - codes.keys(), mixed=bool(codes)):
        return None
    values = {**numbers, **codes}
    return np.array([np.nan if t is None else values[t] for t in texts], dtype=np.float64)


def _codes_of_rare_labels(
    notes: ColumnNotes, texts: Collection[str | None], fewest: int
) -> dict[str | None, str]:
    """Return the codes of rare labels, for a format that cannot store labels."""
    codes = {text: code_text(code) for code, text in notes.texts.items()} if notes.labeled else {}
    counts = Counter(text for text in texts if text in codes)
    return {text: codes[text] for text in counts if counts[text] < fewest or text in notes.rare}


def _is_number(notes: ColumnNotes) -> bool:
    """Return whether the display format shows that a column contained numbers in the source."""
    return notes.shown is not None and _OF_TEXTS.fullmatch(notes.shown) is None


def _add_codes(
    columns: PackageColumns,
    name: str,
    texts: list[str | None],
    notes: ColumnNotes,
    clock: Clock,
    fewest: int,
) -> None:
    as_text = any(isinstance(code, str) for code in notes.labels)
    shown = notes.texts if notes.labeled else {}
    known = {text: code for code, text in shown.items() if isinstance(code, str) == as_text}
    known |= notes.kept
    counts = Counter(text for text in texts if text is not None)
    codes = {text: known[text] for text in counts if text in known}
    if columns.stata and _SUPPRESSED in counts.keys() - codes and not as_text:
        codes |= _free_letter(notes)  # so that a mean does not include suppressed values
    kept = {} if as_text else _numbers(counts.keys() - codes, {*known.values()})
    is_number = clock.kind(notes.shown) is None
    if not notes.labeled and _are_plain(kept, counts.keys() - codes, mixed=bool(codes)):
        values = {**kept, **codes}
        columns.values[name] = np.array([np.nan if t is None else values[t] for t in texts])
        columns.shown[name] = notes.shown if is_number and notes.shown else _GROUPS
        times = Counter({code: counts[text] for text, code in values.items()})
        columns.labels[name] = _labels_of_some(notes, times, fewest)
        if codes:
            named = {code: text for text, code in codes.items() if text != code_text(code)}
            columns.labels[name] |= named
            columns.missing[name] = _missing_ranges(notes, codes.values())
        return
    if not all(_can_have_label(code, whole=columns.stata) for code in kept.values()):
        columns.values[name] = np.array(["" if t is None else t for t in texts], dtype=object)
        return
    codes |= kept
    new = sorted(text for text in counts if text not in codes)
    free = _free_texts(new, {*known.values()}) if as_text else _free_codes(notes, kept.values())
    codes |= dict(zip(new, free, strict=False))
    columns.values[name] = np.array(
        [("" if as_text else np.nan) if text is None else codes[text] for text in texts],
        dtype=object if as_text else np.float64,
    )
    rare = {text for text, times in counts.items() if times < fewest and text in known}
    rare |= notes.rare & known.keys()
    rare -= notes.kept.keys()  # enough records of the source have these codes
    columns.labels[name] = {
        codes[text]: code_text(codes[text]) if text in rare else text
        for text in sorted(counts, key=lambda one: codes[one])
    }
    coded = notes.labeled
    if not as_text:
        numbers = coded or (bool(kept) and is_number)
        columns.shown[name] = notes.shown if numbers and notes.shown else _GROUPS
    columns.measures[name] = notes.measure if coded and notes.measure else "nominal"
    ranges = _missing_ranges(notes, codes.values()) if coded or notes.kept else []
    hidden = codes.get(_SUPPRESSED)
    if hidden is not None and _has_room(ranges, hidden):
        ranges.append({"lo": hidden, "hi": hidden})  # so that a mean does not include this code
    if ranges:
        columns.missing[name] = ranges


def _missing_ranges(notes: ColumnNotes, codes: Collection[Code]) -> list[dict[str, Code]]:
    """Return the declared missing codes that occur in the release, except letters.

    Letters always mean missing values. A range begins and ends with codes that occur in the
    release, so the ends do not reveal codes that no released record has.
    """
    found: dict[tuple[Code, Code], list[Code]] = {ends: [] for ends in notes.missing}
    for code in codes:
        if (ends := notes.missing_range(code)) is not None:
            found[ends].append(code)
    return [
        {"lo": min(own), "hi": max(own)} for ends, own in found.items() if own and ends != LETTERS
    ]


def _has_room(ranges: Sequence[Mapping[str, Code]], code: Code) -> bool:
    """Return whether a new missing code is allowed: SPSS has three codes, or a range and a code."""
    if isinstance(code, str):  # SPSS compares the first 8 bytes
        same = any(one["lo"] <= code <= one["hi"] for one in ranges)  # type: ignore[operator] # texts
        return not same and len(ranges) < _MOST_MISSING and len(code.encode()) <= _LONGEST_MISSING
    numbers = [(float(one["lo"]), float(one["hi"])) for one in ranges]
    if any(low <= float(code) <= high for low, high in numbers):
        return False
    return len(numbers) < (_MOST_MISSING if all(low == high for low, high in numbers) else 2)


def _free_letter(notes: ColumnNotes) -> dict[str, Code]:
    """Return an unused letter for suppressed values. The result is empty if there is none."""
    used = {*map(code_text, (*notes.labels, *notes.kept.values())), *notes.codes_lost}
    codes = (letter_code(one) for one in _LETTERS_OF_STATA if f".{one}" not in used)
    found = next(codes, None)
    return {} if found is None else {_SUPPRESSED: found}


def _free_texts(new: Sequence[str], taken: set[Code]) -> Iterator[str]:
    """Return a code for each new string: the string itself, or a number if it is already a code."""
    numbers = (str(at) for at in count(1) if str(at) not in taken and str(at) not in new)
    return (next(numbers) if text in taken else text for text in new)


def _numbers(texts: Iterable[str], taken: set[Code]) -> dict[str, Code]:
    """Map each string that is a number to the number, in the order of the numbers.

    If a label looks like another code of the file, it is not treated as a number.
    """
    found: dict[Code, str] = {}
    for text in sorted(texts):
        with contextlib.suppress(ValueError):
            number = float(text)
            if isfinite(number) and text in (repr(number), code_text(number)):
                found.setdefault(number, text)
    return {text: number for number, text in sorted(found.items()) if number not in taken}


def _are_plain(numbers: Mapping[str, Code], texts: Collection[str], *, mixed: bool) -> bool:
    """Return whether all strings are numbers that a program would show in the same form.

    If the column is `mixed`, it also has missing codes, and a reader shows whole numbers without
    decimals.
    """
    whole = all(float(code).is_integer() for code in numbers.values())
    show = _in_mixed_column if mixed else code_text if whole else repr
    return len(texts) == len(numbers) > 0 and all(show(numbers[text]) == text for text in texts)


def _in_mixed_column(code: Code) -> str:
    return (
        code_text(code) if float(code).is_integer() and abs(float(code)) < _WRITTEN else repr(code)
    )


def _can_have_label(code: Code, *, whole: bool) -> bool:
    number = float(code)
    return abs(number) < (_MOST_WHOLE if whole else _MOST) and (number.is_integer() or not whole)


def _free_codes(notes: ColumnNotes, kept: Collection[Code]) -> Iterator[float]:
    """Yield numbers above the known codes, or below them if all higher numbers are missing codes.

    If numbers without labels are unchanged, the new codes are more than ten times as large as the
    known codes. This distance is needed because the next number could be a value of a record that
    is not released. The largest value of the source must not determine a code, because the code
    would reveal this value.
    """
    ends = [end for ends in notes.missing for end in ends if not isinstance(end, str)]
    open_above = any(end >= _LARGEST and end not in LETTERS for end in ends)
    known = [code for code in (*notes.labels, *kept) if not isinstance(code, str)]
    limits = [0.0, *(code for code in (*known, *ends) if abs(code) < _MOST)]
    lowest, highest = floor(min(limits)) - 1.0, floor(max(limits)) + 1.0
    if kept:
        lowest, highest = -_with_two_more_digits(min(limits)), _with_two_more_digits(max(limits))
    return count(lowest, -1.0) if open_above else count(highest)


def _with_two_more_digits(number: float) -> float:
    """Return the power of ten that has two more digits than a number."""
    return 10.0 ** (len(str(int(abs(number)))) + 1)


@contextlib.contextmanager
def writing_package(path: Path, label: str) -> Iterator[None]:
    """Convert an error of the library to one line, because its own message may quote a cell."""
    import pyreadstat  # noqa: PLC0415 - an extra

    try:
        yield
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        raise OutputError(
            f"{label} files cannot hold this table: a column name or a value is too long, or a "
            f"name has a character that {label} does not allow",
            where=path.name,
            fix="rename the column in the source, or save the source as CSV or Excel",
        ) from error
