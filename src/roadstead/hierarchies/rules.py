"""Define rules, which describe the effect of one generalization level in a readable form.

A *rule* maps the text of any value to its label: ``"37212"`` to ``"372**"``, ``"47"`` to
``"45-49"``. A hierarchy is a sequence of rules, from specific to general. A policy contains one
rule for each attribute and does not depend on the data from which it was computed. So you can apply
the policy to next month's data. A rule has three methods:

- `label(value)`: the label of the value, or None if the rule does not cover the value;
- ``produces(label)``: whether the rule can produce a label;
- ``describe()``: a description of the rule in words.

A missing value is an empty string. Every rule keeps a missing value unchanged, with two exceptions:
`Everything` generalizes a missing value like any other value, and `Groups` may list it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Literal, TypeAlias

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.calendar_units import LABEL_PATTERNS, TOO_FINE, CalendarUnit
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.number_text import (
    EXACT,
    all_whole,
    member_of_interval,
    name_interval,
    plain_number,
)
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.written_dates import WrittenForm, parse_date
from roadstead.hierarchies.written_numbers import APART, NumberForm, Span, read_span

MISSING = ""
"""The string that represents a missing value."""

# Bounds have at most as many digits as the numbers that Roadstead reads. A width may be a fraction
# of the finest step.
_DIGITS_BEFORE, _DIGITS_AFTER, _DIGITS_OF_WIDTH = 30, 40, 50


@dataclass(frozen=True)
class Identity:
    """A rule that keeps every value; `values` lists the domain if it is declared."""

    values: tuple[str, ...] | None = None
    kind: Literal["identity"] = "identity"

    @cached_property
    def _domain(self) -> frozenset[str] | None:
        return None if self.values is None else frozenset(self.values)

    def label(self, value: str) -> str | None:
        """Keep the value. Return None if the value is outside the declared domain."""
        known = value == MISSING or self._domain is None or value in self._domain
        return value if known else None

    def produces(self, label: str) -> bool:
        """Return whether the label is in the domain."""
        return self.label(label) is not None

    def describe(self) -> str:
        """Describe the rule in words."""
        return "unchanged"


class _KeepsMissing:
    """A rule that keeps a missing value. The methods `_name` and `_names` handle other values."""

    def label(self, value: str) -> str | None:
        """Return the label of the value, or None if the rule does not cover it."""
        return value if value == MISSING else self._name(value)

    def produces(self, label: str) -> bool:
        return label == MISSING or self._names(label)

    def _name(self, value: str) -> str | None:
        raise NotImplementedError

    def _names(self, label: str) -> bool:
        raise NotImplementedError


@dataclass(frozen=True)
class Prefix(_KeepsMissing):
    """A rule that keeps the first `keep` characters of a value, and masks or cuts the rest.

    If `mask` is empty, the rest is cut. `length` is the length of every value, or None if lengths
    differ.
    """

    keep: int
    length: int | None = None
    mask: str = "*"
    kind: Literal["prefix"] = "prefix"

    def __post_init__(self) -> None:
        if self.keep < 1 or len(self.mask) > 1:
            raise HierarchyError(
                f"a prefix with {self.keep} characters and the mask {self.mask!r} cannot be used",
                fix="keep at least one character, and use at most one character as the mask",
            )

    def _name(self, value: str) -> str | None:
        if self.length is not None and len(value) != self.length:
            return None
        return value[: self.keep] + self.mask * len(value[self.keep :])

    def _names(self, label: str) -> bool:
        if self.mask and self.length is not None:
            return len(label) == self.length and label.endswith(
                self.mask * max(self.length - self.keep, 0)
            )
        if self.mask:
            return set(label[self.keep :]) <= {self.mask}
        longest = self.keep if self.length is None else min(self.keep, self.length)
        return len(label) == longest or (self.length is None and len(label) < longest)

    def describe(self) -> str:
        """Describe the rule in words."""
        if self.keep == self.length:
            return "unchanged"
        return "first character kept" if self.keep == 1 else f"first {self.keep} characters kept"


class _Intervals(_KeepsMissing):
    """A rule that replaces numbers with the names of half-open intervals.

    `form` is the form of the values (`written_numbers`). If the form is not ``plain``, a value that
    is not in an interval becomes ``other``.
    """

    integer: bool
    form: NumberForm

    def span(self, value: str) -> Span | None:
        """Return the span of numbers that a value represents, or None if it is not a number."""
        found = read_span(value, self.form, whole=self.integer)
        ends = [] if found is None else [end for end in (found.low, found.high) if end is not None]
        return None if self.integer and not all_whole(ends) else found

    def interval(self, value: str) -> tuple[Decimal | None, Decimal | None] | None:
        """Return the bounds of the value's interval, if any. A bound of None means an open end."""
        found = self.span(value)
        bounds = None if found is None else self._around(found.place)
        return bounds if found is not None and bounds and found.within(*bounds) else None

    def _around(self, number: Decimal) -> tuple[Decimal | None, Decimal | None]:
        raise NotImplementedError

    def _name(self, value: str) -> str | None:
        bounds = self.interval(value)
        if bounds is None:
            return None if self.form == "plain" else APART
        return name_interval(*bounds, integer=self.integer)

    def _names(self, label: str) -> bool:
        if label == APART:
            return self.form != "plain"
        member = member_of_interval(label)
        return member is not None and self.label(member) == label


@dataclass(frozen=True)
class Bands(_Intervals):
    """A rule that puts numbers into half-open bands of equal `width`, with a bound at `origin`.

    Numbers of at least `top` are in one open band ("90+"), and numbers below `bottom` are in
    another open band ("<20"). If `integer` is set, the values are whole, so a band is named "45-49"
    rather than "[45, 50)".
    """

    width: Decimal
    origin: Decimal = Decimal(0)
    integer: bool = True
    bottom: Decimal | None = None
    top: Decimal | None = None
    form: NumberForm = "plain"
    kind: Literal["bands"] = "bands"

    def __post_init__(self) -> None:
        _check_numbers("bands", (self.width,), _DIGITS_OF_WIDTH)
        _check_numbers("bands", (self.origin, self.bottom, self.top), _DIGITS_AFTER)
        if self.width <= 0:
            raise HierarchyError(
                f"bands of width {self.width} cannot be used", fix="give a width greater than zero"
            )
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise HierarchyError(
                f"bands from {self.bottom} up to {self.top} cannot be used",
                fix="give a bottom below the top",
            )

    def _around(self, number: Decimal) -> tuple[Decimal | None, Decimal | None]:
        if self.top is not None and number >= self.top:
            return self.top, None
        if self.bottom is not None and number < self.bottom:
            return None, self.bottom
        steps = EXACT.divide_int(EXACT.subtract(number, self.origin), self.width)
        low = EXACT.fma(steps, self.width, self.origin)
        if low > number:  # Decimal division truncates toward zero
            low = EXACT.subtract(low, self.width)
        high = EXACT.add(low, self.width)
        if self.bottom is not None:
            low = max(low, self.bottom)
        if self.top is not None:
            high = min(high, self.top)
        return low, high

    def describe(self) -> str:
        """Describe the rule in words."""
        single = self.integer and self.width == 1
        years = " years" if self.form == "ages" else ""
        text = f"in bands of {plain_number(self.width)}{years}"
        if single and self.form != "mixed":
            text = "in whole years" if years else "unchanged"
        if self.bottom is not None:
            text += f" from {plain_number(self.bottom)}"
        if self.top is not None:
            text += f", then {plain_number(self.top)}+"
        return text


@dataclass(frozen=True)
class Cuts(_Intervals):
    """A rule that puts numbers into the intervals between `cuts`. The outer intervals are open."""

    cuts: tuple[Decimal, ...]
    integer: bool = True
    form: NumberForm = "plain"
    kind: Literal["cuts"] = "cuts"

    def __post_init__(self) -> None:
        _check_numbers("cuts", self.cuts, _DIGITS_AFTER)

    def _around(self, number: Decimal) -> tuple[Decimal | None, Decimal | None]:
        low = max((c for c in self.cuts if c <= number), default=None)
        high = min((c for c in self.cuts if c > number), default=None)
        return low, high

    def describe(self) -> str:
        """Describe the rule in words."""
        return "cut at " + ", ".join(plain_number(c) for c in self.cuts)


def _check_numbers(of: str, numbers: Iterable[Decimal | None], places: int) -> None:
    """Reject numbers that have too many digits to compute or read the bounds."""
    for number in numbers:
        exponent = 0 if number is None else number.as_tuple().exponent  # a letter if not finite
        fits = isinstance(exponent, int) and exponent >= -places
        if number is not None and not (fits and number.adjusted() < _DIGITS_BEFORE):
            raise HierarchyError(
                f"the number {quoted(str(number))} cannot be used in {of}",
                fix=f"give numbers with at most {_DIGITS_BEFORE} digits before the decimal point "
                f"and {places} after it",
            )


@dataclass(frozen=True)
class Calendar(_KeepsMissing):
    """A rule that replaces dates with their calendar `unit` and drops times of day.

    Values are ISO dates, or have the strptime `form`; `written_dates` describes `pivot` and
    `serials`. Labels are always ISO. The rule does not cover a partial date that lacks a part that
    the unit needs. All dates before the year `bottom` have the same label.
    """

    unit: CalendarUnit
    form: str | None = None
    pivot: int | None = None  # the first of the hundred years that two-digit years mean
    serials: bool = False  # whether numbers are Excel's serial numbers of days
    bottom: int | None = None
    kind: Literal["calendar"] = "calendar"

    @cached_property
    def written(self) -> WrittenForm:
        """The form of the values."""
        return WrittenForm(self.form, self.pivot, self.serials)

    def date_of(self, value: str) -> date | None:
        """Return the first day of a date, or None if the form is wrong or a part is missing."""
        found = self.written.read(value)
        return None if found is None or self.unit in TOO_FINE[found.finest] else found.first

    def _name(self, value: str) -> str | None:
        day = self.date_of(value)
        if day is None:
            return None
        return self.before if self.is_early(day) else _name_date(day, self.unit)

    @property
    def before(self) -> str | None:
        """The label of all dates before `bottom`."""
        return None if self.bottom is None else f"before {self.bottom:04d}"

    def is_early(self, day: date) -> bool:
        """Return whether a day is before `bottom`."""
        return self.bottom is not None and day.year < self.bottom

    def _names(self, label: str) -> bool:
        if label == self.before:
            return True
        if not LABEL_PATTERNS[self.unit].fullmatch(label):
            return False
        if self.unit not in ("day", "week"):
            last = int(label[:4]) + 9 * (self.unit == "decade")
            return self.bottom is None or last >= self.bottom
        day = parse_date(label.removeprefix("week of "))
        if day is None or _name_date(day, self.unit) != label:
            return False
        last_day = day.toordinal() + 6 * (self.unit == "week")
        return not self.is_early(date.fromordinal(min(last_day, date.max.toordinal())))

    def describe(self) -> str:
        """Describe the rule in words."""
        unit = f"by {self.unit}"
        return unit if self.bottom is None else f"{unit} (dates {self.before} in one band)"


def _name_date(day: date, unit: CalendarUnit) -> str:
    match unit:
        case "day":
            return day.isoformat()
        case "week":
            return f"week of {(day - timedelta(days=day.weekday())).isoformat()}"
        case "month":
            return f"{day.year:04d}-{day.month:02d}"
        case "quarter":
            return f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}"
        case "year":
            return f"{day.year:04d}"
        case "decade":
            return f"{day.year // 10 * 10:04d}s"


@dataclass(frozen=True)
class Groups:
    """A rule that replaces the listed values with the labels of their groups."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    kind: Literal["groups"] = "groups"

    @cached_property
    def _label_of(self) -> dict[str, str]:
        return {value: label for label, values in self.groups for value in values}

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(label for label, _ in self.groups)

    def label(self, value: str) -> str | None:
        """Return the group of the value, or None if the value is not in a group."""
        found = self._label_of.get(value)
        return MISSING if found is None and value == MISSING else found

    def produces(self, label: str) -> bool:
        """Return whether the label belongs to a group."""
        return label in self._labels or (label == MISSING and MISSING not in self._label_of)

    def describe(self) -> str:
        """Describe the rule in words."""
        return "in 1 group" if len(self.groups) == 1 else f"in {len(self.groups)} groups"


@dataclass(frozen=True)
class Everything:
    """A rule that replaces all values with one label, which removes the attribute completely."""

    text: str = field(default="*")
    kind: Literal["everything"] = "everything"

    def label(self, value: str) -> str:  # noqa: ARG002 - every value becomes the same
        """Return the label that replaces every value."""
        return self.text

    def produces(self, label: str) -> bool:
        """Return whether the label is the rule's only label."""
        return label == self.text

    def describe(self) -> str:
        """Describe the rule in words."""
        return "removed"


Rule: TypeAlias = (
    Identity
    | Prefix
    | Bands
    | RangeBands
    | Cuts
    | Calendar
    | Groups
    | Beginnings
    | CodeParts
    | Everything
)
