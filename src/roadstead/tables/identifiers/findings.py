"""Find the columns of a table that contain Safe Harbor identifiers, and give the evidence.

A *trace* (``data/traces.toml``) describes one identifier by the names of columns that contain the
identifier and by the form of its values. The name of a column is evidence only if most values could
be such identifiers. For example, ``phone_calls`` with small numbers does not contain telephone
numbers. A finding never contains a value.

Each of the eighteen identifiers is reported as found, not found, or not assessed. Software cannot
recognize a face in an image or every name in a note. So the report must not suggest that such an
identifier is absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from roadstead.number_ranges import parse_range
from roadstead.tables.identifiers.contents import date_detector, detector, is_date
from roadstead.tables.identifiers.dated import is_day
from roadstead.tables.identifiers.postal import Country, country_of
from roadstead.tables.identifiers.vocabulary import TextForm, is_called, pattern, table_of, words
from roadstead.tables.profile import ColumnProfile

OLDEST = 89
"""The highest age that a release may show. Higher ages become one category, 90 or older."""

FEWEST_PEOPLE = 20_000
"""A release may show a three-digit ZIP area if more people than this live in the area."""

REMOVE = "remove"
KEEP_YEAR = "keep the year only"
ONE_AGE = "one category for 90 and over"
"""Some of the actions that Safe Harbor requires. The file ``data/traces.toml`` lists more."""

PLACES = 2
"""The number of the identifier (places) that a release may generalize rather than remove."""

ANY_OTHER = 18
"""The number of the last identifier: any other unique number or code."""

Answer: TypeAlias = Literal["found", "not found", "not assessed"]

_NEVER_SEEN = frozenset((16, 17))
_HIDDEN_IN_TEXT = frozenset((1, 2, 3, 8, 9, 10, 11, 12, 13, 18))

_MOSTLY = 0.9
_HALF = 0.5
_FEWEST_RECORDS = 50
_MOST_CATEGORIES, _FEWEST_PER_CATEGORY = 30, 10
_MOST_CODES, _FEWEST_PER_CODE = 1_000, 100
_LONGEST_CATEGORY = 3
_DENSE = 0.09
_SHORTEST_CODE = 5
_LONG_CODE, _FEWEST_SHARED = 7, 50
_OF_ONE_RECORD = "nearly every record has a unique value"
_OLDEST_EVER = 130

FLAGS = frozenset(("0", "1", "y", "n", "yes", "no", "true", "false", "t", "f", "none", "unknown"))
_PLAIN_NUMBER = TextForm(r"\d{1,4}(\.\d+)?")
_AGE = TextForm(r"\D*(?P<years>\d+).*")
_WHOLE = TextForm(r"([+-]?\d+)\.0+")
_NUMBER = TextForm(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
_WITH_UNIT = TextForm(r"[<>≤≥]?=? ?[+-]?\d*\.\d+ ?[a-zµ%/]{0,7}", re.IGNORECASE)
_PRESSURE = TextForm(r"(?P<systolic>[5-9]\d|[12]\d\d)/(?P<diastolic>[2-9]\d|1\d\d)")
_INTEGER = TextForm(r"[+-]?\d+")
_NUMBER_OR_MARKS = TextForm(r"[+-]?\d*\.?\d*(e[+-]?\d+)?")
_YEAR = TextForm(r"(1[89]|2[012])\d\d")
_SHORT_NUMBER = TextForm(r"\d{1,4}")
_MASKED = re.compile(r"[\W_]+")
_DIGITS_OF_A_PHONE, _SIGNS_OF_AN_AREA, _MARKS_OF_AN_IP = 7, 3, 2
_COULD_BE: Final[Mapping[str, Callable[[str], bool]]] = {
    "is_anything": bool,
    "is_text": lambda text: not _NUMBER_OR_MARKS(text),
    "has_digit": lambda text: any(map(str.isdigit, text)),
    "is_long_number": lambda text: sum(map(str.isdigit, text)) >= _DIGITS_OF_A_PHONE,
    "is_whole_code": lambda text: len(_MASKED.sub("", text)) > _SIGNS_OF_AN_AREA,
    "has_marks": lambda text: text.count(".") + text.count(":") >= _MARKS_OF_AN_IP,
    "is_year": _YEAR,
    "is_no_year": lambda text: not _SHORT_NUMBER(text),
}


@cache
def identifiers() -> Mapping[int, str]:
    """Return the number and short name of each of the eighteen identifiers."""
    return dict(enumerate(table_of("rule.toml")["identifiers"], 1))


@dataclass(frozen=True)
class Trace:
    """The signs of an identifier. `what` is the name of the identifier in the plural.

    `called` is the pattern of the column's name. None means any name. `could_be` returns whether a
    string could be such an identifier if the column's name suggests the identifier. `reads` returns
    whether a string is or contains such an identifier. `reads` is None if a value alone cannot show
    this. `also_reads` recognizes a form that counts only if the column's name fits or if `reads`
    recognizes other values. `enough` is the minimum share of values that is enough evidence. A
    share of 1e-9 means that one value is enough. `of_one` indicates whether such a column has one
    number per person. If so, numbers that occur in many records belong to people with many records,
    and are not categories. `elsewhere` is the remedy for postal codes outside the United States,
    and `unclear` is the remedy if the country is not certain.
    """

    identifier: int
    what: str
    could_be: Callable[[str], bool]
    reads: Callable[[str], bool] | None
    also_reads: Callable[[str], bool] | None = None
    remedy: str = REMOVE
    called: str | None = None
    enough: float = 0.05
    of_one: bool = False
    elsewhere: str | None = None
    unclear: str | None = None

    @property
    def is_number(self) -> bool:
        """Return whether the identifier differs between people, so that it has many values."""
        return 4 <= self.identifier <= 13 or self.identifier == 18  # noqa: PLR2004 - the rule's


@cache
def traces() -> tuple[Trace, ...]:
    """Return the traces in the data file."""
    return tuple(
        Trace(
            **written
            | {
                "could_be": _COULD_BE[written.get("could_be", "is_anything")],
                "reads": detector(written["reads"]) if "reads" in written else None,
                "also_reads": detector(written["also_reads"]) if "also_reads" in written else None,
            }
        )
        for written in table_of("traces.toml")["trace"]
    )


@dataclass(frozen=True)
class IdentifierFinding:
    """An identifier that a column seems to contain, with the reason in words.

    `remedy` is the action that Safe Harbor requires. `called` is true if the column's name is part
    of the evidence. `share` is the share of sampled values that have the form of the identifier. It
    is None if the values were not evidence.
    """

    column: str
    number: int
    why: str
    remedy: str
    called: bool
    share: float | None = None

    @property
    def identifier(self) -> str:
        """The short name of the identifier."""
        return identifiers()[self.number]

    def to_dict(self) -> dict[str, Any]:
        """Return the finding in JSON form."""
        head = {"column": self.column, "number": self.number, "identifier": self.identifier}
        share = None if self.share is None else round(self.share, 3)
        return head | asdict(self) | {"share": share}


def find(
    columns: Sequence[ColumnProfile],
    values: Mapping[str, Sequence[str]],
    domains: Mapping[str, Sequence[str]],
) -> tuple[IdentifierFinding, ...]:
    """Find identifiers, and order them by column and by the identifier's number in the rule.

    `values` contains a sample of the distinct values of each column, without missing values.
    `domains` contains all distinct values of a column, if they are known.
    """
    return tuple(
        finding
        for column in columns
        for finding in _in_column(column, values[column.name], domains.get(column.name))
    )


def _in_column(
    column: ColumnProfile, written: Sequence[str], domain: Sequence[str] | None
) -> list[IdentifierFinding]:
    """Find the identifiers in a column. A number such as 91911.0 is treated as 91911."""
    values = tuple(_whole(value) for value in written)
    if not values or all(value.casefold() in FLAGS for value in values):
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
    """Yield the finding from the column's name, if any, and then the findings from the values."""
    named = _named(column, values)
    if named is not None and named.elsewhere:
        named = _of_country(named, country_of(column.name, values))
    by_number = {
        trace.identifier: (trace, share)
        for trace in reversed(traces())
        if (share := _share_read(values, trace, named)) >= trace.enough
    }
    if named is not None:
        read = by_number.pop(named.identifier, None)
        yield _finding(column, named, read, called=True)
    for trace, share in by_number.values():
        yield _finding(column, trace, (trace, share), called=False)


def _share_read(values: Sequence[str], trace: Trace, named: Trace | None) -> float:
    """Return the share of values that a trace recognizes. `named` is the trace of the name."""
    reads, also = trace.reads, trace.also_reads
    if reads is None:
        return 0.0
    share = _share(values, date_detector(values) if reads is is_date else reads)
    if also is None or not (share or (named is not None and named.what == trace.what)):
        return share
    return _share(values, lambda value: reads(value) or also(value))


def _finding(
    column: ColumnProfile, trace: Trace, read: tuple[Trace, float] | None, *, called: bool
) -> IdentifierFinding:
    why, share = f"named like {trace.what}", None
    if read is not None:
        share = read[1]
        whole = int(100 * share + 1e-9)  # rounded down, so that 100% means all values
        part = f"{whole or 'less than 1'}% of the distinct values sampled"
        values = f"{part} look like {read[0].what}"
        why = f"the column name fits, and {values}" if called else values
    return IdentifierFinding(
        column.name, trace.identifier, why, trace.remedy, called=called, share=share
    )


def _named(column: ColumnProfile, values: Sequence[str]) -> Trace | None:
    """Return the trace that matches a column's name, if the values could be such identifiers."""
    name = words(column.name)
    trace = next((t for t in traces() if t.called and pattern(t.called).search(name)), None)
    if trace is None or _share(values, trace.could_be) < _HALF:
        return None
    if trace.identifier != 3 and _share(values, date_detector(values)) > _HALF:  # noqa: PLR2004 - dates
        return None
    return None if trace.is_number and _is_category(column, trace) else trace


def _of_country(trace: Trace, country: Country) -> Trace:
    """Adapt the trace for ZIP codes to the postal codes of a country."""
    remedies = {"us": trace.remedy, "unclear": trace.unclear, "other": trace.elsewhere}
    what = trace.what if country == "us" else "postal codes"
    return replace(trace, what=what, remedy=remedies[country] or trace.remedy)


def _is_category(column: ColumnProfile, trace: Trace) -> bool:
    """Return whether each value occurs in too many records to belong to one person.

    A column with one number per person is never a category. Numbers other than codes are categories
    only if they are short. For example, twenty telephone numbers are not categories, even if each
    number occurs often.
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
    if not is_called(column.name, "age"):
        return
    ages = {value: age for value in values if (age := _age(value)) is not None}
    if sum(age <= _OLDEST_EVER for age in ages.values()) < _MOSTLY * len(ages):
        return
    over = [value for value, age in ages.items() if age > OLDEST]
    if len(over) > 1 or any(_PLAIN_NUMBER(value) for value in over):
        why = f"named like ages, with some values over {OLDEST}"
        yield IdentifierFinding(column.name, 3, why, ONE_AGE, called=True)


def _age(value: str) -> int | None:
    """Return the lowest age of a label, such as 80 for [80-90)."""
    if (band := parse_range(value)) is not None:
        return band.low
    found = _AGE.match(value)
    return int(found["years"]) if found else None


def _code(column: ColumnProfile, values: Sequence[str]) -> str:
    """Explain why values may be codes of people, or return an empty string if there is no reason.

    Values are codes if nearly every record has a different value, and if the values are not
    measurements, dates, or lists. Whole numbers are codes if all numbers have the same length, or
    if many of the possible numbers with their length occur. Long numbers of the same length are
    also codes if several records share a number.
    """
    if column.is_list or column.present < _FEWEST_RECORDS:
        return ""
    if is_called(column.name, "vocabulary"):
        return ""
    own = column.uniqueness >= _MOSTLY
    if own and _share(values, _measures) < _HALF and _share(values, is_day) < _MOSTLY:
        return _OF_ONE_RECORD
    if _share(values, _INTEGER) < _MOSTLY or is_called(column.name, "measures"):
        return ""
    one_length = column.shortest == column.longest >= _SHORTEST_CODE
    if own and (one_length or column.distinct >= _DENSE * 10.0**column.longest):
        return _OF_ONE_RECORD
    shared = one_length and column.longest >= _LONG_CODE and column.distinct >= _FEWEST_SHARED
    return (
        ("long numbers of the same length, like ID numbers of people or households")
        if shared
        else ""
    )


def _measures(value: str) -> bool:
    """Return whether a value is a number, a number with a unit, or a blood pressure."""
    if _NUMBER(value) or _WITH_UNIT(value):
        return True
    found = _PRESSURE.match(value)
    return found is not None and int(found["systolic"]) > int(found["diastolic"])


def _whole(value: str) -> str:
    """Remove empty decimals from a whole number. Return any other string unchanged."""
    found = _WHOLE.match(value)
    return found[1] if found else value


def _share(values: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, values)) / len(values)


@dataclass(frozen=True)
class ChecklistLine:
    """The result for one of the eighteen identifiers. `note` states what was not examined."""

    number: int
    answer: Answer
    columns: tuple[str, ...] = ()
    note: str = ""

    @property
    def identifier(self) -> str:
        """The short name of the identifier."""
        return identifiers()[self.number]

    def describe(self) -> str:
        """Return the result in words, without the names of columns."""
        return "not found in any column" if self.answer == "not found" else self.answer

    def to_dict(self) -> dict[str, Any]:
        """Return the line in JSON form."""
        head = {"number": self.number, "identifier": self.identifier}
        return head | asdict(self) | {"columns": list(self.columns)}


def checklist(
    findings: Iterable[IdentifierFinding], *, free_text: Iterable[str] = ()
) -> tuple[ChecklistLine, ...]:
    """Return the result for each of the eighteen identifiers in the examined columns.

    In columns of long text, which `free_text` lists, identifiers such as names cannot be assessed.
    """
    columns: dict[int, dict[str, None]] = {number: {} for number in identifiers()}
    for finding in findings:
        columns[finding.number][finding.column] = None
    texts = ", ".join(free_text)
    return tuple(_line(number, tuple(found), texts) for number, found in columns.items())


def _line(number: int, found: tuple[str, ...], texts: str) -> ChecklistLine:
    hidden = bool(texts) and number in _HIDDEN_IN_TEXT
    unseen = table_of("rule.toml")["not_assessed"].get(str(number), "")
    note = f"not assessed in the long texts of {texts}" if hidden else unseen
    if found:
        return ChecklistLine(number, "found", found, note)
    answer: Answer = "not assessed" if hidden or number in _NEVER_SEEN else "not found"
    return ChecklistLine(number, answer, (), note)
