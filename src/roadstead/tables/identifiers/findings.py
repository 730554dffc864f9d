"""Which columns of a table hold identifiers of Safe Harbor, and how that is known.

A column is called like one, or its values read like one; of the values a share is told and never
one of them. Besides the traces of each identifier there are two that need the whole column: ages
over 89, and codes of which nearly every record has its own.

Where columns are all one word, yes or no, or empty, there is nothing to find. A name is believed
only if most values could be what it says, and are no dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roadstead.number_ranges import parse_range
from roadstead.tables.identifiers.column_names import is_age, words
from roadstead.tables.identifiers.dates import is_date
from roadstead.tables.identifiers.rule import IDENTIFIERS, OLDEST, ONE_AGE, REMOVE
from roadstead.tables.identifiers.traces import TRACES, Trace
from roadstead.tables.profile import ColumnProfile

_MOSTLY = 0.9
_HALF = 0.5
_FEWEST_RECORDS = 50
_MOST_CATEGORIES, _FEWEST_PER_CATEGORY = 30, 10
_MOST_CODES, _FEWEST_PER_CODE = 1_000, 100
_LONGEST_CATEGORY = 3
_DENSE = 0.09
_SHORTEST_CODE = 5
_LONG_CODE, _FEWEST_SHARED = 7, 50
_OF_ONE_RECORD = "nearly every record has a value of its own"
_OLDEST_EVER = 130

_FLAGS = frozenset(("0", "1", "y", "n", "yes", "no", "true", "false", "t", "f", "none", "unknown"))
_PLAIN_NUMBER = re.compile(r"\d{1,4}(\.\d+)?", re.ASCII)
_AGE = re.compile(r"\D*(?P<years>\d+).*", re.ASCII)
_WHOLE = re.compile(r"([+-]?\d+)\.0+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_VOCABULARY = re.compile(r"(^|_)(concept|icd\w*|snomed|loinc|ndc|cpt|hcpcs|atc|rxnorm|drg)(_|$)")
_MEASURES = re.compile(
    r"salary|income|wage|cost|charge|price|pay|amount|amt|count|total|score|dose|weight|height"
    r"|pressure|rate|volume|value|result|level|population|days|hours|minutes|seconds|wgt"
)


@dataclass(frozen=True)
class IdentifierFinding:
    """An identifier that a column seems to hold.

    Attributes
    ----------
    column
        The column.
    number
        Of the identifier in the rule, 1 to 18.
    why
        How that is known, in words.
    remedy
        What Safe Harbor asks for.
    called
        Whether the column is called so.
    share
        The share of sampled values that read so; None if that was not what told.
    """

    column: str
    number: int
    why: str
    remedy: str
    called: bool
    share: float | None = None

    @property
    def identifier(self) -> str:
        """Short name of the identifier."""
        return IDENTIFIERS[self.number]

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as JSON holds it."""
        return {
            "column": self.column,
            "number": self.number,
            "identifier": self.identifier,
            "why": self.why,
            "remedy": self.remedy,
            "called": self.called,
            "share": None if self.share is None else round(self.share, 3),
        }


def find(
    columns: Sequence[ColumnProfile],
    values: Mapping[str, Sequence[str]],
    domains: Mapping[str, Sequence[str]],
) -> tuple[IdentifierFinding, ...]:
    """Find the identifiers of Safe Harbor in a table.

    `columns`: the profile of each column. `values`: for each column a sample of its distinct
    values, none of them missing. `domains`: all distinct values of those columns of which they are
    known. Returns in the order of the columns; of a column, in the order of the rule.
    """
    return tuple(
        finding
        for column in columns
        for finding in _in_column(column, values[column.name], domains.get(column.name))
    )


def _in_column(
    column: ColumnProfile, written: Sequence[str], domain: Sequence[str] | None
) -> list[IdentifierFinding]:
    """Look at a column; whole numbers written as 91911.0 count as 91911, as in other tables."""
    values = tuple(whole(value) for value in written)
    if not values or all(value.casefold() in _FLAGS for value in values):
        return []
    cut = max(map(len, written)) - max(map(len, values))
    column = replace(
        column, shortest=max(column.shortest - cut, 0), longest=max(column.longest - cut, 0)
    )
    found: dict[int, IdentifierFinding] = {}
    for finding in (*_traced(column, values), *_ages(column, domain or values)):
        found.setdefault(finding.number, finding)
    if not found and (why := _code(column, values)):
        found[18] = IdentifierFinding(column.name, 18, why, REMOVE, called=False)
    if len(found) > 1:
        found.pop(18, None)
    return [found[number] for number in sorted(found)]


def _traced(column: ColumnProfile, values: Sequence[str]) -> Iterator[IdentifierFinding]:
    """Give what the name tells first, and then what values tell."""
    named = _named(column, values)
    shares = {
        trace: share
        for trace in TRACES
        if trace.reads is not None and (share := _share(values, trace.reads)) >= trace.enough
    }
    by_number = {trace.identifier: (trace, share) for trace, share in reversed(shares.items())}
    if named is not None:
        read = by_number.pop(named.identifier, None)
        yield _finding(column, named, read, called=True)
    for trace, share in by_number.values():
        yield _finding(column, trace, (trace, share), called=False)


def _finding(
    column: ColumnProfile, trace: Trace, read: tuple[Trace, float] | None, *, called: bool
) -> IdentifierFinding:
    why, share = f"called like {trace.what}", None
    if read is not None:
        share = read[1]
        whole = int(100 * share + 1e-9)  # down: 100 % is all of them
        values = f"{whole or 'less than 1'} % of sampled values read like {read[0].what}"
        why = f"called so, and {values}" if called else values
    return IdentifierFinding(
        column.name, trace.identifier, why, trace.remedy, called=called, share=share
    )


def _named(column: ColumnProfile, values: Sequence[str]) -> Trace | None:
    """Find what the column is called like, if its values could be that."""
    name = words(column.name)
    trace = next((t for t in TRACES if t.called is not None and t.called.search(name)), None)
    if trace is None or _share(values, trace.could_be) < _HALF:
        return None
    if trace.identifier != 3 and _share(values, is_date) > _HALF:  # noqa: PLR2004 - dates
        return None
    return None if trace.is_number and _is_category(column, trace) else trace


def _is_category(column: ColumnProfile, trace: Trace) -> bool:
    """Whether few values are shared by many records, so that none is one person's.

    What numbers people one by one is never a category, and other numbers than codes only if they
    are short: twenty telephone numbers are not, however often each is there.
    """
    if trace.of_one:
        return False
    few = (
        column.distinct <= _MOST_CATEGORIES
        and column.present > _FEWEST_PER_CATEGORY * column.distinct
    )
    if trace.identifier != 18:  # noqa: PLR2004 - the rule's
        return few and column.longest <= _LONGEST_CATEGORY
    codes = column.distinct <= _MOST_CODES and column.present > _FEWEST_PER_CODE * column.distinct
    return few or codes


def _ages(column: ColumnProfile, values: Sequence[str]) -> Iterator[IdentifierFinding]:
    """See whether ages over 89 are told apart, or told at all."""
    if not is_age(column.name):
        return
    ages = {value: age for value in values if (age := _age(value)) is not None}
    if sum(age <= _OLDEST_EVER for age in ages.values()) < _MOSTLY * len(ages):
        return
    over = [value for value, age in ages.items() if age > OLDEST]
    if len(over) > 1 or any(_PLAIN_NUMBER.fullmatch(value) for value in over):
        several = "values" if len(over) > 1 else "value"
        why = f"called like ages, {len(over)} {several} over {OLDEST}"
        yield IdentifierFinding(column.name, 3, why, ONE_AGE, called=True)


def _age(value: str) -> int | None:
    """Read the lowest age of a label: [80-90) tells none over 89, and 90-94 does."""
    if (band := parse_range(value)) is not None:
        return band.low
    found = _AGE.fullmatch(value)
    return int(found["years"]) if found else None


def _code(column: ColumnProfile, values: Sequence[str]) -> str:
    """Say why values may be codes of people; the empty text if nothing suggests it.

    Nearly every record has its own, and they are no measurements, dates or lists: whole numbers
    are codes if they are of one length, or run through all numbers of their length. Long numbers
    of one length are codes, too, where several records are of one person or one household.
    """
    if column.is_list or column.present < _FEWEST_RECORDS:
        return ""
    if _VOCABULARY.search(words(column.name)):
        return ""
    own = column.uniqueness >= _MOSTLY
    if own and _share(values, is_number) < _HALF:
        return _OF_ONE_RECORD
    if _share(values, is_whole) < _MOSTLY or _MEASURES.search(words(column.name)):
        return ""
    one_length = column.shortest == column.longest >= _SHORTEST_CODE
    if own and (one_length or column.distinct >= _DENSE * 10.0**column.longest):
        return _OF_ONE_RECORD
    shared = one_length and column.longest >= _LONG_CODE and column.distinct >= _FEWEST_SHARED
    return "long numbers of one length, as people or households are numbered" if shared else ""


def whole(value: str) -> str:
    """Write a whole number without the decimals that say nothing, and any other text as it is."""
    found = _WHOLE.fullmatch(value)
    return found[1] if found else value


def is_number(value: str) -> bool:
    """Whether a text is a number."""
    return _NUMBER.fullmatch(value) is not None


def is_whole(value: str) -> bool:
    """Whether a text is a whole number."""
    return _INTEGER.fullmatch(value) is not None


def _share(values: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, values)) / len(values)
