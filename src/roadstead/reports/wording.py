"""Counts, times and names as a reader meets them; percentages are in `reports.numbers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor, isfinite, log10
from typing import Any
from unicodedata import east_asian_width

from roadstead.front_end import option
from roadstead.printable import printable_lines
from roadstead.reports.numbers import Bound, percent

_LONGEST_WHOLE = 10**15
_HUNDREDTH = 0.01
_MINUTE, _HOUR = 60, 3600
_RECORDS = "Counted: records, not persons."
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def legible(text: str) -> str:
    """Write what cannot be shown, or shows as something else, as an escape; lines stay lines."""
    return printable_lines(text.split("\n"))


def format_count(number: int) -> str:
    """Write a count: 30,162; beyond 15 digits as about so much times a power of ten."""
    if number < _LONGEST_WHOLE:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    tenths = number // 10 ** (exponent - 1)
    power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return f"about {tenths / 10} \N{MULTIPLICATION SIGN} {power}"


def one_in(risk: float) -> str:
    """Write a probability as "1 in 5" or "about 1 in 39"; empty where that says no more."""
    if risk <= 0.0 or risk > 1.0 / 2.0:
        return ""
    number = 1.0 / risk
    about = "" if abs(number - round(number)) < _HUNDREDTH else "about "
    return f"{about}1 in {format_count(round(number))}"


def odds(risk: float, *, bound: Bound | None = None) -> str:
    """Write a probability in percent and, where that says more, as "1 in n"."""
    share, said = percent(risk, bound=bound), one_in(risk)
    return f"{share} ({said})" if said else share


def decimal(number: float) -> str:
    """Write a number of any size with three or more digits that count."""
    if number == 0 or not isfinite(number):
        return f"{number:g}"
    if number >= 1000:  # noqa: PLR2004 - from here on a fraction says nothing
        return format_count(round(number))
    digits = max(0, 2 - floor(log10(abs(number))))
    return f"{number:.{digits}f}"


def duration(seconds: float) -> str:
    """Write a time: 0.05 s, 12.3 s, 2 min 5 s, 20 h 3 min."""
    if seconds < _HUNDREDTH:
        return "less than 0.01 s"
    if seconds < _MINUTE:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min {int(seconds % _MINUTE)} s"
    return f"{format_count(int(seconds // _HOUR))} h {int(seconds % _HOUR // _MINUTE)} min"


def moment(created: str) -> str:
    """Write an ISO 8601 time as a date and a time in UTC; what is not one stays as it is."""
    try:
        time = datetime.fromisoformat(created)
    except ValueError:
        return created
    utc = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y}, {utc:%H:%M} UTC"


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number with its noun: 1 record, 2 records, 2 policies."""
    return f"{format_count(number)} {noun if number == 1 else nouns or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """Write names as a list in a sentence."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def first_few(names: Sequence[str], most: int = 12) -> str:
    """Write names in a row, the first few of many."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def shortened(text: str, columns: int) -> str:
    """Cut a text to so many columns, wide characters taking two, with a mark where it was cut."""
    room = columns
    for place, character in enumerate(text):
        room -= 2 if east_asian_width(character) in "WF" else 1
        if room < 0 or (room == 0 and place + 1 < len(text)):
            return f"{text[:place].rstrip()}\N{HORIZONTAL ELLIPSIS}"
    return text


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set rows in columns below a head: the first is text, the others are numbers."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for place, row in enumerate(rows):
        first = f"  {row[0]}" if place else row[0]
        numbers = (
            f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True)
        )
        lines.append((first.ljust(widths[0] + 2) + "".join(numbers)).rstrip())
    return lines


@dataclass(frozen=True)
class RiskByPeople:
    """The highest risk by records, and by the people that a column numbers."""

    column: str
    records: float
    people: float

    @property
    def sentence(self) -> str:
        """Say both."""
        return (
            f"By records, the risk is at most {percent(self.records, bound='upper')}. "
            f"By people, as {self.column} numbers them: {percent(self.people, bound='upper')}."
        )


@dataclass(frozen=True)
class CountedUnit:
    """What is counted: records, or the persons that they belong to.

    Where nobody named the column that says whose each record is, that is said, and the columns that
    look like one are named. `declares`: whether the request can name it.
    """

    person: str | None = None  # the column that says whose each record is
    suspects: tuple[str, ...] = ()  # where there is none: columns that look like it
    declares: bool = True
    alone: bool = False  # whether each person has one record
    single: str | None = None  # a column called like a key of persons, another in each record
    by_people: RiskByPeople | None = None  # where there is no person ID, but a column looks like it

    @property
    def sentence(self) -> str:
        """Say it in a sentence, which stands in the first lines of every answer."""
        if self.person is not None:
            said = f"Counted: persons. The column {self.person} says whose each record is"
            return f"{said}: each has a person of its own." if self.alone else f"{said}."
        if self.single is not None and not self.suspects:
            return f"Counted: records, taken for persons: each has a {self.single} of its own."
        one_each = "make one record of each person first"
        if not self.suspects:
            way = f"name the column that says whose each is with {option('person', 'COLUMN')}"
            return f"{_RECORDS} If a person can have several, {way if self.declares else one_each}."
        several = len(self.suspects) > 1
        found = f"column{'s' * several} {listed(self.suspects)} seem{'s' * (not several)} to say"
        column = "COLUMN" if several else self.suspects[0]
        way = f"to count persons, give {option('person', column)}" if self.declares else one_each
        risks = "" if self.by_people is None else f" {self.by_people.sentence}"
        return f"{_RECORDS} The {found} whose each record is: {way}.{risks}"

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        risks = self.by_people
        by_people = {} if risks is None else {"risk_by_people": risks.people}
        return {
            "unit": "records" if self.person is None else "persons",
            "person": self.person,
            "look_like_persons": list(self.suspects),
            "sentence": self.sentence,
            **by_people,
        }
