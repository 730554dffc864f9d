"""Write counts, times, and names in words. The module `reports.numbers` writes percentages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor, isfinite, log10
from typing import Any
from unicodedata import east_asian_width

from roadstead.front_end import option
from roadstead.printable import named, printable_lines
from roadstead.reports.numbers import Bound, percent

_LONGEST_WHOLE = 10**15
_HUNDREDTH = 0.01
_MINUTE, _HOUR = 60, 3600
_RECORDS = "This counts records, not people."
SAME_KEY = (
    "Anyone who has two releases made with this key can join the records of a person. The privacy "
    "requirements hold for each release alone."
)
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def legible(text: str) -> str:
    """Escape characters that are invisible or look like other characters. Line breaks are kept."""
    return printable_lines(text.split("\n"))


def format_count(number: int) -> str:
    """Write a count, such as 30,162. A count of more than 15 digits uses a power of ten."""
    if number < _LONGEST_WHOLE:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    tenths = number // 10 ** (exponent - 1)
    power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return f"about {tenths / 10} \N{MULTIPLICATION SIGN} {power}"


def one_in(risk: float) -> str:
    """Write a probability as "1 in 5" or "about 1 in 39", or "" if this adds nothing."""
    if risk <= 0.0 or risk > 1.0 / 2.0:
        return ""
    number = 1.0 / risk
    about = "" if abs(number - round(number)) < _HUNDREDTH else "about "
    return f"{about}1 in {format_count(round(number))}"


def odds(risk: float, *, bound: Bound | None = None) -> str:
    """Write a probability in percent, and as "1 in n" if this adds something."""
    share, said = percent(risk, bound=bound), one_in(risk)
    return f"{share} ({said})" if said else share


def decimal(number: float) -> str:
    """Write a number of any size with at least three significant digits."""
    if number == 0 or not isfinite(number):
        return f"{number:g}"
    if number >= 1000:  # noqa: PLR2004 - a fraction adds nothing to a larger number
        return format_count(round(number))
    digits = max(0, 2 - floor(log10(abs(number))))
    return f"{number:.{digits}f}"


def duration(seconds: float) -> str:
    """Write a time, such as 0.05 s, 12.3 s, 2 min 5 s, or 20 h 3 min."""
    if seconds < _HUNDREDTH:
        return "less than 0.01 s"
    if seconds < _MINUTE:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min {int(seconds % _MINUTE)} s"
    return f"{format_count(int(seconds // _HOUR))} h {int(seconds % _HOUR // _MINUTE)} min"


def moment(created: str) -> str:
    """Write an ISO 8601 time as a date and a time in UTC. Return any other string unchanged."""
    try:
        time = datetime.fromisoformat(created)
    except ValueError:
        return created
    utc = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y}, {utc:%H:%M} UTC"


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number with its noun, such as 1 record, 2 records, or 2 policies."""
    return f"{format_count(number)} {noun if number == 1 else nouns or noun + 's'}"


def without_shifted(records: int, persons: int) -> str:
    """Say that counts exclude records that date shifts left out, or return an empty string."""
    if not records:
        return ""
    whose = f", among them all records of {counted(persons, 'person', 'people')}" if persons else ""
    return (
        f"These counts do not include {counted(records, 'record')} near or beyond the ends of "
        f"the shifted date range{whose}."
    )


def people_losing(left_out: int, in_part: int) -> str:
    """Say how many people have no record in a release, and how many lack some of their records."""
    has = "has" if left_out == 1 else "have"
    lost = f"{format_count(in_part)} lost some records"
    return f"{counted(left_out, 'person', 'people')} {has} no record left, and {lost}"


def listed(names: Sequence[str]) -> str:
    """Write names as a list in a sentence."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def first_few(names: Sequence[str], most: int = 12) -> str:
    """Write names separated by commas. If there are many names, write only the first few."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def shortened(text: str, columns: int) -> str:
    """Cut text to a width in columns, and mark the cut. Wide characters count as two columns."""
    room = columns
    for place, character in enumerate(text):
        room -= 2 if east_asian_width(character) in "WF" else 1
        if room < 0 or (room == 0 and place + 1 < len(text)):
            return f"{text[:place].rstrip()}\N{HORIZONTAL ELLIPSIS}"
    return text


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows in columns below a header. The first column is text, the others are numbers."""
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
    """The highest risk if records are counted, and the highest risk if people are counted."""

    column: str
    records: float
    people: float

    @property
    def sentence(self) -> str:
        """Both risks in a sentence."""
        return (
            "If records are counted, the risk is at most "
            f"{percent(self.records, bound='upper')}. If {self.column} is the person ID "
            "and people are counted, the risk is at most "
            f"{percent(self.people, bound='upper')}."
        )


@dataclass(frozen=True)
class RiskIfUndone:
    """The highest risk if columns that are released anyway undo the generalization of others."""

    columns: tuple[str, ...]  # released anyway
    attributes: tuple[str, ...]  # the quasi-identifiers whose values they determine
    risk: float
    people: bool = False  # whether people are counted
    several: bool = False  # whether an attacker may know several rows of a person

    @property
    def sentence(self) -> str:
        """The risk in a sentence, with the reason."""
        one = len(self.columns) == 1
        more = " With several known rows, the probability can be higher." if self.several else ""
        return (
            f"{listed(self.columns)} {'determines' if one else 'determine'} "
            f"{listed(self.attributes)}. If an attacker knows only the quasi-identifiers, and "
            f"which of their values belong to each value of {listed(self.columns)}, the attacker "
            f"picks the right {'person' if self.people else 'record'} with a probability of up to "
            f"{percent(self.risk, bound='upper')}.{more}"
        )


@dataclass(frozen=True)
class CountedUnit:
    """The counted unit: records, or the people to whom the records belong.

    If no person ID column is named, the sentences say so, and name the columns that look like
    person IDs.
    """

    person: str | None = None  # the person ID column
    suspects: tuple[str, ...] = ()  # columns that look like person IDs, if none is named
    first: str = ""  # what must be done before a person ID can be named
    alone: bool = False  # whether each person has one record
    single: str | None = None  # a column named like a person ID, but different in all records
    by_people: RiskByPeople | None = None  # for a column that looks like a person ID

    @property
    def sentence(self) -> str:
        """A sentence that names the unit and the option to set it, for the user of the tool."""
        if settled := self._settled:
            return f"{settled}{self._instead}"
        if not self.suspects:
            way = f"{self.first}name the person ID column with {option('person', 'COLUMN')}"
            return f"{_RECORDS} If a person can have several records, {way}."
        several = len(self.suspects) > 1
        way = f"{self.first}use {option('person', 'COLUMN' if several else self.suspects[0])}"
        return f"{_RECORDS} {self._suspected}. To count people, {way}.{self._risks}"

    @property
    def stated(self) -> str:
        """A sentence that names the unit but no option, for a report."""
        if settled := self._settled:
            return settled
        if not self.suspects:
            return f"{_RECORDS} A person with several records can have a higher risk."
        return (
            f"{_RECORDS} {self._suspected}. If people have several records, their risk can be "
            f"higher.{self._risks}"
        )

    @property
    def _settled(self) -> str:
        """A sentence about the counted unit, or "" if people could be counted instead."""
        if self.person is not None:
            said = f"This counts people, not records. The person ID column is {self.person}."
            said = f"{said} Each person has one record." if self.alone else said
            other = f" {self._suspected}, too.{self._risks}" if self.alone and self.suspects else ""
            return f"{said}{other}"
        if self.single is not None and not self.suspects:
            return (
                f"This counts records. Every record has a different {self.single}, so each record "
                "is treated as one person."
            )
        return ""

    @property
    def _instead(self) -> str:
        """The option to count other people, if each record is counted as a different person."""
        if not self.alone or not self.suspects:
            return ""
        way = option("person", self.suspects[0])
        return f" To count people by {self.suspects[0]}, {self.first}use {way}."

    @property
    def _suspected(self) -> str:
        several = len(self.suspects) > 1
        look = "look like person IDs" if several else "looks like a person ID"
        return f"The column{'s' * several} {listed(self.suspects)} {look}"

    @property
    def _risks(self) -> str:
        return "" if self.by_people is None else f" {self.by_people.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the unit as JSON."""
        risks = self.by_people
        by_people = {} if risks is None else {"risk_by_people": risks.people}
        return {
            "unit": "records" if self.person is None else "persons",
            "person": self.person,
            "look_like_persons": list(self.suspects),
            "sentence": self.sentence,
            **by_people,
        }


def weighted(weights: Mapping[str, float]) -> str:
    """Say how often each column counts in a total, such as "age counts 20 times, sex once".

    Returns an empty string if all columns have the same weight.
    """
    if len(set(weights.values())) <= 1:
        return ""
    times = {1.0: "once", 2.0: "twice"}
    first, *others = [
        (named(name), times.get(weight, f"{weight:g} times"))
        for name, weight in sorted(weights.items(), key=lambda one: -one[1])
    ]
    rest = [f"{name} {often}" for name, often in others]
    return ", ".join([f"{first[0]} counts {first[1]}", *rest])
