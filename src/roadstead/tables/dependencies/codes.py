"""Find columns with codes of people by values that repeat. The columns' names do not matter.

Two signs show that a column contains codes of people. First, the values repeat more evenly than by
chance, for example, because each person has ten rows. Second, the values are either codes of
letters and digits, or whole numbers that are far apart, and no value is much more frequent than the
others. Much more frequent values are typical of diagnoses, amounts, and postal codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.contents import date_detector
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.vocabulary import TextForm
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
    from roadstead.tables.profile import ColumnProfile
    from roadstead.tables.source import Source

_FEWEST_EVEN: Final = 50
"""The minimum number of values if they repeat evenly."""
_FEWEST: Final = 100
"""The minimum number of values if they repeat unevenly."""
_MOST_RECORDS: Final = 50
"""The maximum average number of records per value."""
_REPEATS: Final = 1.9
_EVENLY: Final = 0.25
"""The maximum variance of frequencies that counts as even, relative to the variance by chance."""
_VARIED: Final = 1.0
"""The highest squared coefficient of variation of the frequencies."""
_APART: Final = 20.0
"""The minimum ratio of the numbers' range to their count at which numbers are far apart."""
_OUTER: Final = 0.02
"""The share of the smallest and of the largest numbers that the range leaves out."""
_MOSTLY: Final = 0.9
_CODE: Final = TextForm(r"(?=.*\d)(?=.*[^\W\d_])[\w-]{5,}|[\w ]*\d{4,}[\w ]*")


def codes_of_persons(
    source: Source, rows: DrawnRows, profiles: Sequence[ColumnProfile], candidates: Sequence[str]
) -> list[Objection]:
    """Find columns with codes of people or things, even if no other column depends on them."""
    found = []
    for one in profiles:
        if one.name not in candidates or one.is_list or not _repeats(one):
            continue
        with engine_errors(source.name):
            sums = texts_of(source, [one.name]).frequencies()
        values, mean = sums["values"], sums["records"] / max(sums["values"], 1.0)
        if not (_REPEATS <= mean <= _MOST_RECORDS and values > mean):
            continue
        variance = max(sums["squares"] / values - mean**2, 0.0)
        even = variance < _EVENLY * mean and values >= _FEWEST_EVEN
        apart = values >= _FEWEST and variance <= _VARIED * mean**2
        column = rows[one.name]
        if (even and not _measured(column)) or (apart and _is_code(column, values)):
            how = (
                "more evenly than by chance"
                if even
                else ("and no value is much more frequent than the others")
            )
            why = (
                f"its {values:,.0f} values repeat like IDs (each in {mean:,.1f} records "
                f"on average), {how}"
            )
            found.append(Objection(one.name, "person", why))
    return found


def _repeats(one: ColumnProfile) -> bool:
    """Return whether enough values repeat. The count of values may be only approximate."""
    mean = one.present / max(one.distinct, 1)
    return one.distinct >= _FEWEST_EVEN * 0.8 and _REPEATS * 0.8 <= mean <= _MOST_RECORDS * 1.25


def _measured(column: DrawnColumn) -> bool:
    """Return whether values are measurements, which are numbers with a fractional part."""
    numbers = column.numbers
    return numbers is not None and bool((numbers != np.floor(numbers)).any())


def _is_code(column: DrawnColumn, values: float) -> bool:
    """Return whether values are codes of letters and digits, or widely spaced whole numbers."""
    numbers = column.numbers
    if numbers is None:
        texts = [str(text).strip() for text in column.domain[:2_000].to_pylist()]
        is_day = date_detector(texts)
        codes = sum(bool(_CODE(text)) and not is_day(text) for text in texts)
        return codes >= _MOSTLY * len(texts)
    if _measured(column) or float(np.abs(numbers).max()) >= 2.0**53:
        return False
    whole = np.unique(numbers.astype(np.int64))
    outer = 1 + int(_OUTER * whole.size)  # wrong entries, such as 9999, are far from other values
    inner = whole[outer:-outer]
    if inner.size < 2:  # noqa: PLR2004 - a range has two ends
        return False
    step = max(int(np.gcd.reduce(np.diff(inner))), 1)
    return float(inner[-1] - inner[0]) / step >= _APART * (values - 2 * outer)
