"""Which columns of a table hold identifiers of Safe Harbor, and how that is known.

A column is called like one, or its values read like one; of the values a share is told and never
one of them. Beside the traces of each identifier there are two that need the whole column: ages
over 89, and codes of which nearly every record has its own.

Where columns are all one word, yes or no, or empty, there is nothing to find. A name is believed
only if most values could be what it says, and are no dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.tables.identifiers.column_names import is_age, words
from roadstead.tables.identifiers.dates import is_date
from roadstead.tables.identifiers.rule import IDENTIFIERS, OLDEST, ONE_AGE, REMOVE
from roadstead.tables.identifiers.traces import TRACES, Trace
from roadstead.tables.profile import ColumnProfile

_MOSTLY = 0.9
_HALF = 0.5
_FEWEST_RECORDS = 50
_MOST_CATEGORIES = 30
_DENSE = 0.09
_SHORTEST_CODE = 5
_OLDEST_EVER = 130

_FLAGS = frozenset(("0", "1", "y", "n", "yes", "no", "true", "false", "t", "f", "none", "unknown"))
_PLAIN_NUMBER = re.compile(r"\d{1,4}(\.\d+)?", re.ASCII)
_AGE = re.compile(r"\D*(?P<years>\d+).*", re.ASCII)
_MEASURES = re.compile(
    r"salary|income|wage|cost|charge|price|pay|amount|amt|count|total|score|dose|weight|height"
    r"|pressure|rate|volume|value|result|level|population|days|hours|minutes|seconds|wgt"
)


@dataclass(frozen=True)
class Finding:
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
) -> tuple[Finding, ...]:
    """Find the identifiers of Safe Harbor in a table.

    Parameters
    ----------
    columns
        The profile of each column.
    values
        For each column a sample of its distinct values, none of them missing.
    domains
        All distinct values of those columns of which they are known.

    Returns
    -------
    tuple of Finding
        In the order of the columns; of a column, in the order of the rule.
    """
    return tuple(
        finding
        for column in columns
        for finding in _in_column(column, values[column.name], domains.get(column.name))
    )


def _in_column(
    column: ColumnProfile, values: Sequence[str], domain: Sequence[str] | None
) -> list[Finding]:
    if not values or all(value.casefold() in _FLAGS for value in values):
        return []
    found: dict[int, Finding] = {}
    for finding in (*_traced(column, values), *_ages(column, domain or values)):
        found.setdefault(finding.number, finding)
    if not found and _is_unique_code(column):
        found[18] = Finding(
            column.name, 18, "nearly every record has a value of its own", REMOVE, called=False
        )
    if len(found) > 1:
        found.pop(18, None)
    return [found[number] for number in sorted(found)]


def _traced(column: ColumnProfile, values: Sequence[str]) -> Iterator[Finding]:
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
) -> Finding:
    why, share = f"called like {trace.what}", None
    if read is not None:
        share = read[1]
        whole = int(100 * share + 1e-9)  # down: 100 % is all of them
        values = f"{whole} % of sampled values read like {read[0].what}"
        why = f"called so, and {values}" if called else values
    return Finding(column.name, trace.identifier, why, trace.remedy, called=called, share=share)


def _named(column: ColumnProfile, values: Sequence[str]) -> Trace | None:
    """Find what the column is called like, if its values could be that."""
    name = words(column.name)
    trace = next((t for t in TRACES if t.called is not None and t.called.search(name)), None)
    if trace is None or _share(values, trace.could_be) < _HALF:
        return None
    if trace.identifier != 3 and _share(values, is_date) > _HALF:  # noqa: PLR2004 - dates
        return None
    return None if trace.is_number and _is_category(column) else trace


def _is_category(column: ColumnProfile) -> bool:
    """Whether few values are shared by many records, so that none is one person's."""
    few = column.distinct <= _MOST_CATEGORIES
    return few and column.records - column.missing > 10 * column.distinct


def _ages(column: ColumnProfile, values: Sequence[str]) -> Iterator[Finding]:
    """See whether ages over 89 are told apart, or told at all."""
    if not is_age(column.name):
        return
    ages = {value: int(age["years"]) for value in values if (age := _AGE.fullmatch(value))}
    if sum(age <= _OLDEST_EVER for age in ages.values()) < _MOSTLY * len(ages):
        return
    over = [value for value, age in ages.items() if age > OLDEST]
    if len(over) > 1 or any(_PLAIN_NUMBER.fullmatch(value) for value in over):
        several = "values" if len(over) > 1 else "value"
        why = f"called like ages, {len(over)} {several} over {OLDEST}"
        yield Finding(column.name, 3, why, ONE_AGE, called=True)


def _is_unique_code(column: ColumnProfile) -> bool:
    """Whether nearly every record has its own value, and that is no measurement, date or list.

    Whole numbers are codes if they are of one length, or run through all numbers of their length.
    """
    present = column.records - column.missing
    if column.is_list or present < _FEWEST_RECORDS or column.uniqueness < _MOSTLY:
        return False
    if column.share("number") < _HALF:
        return True
    if column.share("integer") < _MOSTLY or _MEASURES.search(words(column.name)):
        return False
    one_length = column.shortest == column.longest >= _SHORTEST_CODE
    return one_length or column.distinct >= _DENSE * 10.0**column.longest


def _share(values: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, values)) / len(values)
