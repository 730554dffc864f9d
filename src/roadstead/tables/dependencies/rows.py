"""Sample records from a table as numbers, to find dependencies between columns quickly.

Two records in a random sample have the same value in a column about as often as two random records
in the table. So a sample of about 20,000 records shows whether a column probably determines another
column. Each suspected dependency is then checked with the whole table (`agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.tables.arrow_arrays import as_numpy, computed, converted, encoded, integers, matching
from roadstead.tables.failures import engine_errors
from roadstead.tables.text import BLANKS
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from roadstead.tables.source import Source

CELLS: Final = 4_000_000
"""The approximate number of sampled cells."""
MOST_ROWS: Final = 20_000
"""The approximate maximum number of sampled records."""
_DATE: Final = r"^\d{4}-\d{2}-\d{2}"


@dataclass(frozen=True, eq=False)
class DrawnColumn:
    """One column of the sampled records, with a code for each string and -1 for a missing value."""

    name: str
    codes: NDArray[np.int64] = field(repr=False)
    domain: pa.StringArray = field(repr=False)  # the text of each code

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of records with each string."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.domain))

    @cached_property
    def alike(self) -> float:
        """Return the probability that two records that are not missing have the same value."""
        every, own = float(self.counts.sum()), self.counts.astype(np.float64)
        return float((own * (own - 1)).sum()) / (every * (every - 1)) if every > 1 else 1.0

    @cached_property
    def shared(self) -> int:
        """Return the number of records with a value that another record also has."""
        return int(self.counts[self.counts > 1].sum())

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return len(self.domain)

    @cached_property
    def present(self) -> int:
        """The number of records with a value."""
        return int((self.codes >= 0).sum())

    @cached_property
    def plain(self) -> list[str]:
        """The strings in lowercase, without blanks around them."""
        return [str(text).strip().casefold() for text in self.domain.to_pylist()]

    @cached_property
    def length(self) -> float:
        """The mean length of the distinct strings."""
        return float(computed("mean", computed("utf8_length", self.domain)).as_py() or 0.0)

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """Return each string as a number or a day, or None if a string is not a number or a day."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        if not len(self.domain):
            return None
        try:
            found = converted(computed("utf8_trim_whitespace", self.domain), pa.float64())
            numbers = np.array(found.to_pylist(), dtype=np.float64)
            return numbers if bool(np.isfinite(numbers).all()) else None
        except pa.ArrowInvalid:
            pass
        if not computed("all", matching(self.domain, _DATE)).as_py():
            return None
        # A time zone is cut off, which rarely changes the order of the days.
        texts = [str(text)[:19].replace(" ", "T") for text in self.domain.to_pylist()]
        try:
            days = np.array(texts, dtype="datetime64[s]")
        except ValueError:
            return None
        return days.astype(np.float64)


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Some columns of sampled records, or of all records of a table (`whole`)."""

    columns: dict[str, DrawnColumn]
    rows: int
    whole: bool

    def __getitem__(self, name: str) -> DrawnColumn:
        """Return a column."""
        return self.columns[name]


def drawn_rows(source: Source, columns: Sequence[str], records: int) -> DrawnRows:
    """Sample records from a table. `records` is the number of records in the table."""
    most = min(MOST_ROWS, max(CELLS // max(len(columns), 1), 1))
    share = min(1.0, most / max(records, 1))
    with engine_errors(source.name):
        table = texts_of(source, columns).drawn(share)
    drawn = {
        name: _coded(name, table.column(at).combine_chunks()) for at, name in enumerate(columns)
    }
    return DrawnRows(drawn, table.num_rows, share >= 1.0)


def _coded(name: str, texts: pa.StringArray) -> DrawnColumn:
    coded = encoded(texts)
    own = as_numpy(coded.indices).astype(np.int64)
    domain = coded.dictionary
    small = computed("utf8_lower", computed("utf8_trim_whitespace", domain))
    # PyArrow imports pandas to read a NumPy array; `integers` and lists do not need pandas.
    blank = np.array([text in BLANKS for text in small.to_pylist()], dtype=np.bool_)
    number = np.where(blank, -1, np.cumsum(~blank) - 1)
    kept = computed("array_take", domain, integers(np.flatnonzero(~blank)))
    return DrawnColumn(name, number[own], kept)
