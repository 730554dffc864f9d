"""Count the records of each distinct value of a column, for the detectors.

One rare value is enough to reveal a person, so a sample of records is not enough. The memory use is
limited. In a column with many distinct values, the tally keeps the values that may identify a
person, and a sample of the other values. `_suspect` is a coarse pattern: if a detector matches a
value, the pattern also matches it. The sample does not depend on the order of the records.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from roadstead.tables.arrow_arrays import matching
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.asides import NETWORKS, PLACES
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.vocabulary import table_of
from roadstead.tables.profile import MARKERS, ColumnProfile
from roadstead.tables.texts import elements_of, is_number, texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.tables.source import Source

KEPT: Final = 4_000
"""The maximum number of distinct values of each kind to keep per column."""
MANY: Final = 20_000
"""The number of distinct values above which only the strings of a numeric column are queried."""
RARE: Final = 10
"""A value is rare if fewer records than this have the value, for any k."""
_MOSTLY: Final = 0.9
_TWO, _SMALL = 2, 20
"""In a table of fewer than 200 records, a value is rare if fewer than 1 in 20 records have it."""

_SUSPECT: Final = (
    r"@|%40|\^|\.(com|net|org|info)\b|(?i:[\[({]at[\])}]| at )|://|www\.|^\s*[\[{]|"
    r"\pN[ ._/-]?\pN[ ._/-]?\pN[ ._/-]?\pN[ ._/-]?\pN[ ._/-]?\pN|"
    r"\pN{1,2}[./ -]+[\pL\pN]{1,12}\.?,?[./ -]+\pN{2,4}|"
    r"\p{Lu}[\pL'.-]+,? +\p{Lu}|"
    r"\b(9\pN|1[0-2]\pN)[ -]*\pL|(?i:age[d:= ]*)(9\pN|1[0-2]\pN)|"
    r"(?i)(mrn|m\.r\.n\.|nhc|ipp|rio|cl[ií]nica|zeichen|dossier|processo|expediente|no|nr|nbr|num"
    r"|ber|[eé]ro|mer|id|[°ºo#])[ .:#=]{0,4}\pL{0,3}-?\pN([ -]?\pN){3}|"
    r"[x*#]{2}[- ]?\pN{4}|\pN ?[°d] ?\pN|\pN{4}[ -]?[mwd]|[\\/]+(users|home)[\\/]|"
    r"^\pL{3,}, \pL{3,}$|"
    r"\bx\pN{4}|\b[A-Z]\. ?[A-Z]|\pN{1,2}/\pN{1,2}\b|\pN{1,2}\.\pN{1,2}\."
)


@cache
def _suspect() -> str:
    """Return the full pattern in the syntax of RE2."""
    people, months = table_of("people.toml"), table_of("months.toml")
    titles, relatives = (people[key].split() for key in ("titles", "relatives"))
    before = "|".join((*people["addressed"], *titles, *relatives))
    devices = "|".join(f"{people['devices']} {people['devices_also']}".split())
    full = {word for names in months["full"].values() for word in names.split()}
    # The names in the file have no accents, but those in a column may have some.
    letters = (re.sub("[aceinosuyzи]", ".", word) for word in full)
    month = "|".join(sorted({*letters, *months["short"]["en"].split()}))
    first, last = "(^|[^a-zA-Z])", "([^a-zA-Z]|$)"
    return (
        rf"{_SUSPECT}|(?i:{first}(({before}){last}|({PLACES})[ .:#]|({NETWORKS})[: ]"
        rf"|({month})\.?[ '-]{{1,2}}\pN)"
        rf"|\pN([a-z]{{2}}|[.ºo])?[ -]([d-fl-o']{{1,3}} ?)?({month}){last}"
        rf"|(['\x{{2019}}]s |[-_])({devices}))"
    )


@dataclass(frozen=True)
class ColumnTally:
    """The distinct normalized values of a column, with the number of records for each value.

    `distinct` and `records` count the whole column, excluding missing values and their markers.
    `kept` contains the number of records of each kept value. `whole` is true if all values were
    kept.
    """

    column: str
    distinct: int
    records: int
    kept: Mapping[str, int] = field(repr=False)
    whole: bool = True

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The values that are numbers."""
        return {text: many for text, many in self.kept.items() if is_number(text)}

    @cached_property
    def texts(self) -> dict[str, int]:
        """The values that are not numbers."""
        return {text: many for text, many in self.kept.items() if text not in self.numbers}

    @cached_property
    def numeric(self) -> bool:
        """Return whether most records have a number."""
        kept = sum(self.kept.values())
        return kept > 0 and 2 * sum(self.numbers.values()) > kept

    @cached_property
    def rare_share(self) -> float:
        """Return the share of records with a rare value. The limit is lower in a small table."""
        kept = sum(self.kept.values())
        few = min(RARE, max(_TWO, self.records // _SMALL))
        rare = sum(many for many in self.kept.values() if many < few)
        if not self.whole and self.numeric and self.distinct * few > self.records:
            return 1.0
        return rare / kept if kept else 0.0

    def spread(self, values: Mapping[Any, int]) -> bool:
        """Return whether no value has far more records than the average value.

        IDs of people have such frequencies, but diagnoses do not. The most frequent diagnosis has a
        hundred times as many records as a typical diagnosis.
        """
        if not values:
            return False
        mean = sum(values.values()) / len(values)
        return max(values.values()) <= _MOST_VISITS * max(mean, 1.0)


_MOST_VISITS: Final = 12


def tallies(
    source: Source,
    profiles: Sequence[ColumnProfile],
    samples: Mapping[str, Sequence[str]],
    most: int | None = None,
) -> Iterator[ColumnTally]:
    """Count the distinct values of columns. Process one column after another.

    In a column with more than `most` distinct values, each value of the sample counts once.
    """
    for column in profiles:
        if not column.present:
            continue
        if most is not None and column.distinct > most:
            kept = dict.fromkeys(map(normal, samples.get(column.name, ())), 1)
            yield ColumnTally(column.name, column.distinct, column.present, kept, whole=False)
            continue
        with engine_errors(source.name):
            yield _tally(source, column, samples.get(column.name, ()))


def _tally(source: Source, column: ColumnProfile, sample: Sequence[str]) -> ColumnTally:
    name = column.name
    numbers = [text for text in map(normal, sample) if is_number(text)]
    if column.distinct > MANY and len(numbers) >= _MOSTLY * len(sample) and not column.is_list:
        found = _Kept()
        found.add_all(texts_of(source, [name]).counted_texts())
        each = max(column.present // column.distinct, 1)
        kept = {**dict.fromkeys(numbers, each), **found.values}
        return ColumnTally(name, column.distinct, column.present, kept, whole=False)
    texts = elements_of(source, name) if column.is_list else texts_of(source, [name])
    found = _Kept()
    found.add_all(texts.counted(None))
    return ColumnTally(name, found.distinct, found.records, found.values, whole=found.whole)


class _Kept:
    """The values that are kept from a stream of distinct values and counts."""

    def __init__(self) -> None:
        self._new: Counter[str] = Counter()  # not examined yet
        self._suspect: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self.distinct = self.records = 0

    def add_all(self, batches: pa.RecordBatchReader) -> None:
        with batches:
            for batch in batches:
                texts, counts = batch.column(0).to_pylist(), batch.column(1).to_pylist()
                for text, many in zip(texts, counts, strict=True):
                    if text and (stripped := text.strip()) and stripped.lower() not in MARKERS:
                        self.distinct += 1
                        self.records += many
                        self._new[stripped] += many
                if len(self._new) > KEPT:
                    self._sift()
        if not self.whole:
            self._sift()

    @property
    def whole(self) -> bool:
        return not (self._suspect or self._others)

    def _sift(self) -> None:
        """Limit the number of values of each kind. The bytes decide which values are kept."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        doubts = matching(pa.array(self._new, pa.string()), _suspect()).to_pylist()
        for (text, many), doubt in zip(self._new.items(), doubts, strict=True):
            (self._suspect if doubt else self._others)[text] += many
        self._new.clear()
        for own in (self._suspect, self._others):
            if len(own) > KEPT:
                for text in sorted(own, key=_by_bytes)[KEPT:]:
                    del own[text]

    @property
    def values(self) -> dict[str, int]:
        plain: Counter[str] = Counter()
        for own in (self._new, self._suspect, self._others):
            for text, many in own.items():
                plain[normal(text)] += many
        return dict(sorted(plain.items()))


def _by_bytes(text: str) -> tuple[int, str]:
    return zlib.crc32(text.encode()), text
